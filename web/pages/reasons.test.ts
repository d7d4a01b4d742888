import assert from "node:assert/strict";
import test from "node:test";
import { readFen } from "../board/fen";
import { aGame, step } from "./game.example";
import { givenTime, mustCapture, wayText, whyNoDrawOffer } from "./reasons";

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

test("time that is given is told from time that goes, and from a move's increment", () => {
  const at = (white: number, black: number, fen = "start") => {
    const game = aGame();
    const clock = { white, black, running: "white", low: 20_000 } as const;
    return { ...game, state: { ...game.state, fen, clock } };
  };
  const before = at(60_000, 60_000);
  const left = { ...before.state.clock, white: 40_000 };
  assert.equal(givenTime(before, at(55_000, 60_000), left), "white");
  assert.equal(givenTime(before, at(40_000, 75_000), left), "black");
  assert.equal(givenTime(before, at(40_100, 60_000), left), null);
  assert.equal(givenTime(before, at(70_000, 60_000, "after"), left), null);
});

test("who cannot offer a draw is told when it can", () => {
  const game = aGame();
  const may = (offer_draw: boolean, offer_draw_in: number, draw_offer: "white" | null = null) =>
    whyNoDrawOffer({
      ...game,
      state: { ...game.state, draw_offer, can: { ...game.state.can, offer_draw, offer_draw_in } },
    });
  assert.equal(may(true, 0), null);
  assert.match(may(false, 3) ?? "", /after 3 more moves/);
  assert.match(may(false, 10, "white") ?? "", /You have offered/);
});
