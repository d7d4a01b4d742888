// The questions that wait for the viewer's answer, as the game stands. Pure.
import type { Answer, Ask } from "./asks";
import { type Game, opponent } from "./game";
import { localUrl, t } from "./i18n";
import type { Deed, RematchMessage } from "./protocol";
import { countText, playerName } from "./strips";

export interface Around {
  /** Milliseconds until the opponent, who has left, can be claimed against; null: nothing to claim. */
  readonly claimIn: number | null;
  readonly rematch: RematchMessage;
  /** Another game of the viewer's that has begun. */
  readonly begun?: string | null;
}

export function gameUrl(id: string): string {
  return localUrl(`/games/${encodeURIComponent(id)}`);
}

export function standing(
  game: Game,
  { claimIn, rematch, begun }: Around,
  request: (deed: Deed) => void,
): Ask[] {
  const { state, you } = game;
  const otherGame = begun ? [next(t("Your game has begun."), t("Go to the game"), begun, "begun")] : [];
  if (you === null) {
    const watch = t("They are playing again.");
    return rematch.game === null ? otherGame : [...otherGame, next(watch, t("Watch"), rematch.game)];
  }
  const other = opponent(you);
  const name = playerName(game, other);
  const answer = (label: string, deed: Deed): Answer => ({ label, run: () => request(deed) });
  const found: Ask[] = otherGame;
  // First, since a small screen shows one question at a time, and no other answer gives as much.
  if (claimIn !== null && state.result === null && claimIn <= 0)
    found.push({
      key: "claim",
      text: t("{name} has left the game.", { name }),
      answers: [
        answer(t("Claim the win"), { t: "claim", as: "win" }),
        answer(t("Claim a draw"), { t: "claim", as: "draw" }),
      ],
    });
  if (state.can.accept_draw)
    found.push({
      key: "draw",
      text: t("{name} offers a draw.", { name }),
      answers: [answer(t("Accept"), { t: "accept_draw" }), answer(t("Decline"), { t: "decline_draw" })],
    });
  if (state.can.accept_take_back)
    found.push({
      key: "take-back",
      text: t("{name} would like to take back the last move.", { name }),
      answers: [
        answer(t("Allow"), { t: "accept_take_back" }),
        answer(t("Decline"), { t: "decline_take_back" }),
      ],
    });
  if (claimIn !== null && state.result === null && claimIn > 0)
    found.push({
      key: "claim",
      text: t("{name} has left. You may claim the game in", { name }),
      count: countText(claimIn),
      answers: [],
    });
  if (rematch.game !== null)
    found.push(next(t("You are playing again."), t("To the new game"), rematch.game));
  else if (rematch.offered_by === other)
    found.push({
      key: "rematch",
      text: t("{name} would like a rematch.", { name }),
      answers: [
        answer(t("Play again"), { t: "rematch" }),
        answer(t("No, thank you"), { t: "decline_rematch" }),
      ],
    });
  return found;
}

function next(text: string, label: string, id: string, key = "next"): Ask {
  return { key, text, answers: [{ label, run: () => location.assign(gameUrl(id)) }] };
}
