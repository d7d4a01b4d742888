import { placeOf, SQUARES, squareAt } from "./geometry";
import type { Color, Square } from "./types";

/** How long a second digit may take to follow the first, in milliseconds. */
const SECOND_DIGIT = 1000;

/**
 * Where a key takes the cursor; null when it is no key of the cursor's.
 * Left and right go to the next dark square of the row; up and down go to the next row and swing left and right in
 * turn, so that the cursor stays in its file. At the border it stays where it is.
 */
export function cursorAfter(key: string, square: Square, orientation: Color): Square | null {
  const { x, y } = placeOf(square, orientation);
  const inRow = (column: number, row: number) => squareAt(column, row, orientation) || square;
  const swing = y % 2 === 0 ? x - 1 : x + 1;
  switch (key) {
    case "ArrowLeft":
      return inRow(x - 2, y);
    case "ArrowRight":
      return inRow(x + 2, y);
    case "ArrowUp":
      return inRow(swing, y - 1);
    case "ArrowDown":
      return inRow(swing, y + 1);
    case "Home":
      return inRow(y % 2 === 0 ? 1 : 0, y);
    case "End":
      return inRow(y % 2 === 0 ? 9 : 8, y);
    default:
      return null;
  }
}

/** Lets a square be named by typing its number. */
export class TypedNumber {
  #digit = 0;
  #at = 0;

  /** The square named so far by the digits typed; null for another key, or digits that name none. */
  type(key: string, now: number): Square | null {
    if (!/^\d$/.test(key)) return null;
    const digit = Number(key);
    const both = now - this.#at < SECOND_DIGIT ? this.#digit * 10 + digit : digit;
    const square = both >= 1 && both <= SQUARES ? both : digit;
    // A number of two digits is complete: the next digit begins another.
    this.#digit = square < 10 ? square : 0;
    this.#at = now;
    return square || null;
  }
}
