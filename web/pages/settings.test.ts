import assert from "node:assert/strict";
import test from "node:test";
import { parseSettings } from "./settings";

const defaults = { theme: "auto", numbers: "inside", hints: false };

test("nothing stored gives the defaults", () => {
  assert.deepEqual(parseSettings(null), defaults);
});

test("stored choices are kept", () => {
  assert.deepEqual(parseSettings('{"theme":"dark","numbers":"edge","hints":true}'), {
    theme: "dark",
    numbers: "edge",
    hints: true,
  });
});

test("damaged or foreign entries count as not chosen", () => {
  for (const stored of ["{", "null", "7", '{"theme":"neon","numbers":3,"hints":"yes"}'])
    assert.deepEqual(parseSettings(stored), defaults);
});
