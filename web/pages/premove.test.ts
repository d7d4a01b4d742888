import assert from "node:assert/strict";
import test from "node:test";
import type { LegalMove } from "../board/types";
import { fitting } from "./premove";

function capture(captured: number[], ...paths: number[][]): LegalMove {
  const first = paths[0] ?? [];
  return { from: first[0] ?? 0, to: first.at(-1) ?? 0, captured, crowned: false, paths };
}

// Three ways to capture four pieces from 47 to 36, of which the last has the same end by other pieces.
const first = capture([14, 19, 29, 42], [47, 38, 24, 10, 36]);
const second = capture([14, 19, 31, 42], [47, 38, 24, 13, 36], [47, 38, 20, 9, 36]);

test("start and end are enough where one move has them", () => {
  assert.deepEqual(fitting([47, 36], [first]), [first]);
  assert.deepEqual(fitting([47, 36], [first, second]), [first, second]);
});

test("stops named on the way decide, all of them or some", () => {
  assert.deepEqual(fitting([47, 13, 36], [first, second]), [second]);
  assert.deepEqual(fitting([47, 38, 24, 10, 36], [first, second]), [first]);
  assert.deepEqual(fitting([47, 9, 36], [first, second]), [second]);
});

test("stops count in their order", () => {
  assert.deepEqual(fitting([47, 24, 38, 36], [first, second]), []);
});

test("a square that is only passed over may be named", () => {
  assert.deepEqual(fitting([47, 33, 36], [first]), [first]);
});

test("no other piece's move, and no other end", () => {
  assert.deepEqual(fitting([46, 36], [first]), []);
  assert.deepEqual(fitting([47, 10], [first]), []);
  assert.deepEqual(fitting([], [first]), []);
});
