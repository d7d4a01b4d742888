// Sends an answer to a step of the guide or to an exercise, and says what came of it.
import { language, t } from "./i18n";

/** The server's answer; null when it could not be asked, or would not have it. `stale`: the page is of yesterday. */
export async function send<Answer>(
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<Answer | "stale" | null> {
  const token = document.querySelector<HTMLInputElement>('input[name="_csrf_token"]')?.value ?? "";
  try {
    const answer = await fetch(`/${language}${path}`, {
      method: "POST",
      headers: { accept: "application/json", "x-csrftoken": token },
      body: new URLSearchParams(fields),
    });
    if (answer.status === 409) return "stale";
    return answer.ok ? ((await answer.json()) as Answer) : null;
  } catch {
    return null;
  }
}

export type Kind = "" | "right" | "missed" | "refused";

/** Says something by the board, where it is read aloud too. */
export function say(place: HTMLElement, text: string, kind: Kind = ""): void {
  const word = place.querySelector<HTMLElement>(".word");
  if (!word) return;
  word.textContent = text;
  word.dataset.kind = kind;
}

export function sayLost(place: HTMLElement): void {
  say(place, t("There is no connection just now. Try again in a moment."), "refused");
}
