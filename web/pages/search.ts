// Quick pairing: one click searches, and the page says how that goes until a game is found.
import { byId } from "./dom";
import { t, tn } from "./i18n";

export interface Wanted {
  readonly rules: string;
  readonly clock: string;
  readonly rated: boolean;
}

export type SearchSent = ({ readonly t: "search" } & Wanted) | { readonly t: "stop_search" };

/** Minutes and seconds, as "1:05". */
export function elapsed(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export class Search {
  readonly #form: HTMLFormElement;
  readonly #send: (message: SearchSent) => boolean;
  readonly #panel = byId("searching");
  readonly #problem = byId("no-search");
  #wanted: Wanted | null = null;
  #chosen: HTMLButtonElement | null = null;
  #since = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(form: HTMLFormElement, send: (message: SearchSent) => boolean) {
    this.#form = form;
    this.#send = send;
    form.addEventListener("submit", (event) => {
      const button = event.submitter;
      if (!(button instanceof HTMLButtonElement)) return;
      event.preventDefault();
      this.#chosen = button;
      this.#begin(button);
    });
    byId("stop-search").addEventListener("click", () => this.stop());
  }

  #begin(button: HTMLButtonElement): void {
    const fields = new FormData(this.#form);
    this.#wanted = {
      rules: String(fields.get("rules")),
      clock: button.value,
      rated: fields.get("rated") === "1",
    };
    this.#problem.hidden = true;
    const kind = button.firstChild?.textContent?.trim() ?? "";
    byId("searching-for").textContent = t("Searching: {kind}", { kind });
    byId("searching-count").textContent = "";
    this.#since = performance.now();
    this.#show(true);
    this.connected();
  }

  /** The line stands (anew): the search is asked for, for it ended with the old line. */
  connected(): void {
    if (this.#wanted) this.#send({ t: "search", ...this.#wanted });
  }

  /** End the search, and let the page be as before. */
  stop(): void {
    if (this.#wanted) this.#send({ t: "stop_search" });
    this.over();
  }

  /** The search has ended. `problem`: why, where it could not begin. */
  over(problem: string | null = null): void {
    this.#wanted = null;
    this.#show(false);
    this.#problem.hidden = problem === null;
    this.#problem.textContent = problem;
  }

  told(count: number, waited: number): void {
    if (!this.#wanted) return;
    this.#since = performance.now() - waited * 1000;
    const others = count - 1;
    byId("searching-count").textContent =
      others > 0
        ? tn("{n} other is searching for the same.", "{n} others are searching for the same.", others)
        : t("Nobody else is searching for this yet.");
    this.#tick();
  }

  #tick(): void {
    byId("searching-time").textContent = elapsed((performance.now() - this.#since) / 1000);
  }

  #show(is: boolean): void {
    clearInterval(this.#timer);
    if (is) this.#timer = setInterval(() => this.#tick(), 1000);
    this.#tick();
    const focused =
      this.#form.contains(document.activeElement) || this.#panel.contains(document.activeElement);
    this.#form.hidden = is;
    this.#panel.hidden = !is;
    if (focused) (is ? byId("stop-search") : this.#chosen)?.focus();
  }
}
