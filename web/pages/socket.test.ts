import assert from "node:assert/strict";
import test from "node:test";
import { backoff } from "./socket";

test("the wait doubles and stays under its ceiling", () => {
  const longest = [0, 1, 2, 3, 10, 500].map((attempt) => backoff(attempt, () => 1));
  assert.deepEqual(longest, [400, 800, 1600, 3200, 15_000, 15_000]);
});

test("at least half of the wait is kept, the rest is chance", () => {
  assert.equal(
    backoff(3, () => 0),
    1600,
  );
  assert.ok(backoff(3) >= 1600 && backoff(3) <= 3200);
});
