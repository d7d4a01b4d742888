// The two players' strips: who plays which colour, who is to move, and what each still has on the board.
import type { Color } from "../board/types";
import { make } from "./dom";
import { type Game, material } from "./game";
import { t } from "./i18n";

export interface StripState {
  game: Game;
  color: Color;
  /** The position that is on the board, which may be a past one. */
  fen: string;
  toMove: boolean;
  thinking: boolean;
}

/** The name by which the page calls a player. */
export function playerName(game: Game, color: Color): string {
  const player = game.players[color];
  if (player.kind === "computer") return t("Computer, level {level}", { level: player.level ?? "" });
  return game.you === color ? t("You") : player.name;
}

export function renderStrip(strip: HTMLElement, state: StripState): void {
  const { game, color } = state;
  const doing = make("span", "doing");
  if (state.thinking) {
    doing.classList.add("thinking");
    doing.append(t("thinking"), make("i", ""), make("i", ""), make("i", ""));
  } else if (state.toMove) doing.append(game.you === color ? t("your move") : t("to move"));
  const { men, kings } = material(state.fen)[color];
  const disc = make("span", `disc ${color}`, String(men + kings));
  const facts = { side: color === "white" ? t("White") : t("Black"), pieces: men + kings, kings };
  disc.title =
    kings > 0
      ? t("{side}, pieces on the board: {pieces}, of them kings: {kings}", facts)
      : t("{side}, pieces on the board: {pieces}", facts);
  disc.ariaLabel = disc.title;
  disc.role = "img";
  strip.classList.toggle("to-move", state.toMove);
  strip.replaceChildren(disc, make("span", "name", playerName(game, color)), doing);
}
