import { passed } from "./position";
import type { Way } from "./premove";
import { isOwn, movable, offered, prey, type Selection, select, standing, stepping } from "./selection";
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
  /** The piece that the player has touched and must move. */
  readonly touched: Square | null;
  /** The pieces of which one must capture, marked with the sentence that says so. */
  readonly urged: readonly Square[];
  /** The side that may choose a move ahead while it has none to make. */
  readonly premover: Color | null;
  readonly premove: Way;
}

/** What is marked, square by square. */
export interface Marks {
  readonly last: ReadonlySet<Square>;
  readonly movable: ReadonlySet<Square>;
  readonly selected: Square | null;
  readonly target: ReadonlySet<Square>;
  readonly prey: ReadonlySet<Square>;
  readonly way: readonly Square[];
  readonly touched: ReadonlySet<Square>;
  readonly urged: ReadonlySet<Square>;
  readonly premove: ReadonlySet<Square>;
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

/** The side that chooses a move ahead now: the one that may, while there is no move to make. */
export function premoving({ moves, premover }: State): Color | null {
  return moves.length === 0 ? premover : null;
}

/** Whether the person can pick up the piece on a square, or be told why not. */
export function isGraspable(state: State, square: Square): boolean {
  const ahead = premoving(state);
  const { pieces } = state.position;
  return ahead ? pieces.get(square)?.color === ahead : isOwn(pieces, state.moves, square);
}

/** The captured pieces that a half-made way has passed, in order. */
export function taken({ selection }: State): Square[] {
  return selection ? passed(selection.routes[0]?.move.captured ?? [], selection.way) : [];
}

export function marks(state: State): Marks {
  const { moves, selection, lastMove, hints, touched, urged, premove } = state;
  return {
    last: lastMove ? new Set([lastMove.from, lastMove.to]) : NONE,
    movable: hints && !selection ? movable(moves) : NONE,
    selected: selection && standing(selection),
    target: selection ? offered(selection) : NONE,
    prey: selection || hints ? prey(moves, selection, taken(state)) : NONE,
    way: selection && stepping(selection) ? selection.way : premove,
    touched: touched === null ? NONE : new Set([touched]),
    urged: selection ? NONE : new Set(urged),
    premove: new Set(premove),
  };
}

/**
 * The state as it must be: a piece that has been touched, where touching binds, stays in hand as long as it can move,
 * since no other may.
 */
export function bound(state: State): State {
  const { position, moves, selection, touched } = state;
  if (touched === null || selection !== null || !isOwn(position.pieces, moves, touched)) return state;
  return { ...state, selection: select(moves, touched) };
}
