// What waits for the person's answer, beside the board: it is read out when it comes and takes no focus.
import { keepingFocus, make } from "./dom";

export interface Answer {
  readonly label: string;
  readonly run: () => void;
}

export interface Ask {
  /** Names the question, so that it stays where it is while it stands. */
  readonly key: string;
  readonly text: string;
  /** The time until it can be answered: for the eye, since a voice that counts would never end. */
  readonly count?: string | undefined;
  /** The first is what most will answer. */
  readonly answers: readonly Answer[];
}

interface Shown {
  readonly card: HTMLElement;
  readonly count: HTMLElement;
  ask: Ask;
}

export class Asks {
  readonly #place: HTMLElement;
  readonly #heirs: () => (HTMLElement | null)[];
  readonly #shown = new Map<string, Shown>();

  /** `heirs` get the focus when a question goes whose answer has it. */
  constructor(place: HTMLElement, heirs: () => (HTMLElement | null)[]) {
    this.#place = place;
    this.#heirs = heirs;
  }

  /** Show these questions, in this order, and no other. */
  render(asks: readonly Ask[]): void {
    const same = ({ ask }: Shown, other: Ask | undefined) =>
      other !== undefined && ask.text === other.text && labels(ask) === labels(other);
    keepingFocus(() => {
      for (const [key, shown] of this.#shown) {
        if (
          same(
            shown,
            asks.find((ask) => ask.key === key),
          )
        )
          continue;
        shown.card.remove();
        this.#shown.delete(key);
      }
      let before: Element | null = null;
      for (const ask of [...asks].reverse()) {
        const shown: Shown = this.#shown.get(ask.key) ?? this.#add(ask, before);
        before = shown.card;
        shown.ask = ask;
        shown.count.textContent = ask.count ?? "";
      }
    }, this.#heirs);
  }

  /** `before`: the card above which it stands; null for the last one. */
  #add(ask: Ask, before: Element | null): Shown {
    const count = make("span", "countdown");
    count.ariaHidden = "true";
    const buttons = ask.answers.map(({ label }, i) => {
      const button = make("button", i === 0 ? "primary small" : "small", label);
      // What the answer does now, which may be newer than the button.
      button.addEventListener("click", () => this.#shown.get(ask.key)?.ask.answers[i]?.run());
      return button;
    });
    const card = make("div", "ask", make("p", "", ask.text, " ", count));
    if (buttons.length > 0) card.append(make("div", "replies", ...buttons));
    const shown = { card, count, ask };
    this.#shown.set(ask.key, shown);
    this.#place.insertBefore(card, before);
    return shown;
  }
}

function labels({ answers }: Ask): string {
  return answers.map(({ label }) => label).join();
}
