// The small boards of games that are being played: they follow their games, come and go.
import type { DraughtsBoard } from "../board/index";
import type { Color, LegalMove } from "../board/types";
import type { Card } from "./club";
import { make } from "./dom";
import { localUrl, t } from "./i18n";

/** How long a game that has ended still stands among those being played, with its result. */
const farewell = 10_000;

function jump(last: readonly [number, number]): LegalMove {
  return { from: last[0], to: last[1], captured: [], crowned: false, paths: [[...last]] };
}

/** Two squares as the server writes them into a page. */
export function squares(text: string | undefined): readonly [number, number] | null {
  const [from, to] = (text ?? "").split(",").map(Number);
  return from && to ? [from, to] : null;
}

/** Show on a board what the server wrote beside it. */
export function setUp(board: DraughtsBoard): void {
  board.numbers = "off";
  board.orientation = board.dataset.orientation === "black" ? "black" : "white";
  if (board.dataset.fen) board.position = board.dataset.fen;
  const last = squares(board.dataset.last);
  if (last) board.lastMove = jump(last);
}

/** Show a game's present position, its last move as such. */
export function follow(board: DraughtsBoard, card: Pick<Card, "fen" | "last">): void {
  if (board.dataset.fen === card.fen) return;
  board.dataset.fen = card.fen;
  if (card.last === null) {
    board.position = card.fen;
    board.lastMove = null;
    return;
  }
  const move = jump(card.last);
  void board.play(move, card.fen).then(() => {
    if (board.dataset.fen !== card.fen) return;
    // Not a move after the one shown before, but one of a later position or of an earlier one.
    board.position = card.fen;
    board.lastMove = move;
  });
}

function points(card: Card, color: Color): string {
  return card.score?.includes("–") ? (card.score.split("–")[color === "white" ? 0 : 1] ?? "") : "";
}

function player(card: Card, color: Color): HTMLElement {
  const disc = make("span", `disc ${color}`);
  disc.setAttribute("aria-hidden", "true");
  const kind = card[`${color}_kind`];
  const line = make("span", "player", disc, make("span", `who ${kind}`, card[color]));
  if (kind === "bot") line.append(make("b", "sign", "BOT"));
  if (card.score !== null) line.append(make("b", "points", points(card, color)));
  line.classList.toggle("to-move", card.score === null && card.turn === color);
  return line;
}

function about(card: Card): string {
  const move = t("move {number}", { number: card.move });
  return [card.score === null ? card.left : t("just ended"), card.about, move.replaceAll(" ", "\u00a0")]
    .filter(Boolean)
    .join(" · ");
}

function create(card: Card): HTMLAnchorElement {
  const board = document.createElement("draughts-board");
  board.setAttribute("aria-hidden", "true");
  board.inert = true;
  board.dataset.fen = card.fen;
  board.dataset.orientation = card.orientation;
  if (card.last) board.dataset.last = card.last.join();
  const [top, bottom]: [Color, Color] =
    card.orientation === "white" ? ["black", "white"] : ["white", "black"];
  const link = make(
    "a",
    "mini",
    player(card, top),
    board,
    player(card, bottom),
    make("span", "about", about(card)),
  );
  link.href = localUrl(`/games/${card.id}`);
  link.dataset.game = card.id;
  setUp(board);
  return link;
}

function update(link: HTMLElement, card: Card): void {
  const board = link.querySelector("draughts-board");
  if (board === null) return;
  follow(board, card);
  const bottom = board.orientation;
  const [first, second] = link.querySelectorAll(".player");
  first?.replaceWith(player(card, bottom === "white" ? "black" : "white"));
  second?.replaceWith(player(card, bottom));
  const line = link.querySelector(".about");
  if (line) line.textContent = about(card);
}

/** A place for small boards: those in it keep their places, new ones come behind them. */
export class Minis {
  readonly #place: HTMLElement;
  readonly #most: number;
  readonly #cards = new Map<string, Card>();
  readonly #leaving = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(place: HTMLElement, most: number) {
    this.#place = place;
    this.#most = most;
  }

  /** Take news in; `not`: the game that stands on the big board. Returns how many boards there are. */
  show(ids: readonly string[], games: readonly Card[], not: string | null): number {
    const wanted = new Set(ids.filter((id) => id !== not));
    for (const card of games) {
      this.#cards.set(card.id, card);
      const link = this.#find(card.id);
      if (link) update(link, card);
    }
    for (const link of this.#links()) {
      const id = link.dataset.game ?? "";
      if (id === not) link.remove();
      else if (wanted.has(id)) this.#stay(id, link);
      else this.#leave(id, link);
    }
    for (const id of wanted) {
      const card = this.#cards.get(id);
      if (card && card.score === null && this.#links().length < this.#most && !this.#find(id)) {
        this.#place.append(create(card));
      }
    }
    for (const id of this.#cards.keys()) if (!wanted.has(id)) this.#cards.delete(id);
    return this.#links().length;
  }

  #links(): HTMLElement[] {
    return [...this.#place.querySelectorAll<HTMLElement>("[data-game]")];
  }

  #find(id: string): HTMLElement | undefined {
    return this.#links().find((link) => link.dataset.game === id);
  }

  #stay(id: string, link: HTMLElement): void {
    clearTimeout(this.#leaving.get(id));
    this.#leaving.delete(id);
    link.classList.remove("over");
  }

  #leave(id: string, link: HTMLElement): void {
    if (this.#leaving.has(id)) return;
    link.classList.add("over");
    const remove = () => {
      this.#leaving.delete(id);
      // Who is just about to follow the link by keyboard is not thrown off it.
      if (document.activeElement === link) link.addEventListener("blur", () => link.remove(), { once: true });
      else link.remove();
    };
    this.#leaving.set(id, setTimeout(remove, farewell));
  }
}
