import assert from "node:assert/strict";
import { test } from "node:test";
import type { RatingMessage } from "./protocol";
import { changeText, ownChange, ratingText } from "./rating";

const before: RatingMessage = {
  t: "rating",
  is_rated: true,
  white: { value: 1500, provisional: false, change: null },
  black: { value: 1500, provisional: true, change: null },
};
const after: RatingMessage = {
  ...before,
  white: { value: 1508, provisional: false, change: 8 },
  black: { value: 1492, provisional: true, change: -8 },
};

test("a rating of which little is known has a question mark", () => {
  assert.equal(ratingText({ value: 1500, provisional: true }), "1500?");
  assert.equal(ratingText({ value: 1500, provisional: false }), "1500");
});

test("a change has its sign", () => {
  assert.deepEqual([8, -8, 0].map(changeText), ["+8", "−8", "±0"]);
});

test("players are told of their own change, once", () => {
  assert.equal(ownChange(before, after, "white"), "Your rating: +8, now 1508.");
  assert.equal(ownChange(before, after, "black"), "Your rating: −8, now 1492?.");
  assert.equal(ownChange(before, after, null), null);
  assert.equal(ownChange(after, after, "white"), null);
  assert.equal(ownChange(before, before, "white"), null);
});
