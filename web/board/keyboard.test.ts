import assert from "node:assert/strict";
import { test } from "node:test";
import { SQUARES } from "./geometry";
import { cursorAfter, TypedNumber } from "./keyboard";

test("left and right go along the row, up and down along the file", () => {
  assert.equal(cursorAfter("ArrowRight", 32, "white"), 33);
  assert.equal(cursorAfter("ArrowLeft", 32, "white"), 31);
  assert.equal(cursorAfter("ArrowUp", 32, "white"), 27);
  assert.equal(cursorAfter("ArrowUp", 27, "white"), 22);
  assert.equal(cursorAfter("ArrowDown", 22, "white"), 27);
  assert.equal(cursorAfter("Home", 33, "white"), 31);
  assert.equal(cursorAfter("End", 33, "white"), 35);
});

test("on a turned board the keys go where they point", () => {
  assert.equal(cursorAfter("ArrowUp", 18, "black"), 23);
  assert.equal(cursorAfter("ArrowRight", 18, "black"), 17);
  assert.equal(cursorAfter("Home", 18, "black"), 20);
});

test("the cursor stays on the board and never leaves its dark squares", () => {
  assert.equal(cursorAfter("ArrowUp", 3, "white"), 3);
  assert.equal(cursorAfter("ArrowLeft", 6, "white"), 6);
  assert.equal(cursorAfter("ArrowRight", 5, "white"), 5);
  for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"]) {
    for (const orientation of ["white", "black"] as const) {
      for (let square = 1; square <= SQUARES; square++) {
        const to = cursorAfter(key, square, orientation);
        assert.ok(to && to >= 1 && to <= SQUARES, `${key} from ${square}`);
      }
    }
  }
});

test("other keys are none of the cursor's", () => {
  assert.equal(cursorAfter("Enter", 32, "white"), null);
  assert.equal(cursorAfter("a", 32, "white"), null);
});

test("a square is named by typing its number", () => {
  const typed = new TypedNumber();
  assert.equal(typed.type("3", 0), 3);
  assert.equal(typed.type("2", 200), 32);
  assert.equal(typed.type("2", 400), 2);
  assert.equal(typed.type("8", 600), 28);
});

test("after a pause, or where two digits name no square, a digit begins anew", () => {
  const typed = new TypedNumber();
  assert.equal(typed.type("4", 0), 4);
  assert.equal(typed.type("1", 5000), 1);
  assert.equal(typed.type("0", 5100), 10);
  assert.equal(typed.type("7", 9000), 7);
  assert.equal(typed.type("3", 9100), 3);
  assert.equal(typed.type("x", 9200), null);
  assert.equal(typed.type("0", 20000), null);
});
