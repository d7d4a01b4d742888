// The big board of the front page, and which of the games being played stands on it.

import type { DraughtsBoard } from "../board/index";
import type { Card } from "./club";
import { byId } from "./dom";
import { localUrl } from "./i18n";
import { follow } from "./minis";

/** How long the result of a game is shown before another game takes the board. */
const interval = 10_000;

export class Featured {
  readonly #board: DraughtsBoard;
  readonly #cards = new Map<string, Card>();
  #ids: readonly string[] = [];
  #next: ReturnType<typeof setTimeout> | undefined;

  constructor(board: DraughtsBoard) {
    this.#board = board;
  }

  /** The game on the board; null where the board shows one of the reader's own, or none. */
  get id(): string | null {
    return this.#board.dataset.featured ?? null;
  }

  show(ids: readonly string[], games: readonly Card[]): void {
    if (this.id === null) return;
    this.#ids = ids;
    for (const card of games) this.#cards.set(card.id, card);
    for (const id of this.#cards.keys()) if (id !== this.id && !ids.includes(id)) this.#cards.delete(id);
    const card = games.find((each) => each.id === this.id);
    if (card) this.#put(card);
    if (!ids.includes(this.id)) this.#next ??= setTimeout(() => this.#change(), interval);
  }

  #change(): void {
    this.#next = undefined;
    const id = this.#ids.find((each) => this.#cards.has(each));
    const card = id === undefined ? undefined : this.#cards.get(id);
    if (!card) return;
    this.#board.dataset.featured = card.id;
    this.#board.orientation = card.orientation;
    this.#put(card);
  }

  #put(card: Card): void {
    follow(this.#board, card);
    const about = `${card.white} – ${card.black} · ${card.score?.replace("*", "–") ?? card.about}`;
    const link = byId<HTMLAnchorElement>("featured");
    const line = link.querySelector(".featured-game");
    if (line) line.textContent = about;
    link.href = localUrl(`/games/${card.id}`);
    this.#board.closest("a")?.setAttribute("href", link.href);
  }
}
