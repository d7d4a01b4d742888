/** A dark square as players number it: 1 (Black's back row) to 50 (White's back row). */
export type Square = number;

export type Color = "white" | "black";

export interface Piece {
  readonly color: Color;
  readonly king: boolean;
}

export type Pieces = ReadonlyMap<Square, Piece>;

export interface Position {
  readonly turn: Color;
  readonly pieces: Pieces;
}

/**
 * A move as the server sends it: one atomic value, never a half move.
 * Each path lists every square the piece stops on, from start to end; each hop of a capture passes one captured piece.
 */
export interface LegalMove {
  readonly from: Square;
  readonly to: Square;
  readonly captured: readonly Square[];
  readonly crowned: boolean;
  readonly paths: readonly (readonly Square[])[];
}

/** Where the square numbers stand: in the corner of each dark square, around the board, or nowhere. */
export type Numbers = "inside" | "edge" | "off";

/** What the element emits when a move has been chosen. */
export interface MoveDetail {
  readonly move: LegalMove;
}

/**
 * What the element emits when no legal move answers an attempt.
 * `to` equals `from` when a piece was touched that cannot be picked up: one without a legal move, or an opponent's.
 * `to` is 0 for a light square.
 */
export interface IllegalDetail {
  readonly from: Square | null;
  readonly to: Square;
}

/** What the element emits when a piece is picked up that may move now. */
export interface PickDetail {
  readonly square: Square;
}

/** What the element emits when a move ahead was chosen, changed or, with an empty way, given up. */
export interface PremoveDetail {
  readonly way: readonly Square[];
}

/** What the element emits when a square is touched that nothing can be done on. */
export interface SquareDetail {
  readonly square: Square;
}
