import { type Offset, translate } from "./animate";
import type { Square } from "./types";

/** How far a pointer moves, in pixels, before a press becomes a drag; a finger is less steady than a mouse. */
const SLACK: Readonly<Record<string, number>> = { touch: 8, pen: 5 };
const MOUSE_SLACK = 3;

/**
 * How near the middle of a dragged piece comes to the border, in widths of a square. The whole piece stays on the
 * board, lest the page grow and scroll where the board fills its width.
 */
const MARGIN = 0.57;

/** What the board does at each stage of a press. */
export interface DragHost {
  /** The square under a point of the window; 0 for a light one, null beyond the board. */
  squareUnder(clientX: number, clientY: number): Square | null;
  /** A press on a square; gives the piece that can be dragged from there, if any. */
  press(square: Square): SVGSVGElement | null;
  /** The press ended where it began. */
  tap(square: Square): void;
  /** The piece is held over a square. */
  hover(square: Square | null): void;
  /** The piece was let go; `held` is how far it then was from its square. */
  drop(from: Square, to: Square | null, held: Offset): void;
  /** The drag was broken off. */
  release(from: Square, held: Offset): void;
}

interface Press {
  readonly id: number;
  readonly square: Square;
  readonly x: number;
  readonly y: number;
  readonly slack: number;
  readonly piece: SVGSVGElement | null;
  readonly box: DOMRect;
  held: Offset | null;
}

/** Follows the pointer: a press and release on one square is a tap, anything farther drags the piece along. */
export class Drag {
  readonly #grid: HTMLElement;
  readonly #host: DragHost;
  #press: Press | null = null;

  constructor(grid: HTMLElement, host: DragHost) {
    this.#grid = grid;
    this.#host = host;
    grid.addEventListener("pointerdown", (event) => this.#down(event));
    grid.addEventListener("pointermove", (event) => this.#move(event));
    grid.addEventListener("pointerup", (event) => this.#up(event));
    grid.addEventListener("pointercancel", (event) => this.#end(event));
    // The press has already moved the focus; the mouse event that follows would take it away again.
    grid.addEventListener("mousedown", (event) => event.preventDefault());
  }

  /** Forgets the press under way, the piece going straight back. */
  cancel(): void {
    const press = this.#press;
    if (press) this.#letGo(press);
  }

  #down(event: PointerEvent): void {
    if (this.#press || !event.isPrimary || event.button !== 0) return;
    const square = this.#host.squareUnder(event.clientX, event.clientY);
    if (square === null) return;
    const piece = this.#host.press(square);
    piece?.classList.add("held");
    this.#press = {
      id: event.pointerId,
      square,
      x: event.clientX,
      y: event.clientY,
      slack: SLACK[event.pointerType] ?? MOUSE_SLACK,
      piece,
      box: this.#grid.getBoundingClientRect(),
      held: null,
    };
    if (piece) this.#grid.setPointerCapture(event.pointerId);
  }

  #move(event: PointerEvent): void {
    const press = this.#press;
    if (!press?.piece || event.pointerId !== press.id) return;
    if (!press.held && Math.hypot(event.clientX - press.x, event.clientY - press.y) < press.slack) return;
    const cell = press.piece.parentElement as HTMLElement;
    const size = press.box.width / 10;
    const x =
      clamp((event.clientX - press.box.left) / size, MARGIN, 10 - MARGIN) - cell.offsetLeft / size - 0.5;
    const y =
      clamp((event.clientY - press.box.top) / size, MARGIN, 10 - MARGIN) - cell.offsetTop / size - 0.5;
    press.held = { x, y };
    press.piece.style.translate = translate(press.held);
    this.#host.hover(this.#host.squareUnder(event.clientX, event.clientY) || null);
  }

  #up(event: PointerEvent): void {
    const press = this.#press;
    if (!press || event.pointerId !== press.id) return;
    const square = this.#host.squareUnder(event.clientX, event.clientY);
    this.#letGo(press);
    if (press.held) this.#host.drop(press.square, square, press.held);
    else if (square === press.square) this.#host.tap(square);
  }

  #end(event: PointerEvent): void {
    const press = this.#press;
    if (!press || event.pointerId !== press.id) return;
    this.#letGo(press);
    if (press.held) this.#host.release(press.square, press.held);
  }

  #letGo(press: Press): void {
    this.#press = null;
    if (press.piece) press.piece.style.translate = "";
    press.piece?.classList.remove("held");
    this.#host.hover(null);
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
