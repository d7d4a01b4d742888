import assert from "node:assert/strict";
import { test } from "node:test";
import { readFen } from "./fen";
import {
  drop,
  movable,
  type Outcome,
  offered,
  prey,
  type Selection,
  select,
  standing,
  stepping,
  touch,
} from "./selection";
import type { LegalMove, Square } from "./types";

/** A capture of a position in which the expected captured set and paths were found by the move generator. */
function capture(captured: Square[], ...paths: Square[][]): LegalMove {
  const first = paths[0] ?? [];
  return { from: first[0] ?? 0, to: first.at(-1) ?? 0, captured, crowned: false, paths };
}

function quiet(from: Square, to: Square): LegalMove {
  return { from, to, captured: [], crowned: false, paths: [[from, to]] };
}

/** A board that is touched square after square. */
function play(fen: string, moves: LegalMove[], ...squares: Square[]): Outcome {
  const { pieces } = readFen(fen);
  let selection: Selection | null = null;
  let outcome: Outcome = { kind: "nothing" };
  for (const square of squares) {
    outcome = touch(pieces, moves, selection, square);
    if (outcome.kind === "select" || outcome.kind === "step") selection = outcome.selection;
  }
  return outcome;
}

function stepped(outcome: Outcome): Selection {
  assert.equal(outcome.kind, "step");
  return (outcome as Extract<Outcome, { kind: "step" }>).selection;
}

function picked(outcome: Outcome): Selection {
  assert.equal(outcome.kind, "select");
  const { selection } = outcome as Extract<Outcome, { kind: "select" }>;
  assert.ok(selection);
  return selection;
}

function made(outcome: Outcome): LegalMove {
  assert.equal(outcome.kind, "move");
  return (outcome as Extract<Outcome, { kind: "move" }>).route.move;
}

function sorted(squares: Iterable<Square>): Square[] {
  return [...squares].sort((a, b) => a - b);
}

const START = "W:W31-50:B1-20";
const OPENING = [quiet(31, 26), quiet(31, 27), quiet(32, 27), quiet(32, 28), quiet(33, 28), quiet(33, 29)];

const KING = "W:WK16:B21,22,28,30,33";
const KING_MOVES = [
  capture([21, 22, 30], [16, 27, 13, 35]),
  capture([21, 28, 30], [16, 32, 19, 35]),
  capture([21, 30, 33], [16, 38, 24, 35]),
];

const FORK = "W:W46:B2,12,13,21,22,31,32,35,41";
const FORK_MOVES = [
  capture([12, 13, 21, 31, 41], [46, 37, 26, 17, 8, 19]),
  capture([21, 22, 31, 32, 41], [46, 37, 26, 17, 28, 37], [46, 37, 28, 17, 26, 37]),
  capture([12, 13, 22, 32, 41], [46, 37, 28, 17, 8, 19]),
];

const CIRCLE = "W:W39:B32,33,42,43";
const CIRCLE_MOVES = [capture([32, 33, 42, 43], [39, 28, 37, 48, 39], [39, 48, 37, 28, 39])];

test("the pieces that can move are those that a move begins with", () => {
  assert.deepEqual(sorted(movable(OPENING)), [31, 32, 33]);
  assert.equal(select(OPENING, 40), null);
});

test("a piece is picked up, and its target plays the move", () => {
  assert.deepEqual(sorted(offered(picked(play(START, OPENING, 32)))), [27, 28]);
  assert.equal(made(play(START, OPENING, 32, 28)), OPENING[3]);
});

test("the piece in hand is put down where it stands, or changed for another", () => {
  assert.deepEqual(play(START, OPENING, 32, 32), { kind: "select", selection: null });
  assert.equal(picked(play(START, OPENING, 32, 33)).from, 33);
});

test("one touch of the target plays a capture of several pieces", () => {
  const fen = "W:W14:B7,8,9";
  const moves = [{ ...capture([7, 8, 9], [14, 3, 12, 1]), crowned: true }];
  assert.equal(made(play(fen, moves, 14, 1)), moves[0]);
});

test("a target that one move has is played though the move has several ways", () => {
  const outcome = play(FORK, FORK_MOVES, 46, 37);
  assert.equal(made(outcome), FORK_MOVES[1]);
});

test("where captures share start and target, the first stops are offered, and a stop decides", () => {
  const selection = stepped(play(KING, KING_MOVES, 16, 35));
  assert.ok(stepping(selection));
  assert.deepEqual(selection.way, [16]);
  assert.deepEqual(sorted(offered(selection)), [27, 32, 38]);
  assert.equal(made(play(KING, KING_MOVES, 16, 35, 32)), KING_MOVES[1]);
});

test("what such captures have in common is walked at once", () => {
  const selection = stepped(play(FORK, FORK_MOVES, 46, 19));
  assert.deepEqual(selection.way, [46, 37]);
  assert.equal(standing(selection), 37);
  assert.deepEqual(sorted(offered(selection)), [26, 28]);
  assert.equal(made(play(FORK, FORK_MOVES, 46, 19, 26)), FORK_MOVES[0]);
  assert.equal(made(play(FORK, FORK_MOVES, 46, 19, 28)), FORK_MOVES[2]);
});

