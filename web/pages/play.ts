// The game page: joins the board, the list of moves, the strips and the actions to the server's word on the game.
import "../board/index";
import { readFen } from "../board/fen";
import type { DraughtsBoard } from "../board/index";
import type { Color, IllegalDetail, MoveDetail } from "../board/types";
import { Awaited } from "./awaited";
import { boardLabels } from "./boardlabels";
import { byId, embedded, keepingFocus, make } from "./dom";
import { fateOfPending, fenAt, fromFirstState, type Game, moveNumber, opponent, withState } from "./game";
import { t } from "./i18n";
import { MoveList } from "./movelist";
import { Notes } from "./note";
import type { DrawCount, FirstState, ServerMessage, StateMessage } from "./protocol";
import { initSettings } from "./settingspanel";
import { GameSocket } from "./socket";
import { renderStrip } from "./strips";
import { BoardView } from "./view";

/** A short break in the line is nobody's concern; after this it is said. */
const patience = 1_500;
/** An answer that takes longer than this counts as lost. */
const answerPatience = 2_000;
const reasonStays = 8_000;

const board = byId<DraughtsBoard>("board");
/** Where the focus goes when what had it is gone. */
const heirs = () => [byId("moves").querySelector<HTMLElement>("[aria-current]"), board];
const notes = new Notes(byId("note"), heirs);
const title = document.title;

let game: Game = fromFirstState(embedded<FirstState>("game-state"));
/** The ply looked at, or null for the present position. */
let past: number | null = null;
let resend = false;
/** The take-back or resignation on its way, and the plies there were before it. */
let acting: { t: "take_back" | "resign"; ref: number; plies: number } | null = null;
/** The question about a touch of the board whose answer is still wanted. */
let question: number | null = null;
let ref = 0;
/** Whether the line has been away for longer than patience. */
let lost = false;
let lineTimer: ReturnType<typeof setTimeout> | undefined;
let reasonTimer: ReturnType<typeof setTimeout> | undefined;

board.labels = boardLabels();
board.orientation = game.you ?? "white";
const view = new BoardView(board, game);
const list = new MoveList(byId("moves"), look);

