import assert from "node:assert/strict";
import test from "node:test";
import { aGame } from "./game.example";
import { Requests } from "./requests";

test("what is asked is open until it is answered", () => {
  const requests = new Requests();
  requests.add(1, "offer_draw", aGame());
  assert.ok(requests.asking("take_back", "offer_draw"));
  assert.equal(requests.settle(1), "offer_draw");
  assert.ok(!requests.asking("offer_draw"));
  assert.equal(requests.settle(1), undefined);
});

test("a state that shows it done answers it too", () => {
  const game = aGame();
  const requests = new Requests();
  requests.add(1, "offer_draw", game);
  requests.see(game);
  assert.ok(requests.has(1));
  requests.see({ ...game, state: { ...game.state, draw_offer: "white" } });
  assert.ok(!requests.has(1));
});

test("the end of the game answers everything", () => {
  const game = aGame();
  const requests = new Requests();
  requests.add(1, "adjust", game);
  requests.add(2, "add_time", game);
  const result = { winner: "white", score: "2-0", rule: "resigned", text: "" } as const;
  requests.see({ ...game, state: { ...game.state, result } });
  assert.deepEqual(requests.drop(), []);
});

test("what a lost line took with it is named once", () => {
  const requests = new Requests();
  requests.add(1, "resign", aGame());
  requests.add(2, "add_time", aGame());
  assert.deepEqual(requests.drop(), ["resign", "add_time"]);
  assert.deepEqual(requests.drop(), []);
});
