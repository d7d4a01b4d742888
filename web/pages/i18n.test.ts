import assert from "node:assert/strict";
import test from "node:test";
import { t, tn } from "./i18n";

test("without a catalogue the English sentence is used, its facts filled in", () => {
  assert.equal(t("Computer, level {level}", { level: 3 }), "Computer, level 3");
});

test("a place without a fact stays visible", () => {
  assert.equal(t("Computer, level {level}"), "Computer, level {level}");
});

test("the sentence that fits a number is taken", () => {
  const left = (n: number) => tn("{n} second left", "{n} seconds left", n);
  assert.deepEqual([0, 1, 2].map(left), ["0 seconds left", "1 second left", "2 seconds left"]);
});
