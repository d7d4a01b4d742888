// Ratings as the page writes them, beside a name and after a game.
import type { Color } from "../board/types";
import { make } from "./dom";
import { t } from "./i18n";
import type { Rating, RatingMessage } from "./protocol";

/** A rating as players write it: with a question mark while little is known. */
export function ratingText({ value, provisional }: Pick<Rating, "value" | "provisional">): string {
  return provisional ? `${value}?` : `${value}`;
}

/** What a game has changed: "+8", "−8" or "±0". */
export function changeText(change: number): string {
  return change > 0 ? `+${change}` : change < 0 ? `−${-change}` : "±0";
}

/** Write a player's rating into an element, or hide it. */
export function renderRating(element: HTMLElement, rating: Rating | null): void {
  element.hidden = rating === null;
  if (rating === null) return;
  const text = ratingText(rating);
  const shown = `${text} ${rating.change}`;
  if (element.dataset.shown === shown) return;
  element.dataset.shown = shown;
  element.title = rating.provisional ? t("Rating, not certain yet") : t("Rating");
  element.replaceChildren(make("span", "unseen", `${t("Rating")} `), text);
  if (rating.change === null) return;
  element.append(" ", make("b", rating.change < 0 ? "change lost" : "change", changeText(rating.change)));
}

/** What is said to a player whose rating a message has changed; null where it has not. */
export function ownChange(before: RatingMessage, after: RatingMessage, you: Color | null): string | null {
  const own = you && after[you];
  if (!own || own.change === null || (you && before[you]?.change === own.change)) return null;
  return t("Your rating: {change}, now {value}.", { change: changeText(own.change), value: ratingText(own) });
}

/** Rated or casual, for the description of a game between people. */
export function ratedText(rating: RatingMessage): string {
  return rating.is_rated ? t("Rated") : t("Casual");
}
