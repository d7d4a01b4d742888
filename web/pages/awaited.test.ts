import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { Awaited } from "./awaited";

function waiting(context: TestContext): {
  awaited: Awaited;
  expired: () => number;
  pass: (ms: number) => void;
} {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let times = 0;
  const awaited = new Awaited(2000, () => times++);
  return { awaited, expired: () => times, pass: (ms) => context.mock.timers.tick(ms) };
}

test("an answer in time is never late", (context) => {
  const { awaited, expired, pass } = waiting(context);
  awaited.add(1);
  pass(1999);
  awaited.settle(1);
  pass(5000);
  assert.equal(awaited.late, false);
  assert.equal(expired(), 0);
});

test("what is not answered in time is late until it is answered", (context) => {
  const { awaited, expired, pass } = waiting(context);
  awaited.add(1);
  pass(2000);
  assert.equal(awaited.late, true);
  assert.equal(expired(), 1);
  awaited.settle(1);
  assert.equal(awaited.late, false);
});

test("what is asked again stays late, and is waited for again", (context) => {
  const { awaited, expired, pass } = waiting(context);
  awaited.add(1);
  pass(2000);
  awaited.add(1);
  assert.equal(awaited.late, true);
  pass(2000);
  assert.equal(expired(), 2);
});

test("what a lost line took with it is not waited for", (context) => {
  const { awaited, pass } = waiting(context);
  awaited.add(1);
  awaited.add(2);
  pass(1000);
  awaited.keepOnly(2);
  pass(1000);
  assert.equal(awaited.late, true);
  awaited.settle(2);
  assert.equal(awaited.late, false);
  awaited.keepOnly(undefined);
});
