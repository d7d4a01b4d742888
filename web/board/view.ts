import { placeOf, SQUARES, seen, squareAt } from "./geometry";
import { type Labels, squareName } from "./labels";
import { drawPiece, pieceKey, SHADES } from "./pieces";
import { isGraspable, type Marks, marks, type State } from "./state";
import { STYLES } from "./styles";
import type { Color, Pieces, Square } from "./types";
import { drawWay, wayPicture } from "./way";

/** The marks that are classes of a square. */
const MARKED = ["last", "movable", "target", "prey", "urged", "touched", "premove"] as const;

/**
 * The squares whose number stands in the frame, each once: the top and bottom rows, and the ends of the rows between.
 * They are the same when the board is turned half round.
 */
const OUTER = [1, 2, 3, 4, 5, 6, 15, 16, 25, 26, 35, 36, 45, 46, 47, 48, 49, 50];

let sheet: CSSStyleSheet | undefined;

/** A sheet made by script, so that a strict content security policy need not allow inline styles. */
function styleSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
  }
  return sheet;
}

/** The board on the page: fifty cells in ten rows, each holding its piece. It shows what it is told and knows nothing else. */
export class View {
  readonly grid = element("div", "grid");
  readonly #frame = element("div", "frame");
  /** The cells from the top left to the bottom right; which square each is depends on the orientation. */
  readonly #cells: HTMLElement[] = [];
  readonly #outer: HTMLElement[] = OUTER.map(() => hidden("outer"));
  readonly #way = wayPicture();
  #orientation: Color = "white";
  #over: Square | null = null;
  #cursor: Square = 1;

