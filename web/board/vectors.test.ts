// Every move of the shared test positions can be chosen on the board, by every one of its written ways.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readFen, writeFen } from "./fen";
import { after, passed } from "./position";
import { offered, type Selection, select, touch } from "./selection";
import type { LegalMove, Square } from "./types";

interface Vector {
  readonly fen: string;
  readonly moves: readonly (Omit<LegalMove, "paths"> & { readonly long: readonly string[] })[];
}

const VECTORS = (JSON.parse(readFileSync("tests/vectors/notation.json", "utf8")) as Vector[]).map(
  ({ fen, moves }) => ({
    fen,
    moves: moves.map(
      ({ long, ...move }): LegalMove => ({
        ...move,
        paths: long.length === 0 ? [[move.from, move.to]] : long.map((text) => text.split("x").map(Number)),
      }),
    ),
  }),
);

/** Touches the target, then, as long as squares are offered, the next stop of one way. */
function choose(
  fen: string,
  moves: readonly LegalMove[],
  move: LegalMove,
  path: readonly Square[],
): LegalMove {
  const { pieces } = readFen(fen);
  let selection = select(moves, move.from) as Selection;
  let square = move.to;
  for (let touches = 0; touches <= path.length; touches++) {
    assert.ok(offered(selection).has(square), `${fen}: ${square} is offered`);
    const outcome = touch(pieces, moves, selection, square);
    if (outcome.kind === "move") return outcome.route.move;
    assert.equal(outcome.kind, "step");
    selection = (outcome as { selection: Selection }).selection;
    square = path[selection.way.length] as Square;
  }
  throw new Error(`${fen}: ${path.join("x")} does not end`);
}

test("each way passes exactly the pieces that the move captures", () => {
  for (const { moves } of VECTORS) {
    for (const { captured, paths } of moves) {
      for (const path of paths) {
        assert.deepEqual(
          passed(captured, path).sort((a, b) => a - b),
          captured,
          path.join("x"),
        );
      }
    }
  }
});

test("each move is chosen by its target and, where that is not enough, by each of its ways", () => {
  for (const { fen, moves } of VECTORS) {
    for (const move of moves) {
      for (const path of move.paths) {
        assert.equal(choose(fen, moves, move, path), move, `${fen}: ${path.join("x")}`);
      }
    }
  }
});

test("reading and writing a position gives it back", () => {
  for (const { fen, moves } of VECTORS) {
    const position = readFen(fen);
    assert.deepEqual(readFen(writeFen(position)), position);
    for (const move of moves) {
      const { pieces } = after(position, move);
      assert.equal(
        pieces.size,
        position.pieces.size - move.captured.length,
        `${fen}: ${move.from}-${move.to}`,
      );
    }
  }
});
