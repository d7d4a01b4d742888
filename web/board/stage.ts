import { BACK, hopDuration, type Motion, type Offset, offset } from "./animate";
import { type Difference, passed } from "./position";
import type { Color, Pieces, Position, Square } from "./types";
import type { View } from "./view";

/** More changes than this between two positions are another game, not a move: they are shown at once. */
const MOST_GLIDES = 4;

/** A walk of one piece along a path, being shown or waiting for its turn. */
export interface Act {
  readonly path: readonly Square[];
  /** How many of the path's squares the piece has already visited on the board. */
  readonly walked: number;
  readonly captured: readonly Square[];
  /** The stop from which on the piece is shown as a king; -1 for none. */
  readonly crowningStop: number;
  /** Whether the move ends with the path, so that what it captured goes. */
  readonly ends: boolean;
  /** For a piece that was let go over its end square: how far from its own square it was held. */
  readonly held: Offset | null;
  /** The position once this has been shown. */
  readonly next: Position;
  /** Called when its turn has come. */
  readonly begin: () => void;
  /** Called when it has been shown, or dropped for something else. */
  readonly done: () => void;
}

/** Lets the pieces of a view act one move after another. */
export class Stage {
  readonly #view: View;
  readonly #motion: Motion;
  /** Shows the board as it is after the last act. */
  readonly #settle: () => void;
  #acts: Act[] = [];
  readonly #waiting: (() => void)[] = [];

  constructor(view: View, motion: Motion, settle: () => void) {
    this.#view = view;
    this.#motion = motion;
    this.#settle = settle;
  }

  get acts(): readonly Act[] {
    return this.#acts;
  }

  add(act: Act): void {
    this.#acts.push(act);
    if (this.#acts.length === 1) void this.#perform();
  }

  /** Resolves when all that now waits has been shown, or dropped. */
  settled(): Promise<void> {
    if (this.#acts.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Breaks off all that is being shown or waits; the board is then to be set anew. */
  cut(): void {
    const acts = this.#acts;
    this.#acts = [];
    this.#motion.cut();
    for (const act of acts) act.done();
    this.#wake();
  }

  /** Lets a piece held away from its square come back to it. */
  glideBack(square: Square, held: Offset): void {
    const piece = this.#view.piece(square);
    if (piece) void this.#motion.glide(piece, held, BACK);
  }

  /** Shows other pieces than before: those that only changed their square glide there. */
  replace(
    { moved, came, left }: Difference,
    pieces: Pieces,
    taken: readonly Square[],
    orientation: Color,
  ): void {
    const few = moved.length <= MOST_GLIDES && came.length + left.length <= 2 * MOST_GLIDES;
    const gliding = few ? moved : [];
    const carried = gliding.map(([from]) => this.#view.piece(from));
    gliding.forEach(([, to], i) => {
      const piece = carried[i];
      if (piece) this.#view.cell(to).append(piece);
    });
    this.#view.place(pieces, taken);
    for (const [from, to] of gliding) {
      const piece = this.#view.piece(to);
      if (piece) void this.#motion.glide(piece, offset(from, to, orientation), hopDuration(from, to));
    }
    const coming = few ? came.flatMap((square) => this.#view.piece(square) ?? []) : [];
    void this.#motion.fade(coming, 0, 1);
  }

  async #perform(): Promise<void> {
    let act = this.#acts[0];
    while (act) {
      act.begin();
      await this.#show(act);
      if (this.#acts[0] !== act) return;
      this.#acts.shift();
      this.#settle();
      act.done();
      act = this.#acts[0];
    }
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #show(act: Act): Promise<void> {
    if (!this.#motion.wanted) return;
    const { path, walked, captured, held } = act;
    const from = path[walked - 1] as Square;
    const to = path.at(-1) as Square;
    const hops = held
      ? [[from, to] as const]
      : path.slice(walked).map((stop, i) => [path[walked - 1 + i] as Square, stop] as const);
    for (const [i, [start, stop]] of hops.entries()) {
      const piece = this.#view.carry(start, stop);
      if (!piece) return;
      const away = offset(start, stop, this.#view.orientation);
      const stops = held ? path.length : walked + i + 1;
      if (held) this.#fadeTaken(captured, path);
      await this.#motion.glide(
        piece,
        held ? { x: away.x + held.x, y: away.y + held.y } : away,
        hopDuration(start, stop),
      );
      if (this.#acts[0] !== act) return;
      this.#fadeTaken(captured, path.slice(0, stops));
      if (act.crowningStop >= 0 && stops > act.crowningStop) this.#view.crown(stop);
    }
    if (act.ends && captured.length > 0) {
      const gone = captured.flatMap((square) => this.#view.piece(square) ?? []);
      await this.#motion.fade(gone, 1 / 3, 0);
      if (this.#acts[0] !== act) return;
      // At once, and not when all is settled: the next act may bring a piece of the same kind to this square.
      for (const piece of gone) piece.remove();
    }
  }

  #fadeTaken(captured: readonly Square[], way: readonly Square[]): void {
    for (const square of passed(captured, way)) this.#view.piece(square)?.classList.add("taken");
  }
}
