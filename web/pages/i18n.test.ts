import assert from "node:assert/strict";
import test from "node:test";
import { t } from "./i18n";

test("without a catalogue the English sentence is used, its facts filled in", () => {
  assert.equal(t("Computer, level {level}", { level: 3 }), "Computer, level 3");
});

test("a place without a fact stays visible", () => {
  assert.equal(t("Computer, level {level}"), "Computer, level {level}");
});
