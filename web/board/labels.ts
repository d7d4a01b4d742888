import type { Piece, Square } from "./types";

/** Every text that the board says to a screen reader. Names in braces are filled in; they may stand in any order. */
export interface Labels {
  readonly board: string;
  readonly whiteMan: string;
  readonly whiteKing: string;
  readonly blackMan: string;
  readonly blackKing: string;
  readonly empty: string;
  /** `{square}` and `{content}`: a piece or the word for empty, then what else is to be said of it. */
  readonly square: string;
  readonly movable: string;
  readonly selected: string;
  readonly target: string;
  readonly prey: string;
  readonly touched: string;
  readonly premove: string;
  /** `{piece}`, `{square}`, `{targets}` */
  readonly picked: string;
  /** `{piece}`, `{square}`, `{targets}` */
  readonly stepped: string;
  readonly dropped: string;
  /** `{piece}`, `{from}`, `{to}` */
  readonly premoved: string;
  readonly unpremoved: string;
  /** `{piece}`, `{from}`, `{to}` */
  readonly moved: string;
  /** `{piece}`, `{from}`, `{to}`, `{captured}` */
  readonly captured: string;
  readonly crowned: string;
}

export const ENGLISH: Labels = {
  board: "Draughts board",
  whiteMan: "white man",
  whiteKing: "white king",
  blackMan: "black man",
  blackKing: "black king",
  empty: "empty",
  square: "{square}, {content}",
  movable: "can move",
  selected: "picked up",
  target: "can go here",
  prey: "must be captured",
  touched: "touched, must move",
  premove: "premove",
  picked: "Picked up: {piece} on {square}. It can go to {targets}.",
  stepped: "On the way: {piece} on {square}. It can go on to {targets}.",
  dropped: "Put down.",
  premoved: "Premove: {piece} from {from} to {to}.",
  unpremoved: "Premove cancelled.",
  moved: "{piece} from {from} to {to}.",
  captured: "{piece} from {from} to {to}, captures {captured}.",
  crowned: "Crowned king.",
};

/** Fills the names in braces. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

export function pieceName(labels: Labels, { color, king }: Piece): string {
  if (color === "white") return king ? labels.whiteKing : labels.whiteMan;
  return king ? labels.blackKing : labels.blackMan;
}

export function squareName(
  labels: Labels,
  square: Square,
  piece: Piece | undefined,
  notes: readonly string[],
): string {
  const content = [piece ? pieceName(labels, piece) : labels.empty, ...notes].join(", ");
  return fill(labels.square, { square, content });
}
