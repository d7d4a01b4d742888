// What the page knows of its game. Pure: the server's messages go in, a new value comes out.

import { readFen } from "../board/fen";
import type { Color, LegalMove } from "../board/types";
import { type FirstState, type Player, type Ply, type StateMessage, sameMove } from "./protocol";

export interface PendingMove {
  ref: number;
  ply: number;
  move: LegalMove;
}

export interface Game {
  readonly id: string;
  readonly rules: string;
  readonly you: Color | null;
  readonly startFen: string;
  readonly players: Readonly<Record<Color, Player>>;
  /** The time control as players write it, "5+3"; and in words. */
  readonly control: string;
  readonly controlLabel: string;
  readonly plies: readonly Ply[];
  /** The server's last word on everything that is not the list of moves. */
  readonly state: StateMessage;
  /** The own move that is on the board and not yet acknowledged. */
  readonly pending: PendingMove | null;
}

export function fromFirstState(first: FirstState): Game {
  return {
    id: first.id,
    rules: first.rules,
    you: first.you,
    startFen: first.start_fen,
    players: first.players,
    control: first.control,
    controlLabel: first.control_label,
    plies: first.plies,
    state: first,
    pending: null,
  };
}

/** The game after a state message, or null when plies before its first one are missing here. */
export function withState(game: Game, state: StateMessage): Game | null {
  if (game.plies.length < state.from_ply) return null;
  const plies = [...game.plies.slice(0, state.from_ply), ...state.plies];
  return { ...game, plies, state };
}

export type Fate = "none" | "taken" | "open" | "lost";

/**
 * What became of the unacknowledged move: it is in the game ("taken"), can be sent again ("open": the game
 * stands where it was made, and the same ply makes a second copy harmless), or went another way ("lost").
 */
export function fateOfPending(game: Game): Fate {
  if (game.pending === null) return "none";
  const played = game.plies[game.pending.ply];
  if (played) return sameMove(played.move, game.pending.move) ? "taken" : "lost";
  return game.plies.length === game.pending.ply && game.state.result === null ? "open" : "lost";
}

/** The position after a number of plies; 0 is the start. */
export function fenAt(game: Game, ply: number): string {
  return game.plies[ply - 1]?.fen ?? game.startFen;
}

/** The side that makes the first move of this game. */
export function firstColor(game: Game): Color {
  return readFen(game.startFen).turn;
}

/** The number before a ply in the list of moves: one number for a move of each side. */
export function moveNumber(game: Game, index: number): number {
  return Math.floor((firstColor(game) === "black" ? index + 1 : index) / 2) + 1;
}

/** Whether two people play; a computer is not asked, does not leave and does not talk. */
export function betweenPeople(game: Game): boolean {
  return game.players.white.kind !== "computer" && game.players.black.kind !== "computer";
}

export function opponent(color: Color): Color {
  return color === "white" ? "black" : "white";
}

/** How many men and kings each side has in a position. */
export function material(fen: string): Record<Color, { men: number; kings: number }> {
  const count = { white: { men: 0, kings: 0 }, black: { men: 0, kings: 0 } };
  for (const piece of readFen(fen).pieces.values()) count[piece.color][piece.king ? "kings" : "men"]++;
  return count;
}
