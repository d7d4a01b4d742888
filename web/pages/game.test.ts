import assert from "node:assert/strict";
import test from "node:test";
import { fateOfPending, fenAt, material, withState } from "./game";
import { aGame as game, ply, aState as state, step } from "./game.example";

test("a state appends its plies", () => {
  const after = withState(game(ply(32, 28)), state(1, [ply(19, 23)]));
  assert.deepEqual(
    after?.plies.map(({ text }) => text),
    ["32-28", "19-23"],
  );
});

test("a state cuts the plies that were taken back", () => {
  const after = withState(game(ply(32, 28), ply(19, 23), ply(28, 19)), state(1, []));
  assert.equal(after?.plies.length, 1);
});

test("a state that starts beyond what the page holds is refused", () => {
  assert.equal(withState(game(), state(1, [ply(19, 23)])), null);
});

test("a pending move is taken when the game holds it at its ply", () => {
  const made = { ...game(ply(32, 28)), pending: { ref: 1, ply: 0, move: step(32, 28) } };
  assert.equal(fateOfPending(made), "taken");
});

test("a pending move can be sent again while the game stands at its ply", () => {
  assert.equal(fateOfPending({ ...game(), pending: { ref: 1, ply: 0, move: step(32, 28) } }), "open");
});

test("a pending move is lost when the game went on without it, back before it, or ended", () => {
  const pending = { ref: 1, ply: 1, move: step(19, 23) };
  assert.equal(fateOfPending({ ...game(ply(32, 28), ply(18, 23)), pending }), "lost");
  assert.equal(fateOfPending({ ...game(), pending }), "lost");
  const ended = game(ply(32, 28));
  const result = { winner: "white", score: "2-0", rule: "resigned", text: "" } as const;
  assert.equal(fateOfPending({ ...ended, state: { ...ended.state, result }, pending }), "lost");
});

test("no pending move has no fate", () => {
  assert.equal(fateOfPending(game()), "none");
});

test("the position after no ply is the start", () => {
  assert.equal(fenAt(game(ply(32, 28)), 0), "start");
  assert.equal(fenAt(game(ply(32, 28)), 1), "after 32-28");
});

test("material counts lists, ranges, kings and empty sides", () => {
  assert.deepEqual(material("W:W31-50:B1-20"), {
    white: { men: 20, kings: 0 },
    black: { men: 20, kings: 0 },
  });
  assert.deepEqual(material("B:B7,K12:WK3,41,42."), {
    white: { men: 2, kings: 1 },
    black: { men: 1, kings: 1 },
  });
  assert.deepEqual(material("W:W:B3").white, { men: 0, kings: 0 });
});
