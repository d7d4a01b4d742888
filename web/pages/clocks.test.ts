import assert from "node:assert/strict";
import test from "node:test";
import { Clocks, face, left, untilChange } from "./clocks";
import type { ClockReading } from "./protocol";

test("a clock shows what is left, cut to its last digit", () => {
  const shown = (ms: number) => face(ms).time;
  assert.equal(shown(300_000), "5:00");
  assert.equal(shown(299_999), "4:59");
  assert.equal(shown(10_000), "0:10");
  assert.equal(shown(9_999), "0:09.9");
  assert.equal(shown(40), "0:00.0");
  assert.equal(shown(-5), "0:00.0");
  assert.equal(shown(3_600_000), "1:00:00");
  assert.equal(face(9_400, ",").time, "0:09,4");
});

test("days are told beside hours and minutes", () => {
  assert.deepEqual(face(2 * 86_400_000 + 5 * 3_600_000 + 62_000), { days: 2, time: "5:01" });
  assert.deepEqual(face(86_399_999), { days: 0, time: "23:59:59" });
});

test("a clock is looked at again when it shows something else", () => {
  assert.equal(untilChange(299_500), 501);
  assert.equal(untilChange(9_950), 51);
  assert.equal(untilChange(0), Number.POSITIVE_INFINITY);
});

const reading: ClockReading = { white: 60_000, black: 50_000, running: "white", low: 10_000 };

test("only the running clock goes, and never below nothing", () => {
  assert.equal(left(reading, "white", 2_500), 57_500);
  assert.equal(left(reading, "black", 2_500), 50_000);
  assert.equal(left(reading, "white", 70_000), 0);
});

test("a pressed clock stands until the next reading, or goes on as if it had never stood", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  context.mock.method(performance, "now", () => now);
  const pass = (ms: number) => {
    now += ms;
    context.mock.timers.tick(ms);
  };
  let shown: ClockReading | null = null;
  const clocks = new Clocks((next) => {
    shown = next;
  });
  clocks.set(reading);
  pass(1_001);
  assert.deepEqual(shown, { ...reading, white: 58_999 });
  clocks.press("white");
  pass(2_000);
  assert.deepEqual(shown, { white: 58_999, black: 48_000, running: "black", low: 10_000 });
  clocks.press(null);
  assert.deepEqual(shown, { ...reading, white: 56_999 });
  clocks.set(null);
  assert.equal(shown, null);
});
