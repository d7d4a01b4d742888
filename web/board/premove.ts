import { between, onFarRow } from "./geometry";
import type { Color, Pieces, Square } from "./types";

/**
 * A move chosen ahead, while the other side thinks: its start, any stops named on the way, and its end. One square
 * alone is a piece picked up for it. Which moves there will be nobody knows yet, so only the shape of a way is judged.
 */
export type Way = readonly Square[];

const SHORTEST_CIRCLE = 4;

/** What touching a square (0: a light one) makes of a way: it begins, grows, is given up, or another piece's begins. */
export function afterTouch(pieces: Pieces, color: Color, way: Way, square: Square): Way {
  const from = way[0];
  const own = pieces.get(square)?.color === color;
  const anew = own ? [square] : [];
  if (from === undefined) return anew;
  if (square === 0 || square === way.at(-1)) return [];
  // No capture is back where it began before its fourth hop.
  if (square === from && way.length < SHORTEST_CIRCLE) return anew;
  // An own piece may be captured by then, and its captor in turn by a move that lands on its square.
  if (own && square !== from && !isHop(pieces, color, way, square)) return anew;
  if (way.length === 1) return [from, square];
  const hopping = way.every((stop, i) => i === 0 || isHop(pieces, color, way.slice(0, i), stop));
  return hopping && isHop(pieces, color, way, square) ? [...way, square] : anew;
}

/** Whether a piece that has come this way could capture something on to a square. */
function isHop(pieces: Pieces, color: Color, way: Way, to: Square): boolean {
  const from = way.at(-1) as Square;
  const piece = pieces.get(way[0] as Square);
  const over = between(from, to).filter((square) => square === way[0] || pieces.get(square)?.color !== color);
  const far = piece?.king || way.some((square, i) => i > 0 && onFarRow(square, color));
  return far ? over.length > 0 : over.length === 1 && between(from, to).length === 1;
}
