// The personal socket, of every page but a game's: what it says and what the page tells it.

import type { Color } from "../board/types";
import { localUrl } from "./i18n";
import type { SearchSent } from "./search";
import type { Challenges, Offer } from "./seeks";
import { GameSocket } from "./socket";

/** A game as a list shows it; the server's `Card`. */
export interface Card {
  readonly id: string;
  readonly fen: string;
  readonly orientation: Color;
  readonly last: readonly [number, number] | null;
  readonly white: string;
  readonly black: string;
  readonly white_kind: string;
  readonly black_kind: string;
  readonly about: string;
  readonly move: number;
  readonly turn: Color;
  /** "2–0" and the like, "*" for a game that was broken off; null while it goes on. */
  readonly score: string | null;
  /** In a correspondence game, how long the side to move has, in words. */
  readonly left: string | null;
}

export interface InvitationNews {
  readonly id: string;
  readonly state: "open" | "accepted" | "declined" | "withdrawn" | "expired";
  readonly game: string | null;
}

export type ClubMessage =
  | { readonly t: "club"; readonly online: number; readonly playing: number }
  | { readonly t: "your_move"; readonly count: number }
  | ({ readonly t: "invitation" } & InvitationNews)
  | { readonly t: "now"; readonly ids: readonly string[]; readonly games: readonly Card[] }
  | { readonly t: "seeks"; readonly seeks: readonly Offer[] }
  | ({ readonly t: "challenges" } & Challenges)
  | { readonly t: "declined"; readonly id: string; readonly name: string; readonly text: string | null }
  | { readonly t: "searching"; readonly count: number; readonly waited: number }
  | { readonly t: "stopped" }
  | { readonly t: "pause"; readonly text: string }
  | { readonly t: "paired"; readonly game: string; readonly mine: boolean; readonly offer: string | null }
  | { readonly t: "pong" };

/** What the page shows, and so wants to hear of. */
export interface Watch {
  readonly games: boolean;
  readonly invitation: string | null;
  readonly seeks: boolean;
}

/** What a page says besides what it watches. */
export type ClubSent = SearchSent | { readonly t: "sent"; readonly ids: readonly string[] };

/**
 * Hear the news of the club, and go on hearing them after a lost line; `connected` is called whenever it stands.
 * Returns what sends a message.
 */
export function listen(
  watch: Watch,
  hear: (message: ClubMessage) => void,
  connected: () => void,
): (message: ClubSent) => boolean {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const socket = new GameSocket<ClubMessage, ({ readonly t: "watch" } & Watch) | ClubSent>({
    url: () => `${scheme}://${location.host}${localUrl("/socket")}`,
    message: hear,
    connected: (is) => {
      if (is && (watch.games || watch.invitation || watch.seeks)) socket.send({ t: "watch", ...watch });
      if (is) connected();
    },
  });
  socket.connect();
  return (message) => socket.send(message);
}
