import assert from "node:assert/strict";
import { test } from "node:test";
import { readFen } from "./fen";
import { afterTouch, type Way } from "./premove";
import type { Color, Square } from "./types";

/** The way after the squares were touched one by one. */
function touched(fen: string, color: Color, ...squares: Square[]): Way {
  const { pieces } = readFen(fen);
  return squares.reduce<Way>((way, square) => afterTouch(pieces, color, way, square), []);
}

test("an own piece begins a way, and any other square ends it", () => {
  assert.deepEqual(touched("B:W32:B19", "white", 32), [32]);
  assert.deepEqual(touched("B:W32:B19", "white", 32, 28), [32, 28]);
  assert.deepEqual(touched("B:W32:B19", "white", 32, 5), [32, 5]);
});

test("nothing begins on an empty, a light or an opponent's square", () => {
  for (const square of [28, 0, 19]) assert.deepEqual(touched("B:W32:B19", "white", square), []);
});

test("the end touched again, a light square or one out of reach gives it up", () => {
  assert.deepEqual(touched("B:W32:B19", "white", 32, 28, 28), []);
  assert.deepEqual(touched("B:W32:B19", "white", 32, 28, 0), []);
  assert.deepEqual(touched("B:W32:B19", "white", 32, 28, 19), []);
  assert.deepEqual(touched("B:W32:B19", "white", 32, 32), []);
});

test("another own piece begins another way", () => {
  assert.deepEqual(touched("B:W32,31:B19", "white", 32, 31), [31]);
  assert.deepEqual(touched("B:W32,31:B19", "white", 32, 28, 31), [31]);
  assert.deepEqual(touched("B:W32:B28", "white", 32, 23, 32), [32]);
});

test("a capture may name its stops, and may come back to where it began", () => {
  assert.deepEqual(touched("B:W32:B28,19", "white", 32, 23, 14), [32, 23, 14]);
  assert.deepEqual(touched("B:W32:B28", "white", 32, 23, 34, 43, 32), [32, 23, 34, 43, 32]);
});

test("a step is no capture and has no stops", () => {
  assert.deepEqual(touched("B:W32:B19", "white", 32, 28, 19), []);
});

test("an own piece that may be captured first can be what the move lands on", () => {
  assert.deepEqual(touched("B:W33,44:B28", "white", 44, 33), [44, 33]);
  assert.deepEqual(touched("B:W33,48:B28", "white", 48, 33), [33]);
  assert.deepEqual(touched("B:W33,39,44:B28", "white", 44, 33), [33]);
});

test("a king's stops may be far apart, a man's only once it has touched the far row", () => {
  assert.deepEqual(touched("B:WK46:B41", "white", 46, 28, 5), [46, 28, 5]);
  assert.deepEqual(touched("B:W32:B28", "white", 32, 23, 5), []);
  assert.deepEqual(touched("B:W15:B10,9", "white", 15, 4, 27), [15, 4, 27]);
});
