import { Motion, type Offset } from "./animate";
import { Announcer, moveSentence, selectionSentence } from "./announce";
import { Drag } from "./drag";
import { readFen, writeFen } from "./fen";
import { cursorAfter, TypedNumber } from "./keyboard";
import { ENGLISH, fill, type Labels, pieceName } from "./labels";
import { after, crowningStop, difference } from "./position";
import { afterTouch, type Way } from "./premove";
import {
  drop,
  type Outcome,
  type Route,
  type Selection,
  select,
  standing,
  stepping,
  touch,
} from "./selection";
import { type Act, Stage } from "./stage";
import { bound, isGraspable, premoving, type State, shown, taken } from "./state";
import type {
  Color,
  IllegalDetail,
  LegalMove,
  MoveDetail,
  Numbers,
  PickDetail,
  Pieces,
  Position,
  PremoveDetail,
  Square,
  SquareDetail,
} from "./types";
import { View } from "./view";

const START = "W:W31-50:B1-20";

/**
 * `<draughts-board>`: shows a position and lets a person choose one of the legal moves that it is given.
 * It knows no rules. It emits `draughts-move` with the move chosen, which it already shows, `draughts-illegal` for
 * an attempt that no legal move answers, `draughts-pick` when a piece is picked up that may move,
 * `draughts-premove` when a move ahead is chosen or given up, and `draughts-square` for a touch that means none of these.
 */
export class DraughtsBoard extends HTMLElement {
  static readonly observedAttributes = ["position", "orientation", "numbers"];

