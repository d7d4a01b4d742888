import assert from "node:assert/strict";
import test from "node:test";
import { parseSettings } from "./settings.ts";

const defaults = { theme: "auto", numbers: "inside", hints: true };

test("nothing stored gives the defaults", () => {
  assert.deepEqual(parseSettings(null), defaults);
});

test("stored choices are kept", () => {
  assert.deepEqual(parseSettings('{"theme":"dark","numbers":"edge","hints":false}'), {
    theme: "dark",
    numbers: "edge",
    hints: false,
  });
});

test("damaged or foreign entries count as not chosen", () => {
  for (const stored of ["{", "null", "7", '{"theme":"neon","numbers":3,"hints":"yes"}'])
    assert.deepEqual(parseSettings(stored), defaults);
});
