// Sentences about the game that the page can say by itself.
import { readFen } from "../board/fen";
import { between, distance } from "../board/geometry";
import type { Color, LegalMove, Pieces, Square } from "../board/types";
import { type Game, moveNumber, opponent } from "./game";
import { t, tn } from "./i18n";
import type { ClockReading, DrawCount } from "./protocol";
import { playerName } from "./strips";

export function isOwn(game: Game, square: number): boolean {
  return readFen(game.state.fen).pieces.get(square)?.color === game.you;
}

/** Why an own piece cannot be picked up, as far as the legal moves tell it. `touched`: the piece that must move. */
export function cannotMove(square: number, legal: readonly LegalMove[], touched: number | null): string {
  if (touched !== null && touched !== square)
    return t("You have touched the piece on {square}, so it must move.", { square: touched });
  if (mustCapture(legal).length > 0) {
    const texts = [...new Set(legal.map((move) => `${move.from}x${move.to}`))];
    const choices = [...texts.slice(0, 3), ...(texts.length > 3 ? ["…"] : [])].join(", ");
    return t("You must capture ({choices}); the piece on {square} cannot.", { choices, square });
  }
  return t("The piece on {square} has no square to go to.", { square });
}

/** The squares of the pieces of which one must capture; none when a move without capture is legal. */
export function mustCapture(legal: readonly LegalMove[]): number[] {
  if (legal.some((move) => move.captured.length === 0)) return [];
  return [...new Set(legal.map((move) => move.from))];
}

/** Why a player cannot offer a draw now; null when it can, or when it goes without saying. */
export function whyNoDrawOffer({ state, you }: Game): string | null {
  if (state.can.offer_draw) return null;
  if (state.draw_offer !== null && state.draw_offer === you) return t("You have offered a draw.");
  const moves = state.can.offer_draw_in;
  if (moves === 0) return null;
  return tn(
    "You can offer a draw again after {n} more move by your opponent.",
    "You can offer a draw again after {n} more moves by your opponent.",
    moves,
  );
}

/** Milliseconds by which a clock must have risen to have been given time: more than the way of a message makes. */
const gift = 10_000;

/** The side that has been given time from one state to the next; `left`: what both clocks had when the next one came. */
export function givenTime(before: Game, next: Game, left: ClockReading | null): Color | null {
  const { clock, result } = next.state;
  const same = before.state.fen === next.state.fen && !before.state.paused && result === null;
  if (!same || left === null || clock === null) return null;
  return (["white", "black"] as const).find((color) => clock[color] - left[color] > gift) ?? null;
}

/** What a player is told of a state that the board and the clocks do not tell; null for nothing. `left`: as for givenTime. */
export function newsOf(before: Game, next: Game, left: ClockReading | null): string | null {
  const { you } = next;
  if (you === null) return null;
  const given = givenTime(before, next, left);
  const name = playerName(next, opponent(you));
  if (given === you) return t("{name} gave you 15 seconds.", { name });
  if (given !== null) return t("You gave {name} 15 seconds.", { name });
  const lapsed = before.state.draw_offer === you && next.plies.length < before.plies.length;
  const wait = whyNoDrawOffer(next);
  if (!lapsed || wait === null) return null;
  return [t("Your draw offer ended with the take-back."), wait].join(" ");
}

export function headline(game: Game, winner: Color | null, score: string): string {
  if (score === "*") return t("Broken off");
  if (winner === null) return t("Draw");
  if (game.you !== null) return winner === game.you ? t("You won") : t("You lost");
  return winner === "white" ? t("White won") : t("Black won");
}

export function pastText(game: Game, ply: number): string {
  if (ply === 0) return t("Start position");
  return t("Position after move {number}: {move}", {
    number: moveNumber(game, ply - 1),
    move: game.plies[ply - 1]?.text ?? "",
  });
}

/** A count is worth a line once the draw comes into sight; few pieces bring it into sight at once. */
export function isNear({ rule, done, of }: DrawCount): boolean {
  return done > 0 && (rule === "three_pieces" || rule === "two_pieces" || 2 * done >= of);
}

/** A way chosen ahead, written as the list of moves writes moves: a step that can only be a capture has an x. */
export function wayText(way: readonly number[], pieces: Pieces): string {
  return way.join(way.length > 2 || isHop(way[0] as Square, way[1] as Square, pieces) ? "x" : "-");
}

/** Whether a piece can go from one square to another, on the board as it stands, only by a capture. */
function isHop(from: Square, to: Square, pieces: Pieces): boolean {
  const piece = pieces.get(from);
  if (!piece?.king) return distance(from, to) > 1;
  const passed = between(from, to);
  return distance(from, to) > 1 && (passed.length === 0 || passed.some((square) => pieces.has(square)));
}

export function rulesName(rules: string): string {
  switch (rules) {
    case "club":
      return t("Crown and continue");
    case "leaflet":
      return t("Boxed game");
    case "classic":
      return t("Traditional");
    default:
      return t("International");
  }
}
