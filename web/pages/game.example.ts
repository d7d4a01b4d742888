// A game for tests, as its page knows it.

import type { LegalMove } from "../board/types";
import { fromFirstState, type Game } from "./game";
import type { Can, FirstState, Ply, StateMessage } from "./protocol";

const can: Can = {
  take_back: false,
  resign: true,
  offer_draw: true,
  offer_draw_in: 0,
  accept_draw: false,
  offer_take_back: false,
  accept_take_back: false,
  abort: false,
  add_time: true,
  touch: false,
};

export function step(from: number, to: number): LegalMove {
  return { from, to, captured: [], crowned: false, paths: [[from, to]] };
}

export function ply(from: number, to: number): Ply {
  return { text: `${from}-${to}`, fen: `after ${from}-${to}`, move: step(from, to) };
}

export function aState(from_ply: number, plies: Ply[], version = 1): StateMessage {
  return {
    t: "state",
    version,
    from_ply,
    plies,
    fen: plies.at(-1)?.fen ?? "start",
    turn: "white",
    legal: [],
    result: null,
    draw_counts: [],
    thinking: false,
    clock: null,
    first_move_in: null,
    draw_offer: null,
    take_back_offer: null,
    touched: null,
    adjusting: [],
    paused: false,
    can,
  };
}

/** A guest with White against another, after these plies. */
export function aGame(...plies: Ply[]): Game {
  const guest = { kind: "guest", name: "Guest", level: null, url: null } as const;
  const first: FirstState = {
    ...aState(0, plies),
    id: "g",
    rules: "official",
    you: "white",
    start_fen: "start",
    players: { white: guest, black: guest },
    control: "5+3",
    control_label: "5+3",
    speed: "blitz",
    is_public: true,
    rating: { t: "rating", is_rated: false, white: null, black: null },
    why_casual: null,
    chat_on: true,
    presets: [],
  };
  return fromFirstState(first);
}
