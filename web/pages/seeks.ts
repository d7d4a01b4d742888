// Open games as a list, and challenges as notices above the page.
import { make } from "./dom";
import { localUrl, t } from "./i18n";

/** A seek or a challenge; the server's `OfferView`. */
export interface Offer {
  readonly id: string;
  /** Of the other one; of one's own challenge, who is challenged. */
  readonly name: string;
  readonly is_bot: boolean;
  readonly rating: string | null;
  readonly time: string;
  readonly rules: string;
  readonly rated: boolean;
  /** The reader's own. */
  readonly side: "white" | "black" | "lot";
  readonly range: string | null;
  readonly mine: boolean;
}

export interface Challenges {
  readonly received: readonly Offer[];
  readonly sent: readonly Offer[];
  readonly answers: Readonly<Record<string, string>>;
}

/** A form that posts, with the token that every form of this page has. */
function form(action: string, ...children: Node[]): HTMLFormElement {
  const made = make("form", "", ...children);
  made.method = "post";
  made.action = action;
  const known = document.querySelector<HTMLInputElement>('input[name="_csrf_token"]');
  if (known) made.append(known.cloneNode());
  return made;
}

function terms({ rules, rated, range }: Offer): string {
  return [rules, rated ? t("Rated") : t("Casual"), ...(range ? [range] : [])].join(" · ");
}

function who({ mine, name, rating, is_bot }: Offer): HTMLElement {
  const shown = make("span", "", mine ? t("Your own") : name);
  if (is_bot && !mine) shown.append(" ", make("b", "sign", "BOT"));
  if (rating) shown.append(" ", make("span", "rating", rating));
  return shown;
}

function row(offer: Offer): HTMLElement {
  const { id, mine, time, side, name } = offer;
  const about = make("span", "offer-about", make("b", "", time), make("span", "", terms(offer)), who(offer));
  const button = make("button", mine ? "small" : "small primary", mine ? t("Withdraw") : t("Play"));
  button.append(make("span", "unseen", ` ${time} ${name}`));
  const item = make("li", mine ? "offer mine" : "offer", make("span", `disc ${side}`), about);
  item.append(form(localUrl(`/seeks/${id}/${mine ? "withdraw" : "accept"}`), button));
  item.dataset.offer = id;
  return item;
}

/** Show the open games: those that stay are not touched, so that nobody's finger misses. */
export function showSeeks(list: HTMLElement, seeks: readonly Offer[]): void {
  const before = new Map(
    [...list.querySelectorAll<HTMLElement>("[data-offer]")].map((item) => [item.dataset.offer, item]),
  );
  const wanted = seeks.map((offer) => before.get(offer.id) ?? row(offer));
  const kept = new Set(wanted);
  for (const item of before.values()) if (!kept.has(item)) item.remove();
  wanted.forEach((item, index) => {
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
  });
  const none = document.querySelector<HTMLElement>("#no-seeks");
  if (none) none.hidden = seeks.length > 0;
}

/** What is told above the page. */
export class Notices {
  readonly #place = make("div", "notices");

  constructor() {
    this.#place.setAttribute("role", "status");
    document.querySelector("main")?.before(this.#place);
  }

  /** Show a notice in place of the one of the same key; without children it goes. */
  #put(key: string, ...children: Node[]): void {
    const before = this.#place.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    if (children.length === 0) {
      before?.remove();
      return;
    }
    if (before) return;
    const notice = make("div", "notice", ...children);
    notice.dataset.key = key;
    this.#place.append(notice);
  }

  challenges({ received, answers }: Challenges): void {
    const keys = new Set(received.map(({ id }) => `challenge ${id}`));
    for (const notice of this.#place.querySelectorAll<HTMLElement>('[data-key^="challenge "]'))
      if (!keys.has(notice.dataset.key ?? "")) notice.remove();
    for (const offer of received) this.#challenge(offer, answers);
  }

  #challenge(offer: Offer, answers: Readonly<Record<string, string>>): void {
    const { id, name, rating, time } = offer;
    const text = make("p", "", make("b", "", t("{name} challenges you", { name })));
    if (offer.is_bot) text.append(" ", make("b", "sign", "BOT"));
    if (rating) text.append(" ", make("span", "rating", rating));
    text.append(" ", make("span", "soft", `${time} · ${terms(offer)}`));
    const phrases = make("select", "");
    phrases.name = "answer";
    phrases.ariaLabel = t("Answer");
    for (const [key, phrase] of Object.entries(answers)) phrases.append(new Option(phrase, key));
    const back = make("input", "");
    Object.assign(back, { type: "hidden", name: "next", value: location.pathname });
    this.#put(
      `challenge ${id}`,
      text,
      form(localUrl(`/challenges/${id}/accept`), make("button", "small primary", t("Accept"))),
      form(localUrl(`/challenges/${id}/decline`), back, phrases, make("button", "small", t("Decline"))),
    );
  }

  declined(id: string, name: string, phrase: string | null): void {
    const close = make("button", "small quiet", t("Close"));
    const key = `declined ${id}`;
    close.addEventListener("click", () => this.#put(key));
    const text = make("p", "", make("b", "", t("{name} has declined your challenge.", { name })));
    if (phrase) text.append(" ", make("q", "", phrase));
    this.#put(key, text, close);
  }

  begun(game: string): void {
    const link = make("a", "button small primary", t("Go to the game"));
    link.href = localUrl(`/games/${encodeURIComponent(game)}`);
    this.#put(`begun ${game}`, make("p", "", make("b", "", t("Your game has begun."))), link);
  }
}
