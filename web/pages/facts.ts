// The line beneath the moves: by which rules and clock is played, whether for ratings, and how many watch.
import { byId } from "./dom";
import { betweenPeople, type Game } from "./game";
import { tn } from "./i18n";
import type { RatingMessage } from "./protocol";
import { ratedText } from "./rating";
import { rulesName } from "./reasons";

export function renderFacts(
  game: Game,
  rating: RatingMessage,
  whyCasual: string | null,
  watchers: number,
): void {
  const kind = [
    rulesName(game.rules),
    game.controlLabel,
    ...(betweenPeople(game) ? [ratedText(rating)] : []),
  ];
  byId("kind").textContent = kind.join(" · ");
  const why = byId("why-casual");
  why.hidden = whyCasual === null;
  why.textContent = whyCasual;
  const eye = byId("watchers");
  eye.hidden = watchers === 0;
  byId("watchers-count").textContent = String(watchers);
  eye.title = eye.ariaLabel = tn("{n} person is watching", "{n} people are watching", watchers);
}
