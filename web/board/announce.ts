import { fill, type Labels, pieceName } from "./labels";
import { passed } from "./position";
import { offered, type Selection, standing, stepping } from "./selection";
import type { LegalMove, Piece, Square } from "./types";

/** A region that a screen reader reads out when its text changes. */
export class Announcer {
  readonly element = document.createElement("p");

  constructor() {
    this.element.className = "live";
    this.element.setAttribute("aria-live", "polite");
  }

  say(text: string): void {
    // The same sentence twice would not be read a second time; a trailing no-break space makes it another text.
    this.element.textContent = text === this.element.textContent ? `${text}\u00a0` : text;
  }
}

/** The sentence that tells a move made. */
export function moveSentence(labels: Labels, piece: Piece, move: LegalMove, path: readonly Square[]): string {
  const text = move.captured.length > 0 ? labels.captured : labels.moved;
  const captured = passed(move.captured, path).join(", ");
  const sentence = fill(text, { piece: pieceName(labels, piece), from: move.from, to: move.to, captured });
  const told = sentence.charAt(0).toLocaleUpperCase() + sentence.slice(1);
  return move.crowned ? `${told} ${labels.crowned}` : told;
}

/** The sentence that tells which piece is in hand and where it can go. */
export function selectionSentence(labels: Labels, piece: Piece, selection: Selection): string {
  return fill(stepping(selection) ? labels.stepped : labels.picked, {
    piece: pieceName(labels, piece),
    square: standing(selection),
    targets: [...offered(selection)].sort((a, b) => a - b).join(", "),
  });
}
