import type { Color, Piece } from "./types";

const SVG = "http://www.w3.org/2000/svg";

/*
 * A piece is drawn in a square of 100 units, lit from above. A man is a turned disc of radius 40: an edge below it
 * that shows its thickness, a rounded rim, and a hollow within. White's rim is marked by one groove at 0.78 of the
 * radius, Black's by a second one at 0.5. A king is two discs, the upper one 14 units above the lower.
 */
const RADIUS = 40;
const RIM = RADIUS * 0.78;
const INNER = RADIUS * 0.5;
const THICKNESS = 4;
const LIFT = 14;

/** The shades that all pieces of a board share, to be placed once in its tree. */
export const SHADES = `<svg class="shades" aria-hidden="true"><defs>${(["white", "black"] as const)
  .map(
    (color) =>
      shade(`rim-${color}`, `${color}-rim-top`, `${color}-rim-bottom`) +
      shade(`hollow-${color}`, `${color}-hollow-top`, `${color}-hollow-bottom`),
  )
  .join(
    "",
  )}<radialGradient id="shadow"><stop class="shadow-near" offset=".8"/><stop class="shadow-far" offset="1"/></radialGradient></defs></svg>`;

function shade(id: string, top: string, bottom: string): string {
  return `<linearGradient id="${id}" x2="0" y2="1"><stop class="${top}"/><stop class="${bottom}" offset="1"/></linearGradient>`;
}

function circle(className: string, y: number, radius: number, fill = "none"): string {
  return `<circle class="${className}" cx="50" cy="${y}" r="${radius}" fill="${fill}"/>`;
}

function disc(color: Color, y: number): string {
  return [
    circle("edge", y + THICKNESS, RADIUS),
    circle("face", y, RADIUS, `url(#rim-${color})`),
    circle("groove", y, RIM, `url(#hollow-${color})`),
    color === "black" ? circle("groove", y, INNER, `url(#rim-${color})`) : "",
  ].join("");
}

/** The lower disc of a king: of its face only the front of the rim is seen, which is lit so that a small one shows. */
function base(color: Color, y: number): string {
  return circle("edge", y + THICKNESS, RADIUS) + circle("face", y, RADIUS, `url(#hollow-${color})`);
}

function drawing({ color, king }: Piece): string {
  const shadow = `<ellipse cx="50" cy="${king ? 62 : 56}" rx="46" ry="44" fill="url(#shadow)"/>`;
  const discs = king
    ? base(color, 50 + LIFT / 2) + disc(color, 50 - LIFT / 2)
    : disc(color, 50 - THICKNESS / 2);
  return shadow + discs;
}

const templates = new Map<string, SVGSVGElement>();

export function pieceKey({ color, king }: Piece): string {
  return `${color}-${king ? "king" : "man"}`;
}

/** A new picture of a piece; `data-piece` names it, for example `white-man`. */
export function drawPiece(piece: Piece): SVGSVGElement {
  const key = pieceKey(piece);
  let template = templates.get(key);
  if (!template) {
    template = document.createElementNS(SVG, "svg");
    template.setAttribute("viewBox", "0 0 100 100");
    template.setAttribute("class", `piece ${piece.color}`);
    template.setAttribute("aria-hidden", "true");
    template.dataset.piece = key;
    template.innerHTML = drawing(piece);
    templates.set(key, template);
  }
  return template.cloneNode(true) as SVGSVGElement;
}