  readonly #view: View;
  readonly #drag: Drag;
  readonly #stage: Stage;
  readonly #motion = new Motion();
  readonly #announcer = new Announcer();
  readonly #typed = new TypedNumber();
  #labels = ENGLISH;
  /** The legal moves as given; the state has none left once one was made, until others come or the position goes back. */
  #moves: readonly LegalMove[] = [];
  #state: State = {
    position: readFen(START),
    moves: [],
    selection: null,
    lastMove: null,
    orientation: "white",
    numbers: "inside",
    hints: false,
    touched: null,
    urged: [],
    premover: null,
    premove: [],
  };
  #stale = false;
  /** Whether the press under way has itself picked the piece up, so that its end must not put it down. */
  #picking = false;
  /** Whether the focus moves because of a press: the cursor is then where the person points and needs no ring. */
  #pressing = false;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    this.#view = new View(root);
    this.#stage = new Stage(this.#view, this.#motion, () => this.#render());
    root.append(this.#announcer.element);
    const { grid } = this.#view;
    this.#drag = new Drag(grid, {
      squareUnder: (x, y) => this.#view.squareUnder(x, y),
      press: (square) => this.#press(square),
      tap: (square) => this.#tap(square),
      hover: (square) => this.#view.hover(square),
      drop: (from, to, held) => this.#drop(from, to, held),
      release: (from, held) => this.#stage.glideBack(from, held),
    });
    grid.addEventListener("keydown", (event) => this.#key(event));
    grid.addEventListener("focusin", (event) => {
      const square = this.#view.squareOf(event.target);
      if (square) this.#view.cursor(square);
      grid.classList.toggle("keys", !this.#pressing);
    });
    grid.addEventListener("contextmenu", (event) => {
      if (this.#state.premove.length === 0) return;
      event.preventDefault();
      this.#ahead([]);
    });
    grid.addEventListener("click", (event) => {
      // A click without a press comes from a screen reader's own gesture.
      const square = event.detail === 0 ? this.#view.squareOf(event.target) : null;
      if (square) this.#activate(square);
    });
    this.#render();
  }

  disconnectedCallback(): void {
    this.#drag.cancel();
    this.#rush();
  }

  attributeChangedCallback(name: string, _before: string | null, value: string | null): void {
    if (name === "position") this.position = value ?? START;
    if (name === "orientation") this.orientation = value === "black" ? "black" : "white";
    if (name === "numbers") this.numbers = value === "edge" || value === "off" ? value : "inside";
  }

  /**
   * The position as FEN. A position other than the one shown, or about to be, takes its place at once.
   * @throws RangeError for text that is no FEN; the board then stays as it was.
   */
  get position(): string {
    return writeFen(this.#expected);
  }

  set position(fen: string) {
    const position = readFen(fen);
    const known = [this.#state.position, ...this.#stage.acts.map((act) => act.next)].map(writeFen);
    if (known.includes(writeFen(position))) return;
    this.#rush();
    this.#drag.cancel();
    this.#change({ position, selection: null, moves: this.#moves });
  }

  /**
   * The legal moves; none makes the board a picture. A piece in hand stays there when it can still do just the same,
   * and when it was picked up while there was no move yet and can move now.
   */
  get moves(): readonly LegalMove[] {
    return this.#moves;
  }

  set moves(moves: readonly LegalMove[]) {
    if (JSON.stringify(moves) === JSON.stringify(this.#moves)) return;
    this.#moves = moves;
    const held = this.#heldBy(moves);
    if (!held) this.#drag.cancel();
    const picked = held !== null && this.#state.selection === null;
    const { premove } = this.#state;
    this.#set({ moves, selection: held, premove: moves.length > 0 && premove.length === 1 ? [] : premove });
    if (picked) this.#emit<PickDetail>("draughts-pick", { square: held.from });
    const first = moves[0];
    if (first && !this.#view.grid.matches(":focus-within")) this.#view.cursor(first.from);
  }

  /** The side that sits at the bottom. */
  get orientation(): Color {
    return this.#state.orientation;
  }

  set orientation(orientation: Color) {
    this.#drag.cancel();
    this.#rush();
    this.#set({ orientation });
  }

  get numbers(): Numbers {
    return this.#state.numbers;
  }

  set numbers(numbers: Numbers) {
    this.#set({ numbers });
  }

  /** The move whose two squares are tinted. */
  get lastMove(): LegalMove | null {
    return this.#state.lastMove;
  }

  set lastMove(lastMove: LegalMove | null) {
    this.#set({ lastMove });
  }

  /** Whether the pieces that can move, and those that must be captured, are marked before one is picked up. */
  get hints(): boolean {
    return this.#state.hints;
  }

  set hints(hints: boolean) {
    this.#set({ hints });
  }

  /** The square of the piece that the player has touched and must move: it stays in hand, being the only one. */
  get touched(): Square | null {
    return this.#state.touched;
  }

  set touched(touched: Square | null) {
    this.#set({ touched });
  }

  /** The pieces of which one must capture, marked until a piece is picked up. */
  get urged(): readonly Square[] {
    return this.#state.urged;
  }

  set urged(urged: readonly Square[]) {
    if (urged.join() !== this.urged.join()) this.#set({ urged });
  }

  /** The side that may choose a move ahead while there is no move to make; null for neither. */
  get premover(): Color | null {
    return this.#state.premover;
  }

  set premover(premover: Color | null) {
    if (premover !== this.#state.premover) this.#set({ premover });
  }

  /** The move chosen ahead: its start, stops on the way if the person named any, and its end; empty for none. */
  get premove(): readonly Square[] {
    return chosen(this.#state.premove);
  }

  /** The same way again leaves a piece that is in hand for another one where it is. */
  set premove(premove: readonly Square[]) {
    if (premove.join() !== this.premove.join()) this.#set({ premove });
  }

  get labels(): Labels {
    return this.#labels;
  }

  set labels(labels: Labels) {
    this.#labels = labels;
    this.#soon();
  }

  /** Whether moves are animated. The person's own wish for less motion is heeded in any case. */
  get animated(): boolean {
    return this.#motion.enabled;
  }

  set animated(animated: boolean) {
    this.#motion.enabled = animated;
  }

  /**
   * Shows a move hop by hop, then the position after it. A move given while another is being shown waits for its turn;
   * one that the board has already shown, because the person made it there, is not shown again.
   * Resolves when it has been shown, or when another position has taken its place.
   */
  play(move: LegalMove, fen: string): Promise<void> {
    const next = readFen(fen);
    if (writeFen(next) === writeFen(this.#expected)) return this.#stage.settled();
    const path = move.paths[0] ?? [move.from, move.to];
    return new Promise((done) => this.#stage.add(this.#act({ move, path }, 1, null, next, () => {}, done)));
  }

  /** Puts down the piece in hand, and takes back a half-made way. */
  reset(): void {
    this.#drag.cancel();
    this.#rush();
    this.#pick(null);
    this.#ahead([]);
  }

  override focus(options?: FocusOptions): void {
    this.#view.grid.querySelector<HTMLElement>('[tabindex="0"]')?.focus(options);
  }

  // What the person does

  #press(square: Square): SVGSVGElement | null {
    this.#rush();
    this.#picking = false;
    this.#view.grid.classList.remove("keys");
    if (!square) return null;
    this.#pressing = true;
    this.#view.cell(square).focus({ preventScroll: true });
    this.#pressing = false;
    const { selection, moves } = this.#state;
    if (premoving(this.#state)) return this.#pressAhead(square);
    if (selection && standing(selection) === square) return this.#view.piece(square);
    if (selection && stepping(selection) && selection.from === square) return null;
    if (!isGraspable(this.#state, square)) return null;
    const picked = select(moves, square);
    if (picked) {
      this.#pick(picked);
      this.#picking = true;
    }
    return this.#view.piece(square);
  }

  /** A piece is picked up at once for a move ahead too, unless the press ends a way on it. */
  #pressAhead(square: Square): SVGSVGElement | null {
    const way = this.#wayTo(this.#state.premove, square);
    if (way.length === 1) {
      this.#ahead(way);
      this.#picking = true;
    }
    return isGraspable(this.#state, square) ? this.#view.piece(square) : null;
  }

  #tap(square: Square): void {
    if (!this.#picking) this.#touch(square, false);
  }

  #touch(square: Square, keep: boolean): void {
    if (premoving(this.#state)) {
      this.#ahead(this.#wayTo(this.#state.premove, square));
      return;
    }
    const outcome = this.#touched(square);
    if (outcome.kind === "nothing" && square) this.#emit<SquareDetail>("draughts-square", { square });
    this.#take(outcome, null, keep);
  }

  #drop(from: Square, to: Square | null, held: Offset): void {
    const { selection } = this.#state;
    if (premoving(this.#state)) {
      this.#stage.glideBack(from, held);
      if (to !== from) this.#ahead(chosen(this.#wayTo([from], to ?? 0)));
      return;
    }
    const inHand = selection && standing(selection) === from ? selection : null;
    if (to === null || to === from) {
      this.#stage.glideBack(from, held);
      if (to === null && inHand && !stepping(inHand)) this.#pick(null);
      return;
    }
    const outcome = drop(inHand, from, to);
    if (outcome.kind === "illegal") this.#stage.glideBack(from, held);
    this.#take(outcome, held, false);
  }

  #activate(square: Square): void {
    this.#rush();
    this.#touch(square, true);
  }

  #touched(square: Square): Outcome {
    const { position, moves, selection } = this.#state;
    return touch(position.pieces, moves, selection, square);
  }

  /** `keep`: a wrong square leaves the piece in hand, since with keys the way back to it is long. */
  #take(outcome: Outcome, held: Offset | null, keep: boolean): void {
    const { selection } = this.#state;
    switch (outcome.kind) {
      case "select":
        this.#pick(outcome.selection);
        break;
      case "step":
        this.#step(outcome.selection, held);
        break;
      case "move":
        this.#make(outcome.route, selection?.way.length ?? 1, held);
        break;
      case "illegal":
        if (selection && !keep && !stepping(selection)) this.#set({ selection: null });
        this.#emit<IllegalDetail>("draughts-illegal", { from: outcome.from, to: outcome.to });
        break;
      case "nothing":
        break;
    }
  }

  #pick(selection: Selection | null): void {
    const before = this.#state.selection;
    if (selection === before) return;
    this.#change({ selection });
    this.#tell();
    if (selection && selection.from !== before?.from)
      this.#emit<PickDetail>("draughts-pick", { square: selection.from });
  }

  #wayTo(way: Way, square: Square): Way {
    const color = premoving(this.#state);
    return color ? afterTouch(this.#state.position.pieces, color, way, square) : [];
  }

  /** A piece is in hand, or a way chosen, for a move ahead; an empty way gives it up. */
  #ahead(way: Way): void {
    const before = this.#state.premove;
    if (way.length === 0 && before.length === 0) return;
    this.#set({ premove: way });
    const piece = this.#state.position.pieces.get(way[0] ?? 0);
    const [from, to] = [way[0] ?? 0, way.at(-1) ?? 0];
    if (piece && way.length > 1) {
      const name = pieceName(this.#labels, piece);
      this.#announcer.say(fill(this.#labels.premoved, { piece: name, from, to }));
    } else if (before.length > 1) this.#announcer.say(this.#labels.unpremoved);
    if (chosen(before).join() !== chosen(way).join())
      this.#emit<PremoveDetail>("draughts-premove", { way: chosen(way) });
  }

  /** What is in hand once these are the moves: the piece in hand now, if it can do the same, or can move at last. */
  #heldBy(moves: readonly LegalMove[]): Selection | null {
    const { selection, premove } = this.#state;
    if (!selection) return premove.length === 1 ? select(moves, premove[0] as Square) : null;
    const routes = (given: readonly LegalMove[]) => JSON.stringify(select(given, selection.from)?.routes);
    return routes(moves) === routes(this.#state.moves) ? selection : null;
  }

  #step(selection: Selection, held: Offset | null): void {
    const { position } = this.#state;
    const first = selection.routes[0] as Route;
    const walked = selection.before?.way.length ?? 1;
    this.#set({ selection });
    this.#tell();
    if (selection.way.length === walked) return;
    this.#stage.add({
      path: selection.way,
      walked,
      captured: first.move.captured,
      crowningStop: -1,
      ends: false,
      held,
      next: position,
      begin: () => {},
      done: () => {},
    });
  }

  #make(route: Route, walked: number, held: Offset | null): void {
    const next = after(this.#state.position, route.move);
    const spend = () => this.#set({ moves: [] });
    this.#stage.add(this.#act(route, walked, held, next, spend, () => {}));
    this.#emit<MoveDetail>("draughts-move", { move: route.move });
  }

  #act(
    { move, path }: Route,
    walked: number,
    held: Offset | null,
    next: Position,
    begun: () => void,
    done: () => void,
  ): Act {
    return {
      path,
      walked,
      captured: move.captured,
      crowningStop: crowningStop(move, path, next.turn === "white" ? "black" : "white"),
      ends: true,
      held,
      next,
      begin: () => {
        const piece = this.#state.position.pieces.get(move.from);
        if (piece) this.#announcer.say(moveSentence(this.#labels, piece, move, path));
        // First, so that no piece is in hand for a move that is already made.
        begun();
        this.#set({ position: next, lastMove: move, selection: null });
      },
      done,
    };
  }

  #key(event: KeyboardEvent): void {
    const square = this.#view.squareOf(event.target);
    this.#view.grid.classList.add("keys");
    if (!square || event.altKey || event.ctrlKey || event.metaKey) return;
    const { selection, orientation } = this.#state;
    const to = cursorAfter(event.key, square, orientation) ?? this.#typed.type(event.key, event.timeStamp);
    if (to !== null) {
      this.#view.cell(to).focus();
    } else if (event.key === "Enter" || event.key === " ") {
      this.#activate(square);
    } else if (event.key === "Escape" && (selection || this.#state.premove.length > 0)) {
      this.#drag.cancel();
      this.#rush();
      this.#pick(selection?.before ?? null);
      this.#ahead([]);
    } else {
      return;
    }
    event.preventDefault();
  }

  #tell(): void {
    const { selection, position } = this.#state;
    const piece = selection && position.pieces.get(selection.from);
    this.#announcer.say(piece ? selectionSentence(this.#labels, piece, selection) : this.#labels.dropped);
  }

  #emit<Detail>(name: string, detail: Detail): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  // What is shown

  /** The position that will be shown once all that waits has been shown. */
  get #expected(): Position {
    return this.#stage.acts.at(-1)?.next ?? this.#state.position;
  }

  /** Ends at once whatever is being shown or waits, as if it had been shown. */
  #rush(): void {
    const [begun, ...waiting] = this.#stage.acts;
    this.#motion.cut();
    if (!begun) return;
    for (const act of waiting) act.begin();
    this.#stage.cut();
    this.#render();
  }

  #set(patch: Partial<State>): void {
    this.#state = bound({ ...this.#state, ...patch });
    this.#soon();
  }

  /** Changes where pieces stand, letting them glide there. */
  #change(patch: Partial<State>): void {
    const before = this.#pieces;
    this.#set(patch);
    const now = this.#pieces;
    this.#view.turn(this.#state.orientation);
    this.#stage.replace(difference(before, now), now, taken(this.#state), this.#state.orientation);
    this.#render();
  }

  get #pieces(): Pieces {
    return shown(this.#state);
  }

  /** Several properties set in a row are drawn once. */
  #soon(): void {
    if (this.#stale) return;
    this.#stale = true;
    queueMicrotask(() => {
      if (this.#stale) this.#render();
    });
  }

  #render(): void {
    this.#stale = false;
    const pieces = this.#pieces;
    this.#view.decorate(this.#state, this.#labels, pieces);
    if (this.#stage.acts.length === 0) this.#view.place(pieces, taken(this.#state));
  }
}

/** A way that names more than the piece it begins with. */
function chosen(way: Way): Way {
  return way.length > 1 ? way : [];
}
