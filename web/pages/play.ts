// The game page: joins the board, the list of moves, the strips and the actions to the server's word on the game.
import "../board/index";
import { readFen } from "../board/fen";
import type { DraughtsBoard } from "../board/index";
import type { Color, IllegalDetail, MoveDetail } from "../board/types";
import { boardLabels } from "./boardlabels";
import { byId, embedded, make } from "./dom";
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
const reasonStays = 8_000;

const board = byId<DraughtsBoard>("board");
const notes = new Notes(byId("note"));
const title = document.title;

let game: Game = fromFirstState(embedded<FirstState>("game-state"));
/** The ply looked at, or null for the present position. */
let past: number | null = null;
let resend = false;
/** Whether a take-back is on its way: a second click on the same moves must not undo the ones before. */
let takingBack = false;
let ref = 0;
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
    clearTimeout(lineTimer);
    if (is) {
      resend = true;
      notes.set("connection", null);
    } else
      lineTimer = setTimeout(
        () => notes.set("connection", t("The connection is lost. Your game is kept; trying again.")),
        patience,
      );
  },
});

function receive(message: ServerMessage): void {
  if (message.t === "state") receiveState(message);
  else if (message.t === "error") receiveError(message.ref, message.message);
  else if (message.t === "reason") say("reason", message.text);
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
  if (fate === "open" && resend && again) {
    socket.send({ t: "move", ref: again.ref, ply: again.ply, move: again.move });
  } else if (fate === "taken" || fate === "lost") game = { ...game, pending: null };
  if (fate === "lost") say("error", t("That move did not reach the game. This is how it stands."));
  resend = false;
  takingBack = false;
  if (past !== null && past >= game.plies.length) past = null;
  render();
}

function receiveError(about: number | null, text: string): void {
  takingBack = false;
  if (game.pending !== null && about === game.pending.ref) game = { ...game, pending: null };
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
  notes.set("reason", null);
  notes.set("error", null);
}

function send(message: { t: "take_back" } | { t: "resign" }): boolean {
  const sent = socket.send({ ...message, ref: ++ref });
  if (!sent) say("error", t("There is no connection just now. Try again in a moment."));
  return sent;
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
  const turn = game.pending === null ? state.turn : opponent(state.turn);
  for (const place of ["far", "near"] as const) {
    const color = place === "near" ? board.orientation : opponent(board.orientation);
    const toMove = state.result === null && turn === color;
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
  if (game.state.legal.every((move) => move.captured.length > 0))
    return t("You must capture, and the piece on {square} cannot make that capture.", { square });
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
  if (over) askResign(false);
}

function askResign(asking: boolean): void {
  byId("confirm").hidden = !asking;
  byId("actions").hidden = asking;
}

board.addEventListener("draughts-move", (event) => {
  const { move } = (event as CustomEvent<MoveDetail>).detail;
  const { from, to, captured, crowned } = move;
  unsay();
  game = { ...game, pending: { ref: ++ref, ply: game.plies.length, move: { from, to, captured, crowned } } };
  view.moved(move);
  // When there is no line now, the move goes out with the first state after the next connection.
  socket.send({ t: "move", ref, ply: game.plies.length, move: { from, to, captured, crowned } });
  render();
});

board.addEventListener("draughts-illegal", (event) => {
  const { from, to } = (event as CustomEvent<IllegalDetail>).detail;
  if (past !== null) return;
  if (to === 0) say("reason", t("Pieces stand and move on the dark squares only."));
  else if (from === to && isOwn(from)) say("reason", cannotMove(from));
  else socket.send({ t: "explain", ref: ++ref, ply: game.plies.length, from: from ?? to, to });
});

byId("take-back").addEventListener("click", () => {
  if (takingBack) return;
  past = null;
  unsay();
  takingBack = send({ t: "take_back" });
});
byId("resign").addEventListener("click", () => {
  askResign(true);
  byId("resign-no").focus();
});
byId("resign-no").addEventListener("click", () => {
  askResign(false);
  byId("resign").focus();
});
byId("resign-yes").addEventListener("click", () => {
  askResign(false);
  send({ t: "resign" });
});
byId("confirm").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  askResign(false);
  byId("resign").focus();
});
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
