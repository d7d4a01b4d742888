// A step of the guide: squares to touch, a sentence to choose or moves to make. The server judges the answer.
import { readFen } from "../board/fen";
import type { DraughtsBoard } from "../board/index";
import { isOwn } from "../board/selection";
import type { Square } from "../board/types";
import { type Kind, say, sayLost, send } from "./answering";
import { boardLabels } from "./boardlabels";
import { keepingFocus } from "./dom";
import { t } from "./i18n";
import { loadSettings } from "./settings";
import { Trial } from "./trial";

/** See damier/server/guide/web.py. */
interface Answered {
  readonly state: "solved" | "on" | "missed";
  readonly moves: readonly string[];
  readonly squares: readonly Square[];
  readonly says: string;
}

const KINDS: Readonly<Record<Answered["state"], Kind>> = { solved: "right", on: "", missed: "missed" };
/** Until the other side answers, so that one sees one's own move first. */
const REPLY_MS = 600;

export function initLesson(): void {
  const place = document.querySelector<HTMLElement>("[data-lesson]");
  const board = place?.querySelector<DraughtsBoard>("draughts-board");
  if (!place || !board) return;
  const lesson = new Lesson(place, board);
  if (place.dataset.kind === "play") lesson.play();
  else if (place.dataset.kind === "touch") lesson.touch();
  else lesson.choose();
}

class Lesson {
  readonly #place: HTMLElement;
  readonly #board: DraughtsBoard;
  readonly #again: HTMLButtonElement | null;
  /** Only the answer to the latest question counts. */
  #question = 0;
  #over = false;

  constructor(place: HTMLElement, board: DraughtsBoard) {
    this.#place = place;
    this.#board = board;
    this.#again = place.querySelector("#again");
    board.labels = boardLabels();
    board.numbers = place.dataset.unnumbered === undefined ? loadSettings().numbers : "off";
    this.#initHints();
  }

  touch(): void {
    let touched: readonly Square[] = [];
    this.#board.addEventListener("draughts-square", async (event) => {
      const answered = await this.#ask([...touched, event.detail.square]);
      if (!answered || this.#over) return;
      touched = answered.squares;
      this.#mark(touched);
      this.#tell(answered);
      const { numbers } = loadSettings();
      if (answered.state === "solved") this.#board.numbers = numbers === "off" ? "inside" : numbers;
    });
  }

  choose(): void {
    for (const option of this.#place.querySelectorAll<HTMLButtonElement>(".lesson-options button"))
      option.addEventListener("click", async () => {
        const answered = await this.#ask([option.value]);
        if (answered) this.#tell(answered);
      });
  }

  play(): void {
    const { fen = "", rules = "official" } = this.#place.dataset;
    // Before the trial's own listener: which moves there are is the task, and no touch tells.
    this.#board.addEventListener("draughts-illegal", (event) => {
      const { from, to } = event.detail;
      if (from !== to || !isOwn(readFen(this.#board.position).pieces, this.#board.moves, to)) return;
      event.stopImmediatePropagation();
      const capturing = this.#board.moves.some((move) => move.captured.length > 0);
      const text = capturing
        ? t("The piece on {square} cannot capture, and capturing is compulsory.", { square: to })
        : t("The piece on {square} has no square to go to.", { square: to });
      say(this.#place, text, "refused");
    });
    const trial = new Trial(this.#board, rules, fen, {
      stands: (_standing, moves) => {
        if (this.#again) this.#again.hidden = moves.length === 0;
        if (moves.length % 2 === 1 || this.#over) this.#board.moves = [];
        if (moves.length % 2 === 1) this.#judge(trial);
      },
      refused: ({ text, source }) => {
        if (!this.#over) say(this.#place, source ? `${text} (${source})` : text, "refused");
      },
      lost: (text) => say(this.#place, text, "refused"),
    });
    this.#again?.addEventListener("click", () => {
      this.#question++;
      this.#over = false;
      say(this.#place, "");
      this.#board.focus();
      trial.restart();
    });
    trial.restart();
  }

  /** Asks what the last move was worth, and lets the other side answer it. */
  async #judge(trial: Trial): Promise<void> {
    const answered = await this.#ask(trial.moves.filter((_move, ply) => ply % 2 === 0));
    if (!answered) {
      // What was not judged was not played.
      if (trial.moves.length % 2 === 1) trial.back();
      return;
    }
    const question = this.#question;
    if (answered.state !== "on") this.#over = true;
    const reply = answered.moves[trial.moves.length];
    if (reply !== undefined) {
      await new Promise((done) => setTimeout(done, REPLY_MS));
      if (question !== this.#question) return;
      await trial.play(reply);
    }
    if (question === this.#question) this.#tell(answered);
  }

  async #ask(answer: readonly (string | number)[]): Promise<Answered | null> {
    const question = ++this.#question;
    const fields = { answer: answer.join(" ") };
    const answered = await send<Answered>(`/guide/${this.#place.dataset.lesson}/answer`, fields);
    if (question !== this.#question) return null;
    if (answered === null || answered === "stale") {
      sayLost(this.#place);
      return null;
    }
    return answered;
  }

  #tell({ state, says }: Answered): void {
    say(this.#place, says, KINDS[state]);
    if (state !== "solved") return;
    this.#over = true;
    this.#place.querySelector("#next")?.classList.add("primary");
    this.#place.querySelector("[data-done]")?.removeAttribute("hidden");
  }

  #mark(squares: readonly Square[]): void {
    const [from, to = from] = squares;
    this.#board.lastMove =
      from === undefined || to === undefined ? null : { from, to, captured: [], crowned: false, paths: [] };
  }

  /** Hints come one by one. */
  #initHints(): void {
    const button = this.#place.querySelector<HTMLButtonElement>("#hint");
    const hints = [...this.#place.querySelectorAll<HTMLElement>(".lesson-hints li")];
    button?.addEventListener("click", () => {
      const next = hints.shift();
      if (next) next.hidden = false;
      if (hints.length > 0) return;
      keepingFocus(
        () => {
          button.hidden = true;
        },
        () => [this.#place.querySelector<HTMLElement>("summary")],
      );
    });
  }
}
