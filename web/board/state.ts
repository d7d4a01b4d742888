import { passed } from "./position";
import { movable, offered, prey, type Selection, standing, stepping } from "./selection";
import type { Color, LegalMove, Numbers, Piece, Position, Square } from "./types";

/** All that decides what the board shows; plain data, no page needed. */
export interface State {
  readonly position: Position;
  readonly moves: readonly LegalMove[];
  readonly selection: Selection | null;
  readonly lastMove: LegalMove | null;
  readonly orientation: Color;
  readonly numbers: Numbers;
  readonly hints: boolean;
}

/** What is marked, square by square. */
export interface Marks {
  readonly last: ReadonlySet<Square>;
  readonly movable: ReadonlySet<Square>;
  readonly selected: Square | null;
  readonly target: ReadonlySet<Square>;
  readonly prey: ReadonlySet<Square>;
  readonly way: readonly Square[];
}

const NONE: ReadonlySet<Square> = new Set();

/** Where the pieces are shown: a piece on its way stands on its last stop. */
export function shown({ position, selection }: State): Map<Square, Piece> {
  const pieces = new Map(position.pieces);
  const piece = selection && pieces.get(selection.from);
  if (piece) {
    pieces.delete(selection.from);
    pieces.set(standing(selection), piece);
  }
  return pieces;
}

/** The captured pieces that a half-made way has passed, in order. */
export function taken({ selection }: State): Square[] {
  return selection ? passed(selection.routes[0]?.move.captured ?? [], selection.way) : [];
}

export function marks(state: State): Marks {
  const { moves, selection, lastMove, hints } = state;
  return {
    last: lastMove ? new Set([lastMove.from, lastMove.to]) : NONE,
    movable: hints && !selection ? movable(moves) : NONE,
    selected: selection && standing(selection),
    target: selection ? offered(selection) : NONE,
    prey: selection || hints ? prey(moves, selection, taken(state)) : NONE,
    way: selection && stepping(selection) ? selection.way : [],
  };
}
