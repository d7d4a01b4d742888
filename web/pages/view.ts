// Brings the board to the position that is to be seen, one animated move after another where they follow.
import type { DraughtsBoard } from "../board/index";
import type { LegalMove } from "../board/types";
import { fenAt, type Game } from "./game";

/** More plies than this are not played out one by one: the position is shown at once. */
const playedOut = 2;

export class BoardView {
  readonly #board: DraughtsBoard;
  #ply: number;
  /** What is on the board; null after an own move that the server has not yet confirmed. */
  #fen: string | null;
  #target: { game: Game; ply: number; moves: readonly LegalMove[] } | null = null;
  #offered = "[]";
  #running = false;

  constructor(board: DraughtsBoard, game: Game) {
    this.#board = board;
    this.#ply = game.plies.length;
    this.#fen = fenAt(game, this.#ply);
    board.position = this.#fen;
    board.lastMove = game.plies.at(-1)?.move ?? null;
  }

  /** Whether the board shows an own move that the server has not yet confirmed. */
  get ahead(): boolean {
    return this.#fen === null;
  }

  /** The person has made a move on the board, which shows it already. */
  moved(move: LegalMove): void {
    this.#target = null;
    this.#ply += 1;
    this.#fen = null;
    this.#board.lastMove = move;
    this.#offer([]);
  }

  /** Show the position after `ply` plies, and let the person make one of `moves` there. */
  show(game: Game, ply: number, moves: readonly LegalMove[]): void {
    this.#target = { game, ply, moves };
    if (!this.#running) void this.#run();
    else if (ply !== this.#ply || fenAt(game, ply) !== this.#fen) this.#offer([]); // what is being shown is no longer so
  }

  async #run(): Promise<void> {
    this.#running = true;
    try {
      while (this.#target !== null) {
        const { game, ply, moves } = this.#target;
        const confirmed = this.#fen === null && game.plies[this.#ply - 1] !== undefined;
        const next = game.plies[this.#ply];
        if (this.#ply === ply && this.#fen === fenAt(game, ply)) {
          this.#target = null;
          this.#offer(moves);
        } else if (
          next !== undefined &&
          this.#ply < ply &&
          ply - this.#ply <= playedOut &&
          (confirmed || this.#fen === fenAt(game, this.#ply))
        ) {
          this.#offer([]);
          this.#ply += 1;
          this.#fen = next.fen;
          const shown = this.#board.play(next.move, next.fen);
          // Not only afterwards: a press ends what is being shown, and must find the moves there.
          if (this.#ply === ply) this.#offer(moves);
          await shown;
        } else {
          this.#offer([]);
          this.#ply = ply;
          this.#fen = fenAt(game, ply);
          this.#board.position = this.#fen;
          this.#board.lastMove = game.plies[ply - 1]?.move ?? null;
        }
      }
    } finally {
      this.#running = false;
    }
  }

  /** Equal moves are not handed over again: that would drop a piece that is being moved. */
  #offer(moves: readonly LegalMove[]): void {
    const offered = JSON.stringify(moves);
    if (offered === this.#offered) return;
    this.#offered = offered;
    this.#board.moves = [...moves];
  }
}
