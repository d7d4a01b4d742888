import assert from "node:assert/strict";
import test from "node:test";
import { fill, t } from "./i18n.ts";

test("facts fill their places, in any order and more than once", () => {
  assert.equal(fill("{b} of {a}, {b}", { a: 16, b: 12 }), "12 of 16, 12");
});

test("a place without a fact stays visible", () => {
  assert.equal(fill("level {n}", {}), "level {n}");
});

test("without a catalogue the English sentence is used", () => {
  assert.equal(t("Square {square}", { square: 32 }), "Square 32");
});
