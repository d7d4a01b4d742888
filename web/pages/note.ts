// The one line by the board that says what there is to say now; the most urgent of several is shown.
import { keepingFocus, make } from "./dom";

const slots = [
  "connection",
  "error",
  "reason",
  "news",
  "past",
  "premove",
  "paused",
  "offer",
  "counts",
] as const;
export type Slot = (typeof slots)[number];

interface Note {
  readonly text: string;
  readonly action: { readonly label: string; readonly run: () => void } | undefined;
}

export class Notes {
  readonly #place: HTMLElement;
  readonly #heirs: () => (HTMLElement | null)[];
  readonly #notes = new Map<Slot, Note>();

  /** `heirs` get the focus when a note goes whose button has it. */
  constructor(place: HTMLElement, heirs: () => (HTMLElement | null)[]) {
    this.#place = place;
    this.#heirs = heirs;
  }

  /** Say something, or nothing (null), in a slot. */
  set(slot: Slot, text: string | null, action?: Note["action"]): void {
    const before = this.#shown();
    if (text === null) this.#notes.delete(slot);
    else this.#notes.set(slot, { text, action });
    const now = this.#shown();
    const same =
      before?.slot === now?.slot &&
      before?.note.text === now?.note.text &&
      before?.note.action?.label === now?.note.action?.label;
    // What is said already is not said again: a screen reader would repeat it.
    if (!same) keepingFocus(() => this.#render(now), this.#heirs);
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
    // What the note says now, which may be newer than the button.
    button.addEventListener("click", () => this.#shown()?.note.action?.run());
    this.#place.append(button);
  }
}
