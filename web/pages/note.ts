// The one line by the board that says what there is to say now; the most urgent of several is shown.
import { make } from "./dom";

const slots = ["connection", "error", "reason", "past", "counts"] as const;
export type Slot = (typeof slots)[number];

interface Note {
  readonly text: string;
  readonly action: { readonly label: string; readonly run: () => void } | undefined;
}

export class Notes {
  readonly #place: HTMLElement;
  readonly #notes = new Map<Slot, Note>();

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  /** Say something, or nothing (null), in a slot. */
  set(slot: Slot, text: string | null, action?: Note["action"]): void {
    const before = this.#shown();
    if (text === null) this.#notes.delete(slot);
    else this.#notes.set(slot, { text, action });
    const now = this.#shown();
    if (before?.slot !== now?.slot || before?.note.text !== now?.note.text) this.#render(now);
  }

  #shown(): { slot: Slot; note: Note } | undefined {
    for (const slot of slots) {
      const note = this.#notes.get(slot);
      if (note) return { slot, note };
    }
    return undefined;
  }

  #render(shown: { slot: Slot; note: Note } | undefined): void {
    this.#place.replaceChildren();
    this.#place.dataset.slot = shown?.slot ?? "";
    if (!shown) return;
    this.#place.append(make("p", "", shown.note.text));
    const { action } = shown.note;
    if (!action) return;
    const button = make("button", "small", action.label);
    button.addEventListener("click", action.run);
    this.#place.append(button);
  }
}
