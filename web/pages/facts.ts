// The line beneath the moves: by which rules and clock is played, whether for ratings, and how many watch.
import { byId, make } from "./dom";
import { betweenPeople, type Game } from "./game";
import { language, tn } from "./i18n";
import type { RatingMessage } from "./protocol";
import { ratedText } from "./rating";
import { rulesName } from "./reasons";

export function renderFacts(
  game: Game,
  rating: RatingMessage,
  whyCasual: string | null,
  watchers: number,
): void {
  const more = [game.controlLabel, ...(betweenPeople(game) ? [ratedText(rating)] : [])];
  const kind = byId("kind");
  const text = [rulesName(game.rules), ...more].join(" · ");
  // Not anew with every move: the link may have the focus.
  if (kind.textContent !== text)
    kind.replaceChildren(rulesLink(game.rules), ...more.map((each) => ` · ${each}`));
  const why = byId("why-casual");
  why.hidden = whyCasual === null;
  why.textContent = whyCasual;
  const eye = byId("watchers");
  eye.hidden = watchers === 0;
  byId("watchers-count").textContent = String(watchers);
  eye.title = eye.ariaLabel = tn("{n} person is watching", "{n} people are watching", watchers);
}

/** The rules of the game, in a page of their own: the game's stays open. */
function rulesLink(rules: string): HTMLAnchorElement {
  const link = make("a", "", rulesName(rules));
  link.href = `/${language}/rules/${rules}`;
  link.target = "_blank";
  return link;
}
