// Boards in a text, on which the reader can try what the text says: elements with `data-try`, see templates/trial.html.
import type { DraughtsBoard } from "../board/index";
import { t } from "./i18n";
import { Trial } from "./trial";

export function initTrials(): void {
  for (const place of document.querySelectorAll<HTMLElement>("[data-try]")) init(place);
}

function init(place: HTMLElement): void {
  const board = place.querySelector<DraughtsBoard>("draughts-board");
  const word = place.querySelector<HTMLElement>(".word");
  const restart = place.querySelector<HTMLButtonElement>(".restart");
  const { try: rules = "official", fen = "" } = place.dataset;
  if (!board || !word || !restart) return;
  if (place.dataset.orientation === "black") board.orientation = "black";
  const trial = new Trial(board, rules, fen, {
    stands({ says, notation, turn }, moves) {
      const next = turn === "white" ? t("White to move.") : t("Black to move.");
      word.textContent = says ?? (notation ? `${notation}. ${next}` : next);
      word.dataset.kind = says ? "over" : "";
      restart.hidden = moves.length === 0;
    },
    refused({ text, source }) {
      word.textContent = source ? `${text} (${source})` : text;
      word.dataset.kind = "refused";
    },
    lost(text) {
      word.textContent = text;
      word.dataset.kind = "refused";
    },
  });
  restart.addEventListener("click", () => {
    board.focus();
    trial.restart();
  });
  trial.restart();
}
