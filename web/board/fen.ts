import { SQUARES } from "./geometry";
import type { Color, Piece, Pieces, Position, Square } from "./types";

const COLORS: Readonly<Record<string, Color>> = { W: "white", B: "black" };

/**
 * Reads a position written as FEN (PDN 3.0): `W:W31-50:B1-20`, kings as `K28`, ranges, lists in either order.
 * Fields that say nothing about the placing of pieces (`:H0`, `:F1`) are passed over.
 * @throws RangeError naming the part that cannot be read.
 */
export function readFen(text: string): Position {
  const [side = "", ...fields] = text.trim().replace(/\.$/, "").toUpperCase().split(":");
  const turn = COLORS[side.trim()];
  if (!turn)
    throw new RangeError(
      `FEN ${JSON.stringify(text)}: the side to move is W or B, not ${JSON.stringify(side)}`,
    );
  const pieces = new Map<Square, Piece>();
  for (const field of fields) {
    const list = field.trim();
    const color = COLORS[list[0] ?? ""];
    if (!color) continue;
    for (const token of list.slice(1).split(",")) {
      const [, king, first, last] = /^\s*(K?)(\d+)(?:-(\d+))?\s*$/.exec(token) ?? [];
      if (first === undefined) {
        if (token.trim() === "") continue;
        throw new RangeError(`FEN ${JSON.stringify(text)}: ${JSON.stringify(token)} is no square`);
      }
      const to = Number(last ?? first);
      for (let square = Number(first); square <= to; square++) {
        if (square < 1 || square > SQUARES)
          throw new RangeError(`FEN ${JSON.stringify(text)}: no square ${square}`);
        pieces.set(square, { color, king: king === "K" });
      }
    }
  }
  return { turn, pieces };
}

/** Writes a position as FEN, squares in order, one by one; equal positions give equal text. */
export function writeFen({ turn, pieces }: Position): string {
  return `${letter(turn)}:W${list(pieces, "white")}:B${list(pieces, "black")}`;
}

function letter(color: Color): string {
  return color === "white" ? "W" : "B";
}

function list(pieces: Pieces, color: Color): string {
  return [...pieces]
    .filter(([, piece]) => piece.color === color)
    .sort(([a], [b]) => a - b)
    .map(([square, piece]) => (piece.king ? `K${square}` : `${square}`))
    .join(",");
}
