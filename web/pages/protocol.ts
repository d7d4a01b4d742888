// What the server and the page say to each other: JSON objects whose "t" names their kind.

import type { Color, LegalMove } from "../board/types";

export type MoveKey = Pick<LegalMove, "from" | "to" | "captured" | "crowned">;

export interface Ply {
  /** The move in notation, as "32-28" or "27x18x29". */
  text: string;
  /** The position after it. */
  fen: string;
  move: LegalMove;
}

export interface Result {
  winner: Color | null;
  /** Points of White and Black: "2-0", "1-1" or "0-2". */
  score: string;
  rule: string;
  /** Why, as a sentence in the reader's language. */
  text: string;
}

export interface DrawCount {
  rule: string;
  done: number;
  of: number;
  text: string;
}

export interface StateMessage {
  t: "state";
  version: number;
  /** The plies before this one are as the page has them; `plies` follow. */
  from_ply: number;
  plies: Ply[];
  fen: string;
  turn: Color;
  /** Empty unless it is the viewer's turn. */
  legal: LegalMove[];
  result: Result | null;
  draw_counts: DrawCount[];
  thinking: boolean;
  can: { take_back: boolean; resign: boolean };
}

export interface Player {
  kind: "guest" | "computer";
  name: string;
  level: number | null;
}

/** The first state, embedded in the page. */
export interface FirstState extends StateMessage {
  id: string;
  rules: string;
  you: Color | null;
  start_fen: string;
  players: Record<Color, Player>;
}

export type ServerMessage =
  | StateMessage
  | { t: "ack"; ref: number; version: number }
  | { t: "error"; ref: number | null; code: string; message: string }
  | { t: "reason"; ref: number; code: string; text: string; facts: Record<string, unknown> }
  | { t: "pong" };

export type ClientMessage =
  | { t: "move"; ref: number; ply: number; move: MoveKey }
  | { t: "explain"; ref: number; ply: number; from: number; to: number }
  | { t: "take_back"; ref: number }
  | { t: "resign"; ref: number }
  | { t: "ping" };

/** Whether two moves are the same move: the way taken does not count. */
export function sameMove(one: MoveKey, other: MoveKey): boolean {
  return (
    one.from === other.from &&
    one.to === other.to &&
    one.crowned === other.crowned &&
    one.captured.length === other.captured.length &&
    one.captured.every((square, index) => square === other.captured[index])
  );
}
