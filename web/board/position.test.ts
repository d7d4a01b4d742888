import assert from "node:assert/strict";
import { test } from "node:test";
import { readFen, writeFen } from "./fen";
import { after, crowningStop, difference, passed } from "./position";
import type { LegalMove } from "./types";

function pieces(fen: string) {
  return readFen(fen).pieces;
}

test("a move leaves its square, takes what it captured, and hands over the turn", () => {
  const move: LegalMove = {
    from: 16,
    to: 35,
    captured: [21, 22, 30],
    crowned: false,
    paths: [[16, 27, 13, 35]],
  };
  assert.equal(writeFen(after(readFen("W:WK16:B21,22,28,30,33"), move)), "B:WK35:B28,33");
});

test("a crowned man is a king afterwards", () => {
  const move: LegalMove = { from: 14, to: 1, captured: [7, 8, 9], crowned: true, paths: [[14, 3, 12, 1]] };
  assert.equal(writeFen(after(readFen("W:W14:B7,8,9"), move)), "B:WK1:B");
});

test("a capture that ends where it began leaves the piece there", () => {
  const move: LegalMove = {
    from: 39,
    to: 39,
    captured: [32, 33, 42, 43],
    crowned: false,
    paths: [[39, 28, 37, 48, 39]],
  };
  assert.equal(writeFen(after(readFen("W:W39:B32,33,42,43"), move)), "B:W39:B");
});

test("captured pieces are passed in the order of the way, one a hop", () => {
  assert.deepEqual(passed([32, 33, 42, 43], [39, 48, 37, 28, 39]), [43, 42, 32, 33]);
  assert.deepEqual(passed([32, 33, 42, 43], [39, 28, 37]), [33, 32]);
  assert.deepEqual(passed([32, 33, 42, 43], [39]), []);
  assert.deepEqual(passed([], [33, 28]), []);
});

test("a king's long hops pass one piece each, on whichever square of the hop it stands", () => {
  assert.deepEqual(passed([7, 13, 32, 33], [2, 16, 38, 24, 2]), [7, 32, 33, 13]);
  assert.deepEqual(passed([10, 41], [46, 37, 5]), [41, 10]);
});

test("fourteen pieces are passed in fourteen hops, the way crossing itself", () => {
  const captured = [9, 10, 11, 20, 21, 22, 23, 30, 31, 33, 41, 42, 43, 44];
  const way = [24, 15, 4, 13, 27, 16, 2, 35, 49, 27, 36, 47, 38, 29, 1];
  const order = passed(captured, way);
  assert.equal(order.length, 14);
  assert.deepEqual(
    [...order].sort((a, b) => a - b),
    captured,
  );
});

test("a man that ends on its far row is crowned there, and not when it only passes that row", () => {
  const ended: LegalMove = { from: 14, to: 1, captured: [7, 8, 9], crowned: true, paths: [] };
  assert.equal(crowningStop(ended, [14, 3, 12, 1], "white"), 3);
  const passing: LegalMove = { from: 15, to: 13, captured: [9, 10], crowned: false, paths: [] };
  assert.equal(crowningStop(passing, [15, 4, 13], "white"), -1);
});

test("a man crowned that ends elsewhere was crowned where it touched the row", () => {
  const white: LegalMove = { from: 15, to: 36, captured: [9, 10], crowned: true, paths: [] };
  assert.equal(crowningStop(white, [15, 4, 36], "white"), 1);
  const black: LegalMove = { from: 36, to: 15, captured: [41, 42], crowned: true, paths: [] };
  assert.equal(crowningStop(black, [36, 47, 15], "black"), 1);
});

test("a move and its taking back differ by one piece that went, and those that left or came", () => {
  const before = pieces("W:WK16:B21,22,28,30,33");
  const next = pieces("B:WK35:B28,33");
  assert.deepEqual(difference(before, next), { moved: [[16, 35]], came: [], left: [21, 22, 30] });
  assert.deepEqual(difference(next, before), { moved: [[35, 16]], came: [21, 22, 30], left: [] });
});

test("of several pieces that went, each is paired with the nearest square of its colour", () => {
  const { moved } = difference(pieces("W:W31-50:B1-20"), pieces("W:W28,31,33-50:B1-18,20,23"));
  assert.deepEqual(
    [...moved].sort(([a], [b]) => a - b),
    [
      [19, 23],
      [32, 28],
    ],
  );
});

test("a man crowned where it stands has gone nowhere", () => {
  assert.deepEqual(difference(pieces("W:W5:B50"), pieces("W:WK5:B50")), { moved: [], came: [], left: [] });
  assert.deepEqual(difference(pieces("W:W7:B50"), pieces("B:WK1:B50")).moved, [[7, 1]]);
});
