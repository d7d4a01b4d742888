// The exercise: every capture can be played, the server says whether there is a longer one.
import { readFen, writeFen } from "../board/fen";
import type { DraughtsBoard } from "../board/index";
import { after } from "../board/position";
import type { LegalMove } from "../board/types";
import { say, sayLost, send } from "./answering";
import { boardLabels } from "./boardlabels";
import { embedded } from "./dom";
import { language, t, tn } from "./i18n";
import { loadSettings } from "./settings";
import { written } from "./trial";

/** See damier/server/guide/exercise_web.py. */
interface Shown {
  readonly fen: string;
  readonly moves: readonly LegalMove[];
  readonly solution: LegalMove | null;
}

interface Answered {
  readonly right: boolean;
  readonly says: string;
  readonly score: number;
  readonly best: number;
  readonly level: number;
  readonly solvers: number;
  readonly streak: number;
}

/** How long a capture that is too short stays on the board. */
const BACK_MS = 1200;

export function initExercise(): void {
  const place = document.querySelector<HTMLElement>("[data-exercise]");
  const board = place?.querySelector<DraughtsBoard>("draughts-board");
  if (!place || !board) return;
  const { fen, moves, solution } = embedded<Shown>("exercise");
  board.labels = boardLabels();
  board.numbers = loadSettings().numbers;
  board.moves = moves;
  if (solution) board.play(solution, writeFen(after(readFen(fen), solution)));
  board.addEventListener("draughts-move", ({ detail }) => answer(place, board, fen, detail.move));
  board.addEventListener("draughts-illegal", ({ detail: { from, to } }) => {
    const text =
      from === null || from === to
        ? t("Nothing can be captured with the piece on {square}.", { square: to })
        : t("No capture leads from {from} to {to}, or it would go on from there.", { from, to });
    say(place, to === 0 ? t("Pieces stay on the dark squares.") : text, "refused");
  });
}

async function answer(place: HTMLElement, board: DraughtsBoard, fen: string, move: LegalMove): Promise<void> {
  const { exercise: path = "" } = place.dataset;
  const number = place.querySelector<HTMLInputElement>('input[name="number"]')?.value ?? "";
  const answered = await send<Answered>(`${path}/answer`, { answer: written(move), number });
  if (answered === "stale") {
    location.reload();
    return;
  }
  if (answered === null) sayLost(place);
  else {
    say(place, answered.says, answered.right ? "right" : "missed");
    count(place, answered);
  }
  if (answered?.right) {
    for (const [id, hidden] of [
      ["#show", true],
      ["#next", false],
    ] as const) {
      const element = place.querySelector<HTMLElement>(id);
      if (element) element.hidden = hidden;
    }
    return;
  }
  await new Promise((done) => setTimeout(done, BACK_MS));
  board.position = fen;
  board.lastMove = null;
}

/** The numbers that have changed. */
function count(place: HTMLElement, { score, best, level, solvers, streak }: Answered): void {
  const written = new Intl.NumberFormat(language);
  const texts: Readonly<Record<string, string>> = {
    score: written.format(score),
    best: written.format(best),
    level: written.format(level),
    solvers: tn("{n} person has solved it", "{n} people have solved it", solvers),
    streak: tn("{n} day in a row", "{n} days in a row", streak),
  };
  const hidden: Readonly<Record<string, boolean>> = { solvers: solvers === 0, streak: streak === 0 };
  for (const [id, text] of Object.entries(texts)) {
    const element = place.querySelector<HTMLElement>(`#${id}`);
    if (!element) continue;
    element.textContent = text;
    element.hidden = hidden[id] ?? false;
  }
}
