import assert from "node:assert/strict";
import test from "node:test";
import { parseSettings } from "./settings";

const defaults = {
  theme: "auto",
  board: "wood",
  pieces: "turned",
  numbers: "inside",
  hints: false,
  sounds: true,
};

test("nothing stored gives the defaults", () => {
  assert.deepEqual(parseSettings(null), defaults);
});

test("stored choices are kept", () => {
  const chosen = {
    theme: "dark",
    board: "green",
    pieces: "flat",
    numbers: "edge",
    hints: true,
    sounds: false,
  };
  assert.deepEqual(parseSettings(JSON.stringify(chosen)), chosen);
  assert.deepEqual(parseSettings('{"theme":"dark"}'), { ...defaults, theme: "dark" });
});

test("damaged or foreign entries count as not chosen", () => {
  for (const stored of [
    "{",
    "null",
    "7",
    '{"theme":"neon","board":"oak","pieces":[],"numbers":3,"hints":"yes","sounds":1}',
  ])
    assert.deepEqual(parseSettings(stored), defaults);
});
