import { between, distance, onFarRow } from "./geometry";
import type { Color, LegalMove, Piece, Pieces, Position, Square } from "./types";

/** The position after a move, from what the move itself says: no rule is needed. */
export function after(position: Position, move: LegalMove): Position {
  const pieces = new Map(position.pieces);
  const piece = pieces.get(move.from);
  pieces.delete(move.from);
  for (const square of move.captured) pieces.delete(square);
  if (piece) pieces.set(move.to, { color: piece.color, king: piece.king || move.crowned });
  return { turn: position.turn === "white" ? "black" : "white", pieces };
}

/** The pieces that a way passes, in the order in which it passes them. Each hop takes one; a captured piece is never passed twice. */
export function passed(captured: readonly Square[], way: readonly Square[]): Square[] {
  const taken: Square[] = [];
  for (let i = 1; i < way.length; i++) {
    const prey = between(way[i - 1] as Square, way[i] as Square).find(
      (square) => captured.includes(square) && !taken.includes(square),
    );
    if (prey !== undefined) taken.push(prey);
  }
  return taken;
}

/**
 * The index in a path at which a crowned man is shown as a king: where it ends, when that is its far row;
 * else it can only have been crowned in passing, where it first touched that row. -1 when it is not crowned.
 */
export function crowningStop(move: LegalMove, path: readonly Square[], color: Color): number {
  if (!move.crowned) return -1;
  if (onFarRow(move.to, color)) return path.length - 1;
  return path.findIndex((square) => onFarRow(square, color));
}

/** What differs between two placings: pieces that went from one square to another, came, or left. */
export interface Difference {
  readonly moved: readonly (readonly [from: Square, to: Square])[];
  readonly came: readonly Square[];
  readonly left: readonly Square[];
}

/** Pairs each piece that left a square with the nearest one of its colour that came, a crowned or uncrowned one included. */
export function difference(before: Pieces, next: Pieces): Difference {
  const left = [...before.keys()].filter((square) => !samePiece(before.get(square), next.get(square)));
  const came = [...next.keys()].filter((square) => !samePiece(before.get(square), next.get(square)));
  const pairs = came
    .flatMap((to) => left.map((from) => [from, to] as const))
    .filter(([from, to]) => before.get(from)?.color === next.get(to)?.color)
    .sort((a, b) => distance(...a) - distance(...b));
  const moved: (readonly [Square, Square])[] = [];
  for (const [from, to] of pairs) {
    if (moved.some(([f, t]) => f === from || t === to)) continue;
    moved.push([from, to]);
  }
  return {
    moved: moved.filter(([from, to]) => from !== to),
    came: came.filter((square) => !moved.some(([, to]) => to === square)),
    left: left.filter((square) => !moved.some(([from]) => from === square)),
  };
}

function samePiece(a: Piece | undefined, b: Piece | undefined): boolean {
  return a?.color === b?.color && a?.king === b?.king;
}