test("a wrong square leaves a half-made way as it is; the last stop takes one step back", () => {
  assert.deepEqual(play(FORK, FORK_MOVES, 46, 19, 30), { kind: "illegal", from: 46, to: 30 });
  assert.deepEqual(picked(play(FORK, FORK_MOVES, 46, 19, 37)).way, [46]);
  assert.deepEqual(picked(play(FORK, FORK_MOVES, 46, 19, 46)).way, [46]);
  assert.equal(made(play(FORK, FORK_MOVES, 46, 19, 37, 37)), FORK_MOVES[1]);
});

test("a stop on the way may be touched without touching a target first", () => {
  const moves = [capture([9, 10, 28], [15, 4, 18, 33]), capture([9, 10, 37], [15, 4, 31, 42])];
  const fen = "W:W15:B9,10,28,37";
  assert.deepEqual(stepped(play(fen, moves, 15, 4)).way, [15, 4]);
  assert.equal(made(play(fen, moves, 15, 4, 31)), moves[1]);
  assert.equal(made(play(fen, moves, 15, 4, 33)), moves[0]);
});

test("a capture that ends where it began is played by touching its piece again", () => {
  assert.deepEqual(sorted(offered(picked(play(CIRCLE, CIRCLE_MOVES, 39)))), [39]);
  assert.equal(made(play(CIRCLE, CIRCLE_MOVES, 39, 39)), CIRCLE_MOVES[0]);
});

test("several captures that end where they began are told apart by their way", () => {
  const fen = "W:WK35:B18,28,30,K40,43";
  const moves = [
    capture([18, 28, 30, 40], [35, 13, 22, 44, 35], [35, 44, 22, 13, 35]),
    capture([18, 30, 40, 43], [35, 13, 27, 49, 35], [35, 49, 27, 13, 35]),
    capture([28, 30, 40, 43], [35, 19, 32, 49, 35], [35, 49, 32, 19, 35]),
  ];
  assert.deepEqual(sorted(offered(stepped(play(fen, moves, 35, 35)))), [13, 19, 44, 49]);
  assert.deepEqual(sorted(offered(stepped(play(fen, moves, 35, 35, 13)))), [22, 27]);
  assert.equal(made(play(fen, moves, 35, 35, 13, 22)), moves[0]);
  assert.equal(made(play(fen, moves, 35, 35, 19)), moves[2]);
  assert.equal(made(play(fen, moves, 35, 35, 44)), moves[0]);
});

test("moves that differ in nothing but the crowning are told apart by their way", () => {
  const man = { ...capture([8, 9, 19, 20], [24, 15, 4, 13, 24], [24, 13, 2, 15, 24]), crowned: false };
  const king = { ...man, crowned: true, paths: [[24, 15, 4, 18, 24]] };
  const fen = "W:W24:B8,9,19,20";
  const selection = stepped(play(fen, [man, king], 24, 24));
  assert.deepEqual(sorted(offered(selection)), [13, 15]);
  assert.equal(made(play(fen, [man, king], 24, 24, 13)), man);
  assert.deepEqual(stepped(play(fen, [man, king], 24, 24, 15)).way, [24, 15, 4]);
  assert.equal(made(play(fen, [man, king], 24, 24, 15, 18)), king);
});

test("an attempt that no move answers is told with its squares", () => {
  assert.deepEqual(play(START, OPENING, 32, 22), { kind: "illegal", from: 32, to: 22 });
  assert.deepEqual(play(START, OPENING, 32, 18), { kind: "illegal", from: 32, to: 18 });
  assert.deepEqual(play(START, OPENING, 32, 0), { kind: "illegal", from: 32, to: 0 });
  assert.deepEqual(play(START, OPENING, 40), { kind: "illegal", from: 40, to: 40 });
  assert.deepEqual(play(START, OPENING, 32, 40), { kind: "illegal", from: 40, to: 40 });
  assert.deepEqual(play(START, OPENING, 12), { kind: "illegal", from: 12, to: 12 });
});

test("an empty square touched with nothing in hand is no attempt, and a board without moves takes none", () => {
  assert.deepEqual(play(START, OPENING, 25), { kind: "nothing" });
  assert.deepEqual(play(START, [], 32), { kind: "nothing" });
});

test("a dragged piece is never changed for the one it is dropped on", () => {
  assert.deepEqual(drop(select(OPENING, 32), 32, 33), { kind: "illegal", from: 32, to: 33 });
  assert.deepEqual(drop(null, 40, 34), { kind: "illegal", from: 40, to: 34 });
  assert.equal(made(drop(select(OPENING, 32), 32, 28)), OPENING[3]);
  assert.deepEqual(stepped(drop(select(FORK_MOVES, 46), 46, 19)).way, [46, 37]);
});

test("what must be captured is what the moves still possible take, less what is passed", () => {
  assert.deepEqual(sorted(prey(KING_MOVES, null, [])), [21, 22, 28, 30, 33]);
  const selection = stepped(play(FORK, FORK_MOVES, 46, 19));
  assert.deepEqual(sorted(prey(FORK_MOVES, selection, [41])), [12, 13, 21, 22, 31, 32]);
});