const socket = new GameSocket({
  url: () => {
    const address = new URL(`/games/${game.id}/socket`, location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.searchParams.set("version", String(game.state.version));
    return address.href;
  },
  message: receive,
  connected: (is) => {
    // Tries that fail one after another are one loss, which counts from its beginning.
    if (is || lineTimer === undefined) {
      clearTimeout(lineTimer);
      lineTimer = is ? undefined : setTimeout(() => tellLine(true), patience);
    }
    if (!is) return;
    resend = true;
    // A move is asked again; what else was asked on the old line is not answered on this one.
    awaited.keepOnly(game.pending?.ref);
    tellLine(false);
  },
});

/** Nothing said is often the first sign of a dead line, and a new line brings the answer either way. */
const awaited = new Awaited(answerPatience, () => {
  tellLine(lost);
  socket.renew();
});

function tellLine(isLost: boolean): void {
  lost = isLost;
  const pending = game.pending !== null;
  if (lost && pending)
    notes.set("connection", t("The connection is lost. Your move will be sent as soon as it is back."));
  else if (lost) notes.set("connection", t("The connection is lost. Your game is kept; trying again."));
  else if (awaited.late && pending)
    notes.set("connection", t("Your move is not confirmed yet. Checking the connection."));
  else if (awaited.late) notes.set("connection", t("No answer yet. Checking the connection."));
  else notes.set("connection", null);
  renderStrips(fenAt(game, past ?? game.plies.length));
}

function receive(message: ServerMessage): void {
  if (message.t === "state") receiveState(message);
  else if (message.t !== "pong" && message.ref !== null) settle(message.ref);
  if (message.t === "error") receiveError(message.ref, message.message);
  else if (message.t === "reason" && message.ref === question) say("reason", message.text);
}

/** What was asked with this number has been answered. */
function settle(about: number): void {
  awaited.settle(about);
  tellLine(lost);
}

function receiveState(state: StateMessage): void {
  const next = withState(game, state);
  if (next === null) {
    // Plies are missing between what the page holds and what came: ask for the whole game.
    game = { ...game, state: { ...game.state, version: -1 } };
    socket.connect();
    return;
  }
  // What was said about the position before is of no use in the next one.
  if (next.state.version !== game.state.version) unsay();
  game = next;
  const fate = fateOfPending(game);
  const again = game.pending;
  if (again && fate === "open" && resend) {
    socket.send({ t: "move", ref: again.ref, ply: again.ply, move: again.move });
    awaited.add(again.ref);
  } else if (again && fate !== "open") {
    game = { ...game, pending: null };
    settle(again.ref);
  }
  if (fate === "lost") say("error", t("That move did not reach the game. This is how it stands."));
  else if (resend && acting && !isDone(acting)) say("error", t("That did not reach the game. Try again."));
  if (acting && (resend || isDone(acting))) acting = null;
  resend = false;
  if (past !== null && past >= game.plies.length) past = null;
  render();
}

/** Whether the game shows that this take-back or resignation reached it. */
function isDone({ t: kind, plies }: NonNullable<typeof acting>): boolean {
  return game.state.result !== null || (kind === "take_back" && game.plies.length < plies);
}

function receiveError(about: number | null, text: string): void {
  // An answer to what is no longer asked, as the second copy of a move that was sent twice.
  if (about !== null && ![game.pending?.ref, acting?.ref, question].includes(about)) return;
  if (about !== null && about === game.pending?.ref) game = { ...game, pending: null };
  if (about === null || about === acting?.ref) acting = null;
  say("error", text);
  render();
}

/** A sentence about what the person just tried; it gives way to the next move, or leaves after a while. */
function say(slot: "reason" | "error", text: string): void {
  notes.set("reason", null);
  notes.set("error", null);
  notes.set(slot, text);
  clearTimeout(reasonTimer);
  reasonTimer = setTimeout(unsay, reasonStays);
}

function unsay(): void {
  clearTimeout(reasonTimer);
  question = null;
  notes.set("reason", null);
  notes.set("error", null);
}

function send(kind: "take_back" | "resign"): void {
  if (socket.send({ t: kind, ref: ++ref })) {
    acting = { t: kind, ref, plies: game.plies.length };
    awaited.add(ref);
  } else say("error", t("There is no connection just now. Try again in a moment."));
}

/** Look at the position after a number of plies. */
function look(ply: number): void {
  const present = game.plies.length;
  past = ply >= present ? null : Math.max(0, ply);
  unsay();
  render();
}

function step(which: string): void {
  const at = past ?? game.plies.length;
  if (which === "first") look(0);
  else if (which === "previous") look(at - 1);
  else if (which === "next") look(at + 1);
  else look(game.plies.length);
}

function yourTurn(): boolean {
  return game.state.result === null && game.you === game.state.turn && game.pending === null;
}

function render(): void {
  if (game.state.result !== null) askResign(false);
  keepingFocus(draw, heirs);
}

function draw(): void {
  const { state } = game;
  const ply = past ?? game.plies.length;
  renderStrips(fenAt(game, ply));
  renderResult();
  list.render(game, ply);
  renderActions();
  const counts = state.draw_counts.filter(isNear).map((count) => count.text);
  notes.set("counts", counts.join(" · ") || null);
  notes.set("past", past === null ? null : pastText(past), {
    label: yourTurn() ? t("Back to your move") : t("Back to the game"),
    run: () => look(game.plies.length),
  });
  byId("main").classList.toggle("past", past !== null);
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-step]"))
    button.disabled = /first|previous/.test(button.dataset.step ?? "") ? ply === 0 : past === null;
  const yours = t("Your move");
  document.title = yourTurn() ? `${yours} – Damier` : title;
  // An own move under way stays on the board as it is until the server has spoken.
  const under = past === null && game.pending !== null && view.ahead;
  if (!under) view.show(game, ply, past === null && game.pending === null ? state.legal : []);
}

/** A count is worth a line once the draw comes into sight; few pieces bring it into sight at once. */
function isNear({ rule, done, of }: DrawCount): boolean {
  return done > 0 && (rule === "three_pieces" || rule === "two_pieces" || 2 * done >= of);
}

function pastText(ply: number): string {
  if (ply === 0) return t("Start position");
  return t("Position after move {number}: {move}", {
    number: moveNumber(game, ply - 1),
    move: game.plies[ply - 1]?.text ?? "",
  });
}

function renderStrips(fen: string): void {
  const { state } = game;
  // While a move is on its way it is the opponent's turn, unless it does not seem to arrive.
  const arriving = game.pending !== null && !lost && !awaited.late;
  const turn = arriving ? opponent(state.turn) : state.turn;
  for (const place of ["far", "near"] as const) {
    const color = place === "near" ? board.orientation : opponent(board.orientation);
    const toMove = state.result === null && turn === color && (arriving || game.pending === null);
    const thinking = toMove && state.thinking && game.players[color].kind === "computer";
    renderStrip(byId(place), { game, color, fen, toMove, thinking });
  }
}

