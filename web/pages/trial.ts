// A board to try moves on. The server says what is legal and why something is not; nothing is kept there.
import type { DraughtsBoard } from "../board/index";
import type { Color, IllegalDetail, LegalMove, MoveDetail, PickDetail } from "../board/types";
import { boardLabels } from "./boardlabels";
import { language, t } from "./i18n";
import { loadSettings } from "./settings";

export interface Why {
  readonly code: string;
  readonly text: string;
  readonly source: string;
  readonly number: string;
  /** The article of our page of the rules that says the same, and where it is. */
  readonly article: number;
  readonly address: string;
}

/** What stands on the board after the moves tried; see damier/server/guide/trying.py. */
export interface Standing {
  readonly fen: string;
  readonly turn: Color;
  readonly legal: readonly LegalMove[];
  readonly plies: number;
  readonly last: LegalMove | null;
  readonly notation: string | null;
  readonly over: string | null;
  readonly winner: Color | null;
  readonly says: string | null;
  /** Whether a piece that was touched must move. */
  readonly binding: boolean;
  readonly why: Why | null;
}

export interface Listener {
  /** After the first look, after each move, and after each step back. */
  stands?(standing: Standing, moves: readonly string[]): void;
  /** A move was tried that is not legal. */
  refused?(why: Why): void;
  /** The server could not be asked. */
  lost?(text: string): void;
}

/** A move as the server reads it: every square that the piece stops on. */
export function written(move: LegalMove): string {
  return (move.paths[0] ?? [move.from, move.to]).join(move.captured.length > 0 ? "x" : "-");
}

export class Trial {
  readonly board: DraughtsBoard;
  readonly #listener: Listener;
  #rules: string;
  #fen: string;
  #before: readonly string[];
  #moves: readonly string[] = [];
  #touched: number | null = null;
  #shown: Standing | null = null;
  /** Only the answer to the latest question counts. */
  #question = 0;

  /** `rules`, `fen`: what stands on the board at first, once the moves `before` have been made. */
  constructor(
    board: DraughtsBoard,
    rules: string,
    fen: string,
    listener: Listener,
    before: readonly string[] = [],
  ) {
    this.board = board;
    this.#rules = rules;
    this.#fen = fen;
    this.#before = before;
    this.#listener = listener;
    board.labels = boardLabels();
    board.numbers = loadSettings().numbers;
    board.addEventListener("draughts-move", (event) => {
      const { move } = (event as CustomEvent<MoveDetail>).detail;
      this.play(written(move));
    });
    board.addEventListener("draughts-pick", (event) => {
      this.#touch((event as CustomEvent<PickDetail>).detail.square);
    });
    board.addEventListener("draughts-illegal", (event) => {
      const { from, to } = (event as CustomEvent<IllegalDetail>).detail;
      this.#ask(from ?? to, to);
    });
    // After the end nothing moves on the board, which then says nothing of what is tried on it.
    board.addEventListener("click", (event) => this.#tryAfterTheEnd(event));
    board.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") this.#tryAfterTheEnd(event);
    });
  }

  get moves(): readonly string[] {
    return this.#moves;
  }

  /** Set up another position, under the same rules or others. */
  setUp(fen: string, rules = this.#rules): Promise<void> {
    this.#fen = fen;
    this.#rules = rules;
    this.#before = [];
    return this.#go([]);
  }

  /** Make a move, written with the squares that the piece stops on; the other side's too. */
  play(move: string): Promise<void> {
    return this.#go([...this.#moves, move]);
  }

  /** Take back so many moves. */
  back(count = 1): Promise<void> {
    return this.#go(this.#moves.slice(0, -count));
  }

  restart(): Promise<void> {
    return this.#go([]);
  }

  #touch(square: number): void {
    this.#touched ??= square;
    if (!this.#shown?.binding) return;
    this.board.moves = this.#shown.legal.filter((move) => move.from === this.#touched);
    this.board.touched = this.#touched;
  }

  #tryAfterTheEnd(event: Event): void {
    if (!this.#shown?.over) return;
    const on = event.composedPath().find((each) => each instanceof HTMLElement && each.dataset.square);
    if (!(on instanceof HTMLElement) || !on.querySelector("[data-piece]")) return;
    const square = Number(on.dataset.square);
    this.#ask(square, square);
  }

  async #go(moves: readonly string[]): Promise<void> {
    const question = ++this.#question;
    const standing = await this.#get({ moves: this.#all(moves) });
    if (question !== this.#question) return;
    if (standing === null) {
      if (this.#shown) this.#show(this.#shown);
      this.#listener.lost?.(t("There is no connection just now. Try again in a moment."));
      return;
    }
    this.#moves = moves;
    this.#touched = null;
    this.#show(standing);
    this.#listener.stands?.(standing, moves);
  }

  #show(standing: Standing): void {
    this.#shown = standing;
    this.board.touched = null;
    this.board.moves = standing.legal;
    this.board.position = standing.fen;
    this.board.lastMove = standing.last;
  }

  async #ask(from: number, to: number): Promise<void> {
    const question = ++this.#question;
    const asked = { from: `${from}`, to: `${to}`, ...(this.#touched ? { touched: `${this.#touched}` } : {}) };
    const standing = await this.#get({ moves: this.#all(this.#moves), ...asked });
    if (question !== this.#question) return;
    if (standing?.why) this.#listener.refused?.(standing.why);
    else if (standing === null)
      this.#listener.lost?.(t("There is no connection just now. Try again in a moment."));
  }

  #all(moves: readonly string[]): string {
    return [...this.#before, ...moves].join(" ");
  }

  async #get(more: Readonly<Record<string, string>>): Promise<Standing | null> {
    const query = new URLSearchParams({ fen: this.#fen, ...more });
    try {
      const answer = await fetch(`/${language}/try/${this.#rules}?${query}`);
      return answer.ok ? ((await answer.json()) as Standing) : null;
    } catch {
      return null;
    }
  }
}
