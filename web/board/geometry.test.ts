import assert from "node:assert/strict";
import { test } from "node:test";
import { between, distance, onFarRow, placeOf, SQUARES, squareAt } from "./geometry";

test("the long diagonal from 46 to 5 begins at White's left hand", () => {
  assert.deepEqual(placeOf(46), { x: 0, y: 9 });
  assert.deepEqual(placeOf(5), { x: 9, y: 0 });
  assert.deepEqual(placeOf(1), { x: 1, y: 0 });
  assert.deepEqual(placeOf(6), { x: 0, y: 1 });
});

test("every square is found again at its own place, from either side", () => {
  for (const orientation of ["white", "black"] as const) {
    for (let square = 1; square <= SQUARES; square++) {
      const { x, y } = placeOf(square, orientation);
      assert.equal(squareAt(x, y, orientation), square);
    }
  }
});

test("seen from Black's side the board is turned half round", () => {
  assert.deepEqual(placeOf(5, "black"), placeOf(46));
  assert.deepEqual(placeOf(18, "black"), placeOf(33));
});

test("a light square is 0, and beyond the board there is none", () => {
  assert.equal(squareAt(0, 0), 0);
  assert.equal(squareAt(9, 9), 0);
  assert.equal(squareAt(-1, 0), null);
  assert.equal(squareAt(3, 10), null);
});

test("the squares between two of one diagonal come in the order of the way", () => {
  assert.deepEqual(between(33, 22), [28]);
  assert.deepEqual(between(46, 5), [41, 37, 32, 28, 23, 19, 14, 10]);
  assert.deepEqual(between(5, 37), [10, 14, 19, 23, 28, 32]);
  assert.deepEqual(between(16, 2), [11, 7]);
  assert.deepEqual(between(28, 23), []);
  assert.deepEqual(between(28, 27), []);
  assert.deepEqual(between(1, 50), []);
});

test("distance counts steps", () => {
  assert.equal(distance(46, 5), 9);
  assert.equal(distance(33, 28), 1);
  assert.equal(distance(28, 28), 0);
});

test("the far row is the opponent's back row", () => {
  assert.ok(onFarRow(5, "white"));
  assert.ok(!onFarRow(6, "white"));
  assert.ok(onFarRow(46, "black"));
  assert.ok(!onFarRow(45, "black"));
});
