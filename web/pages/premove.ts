// Whether a move chosen ahead is one of those that there are now.

import { between } from "../board/geometry";
import type { LegalMove, Square } from "../board/types";

/**
 * The legal moves that a way chosen ahead names: its start, some stops in order, its end. The stops need not all be
 * named, and squares that the piece only passes over may be; where the stops alone decide, those do not count.
 */
export function fitting(way: readonly Square[], moves: readonly LegalMove[]): LegalMove[] {
  const named = way.slice(1, -1);
  const ends = moves.filter((move) => move.from === way[0] && move.to === way.at(-1));
  const along = (squares: (path: readonly Square[]) => readonly Square[]) =>
    ends.filter((move) => move.paths.some((path) => holds(squares(path), named)));
  const stopping = along((path) => path.slice(1, -1));
  return stopping.length > 0 ? stopping : along(walked);
}

/** Every square of a path between its ends, those passed over included. */
function walked(path: readonly Square[]): Square[] {
  return path
    .flatMap((stop, i) => [...(i > 0 ? between(path[i - 1] as Square, stop) : []), stop])
    .slice(1, -1);
}

/** Whether squares are found in a list, in this order. */
function holds(list: readonly Square[], squares: readonly Square[]): boolean {
  let found = 0;
  for (const square of list) if (square === squares[found]) found++;
  return found === squares.length;
}
