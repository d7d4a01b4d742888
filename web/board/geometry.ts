import type { Color, Square } from "./types";

/** A place as seen on the screen: column 0–9 from the left, row 0–9 from the top. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

export const SQUARES = 50;

/** Turning the board half round maps each square on the one that completes it to 51. */
export function seen(square: Square, orientation: Color): Square {
  return orientation === "white" ? square : SQUARES + 1 - square;
}

export function placeOf(square: Square, orientation: Color = "white"): Place {
  const index = seen(square, orientation) - 1;
  const y = Math.floor(index / 5);
  return { x: 2 * (index % 5) + (y % 2 === 0 ? 1 : 0), y };
}

/** The square at a place; 0 for a light one, null beyond the board. */
export function squareAt(x: number, y: number, orientation: Color = "white"): Square | null {
  if (x < 0 || x > 9 || y < 0 || y > 9) return null;
  if ((x + y) % 2 === 0) return 0;
  return seen(y * 5 + Math.floor(x / 2) + 1, orientation);
}

/** The squares strictly between two squares of one diagonal, nearest to `from` first; none when they share no diagonal. */
export function between(from: Square, to: Square): Square[] {
  const a = placeOf(from);
  const b = placeOf(to);
  const steps = Math.abs(b.x - a.x);
  if (steps !== Math.abs(b.y - a.y)) return [];
  const dx = Math.sign(b.x - a.x);
  const dy = Math.sign(b.y - a.y);
  const squares: Square[] = [];
  for (let i = 1; i < steps; i++) squares.push(squareAt(a.x + i * dx, a.y + i * dy) as Square);
  return squares;
}

/** How many rows apart two squares are, or columns where that is more. */
export function distance(from: Square, to: Square): number {
  const a = placeOf(from);
  const b = placeOf(to);
  return Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y));
}

/** The row on which a man of this colour is crowned. */
export function onFarRow(square: Square, color: Color): boolean {
  return color === "white" ? square <= 5 : square > SQUARES - 5;
}
