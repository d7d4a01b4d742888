// What the person has asked of the game and has not been answered, moves apart.

import type { Game } from "./game";
import type { Deed } from "./protocol";

type Kind = Deed["t"];

interface Request {
  readonly kind: Kind;
  /** The game as it was when this was asked. */
  readonly before: Game;
}

/** Whether a later state of the game shows that what was asked has come about. */
function shows(game: Game, { kind, before }: Request): boolean {
  const { state } = game;
  if (state.result !== null) return true;
  switch (kind) {
    case "take_back":
    case "accept_take_back":
      return game.plies.length < before.plies.length;
    case "offer_draw":
      return state.draw_offer === game.you;
    case "decline_draw":
      return state.draw_offer === null;
    case "offer_take_back":
      return state.take_back_offer === game.you;
    case "decline_take_back":
      return state.take_back_offer === null;
    case "touch":
      return state.touched !== null || game.plies.length !== before.plies.length;
    case "adjust":
    case "unsay":
      return game.you !== null && state.adjusting.includes(game.you) === (kind === "adjust");
    default:
      return false;
  }
}

export class Requests {
  readonly #open = new Map<number, Request>();

  add(ref: number, kind: Kind, before: Game): void {
    this.#open.set(ref, { kind, before });
  }

  has(ref: number): boolean {
    return this.#open.has(ref);
  }

  /** Whether something of this kind has been asked: a second click must not ask it twice. */
  asking(...kinds: Kind[]): boolean {
    return [...this.#open.values()].some(({ kind }) => kinds.includes(kind));
  }

  /** The answer has come; gives what it is the answer to. */
  settle(ref: number): Kind | undefined {
    const kind = this.#open.get(ref)?.kind;
    this.#open.delete(ref);
    return kind;
  }

  /** Forgets what this state of the game shows to be done. */
  see(game: Game): void {
    for (const [ref, request] of this.#open) if (shows(game, request)) this.#open.delete(ref);
  }

  /** Forgets everything, since the line that it went out on is gone; gives what remained undone. */
  drop(): Kind[] {
    const kinds = [...this.#open.values()].map(({ kind }) => kind);
    this.#open.clear();
    return kinds;
  }
}
