import assert from "node:assert/strict";
import { test } from "node:test";
import { moveSentence, selectionSentence } from "./announce";
import { ENGLISH, fill, squareName } from "./labels";
import { type Selection, select } from "./selection";
import type { LegalMove } from "./types";

const MAN = { color: "white", king: false } as const;

test("names in braces are filled in, unknown ones stay", () => {
  assert.equal(fill("{to} after {from}, {other}", { from: 32, to: 28 }), "28 after 32, {other}");
});

test("a square is named with its piece and what is to be said of it", () => {
  assert.equal(squareName(ENGLISH, 28, undefined, []), "28, empty");
  assert.equal(
    squareName(ENGLISH, 28, { color: "black", king: true }, ["can move"]),
    "28, black king, can move",
  );
});

test("a move is told, with the captured pieces in the order they are passed", () => {
  const quiet: LegalMove = { from: 32, to: 28, captured: [], crowned: false, paths: [[32, 28]] };
  assert.equal(moveSentence(ENGLISH, MAN, quiet, [32, 28]), "White man from 32 to 28.");
  const capture: LegalMove = { from: 14, to: 1, captured: [7, 8, 9], crowned: true, paths: [[14, 3, 12, 1]] };
  assert.equal(
    moveSentence(ENGLISH, MAN, capture, [14, 3, 12, 1]),
    "White man from 14 to 1, captures 9, 8, 7. Crowned king.",
  );
});

test("a piece picked up is told with the squares it can go to", () => {
  const moves: LegalMove[] = [28, 27].map((to) => ({
    from: 32,
    to,
    captured: [],
    crowned: false,
    paths: [[32, to]],
  }));
  const selection = select(moves, 32) as Selection;
  assert.equal(
    selectionSentence(ENGLISH, MAN, selection),
    "Picked up: white man on 32. It can go to 27, 28.",
  );
});