  constructor(root: ShadowRoot) {
    root.adoptedStyleSheets = [styleSheet()];
    this.grid.setAttribute("role", "grid");
    for (let y = 0; y < 10; y++) {
      const row = element("div", "row");
      row.setAttribute("role", "row");
      for (let x = y % 2 === 0 ? 1 : 0; x < 10; x += 2) {
        const cell = element("div", "square");
        cell.setAttribute("role", "gridcell");
        cell.style.gridColumn = `${x + 1}`;
        cell.append(hidden("number"));
        this.#cells.push(cell);
        row.append(cell);
      }
      this.grid.append(row);
    }
    this.grid.append(this.#way);
    OUTER.forEach((index, i) => {
      const { x, y } = placeOf(index);
      const inFrame =
        y === 0 || y === 9
          ? { x: 4 + (x + 0.5) * 9.2, y: y === 0 ? 2 : 98 }
          : { x: x === 0 ? 2 : 98, y: 4 + (y + 0.5) * 9.2 };
      const outer = this.#outer[i] as HTMLElement;
      outer.style.left = `${inFrame.x}%`;
      outer.style.top = `${inFrame.y}%`;
    });
    this.#frame.append(...this.#outer, this.grid);
    root.innerHTML = SHADES;
    root.append(this.#frame);
    this.#number();
  }

  get orientation(): Color {
    return this.#orientation;
  }

  cell(square: Square): HTMLElement {
    return this.#cells[seen(square, this.#orientation) - 1] as HTMLElement;
  }

  piece(square: Square): SVGSVGElement | null {
    return this.cell(square).querySelector("svg");
  }

  /** The square a cell, or anything in it, stands for. */
  squareOf(target: EventTarget | null): Square | null {
    const square = target instanceof Element && target.closest<HTMLElement>(".square")?.dataset.square;
    return square ? Number(square) : null;
  }

  /** The square under a point of the window; 0 for a light one, null beyond the board. */
  squareUnder(clientX: number, clientY: number): Square | null {
    const box = this.grid.getBoundingClientRect();
    const x = Math.floor(((clientX - box.left) / box.width) * 10);
    const y = Math.floor(((clientY - box.top) / box.height) * 10);
    return squareAt(x, y, this.#orientation);
  }

  /** Puts a piece from one cell into another and gives it back; an animation starts from there. */
  carry(from: Square, to: Square): SVGSVGElement | null {
    const piece = this.piece(from);
    if (piece) this.cell(to).append(piece);
    return piece;
  }

  /** Shows exactly these pieces, those taken at a third of their strength, touching only what changes. */
  place(pieces: Pieces, taken: readonly Square[]): void {
    for (let square = 1; square <= SQUARES; square++) {
      const cell = this.cell(square);
      const wanted = pieces.get(square);
      const there = [...cell.querySelectorAll("svg")];
      const kept = wanted && there.find((piece) => piece.dataset.piece === pieceKey(wanted));
      for (const piece of there) if (piece !== kept) piece.remove();
      if (wanted && !kept) cell.append(drawPiece(wanted));
      this.piece(square)?.classList.toggle("taken", taken.includes(square));
    }
  }

  /** Shows the man on a square as a king. */
  crown(square: Square): void {
    const man = this.piece(square);
    const color: Color = man?.dataset.piece?.startsWith("white") ? "white" : "black";
    man?.replaceWith(drawPiece({ color, king: true }));
  }

  /** Turns the board: every cell becomes the square that completes it to 51, its piece goes along. */
  turn(orientation: Color): void {
    if (orientation === this.#orientation) return;
    const focused = this.grid.matches(":focus-within");
    const pieces = new Map(
      this.#cells.map((cell) => [Number(cell.dataset.square), cell.querySelector("svg")]),
    );
    this.#orientation = orientation;
    this.#number();
    for (const [square, piece] of pieces) if (piece) this.cell(square).append(piece);
    if (focused) this.cell(this.#cursor).focus({ preventScroll: true });
  }

  /** Shows all that is not a piece: numbers, marks, names, and the way walked. */
  decorate(state: State, labels: Labels, pieces: Pieces): void {
    this.turn(state.orientation);
    const marked = marks(state);
    this.grid.setAttribute("aria-label", labels.board);
    this.#frame.dataset.numbers = state.numbers;
    for (let square = 1; square <= SQUARES; square++)
      this.#decorateCell(square, state, labels, marked, pieces);
    drawWay(this.#way, marked.way, state.orientation);
    this.#way.classList.toggle("ahead", state.premove.length > 0);
  }

  /** Makes a square the one that the tab key reaches. */
  cursor(square: Square): void {
    this.cell(this.#cursor).tabIndex = -1;
    this.cell(square).tabIndex = 0;
    this.#cursor = square;
  }

  /** Marks the square over which a piece is held. */
  hover(square: Square | null): void {
    if (this.#over) this.cell(this.#over).classList.remove("over");
    this.#over = square;
    if (square) this.cell(square).classList.add("over");
  }

  /** Says of each cell, and in the frame, which square it is as the board lies now. */
  #number(): void {
    this.#cells.forEach((cell, i) => {
      const square = seen(i + 1, this.#orientation);
      cell.dataset.square = `${square}`;
      cell.tabIndex = square === this.#cursor ? 0 : -1;
      (cell.firstElementChild as Element).textContent = `${square}`;
    });
    OUTER.forEach((index, i) => {
      (this.#outer[i] as HTMLElement).textContent = `${seen(index, this.#orientation)}`;
    });
  }

  #decorateCell(square: Square, state: State, labels: Labels, marked: Marks, pieces: Pieces): void {
    const cell = this.cell(square);
    for (const mark of MARKED) cell.classList.toggle(mark, marked[mark].has(square));
    cell.classList.toggle("own", isGraspable(state, square));
    const selected = square === marked.selected;
    cell.classList.toggle("selected", selected);
    const notes = [
      ...(selected ? [labels.selected] : []),
      ...(marked.movable.has(square) ? [labels.movable] : []),
      ...(marked.target.has(square) ? [labels.target] : []),
      ...(marked.prey.has(square) ? [labels.prey] : []),
      ...(marked.touched.has(square) ? [labels.touched] : []),
      ...(state.premove.length > 1 && marked.premove.has(square) ? [labels.premove] : []),
    ];
    const name = squareName(labels, square, pieces.get(square), notes);
    if (cell.getAttribute("aria-label") !== name) cell.setAttribute("aria-label", name);
  }
}

/** A text for the eye only: the name of its cell says the same. */
function hidden(className: string): HTMLElement {
  const made = element("span", className);
  made.setAttribute("aria-hidden", "true");
  return made;
}

function element(tag: string, className: string): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}
