import assert from "node:assert/strict";
import { test } from "node:test";
import { readFen, writeFen } from "./fen";

test("the start position has twenty men a side, White to move", () => {
  const { turn, pieces } = readFen("W:W31-50:B1-20");
  assert.equal(turn, "white");
  assert.equal(pieces.size, 40);
  assert.deepEqual(pieces.get(31), { color: "white", king: false });
  assert.deepEqual(pieces.get(20), { color: "black", king: false });
  assert.equal(pieces.get(21), undefined);
});

test("the same position in several forms is written in one", () => {
  const strict = "B:W27,K31,K32,K33:B3,K50";
  for (const text of [
    strict,
    "B:B3,K50:WK31-33,27.",
    "b : w 27 , k31-33 : b k50, 03",
    "B:W27,K31-33:B3,K50:H0:F1",
  ]) {
    assert.equal(writeFen(readFen(text)), strict);
  }
});

test("a side without pieces is written as an empty list", () => {
  assert.equal(writeFen(readFen("W:W28:B")), "W:W28:B");
  assert.equal(writeFen(readFen("B:W:BK1")), "B:W:BK1");
});

test("what cannot be read is named", () => {
  assert.throws(() => readFen(""), /side to move/);
  assert.throws(() => readFen("X:W1:B2"), /"X"/);
  assert.throws(() => readFen("W:W1,Q7:B2"), /"Q7" is no square/);
  assert.throws(() => readFen("W:W51:B2"), /no square 51/);
  assert.throws(() => readFen("W:W0:B2"), /no square 0/);
});
