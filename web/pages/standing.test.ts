import assert from "node:assert/strict";
import test from "node:test";
import type { Game } from "./game";
import { aGame } from "./game.example";
import type { Can, Deed, RematchMessage } from "./protocol";
import { standing } from "./standing";

const none: RematchMessage = { t: "rematch", offered_by: null, game: null };

function may(can: Partial<Can>, you: Game["you"] = "white"): Game {
  const game = aGame();
  return { ...game, you, state: { ...game.state, can: { ...game.state.can, ...can } } };
}

/** Each question's text, with its count, and what its answers would ask of the server. */
function asked(game: Game, claimIn: number | null = null, rematch = none): { text: string; deeds: Deed[] }[] {
  let deeds: Deed[] = [];
  return standing(game, { claimIn, rematch }, (deed) => deeds.push(deed)).map(({ text, answers, count }) => {
    deeds = [];
    for (const { run } of answers) run();
    return { text: [text, count].filter(Boolean).join(" "), deeds };
  });
}

test("nothing waits for an answer in a game that just goes on", () => {
  assert.deepEqual(asked(aGame()), []);
});

test("an offered draw and a take-back can be accepted or declined", () => {
  assert.deepEqual(asked(may({ accept_draw: true })), [
    { text: "Guest offers a draw.", deeds: [{ t: "accept_draw" }, { t: "decline_draw" }] },
  ]);
  assert.deepEqual(asked(may({ accept_take_back: true })), [
    {
      text: "Guest would like to take back the last move.",
      deeds: [{ t: "accept_take_back" }, { t: "decline_take_back" }],
    },
  ]);
});

test("who has left can be claimed against after a time that is told", () => {
  assert.deepEqual(asked(aGame(), 11_200), [
    { text: "Guest has left. You may claim the game in 0:12", deeds: [] },
  ]);
  assert.deepEqual(asked(aGame(), 0), [
    {
      text: "Guest has left the game.",
      deeds: [
        { t: "claim", as: "win" },
        { t: "claim", as: "draw" },
      ],
    },
  ]);
});

test("the opponent's wish for a rematch is asked, the own one is not", () => {
  assert.deepEqual(asked(aGame(), null, { ...none, offered_by: "black" }), [
    { text: "Guest would like a rematch.", deeds: [{ t: "rematch" }, { t: "decline_rematch" }] },
  ]);
  assert.deepEqual(asked(aGame(), null, { ...none, offered_by: "white" }), []);
});

test("who watches is asked nothing, but shown the way to the next game", () => {
  const watching = may({}, null);
  assert.deepEqual(
    standing(watching, { claimIn: null, rematch: none }, () => {}),
    [],
  );
  const [ask] = standing(watching, { claimIn: null, rematch: { ...none, game: "next" } }, () => {});
  assert.equal(ask?.answers[0]?.label, "Watch");
});

test("who plays or watches is told of another game of one's own", () => {
  for (const game of [aGame(), { ...aGame(), you: null }]) {
    const [ask] = standing(game, { claimIn: null, rematch: none, begun: "other" }, () => {});
    assert.equal(ask?.text, "Your game has begun.");
  }
});
