import assert from "node:assert/strict";
import { test } from "node:test";
import { elapsed } from "./search";

test("how long a search has taken", () => {
  assert.deepEqual([-1, 0, 5.9, 60, 65, 3605].map(elapsed), [
    "0:00",
    "0:00",
    "0:05",
    "1:00",
    "1:05",
    "60:05",
  ]);
});
