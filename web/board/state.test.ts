import assert from "node:assert/strict";
import { test } from "node:test";
import { readFen } from "./fen";
import { type Selection, select, touch } from "./selection";
import { bound, isGraspable, marks, premoving, type State, shown, taken } from "./state";
import type { LegalMove } from "./types";

const FEN = "W:W46:B2,12,13,21,22,31,32,35,41";
const MOVES: LegalMove[] = [
  { from: 46, to: 19, captured: [12, 13, 21, 31, 41], crowned: false, paths: [[46, 37, 26, 17, 8, 19]] },
  { from: 46, to: 19, captured: [12, 13, 22, 32, 41], crowned: false, paths: [[46, 37, 28, 17, 8, 19]] },
];

function state(patch: Partial<State>): State {
  return {
    position: readFen(FEN),
    moves: MOVES,
    selection: null,
    lastMove: null,
    orientation: "white",
    numbers: "inside",
    hints: false,
    touched: null,
    urged: [],
    premover: null,
    premove: [],
    ...patch,
  };
}

function halfway(): Selection {
  const outcome = touch(readFen(FEN).pieces, MOVES, select(MOVES, 46), 19);
  assert.equal(outcome.kind, "step");
  return (outcome as { selection: Selection }).selection;
}

test("nothing is marked before it is asked for", () => {
  const { movable, target, prey, selected, way } = marks(state({}));
  assert.deepEqual([movable.size, target.size, prey.size, selected, way], [0, 0, 0, null, []]);
});

test("hints mark what can move and what must be captured", () => {
  const { movable, prey } = marks(state({ hints: true }));
  assert.deepEqual([...movable], [46]);
  assert.deepEqual(
    [...prey].sort((a, b) => a - b),
    [12, 13, 21, 22, 31, 32, 41],
  );
});

test("half way, the piece stands on its last stop and what it passed is taken but still there", () => {
  const half = state({ selection: halfway() });
  assert.deepEqual(taken(half), [41]);
  assert.equal(shown(half).get(46), undefined);
  assert.deepEqual(shown(half).get(37), { color: "white", king: false });
  assert.ok(shown(half).has(41));
  const { selected, target, way, prey } = marks(half);
  assert.equal(selected, 37);
  assert.deepEqual([...target], [26, 28]);
  assert.deepEqual(way, [46, 37]);
  assert.ok(!prey.has(41));
});

test("the last move is marked by its two squares", () => {
  assert.deepEqual([...marks(state({ lastMove: MOVES[0] ?? null })).last], [46, 19]);
});

test("a side chooses a move ahead only while it has none to make", () => {
  assert.equal(premoving(state({ premover: "white" })), null);
  assert.equal(premoving(state({ premover: "white", moves: [] })), "white");
});

test("with no move to make only the pieces of who chooses ahead can be picked up", () => {
  const waiting = state({ premover: "black", moves: [] });
  assert.ok(isGraspable(waiting, 41));
  assert.ok(!isGraspable(waiting, 46));
  assert.ok(!isGraspable(state({ moves: [] }), 41));
});

test("a move ahead is marked on its squares and as a way; so is the touched piece", () => {
  const marked = marks(state({ moves: [], premover: "black", premove: [41, 37], touched: 46 }));
  assert.deepEqual([...marked.premove], [41, 37]);
  assert.deepEqual(marked.way, [41, 37]);
  assert.deepEqual([...marked.touched], [46]);
});

test("the pieces of which one must capture are marked until one is in hand", () => {
  assert.deepEqual([...marks(state({ urged: [46] })).urged], [46]);
  assert.deepEqual([...marks(state({ urged: [46], selection: select(MOVES, 46) })).urged], []);
});

test("a touched piece stays in hand as long as it can move", () => {
  assert.equal(bound(state({ touched: 46 })).selection?.from, 46);
  assert.equal(bound(state({ touched: null })).selection, null);
  assert.equal(bound(state({ touched: 46, moves: [] })).selection, null, "no move to make");
  assert.equal(bound(state({ touched: 2 })).selection, null, "the opponent's");
  const stepping = halfway();
  assert.equal(bound(state({ touched: 46, selection: stepping })).selection, stepping);
});
