import { placeOf } from "./geometry";
import type { Color, Square } from "./types";

const SVG = "http://www.w3.org/2000/svg";

/** Draws a way as a line with a dot on each stop, over the board, in a picture of ten by ten squares. */
export function drawWay(picture: SVGSVGElement, way: readonly Square[], orientation: Color): void {
  if (way.length < 2 && picture.childElementCount === 0) return;
  const points = way
    .map((square) => placeOf(square, orientation))
    .map(({ x, y }) => [x + 0.5, y + 0.5] as const);
  const line = document.createElementNS(SVG, "polyline");
  line.setAttribute("points", points.map((point) => point.join(",")).join(" "));
  const dots = points.map(([x, y]) => {
    const dot = document.createElementNS(SVG, "circle");
    dot.setAttribute("cx", `${x}`);
    dot.setAttribute("cy", `${y}`);
    dot.setAttribute("r", "0.13");
    return dot;
  });
  picture.replaceChildren(...(way.length > 1 ? [line, ...dots] : []));
}

export function wayPicture(): SVGSVGElement {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", "0 0 10 10");
  picture.setAttribute("class", "way");
  picture.setAttribute("aria-hidden", "true");
  return picture;
}
