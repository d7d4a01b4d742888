import assert from "node:assert/strict";
import test from "node:test";
import { readFen } from "../board/fen";
import { step } from "./game.example";
import { mustCapture, wayText } from "./reasons";

const { pieces } = readFen("W:W40,K46:B34,23,5");

test("a move chosen ahead is written as the list writes moves", () => {
  assert.equal(wayText([40, 35], pieces), "40-35");
  assert.equal(wayText([40, 29], pieces), "40x29");
  assert.equal(wayText([40, 18], pieces), "40x18");
  assert.equal(wayText([46, 28], pieces), "46-28", "a king goes far");
  assert.equal(wayText([46, 14], pieces), "46x14", "over 23");
  assert.equal(wayText([46, 20], pieces), "46x20", "round a corner");
  assert.equal(wayText([40, 29, 18], pieces), "40x29x18");
});

test("pieces must capture when no other move is legal", () => {
  const capture = { ...step(40, 29), captured: [34] };
  assert.deepEqual(mustCapture([capture, { ...capture, to: 18 }]), [40]);
  assert.deepEqual(mustCapture([capture, step(46, 41)]), []);
  assert.deepEqual(mustCapture([]), []);
});
