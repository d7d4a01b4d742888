// Brings the board to the position that is to be seen, one animated move after another where they follow.
import { readFen, writeFen } from "../board/fen";
import type { DraughtsBoard } from "../board/index";
import { after } from "../board/position";
import type { LegalMove } from "../board/types";
import { fenAt, type Game } from "./game";
import { sameMove } from "./protocol";

/** More plies than this are not played out one by one: the position is shown at once. */
const playedOut = 2;

interface Target {
  readonly game: Game;
  readonly ply: number;
  readonly moves: readonly LegalMove[];
}

export class BoardView {
  readonly #board: DraughtsBoard;
  #ply: number;
  /** What is on the board; null after an own move that the server has not yet confirmed. */
  #fen: string | null;
  /** That own move. */
  #own: LegalMove | null = null;
  #target: Target | null = null;
  #offered = "[]";
  #running = false;

  constructor(board: DraughtsBoard, game: Game) {
    this.#board = board;
    this.#ply = game.plies.length;
    this.#fen = fenAt(game, this.#ply);
    board.position = this.#fen;
    board.lastMove = game.plies.at(-1)?.move ?? null;
  }

  /** The person has made a move on the board, which shows it already. */
  moved(move: LegalMove): void {
    this.#target = null;
    this.#lead(move);
  }

  /**
   * Show the position after `ply` plies, and let the person make one of `moves` there. In the present position an own
   * move that the server has not yet confirmed is shown as well.
   */
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
        const pending = game.pending?.ply === ply ? game.pending.move : null;
        const confirmed = this.#isConfirmed(game);
        const next = game.plies[this.#ply];
        if (pending !== null && this.#own === pending && this.#ply === ply + 1) {
          this.#target = null;
        } else if (this.#ply === ply && this.#fen === fenAt(game, ply)) {
          if (pending === null) {
            this.#target = null;
            this.#offer(moves);
          } else {
            // Chosen ahead, or made before the person looked at another position: the board does not show it yet.
            const shown = this.#board.play(pending, writeFen(after(readFen(this.#fen), pending)));
            this.#lead(pending);
            await shown;
          }
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
          if (this.#ply === ply && pending === null) this.#offer(moves);
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

  /** The board is one own move ahead of the server's word. */
  #lead(move: LegalMove): void {
    this.#own = move;
    this.#ply += 1;
    this.#fen = null;
    this.#board.lastMove = move;
    this.#offer([]);
  }

  #isConfirmed(game: Game): boolean {
    const played = game.plies[this.#ply - 1];
    return (
      this.#fen === null && this.#own !== null && played !== undefined && sameMove(played.move, this.#own)
    );
  }

  /** Equal moves are not handed over again: that would drop a piece that is being moved. */
  #offer(moves: readonly LegalMove[]): void {
    const offered = JSON.stringify(moves);
    if (offered === this.#offered) return;
    this.#offered = offered;
    this.#board.moves = [...moves];
  }
}
