import assert from "node:assert/strict";
import test from "node:test";
import { withState } from "./game";
import { aGame, aState, ply, step } from "./game.example";
import { soundOf, soundOfMove } from "./sounds";

test("a move that comes is heard, a capture as such", () => {
  const before = aGame(ply(32, 28));
  const capture = { ...ply(19, 23), move: { ...step(19, 23), captured: [24] } };
  for (const [made, sound] of [
    [ply(19, 23), "move"],
    [capture, "capture"],
  ] as const) {
    const next = withState(before, aState(1, [made]));
    assert.ok(next);
    assert.equal(soundOf(before, next), sound);
  }
  assert.equal(soundOfMove(step(32, 28)), "move");
});

test("an own move is heard once, when it is made", () => {
  const before = { ...aGame(), pending: { ref: 1, ply: 0, move: step(32, 28) } };
  const next = withState(before, aState(0, [ply(32, 28)]));
  assert.ok(next);
  assert.equal(soundOf(before, next), null);
});

test("neither a take-back, an offer, nor several moves at once are heard; the end is, once", () => {
  const before = aGame(ply(32, 28), ply(19, 23));
  const result = { winner: "white", score: "2-0", reason: "resigned", rule: "resigned", text: "" } as const;
  const over = withState(before, { ...aState(2, []), result });
  assert.ok(over);
  assert.equal(soundOf(before, over), "end");
  assert.equal(soundOf(over, over), null);
  for (const state of [
    aState(1, []),
    aState(2, []),
    aState(0, [ply(1, 2), ply(3, 4), ply(5, 6), ply(7, 8)]),
  ]) {
    const next = withState(before, state);
    assert.ok(next);
    assert.equal(soundOf(before, next), null);
  }
});
