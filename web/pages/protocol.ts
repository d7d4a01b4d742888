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
  /** Points of White and Black: "2-0", "1-1" or "0-2"; "*" for a game broken off. */
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

/** Both sides' time in milliseconds, as it was when the server sent it; `running` says whose goes on from there. */
export interface ClockReading {
  white: number;
  black: number;
  running: Color | null;
  /** Below this a side is short of time. */
  low: number;
}

/** What the viewer may do in the game as it stands. */
export interface Can {
  take_back: boolean;
  resign: boolean;
  offer_draw: boolean;
  /** Moves that the opponent has yet to make before the viewer may offer a draw again. */
  offer_draw_in: number;
  accept_draw: boolean;
  offer_take_back: boolean;
  accept_take_back: boolean;
  abort: boolean;
  add_time: boolean;
  touch: boolean;
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
  clock: ClockReading | null;
  /** Milliseconds after which the game is broken off unless the side to move has made its first move. */
  first_move_in: number | null;
  draw_offer: Color | null;
  take_back_offer: Color | null;
  /** The square of the piece that has been touched and must move. */
  touched: number | null;
  /** Who has said j'adoube. */
  adjusting: Color[];
  paused: boolean;
  can: Can;
}

export interface Player {
  kind: "guest" | "member" | "bot" | "gone" | "computer";
  name: string;
  level: number | null;
  /** A member's own page. */
  url: string | null;
}

/** A player's rating as it is now, after a rated game with its change. */
export interface Rating {
  value: number;
  provisional: boolean;
  change: number | null;
}

export interface RatingMessage {
  t: "rating";
  is_rated: boolean;
  white: Rating | null;
  black: Rating | null;
}

export interface Preset {
  id: string;
  text: string;
}

/** The first state, embedded in the page. */
export interface FirstState extends StateMessage {
  id: string;
  rules: string;
  you: Color | null;
  start_fen: string;
  players: Record<Color, Player>;
  /** The time control as players write it, "5+3"; and in words. */
  control: string;
  control_label: string;
  speed: string;
  is_public: boolean;
  rating: RatingMessage;
  /** Why the game is casual though both wanted it to be rated. */
  why_casual: string | null;
  chat_on: boolean;
  presets: Preset[];
}

export type Room = "players" | "watchers";

export interface ChatLine {
  /** Counts the lines of a room. */
  seq: number;
  name: string;
  side: Color | null;
  text: string | null;
  /** A preset's id, instead of a text. */
  preset: string | null;
  /** Seconds since 1970. */
  at: number;
}

export interface ChatMessage {
  t: "chat";
  room: Room;
  lines: ChatLine[];
}

/** A line that the page has is another now: a moderator has hidden it, or shows it again. */
export interface ChatChangedMessage {
  t: "chat_changed";
  room: Room;
  line: ChatLine;
}

/** Whether the viewer wants to see chat: at the beginning, and when it is switched in whatever tab. */
export interface ChatOnMessage {
  t: "chat_on";
  on: boolean;
}

export interface PresenceMessage {
  t: "presence";
  white: boolean;
  black: boolean;
  watchers: number;
  /** Milliseconds after which the viewer can claim against the opponent, who has left; 0: now. */
  claim_in: number | null;
}

export interface RematchMessage {
  t: "rematch";
  offered_by: Color | null;
  /** The new game. */
  game: string | null;
}

export type ServerMessage =
  | StateMessage
  | PresenceMessage
  | ChatMessage
  | ChatChangedMessage
  | ChatOnMessage
  | RematchMessage
  | RatingMessage
  | { t: "begun"; game: string }
  | { t: "ack"; ref: number; version: number }
  | { t: "error"; ref: number | null; code: string; message: string }
  | { t: "reason"; ref: number; code: string; text: string; facts: Record<string, unknown> }
  | { t: "ping"; id: number }
  | { t: "pong" };

/** What the person does, but for moves; the answer carries the same number as the question. */
export type Deed =
  | {
      t:
        | "take_back"
        | "resign"
        | "offer_draw"
        | "accept_draw"
        | "decline_draw"
        | "offer_take_back"
        | "accept_take_back"
        | "decline_take_back"
        | "abort"
        | "add_time"
        | "adjust"
        | "unsay"
        | "rematch"
        | "decline_rematch";
    }
  | { t: "touch"; ply: number; square: number }
  | { t: "claim"; as: "win" | "draw" }
  | { t: "say"; room: Room; text: string }
  | { t: "say"; room: Room; preset: string }
  | { t: "chat"; on: boolean };

export type ClientMessage =
  | { t: "move"; ref: number; ply: number; move: MoveKey }
  | { t: "explain"; ref: number; ply: number; from: number; to: number }
  | (Deed & { ref: number })
  | { t: "ping" }
  | { t: "pong"; id: number };

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