function renderResult(): void {
  const card = byId("result");
  const { result } = game.state;
  card.hidden = result === null;
  if (result === null) card.replaceChildren();
  if (result === null || card.childElementCount > 0) return;
  card.append(
    make("strong", "", headline(result.winner)),
    make("span", "points", result.score.replace("-", "–")),
    make("p", "", result.text),
  );
}

function isOwn(square: number): boolean {
  return readFen(game.state.fen).pieces.get(square)?.color === game.you;
}

/** Why an own piece cannot be picked up, as far as the legal moves tell it. */
function cannotMove(square: number): string {
  const { legal } = game.state;
  if (legal.every((move) => move.captured.length > 0)) {
    const texts = [...new Set(legal.map((move) => `${move.from}x${move.to}`))];
    const choices = [...texts.slice(0, 3), ...(texts.length > 3 ? ["…"] : [])].join(", ");
    return t("You must capture ({choices}); the piece on {square} cannot.", { choices, square });
  }
  return t("The piece on {square} has no square to go to.", { square });
}

function headline(winner: Color | null): string {
  if (winner === null) return t("Draw");
  if (game.you !== null) return winner === game.you ? t("You won") : t("You lost");
  return winner === "white" ? t("White won") : t("Black won");
}

function renderActions(): void {
  const { can, result } = game.state;
  const over = result !== null;
  const takeBack = byId<HTMLButtonElement>("take-back");
  const resign = byId<HTMLButtonElement>("resign");
  takeBack.disabled = !can.take_back;
  resign.disabled = !can.resign;
  resign.hidden = over;
  byId("rematch").hidden = !over;
}

function askResign(asking: boolean): void {
  const confirm = byId("confirm");
  const answered = !asking && confirm.contains(document.activeElement);
  confirm.hidden = !asking;
  byId("actions").hidden = asking;
  if (asking) byId("resign-no").focus();
  if (answered) byId("resign").focus();
}

board.addEventListener("draughts-move", (event) => {
  const { move } = (event as CustomEvent<MoveDetail>).detail;
  const { from, to, captured, crowned } = move;
  unsay();
  game = { ...game, pending: { ref: ++ref, ply: game.plies.length, move: { from, to, captured, crowned } } };
  view.moved(move);
  // When there is no line now, the move goes out with the first state after the next connection.
  socket.send({ t: "move", ref, ply: game.plies.length, move: { from, to, captured, crowned } });
  awaited.add(ref);
  tellLine(lost);
  render();
});

board.addEventListener("draughts-illegal", (event) => {
  const { from, to } = (event as CustomEvent<IllegalDetail>).detail;
  if (past !== null) return;
  if (to === 0) say("reason", t("Pieces stand and move on the dark squares only."));
  else if (from === to && isOwn(from)) say("reason", cannotMove(from));
  else if (socket.send({ t: "explain", ref: ++ref, ply: game.plies.length, from: from ?? to, to })) {
    question = ref;
    awaited.add(ref);
  }
});

// What was said of one touch is over with the next. Captured, so that what the touch itself brings is said after it.
board.addEventListener("pointerdown", unsay, { capture: true });
board.addEventListener("keydown", (event) => /^(Enter| |Escape)$/.test(event.key) && unsay(), {
  capture: true,
});
// A screen reader's own gesture is a click without a press.
board.addEventListener("click", (event) => event.detail === 0 && unsay(), { capture: true });

byId("take-back").addEventListener("click", () => {
  // A second click on the same moves must not undo the ones before.
  if (acting?.t === "take_back") return;
  past = null;
  unsay();
  send("take_back");
});
byId("resign").addEventListener("click", () => askResign(true));
byId("resign-no").addEventListener("click", () => askResign(false));
byId("resign-yes").addEventListener("click", () => {
  askResign(false);
  send("resign");
});
byId("confirm").addEventListener("keydown", (event) => event.key === "Escape" && askResign(false));
byId("flip").addEventListener("click", () => {
  board.orientation = opponent(board.orientation);
  render();
});
for (const button of document.querySelectorAll<HTMLElement>("[data-step]"))
  button.addEventListener("click", () => step(button.dataset.step ?? "last"));

const steps: Readonly<Record<string, string>> = {
  ArrowLeft: "previous",
  ArrowRight: "next",
  Home: "first",
  End: "last",
};
addEventListener("keydown", (event) => {
  const which = steps[event.key];
  const target = event.target as Element;
  if (!which || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  if (target.closest("draughts-board, input, textarea, select, [popover]")) return;
  event.preventDefault();
  step(which);
});

initSettings((settings) => {
  board.numbers = settings.numbers;
  board.hints = settings.hints;
});
render();
socket.connect();
