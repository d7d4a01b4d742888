// The two players' strips: who plays which colour, who is here, who is to move, what each still has, and the clocks.
import type { Color } from "../board/types";
import { face } from "./clocks";
import { make } from "./dom";
import { type Game, material } from "./game";
import { language, localUrl, t } from "./i18n";
import type { ClockReading, Rating } from "./protocol";
import { renderRating } from "./rating";

export interface StripState {
  readonly game: Game;
  readonly color: Color;
  /** The position that is on the board, which may be a past one. */
  readonly fen: string;
  readonly toMove: boolean;
  readonly thinking: boolean;
  /** Whether the player is at the board; null where that means nothing. */
  readonly here: boolean | null;
  /** Milliseconds in which the player must make the first move. */
  readonly firstMoveIn: number | null;
  readonly rating: Rating | null;
  /** Whether the viewer may give this player time. */
  readonly canBeGivenTime: boolean;
}

/** Milliseconds before a limit at which it is no longer mentioned quietly. */
export const URGENT = 10_000;

/** The name by which the page calls a player. */
export function playerName(game: Game, color: Color): string {
  const player = game.players[color];
  if (player.kind === "computer") return t("Computer, level {level}", { level: player.level ?? "" });
  return game.you === color ? t("You") : player.name;
}

/** The reader's sign between seconds and tenths. */
const decimal = new Intl.NumberFormat(language).format(0.5).charAt(1);

function clockText(ms: number, mark: string | null = decimal): string {
  const { days, time } = face(ms, mark);
  return days ? t("{days} d {time}", { days, time }) : time;
}

/** What is left of a limit, in whole seconds, of which the last is the one that ends it. */
export function countText(ms: number): string {
  return clockText(Math.ceil(ms / 1000) * 1000, null);
}

export class Strip {
  readonly #strip: HTMLElement;
  readonly #disc = make("span", "disc");
  readonly #dot = make("span", "dot");
  readonly #name = make("a", "name");
  readonly #rating = make("span", "rating");
  readonly #sign = make("b", "sign", "BOT");
  readonly #doing = make("span", "doing");
  readonly #more = make("button", "more", "+15");
  readonly #clock = make("span", "clock");

  constructor(strip: HTMLElement, addTime: () => void) {
    this.#strip = strip;
    this.#disc.role = this.#dot.role = "img";
    this.#clock.role = "timer";
    this.#more.title = this.#more.ariaLabel = t("Give 15 seconds more (+15)");
    this.#more.addEventListener("click", addTime);
    // Nobody leaves a game by touching a name.
    this.#name.target = "_blank";
    const named = make("span", "who", this.#name, this.#sign);
    const seat = make("span", "seat", named, make("span", "second", this.#rating, this.#doing));
    strip.append(this.#disc, this.#dot, seat, this.#more, this.#clock);
  }

  render(state: StripState): void {
    const { game, color, here } = state;
    const { men, kings } = material(state.fen)[color];
    const facts = { side: color === "white" ? t("White") : t("Black"), pieces: men + kings, kings };
    this.#disc.className = `disc ${color}`;
    this.#disc.textContent = String(men + kings);
    this.#disc.title =
      kings > 0
        ? t("{side}, pieces on the board: {pieces}, of them kings: {kings}", facts)
        : t("{side}, pieces on the board: {pieces}", facts);
    this.#disc.ariaLabel = this.#disc.title;
    this.#dot.hidden = here === null;
    this.#dot.classList.toggle("away", here === false);
    this.#dot.title = here ? t("at the board") : t("away");
    this.#dot.ariaLabel = this.#dot.title;
    const { kind, url } = game.players[color];
    this.#name.textContent = this.#name.title = playerName(game, color);
    this.#name.className = `name ${kind}`;
    this.#sign.hidden = kind !== "bot";
    if (url && game.you !== color) this.#name.href = localUrl(url);
    else this.#name.removeAttribute("href");
    renderRating(this.#rating, state.rating);
    this.#rating.classList.toggle("yields", state.firstMoveIn !== null);
    this.#strip.classList.toggle("to-move", state.toMove);
    this.#more.hidden = !state.canBeGivenTime;
    this.#doing.className = state.thinking ? "doing thinking" : "doing";
    this.#doing.classList.toggle("urgent", state.firstMoveIn !== null && state.firstMoveIn < URGENT);
    const doing = this.#whatIsDone(state);
    if (this.#doing.firstChild?.textContent !== doing) this.#doing.textContent = doing;
    if (state.thinking && this.#doing.childElementCount === 0)
      this.#doing.append(make("i", ""), make("i", ""), make("i", ""));
  }

  #whatIsDone({ game, color, toMove, thinking, here, firstMoveIn }: StripState): string {
    if (thinking) return t("thinking");
    const said = [
      ...(firstMoveIn === null ? [] : [t("first move in {time}", { time: countText(firstMoveIn) })]),
      ...(game.state.adjusting.includes(color) ? [t("j’adoube")] : []),
    ];
    if (said.length > 0) return said.join(" · ");
    if (here === false && game.you !== color) return t("away");
    if (toMove && game.state.clock?.running == null)
      return game.you === color ? t("your move") : t("to move");
    return "";
  }

  /** Show a side's time: null in a game without clocks. `whole`: whether the game is still going on. */
  clock(reading: ClockReading | null, color: Color, whole: boolean): void {
    this.#clock.hidden = reading === null;
    if (reading === null) return;
    const text = clockText(reading[color]);
    if (this.#clock.textContent !== text) this.#clock.textContent = text;
    const running = whole && reading.running === color;
    this.#clock.classList.toggle("running", running);
    this.#clock.classList.toggle("low", whole && reading[color] < reading.low);
  }
}
