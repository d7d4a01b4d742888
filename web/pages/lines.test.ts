import assert from "node:assert/strict";
import test from "node:test";
import { lastSeq, NO_LINES, roomsOf, saidSoFar, withLines } from "./lines";
import type { ChatLine } from "./protocol";

function line(seq: number): ChatLine {
  return { seq, name: "Guest", side: "white", text: `line ${seq}`, preset: null, at: 0 };
}

const two = withLines(NO_LINES, "players", [line(1), line(4)]);

test("lines come once and in order", () => {
  const after = withLines(two, "players", [line(4), line(5)]);
  assert.deepEqual(
    after.players.map(({ seq }) => seq),
    [1, 4, 5],
  );
  assert.equal(lastSeq(after, "watchers"), 0);
});

test("a new line asks for what was said meanwhile, in both rooms once the game is over", () => {
  assert.equal(saidSoFar(two, "players", false), "4");
  assert.equal(saidSoFar(two, "watchers", false), "0");
  assert.equal(saidSoFar(two, "players", true), "4,0");
});

test("the players' and the watchers' rooms are apart until the end", () => {
  assert.deepEqual(roomsOf("white", true, false, two), ["players"]);
  assert.deepEqual(roomsOf(null, true, false, two), ["watchers"]);
  assert.deepEqual(roomsOf(null, true, true, two), ["watchers", "players"]);
  assert.deepEqual(roomsOf("white", true, true, two), ["players"]);
});

test("nobody talks with the computer", () => {
  assert.deepEqual(roomsOf("white", false, false, NO_LINES), []);
  assert.deepEqual(roomsOf(null, false, false, NO_LINES), ["watchers"]);
});
