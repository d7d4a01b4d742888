import assert from "node:assert/strict";
import test from "node:test";
import { Sent, sentBy } from "./sent";

class Kept implements Storage {
  readonly #values = new Map<string, string>();

  get length(): number {
    return this.#values.size;
  }

  clear(): void {
    this.#values.clear();
  }

  getItem(key: string): string | null {
    return this.#values.get(key) ?? null;
  }

  key(index: number): string | null {
    return [...this.#values.keys()][index] ?? null;
  }

  removeItem(key: string): void {
    this.#values.delete(key);
  }

  setItem(key: string, value: string): void {
    this.#values.set(key, value);
  }
}

test("what was sent is known to the tab's next page, until it is heard how it ended", () => {
  const storage = new Kept();
  const first = new Sent(storage);
  first.add(["one", "two"]);
  first.add(["two", "three"]);
  first.end("one");
  const second = new Sent(storage);
  assert.deepEqual(second.ids, ["two", "three"]);
  second.end("two");
  second.end("unknown");
  assert.deepEqual(new Sent(storage).ids, ["three"]);
});

test("of many the latest are kept", () => {
  const sent = new Sent(new Kept());
  sent.add(Array.from({ length: 30 }, (_, i) => `id-${i}`));
  assert.equal(sent.ids.length, 20);
  assert.equal(sent.ids.at(-1), "id-29");
});

test("a page without storage, or with what is not ours in it, knows its own", () => {
  for (const found of [null, "not JSON", '{"a":1}', "[1,null]"]) {
    const storage = new Kept();
    if (found !== null) storage.setItem("damier-sent", found);
    const sent = new Sent(found === null ? null : storage);
    assert.deepEqual(sent.ids, []);
    sent.add(["one"]);
    assert.deepEqual(sent.ids, ["one"]);
  }
});

test("a page's address says what was just sent", () => {
  assert.equal(sentBy("#sent=a_B-3"), "a_B-3");
  for (const other of ["", "#sent=", "#sent=a b", "#sent=<b>", "#other=a"]) assert.equal(sentBy(other), null);
});
