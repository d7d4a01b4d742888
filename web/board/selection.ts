import type { LegalMove, Pieces, Square } from "./types";

/** One way to make a move: the same move may have several. */
export interface Route {
  readonly move: LegalMove;
  readonly path: readonly Square[];
}

/**
 * A piece picked up, and how far its way has been walked. `way` begins with the square the piece stands on and holds
 * every stop made since; `routes` are the ways of the legal moves that begin so. `before` is where one step back leads.
 */
export interface Selection {
  readonly from: Square;
  readonly way: readonly Square[];
  readonly routes: readonly Route[];
  readonly before: Selection | null;
}

/** What an attempt comes to. */
export type Outcome =
  | { readonly kind: "nothing" }
  | { readonly kind: "select"; readonly selection: Selection | null }
  | { readonly kind: "step"; readonly selection: Selection }
  | { readonly kind: "move"; readonly route: Route }
  | { readonly kind: "illegal"; readonly from: Square | null; readonly to: Square };

/** The squares whose piece has a legal move. */
export function movable(moves: readonly LegalMove[]): Set<Square> {
  return new Set(moves.map((move) => move.from));
}

/** Whether the piece on a square belongs to the side whose legal moves these are. */
export function isOwn(pieces: Pieces, moves: readonly LegalMove[], square: Square): boolean {
  const first = moves[0];
  const piece = pieces.get(square);
  return first !== undefined && piece !== undefined && piece.color === pieces.get(first.from)?.color;
}

/** Picks up the piece on a square; null when it has no legal move. */
export function select(moves: readonly LegalMove[], from: Square): Selection | null {
  const routes = moves
    .filter((move) => move.from === from)
    .flatMap((move) => move.paths.map((path) => ({ move, path })));
  return routes.length === 0 ? null : { from, way: [from], routes, before: null };
}

/** The square on which the picked-up piece is shown. */
export function standing(selection: Selection): Square {
  return selection.way[selection.way.length - 1] as Square;
}

/** Whether a way is being walked stop by stop, because the target did not decide the move. */
export function stepping(selection: Selection): boolean {
  return selection.before !== null;
}

/** The squares offered: where a move ends, or, once a way is being walked, the next stops of what is left. */
export function offered(selection: Selection): Set<Square> {
  const { routes, way } = selection;
  return new Set(
    routes.flatMap(({ move, path }) => (stepping(selection) ? (path[way.length] ?? []) : move.to)),
  );
}

/** The enemy pieces that the moves still possible take, without those already passed. */
export function prey(
  moves: readonly LegalMove[],
  selection: Selection | null,
  taken: readonly Square[],
): Set<Square> {
  const possible = selection ? selection.routes.map((route) => route.move) : moves;
  const squares = new Set(possible.flatMap((move) => move.captured));
  for (const square of taken) squares.delete(square);
  return squares;
}

/**
 * Touches a square, by click or key: picks a piece up, puts it down, makes a step or plays a move.
 * A target that only one move has decides it. Where several moves share it, the way is walked to the first square
 * where they part. A stop on the way may be touched as well.
 */
export function touch(
  pieces: Pieces,
  moves: readonly LegalMove[],
  selection: Selection | null,
  square: Square,
): Outcome {
  if (selection) {
    const went = go(selection, square);
    if (went) return went;
    if (selection.way.includes(square)) return { kind: "select", selection: selection.before };
  }
  const picked = select(moves, square);
  if (picked) return { kind: "select", selection: picked };
  if (selection && !isOwn(pieces, moves, square))
    return { kind: "illegal", from: selection.from, to: square };
  if (moves.length > 0 && pieces.has(square)) return { kind: "illegal", from: square, to: square };
  return { kind: "nothing" };
}

/** Drops the piece dragged from a square; `selection` is null when that piece has no legal move. */
export function drop(selection: Selection | null, from: Square, to: Square): Outcome {
  return (selection && go(selection, to)) ?? { kind: "illegal", from, to };
}

function go(selection: Selection, square: Square): Outcome | null {
  const ending = selection.routes.filter((route) => route.move.to === square);
  const stopping = selection.routes.filter((route) => route.path[selection.way.length] === square);
  const ended = () => (ending.length > 0 ? walk(selection, selection.way, ending) : null);
  const stopped = () => (stopping.length > 0 ? walk(selection, [...selection.way, square], stopping) : null);
  return stepping(selection) ? (stopped() ?? ended()) : (ended() ?? stopped());
}

function walk(before: Selection, way: readonly Square[], routes: readonly Route[]): Outcome {
  const first = routes[0] as Route;
  if (routes.every((route) => route.move === first.move)) return { kind: "move", route: first };
  let stops = way.length;
  while (routes.every((route) => route.path[stops] !== undefined && route.path[stops] === first.path[stops]))
    stops++;
  return { kind: "step", selection: { from: before.from, way: first.path.slice(0, stops), routes, before } };
}
