// Boards in a text, on which the reader can try what the text says: elements with `data-try`, see templates/trial.html.
import type { DraughtsBoard } from "../board/index";
import { make } from "./dom";
import { language, t } from "./i18n";
import { type Listener, Trial, type Why } from "./trial";

export function initTrials(): void {
  for (const place of document.querySelectorAll<HTMLElement>("[data-try]")) init(place);
}

function init(place: HTMLElement): void {
  const board = place.querySelector<DraughtsBoard>("draughts-board");
  const word = place.querySelector<HTMLElement>(".word");
  const restart = place.querySelector<HTMLButtonElement>(".restart");
  const { try: rules = "official", fen = "", moves: before = "" } = place.dataset;
  if (!board || !word || !restart) return;
  if (place.dataset.orientation === "black") board.orientation = "black";
  const listener = {
    stands({ says, notation, turn }, moves) {
      const next = turn === "white" ? t("White to move.") : t("Black to move.");
      word.textContent = says ?? (notation && moves.length > 0 ? `${notation}. ${next}` : next);
      word.dataset.kind = says ? "over" : "";
      restart.hidden = moves.length === 0;
    },
    refused(why) {
      word.replaceChildren(`${why.text} `, articleLink(why), why.source ? ` (${why.source})` : "");
      word.dataset.kind = "refused";
    },
    lost(text) {
      word.textContent = text;
      word.dataset.kind = "refused";
    },
  } satisfies Listener;
  const trial = new Trial(board, rules, fen, listener, before.split(" ").filter(Boolean));
  restart.addEventListener("click", () => {
    board.focus();
    trial.restart();
  });
  trial.restart();
}

/** Leads to the article that says why; on this page if it is here. */
function articleLink({ article, address }: Why): HTMLAnchorElement {
  const link = make("a", "article-link", t("Article {n}", { n: article }));
  const here = `#article-${article}`;
  link.href = document.querySelector(here) ? here : `/${language}${address}`;
  return link;
}
