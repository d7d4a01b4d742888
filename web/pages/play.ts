// The game page: joins the board, the moves, the strips, the actions and the talk to the server's word on the game.
import "../board/index";
import { readFen } from "../board/fen";
import type { DraughtsBoard } from "../board/index";
import type { IllegalDetail, LegalMove, MoveDetail, PickDetail, Pieces, PremoveDetail } from "../board/types";
import { Actions } from "./actions";
import { Asks } from "./asks";
import { Awaited } from "./awaited";
import { boardLabels } from "./boardlabels";
import { Clocks } from "./clocks";
import { byId, embedded, keepingFocus, make } from "./dom";
import { renderFacts } from "./facts";
import { betweenPeople, fateOfPending, fenAt, fromFirstState, type Game, opponent, withState } from "./game";
import { localUrl, t, tn } from "./i18n";
import { MoveList } from "./movelist";
import { Notes } from "./note";
import { fitting } from "./premove";
import type {
  ClockReading,
  Deed,
  FirstState,
  PresenceMessage,
  RatingMessage,
  RematchMessage,
  ServerMessage,
  StateMessage,
} from "./protocol";
import { ownChange } from "./rating";
import { cannotMove, headline, isNear, isOwn, mustCapture, newsOf, pastText, wayText } from "./reasons";
import { Requests } from "./requests";
import { initSettings } from "./settingspanel";
import { GameSocket } from "./socket";
import { Sounds, soundOf, soundOfMove } from "./sounds";
import { gameUrl, standing } from "./standing";
import { Strip, URGENT } from "./strips";
import { Talk } from "./talk";
import { BoardView } from "./view";

/** A short break in the line is nobody's concern; after this it is said. */
const patience = 1_500;
/** An answer that takes longer than this counts as lost. */
const answerPatience = 2_000;
const reasonStays = 8_000;
/** Pixels of the line that a phone's page keeps for what is said. */
const lineHeight = 48;

const board = byId<DraughtsBoard>("board");
/** Where the focus goes when what had it is gone. */
const heirs = () => [byId("moves").querySelector<HTMLElement>("[aria-current]"), board];
const notes = new Notes(byId("note"), heirs);
const asks = new Asks(byId("asks"), heirs);
const title = document.title;

const first = embedded<FirstState>("game-state");
let game: Game = fromFirstState(first);
/** The ply looked at, or null for the present position. */
let past: number | null = null;
let resend = false;
const requests = new Requests();
/** The question about a touch of the board whose answer is still wanted. */
let question: number | null = null;
/** The piece that has just been touched where touching binds, until the server's word shows it. */
let touching: number | null = null;
/** The move chosen ahead: its start, stops named on the way, and its end. */
let premove: readonly number[] = [];
let presence: PresenceMessage | null = null;
/** Another game of the viewer's that has begun. */
let begun: string | null = null;
let rating: RatingMessage = first.rating;
let rematch: RematchMessage = { t: "rematch", offered_by: null, game: null };
/** Moments of this page's own time: until when the first move must be made, and when the game can be claimed. */
let firstMoveAt: number | null = null;
let claimAt: number | null = null;
let ref = 0;
/** Whether the line has been away for longer than patience. */
let lost = false;
let lineTimer: ReturnType<typeof setTimeout> | undefined;
let reasonTimer: ReturnType<typeof setTimeout> | undefined;
let countTimer: ReturnType<typeof setTimeout> | undefined;

board.labels = boardLabels();
board.orientation = game.you ?? "white";
const view = new BoardView(board, game);
const list = new MoveList(byId("moves"), look);
const strips = {
  far: new Strip(byId("far"), () => request({ t: "add_time" })),
  near: new Strip(byId("near"), () => request({ t: "add_time" })),
};
const actions = new Actions({
  game: () => game,
  request: (deed) => {
    past = null;
    unsay();
    return request(deed);
  },
  tell: (text) => text !== null && say("news", text),
  asking: (...kinds) => requests.asking(...kinds),
  hasRematch: () => rematch.offered_by !== null && rematch.offered_by === game.you,
  isAskedForRematch: () => rematch.game !== null || rematch.offered_by === opponent(game.you ?? "white"),
});
const talk = new Talk({ game: () => game, send }, first.presets, first.chat_on);
const clocks = new Clocks(showClocks);
const sounds = new Sounds();

const socket = new GameSocket({
  url: () => {
    const address = new URL(localUrl(`/games/${game.id}/socket`), location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.searchParams.set("version", String(game.state.version));
    address.searchParams.set("said", talk.said);
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

// --- What the server says ------------------------------------------------------------------------------------------

function receive(message: ServerMessage): void {
  switch (message.t) {
    case "state":
      receiveState(message);
      break;
    case "presence":
      presence = message;
      claimAt = message.claim_in === null ? null : performance.now() + message.claim_in;
      render();
      break;
    case "chat":
      talk.receive(message);
      break;
    case "chat_changed":
      talk.changed(message);
      break;
    case "chat_on":
      talk.switched(message.on);
      break;
    case "rematch":
      receiveRematch(message);
      break;
    case "begun":
      begun = message.game;
      renderAsks();
      break;
    case "rating":
      tell(ownChange(rating, message, game.you));
      rating = message;
      render();
      break;
    case "ack":
      requests.settle(message.ref);
      settle(message.ref);
      break;
    case "error":
      if (message.ref !== null) settle(message.ref);
      receiveError(message.ref, message.message);
      break;
    case "reason":
      settle(message.ref);
      if (message.ref === question) refuse(message.text);
  }
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
  // What was said about the position before is of no use in the next one. A touch, an offer or the like leaves it.
  if (next.state.fen !== game.state.fen || (state.result !== null && game.state.result === null)) unsay();
  const shorter = next.plies.length < game.plies.length;
  const news = resend ? null : newsOf(game, next, clocks.left);
  if (!resend) sounds.play(soundOf(game, next));
  game = next;
  talk.join();
  clocks.set(state.clock);
  firstMoveAt = state.first_move_in === null ? null : performance.now() + state.first_move_in;
  const fate = fateOfPending(game);
  const again = game.pending;
  if (again && fate === "open" && resend) {
    sendMove();
  } else if (again && fate !== "open") {
    game = { ...game, pending: null };
    settle(again.ref);
  }
  if (fate === "lost") say("error", t("That move did not reach the game. This is how it stands."));
  if (news !== null) say("news", news);
  requests.see(game);
  if (resend) {
    const undone = requests.drop();
    if (undone.includes("say")) talk.refused("say", t("That did not reach the others. Try again."));
    if (undone.some((kind) => !/touch|say|chat/.test(kind)))
      say("error", t("That did not reach the game. Try again."));
  }
  if (!requests.asking("touch")) touching = null;
  if (state.result !== null) tell("");
  resend = false;
  if (past !== null && past >= game.plies.length) past = null;
  if (premove.length > 0 && (shorter || fate === "lost" || state.result !== null)) setPremove([]);
  if (premove.length > 0 && game.state.legal.length > 0 && game.pending === null) playPremove();
  render();
}

function receiveRematch(message: RematchMessage): void {
  const before = rematch;
  rematch = message;
  const agreed = before.offered_by !== null || requests.asking("rematch");
  // Somebody who comes back to look at this game is not sent away from it.
  if (message.game !== null && agreed && game.you !== null) location.assign(gameUrl(message.game));
  if (before.offered_by === game.you && game.you !== null && message.offered_by === null)
    say("reason", t("No rematch this time."));
  render();
}

function receiveError(about: number | null, text: string): void {
  const kind = about === null ? undefined : requests.settle(about);
  if (kind === "say" || kind === "chat") talk.refused(kind, text);
  // An answer to what is no longer asked, as the second copy of a move that was sent twice.
  const wanted = kind !== undefined || about === game.pending?.ref || about === question;
  if (about !== null && (!wanted || kind === "say" || kind === "chat")) return;
  if (about !== null && about === game.pending?.ref) game = { ...game, pending: null };
  if (about === null) requests.drop();
  if (kind === "touch") touching = null;
  say("error", text);
  render();
}

// --- What is asked of it -------------------------------------------------------------------------------------------

/** Ask for something; false when there is no line. */
function send(deed: Deed): boolean {
  if (!socket.send({ ...deed, ref: ref + 1 })) return false;
  requests.add(++ref, deed.t, game);
  awaited.add(ref);
  return true;
}

function request(deed: Deed): boolean {
  const sent = send(deed);
  if (!sent) say("error", t("There is no connection just now. Try again in a moment."));
  render();
  return sent;
}

/** Send the own move that is on the board; when there is no line now, it goes out with the first state on the next. */
function sendMove(): void {
  if (game.pending === null) return;
  const { ref, ply, move } = game.pending;
  const { from, to, captured, crowned } = move;
  socket.send({ t: "move", ref, ply, move: { from, to, captured, crowned } });
  awaited.add(ref);
}

function play(move: LegalMove): void {
  unsay();
  sounds.play(soundOfMove(move));
  game = { ...game, pending: { ref: ++ref, ply: game.plies.length, move } };
  touching = null;
  sendMove();
}

function setPremove(way: readonly number[]): void {
  premove = way;
  board.premove = way;
}

/** The turn has come: the move chosen ahead is made if it is one of those there are, else given up. */
function playPremove(): void {
  const way = premove;
  const [move, other] = fitting(way, game.state.legal);
  const chosen = move && move.captured.length > 0 ? way.join("x") : wayText(way, pieces());
  setPremove([]);
  if (move && !other) play(move);
  else if (other) say("reason", t("Several moves fit your premove {way}: choose one.", { way: chosen }));
  else say("reason", t("Your premove {way} is not possible here.", { way: chosen }));
}

// --- What is said beside the board ---------------------------------------------------------------------------------

const said = ["error", "reason", "news"] as const;
type Said = (typeof said)[number];

/** A sentence about what the person just tried, or what has just come about; it gives way to the next thing that is done, or leaves after a while. */
function say(slot: Said, text: string): void {
  for (const each of said) notes.set(each, null);
  notes.set(slot, text);
  clearTimeout(reasonTimer);
  reasonTimer = setTimeout(unsay, reasonStays);
}

/** Say why what was tried on the board cannot be done, and mark the pieces that must capture instead. */
function refuse(text: string): void {
  say("reason", text);
  board.urged = mustCapture(legal());
}

function unsay(): void {
  clearTimeout(reasonTimer);
  question = null;
  for (const slot of said) notes.set(slot, null);
  board.urged = [];
}

/** For those who listen only. */
function tell(text: string | null): void {
  if (text !== null) byId("told").textContent = text;
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

/** The moves that the person may make now. */
function legal(): LegalMove[] {
  const { legal, touched } = game.state;
  const bound = touched ?? touching;
  return bound === null ? legal : legal.filter((move) => move.from === bound);
}

/** The pieces as the server's word has them. */
function pieces(): Pieces {
  return readFen(game.state.fen).pieces;
}

function render(): void {
  keepingFocus(draw, heirs);
}

function draw(): void {
  const { state, you } = game;
  const ply = past ?? game.plies.length;
  const over = state.result !== null;
  renderStrips(fenAt(game, ply));
  renderResult();
  list.render(game, ply);
  actions.render();
  renderAsks();
  renderNotes();
  renderFacts(game, rating, first.why_casual, presence?.watchers ?? 0);
  talk.render();
  byId("main").classList.toggle("past", past !== null);
  byId("main").classList.toggle("over", over);
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-step]"))
    button.disabled = /first|previous/.test(button.dataset.step ?? "") ? ply === 0 : past === null;
  const yours = t("Your move");
  document.title = yourTurn() ? `${yours} – Damier` : title;
  const waiting = you !== null && !over && !state.paused && past === null && !yourTurn();
  board.premover = waiting ? you : null;
  board.premove = past === null ? premove : [];
  board.touched = past === null && game.pending === null ? (state.touched ?? touching) : null;
  view.show(game, ply, past === null && game.pending === null ? legal() : []);
  count();
}

function renderNotes(): void {
  const { state, you } = game;
  const counts = state.draw_counts.filter(isNear).map((count) => count.text);
  notes.set("counts", counts.join(" · ") || null);
  notes.set("paused", state.paused ? t("The game is paused; the clocks stand.") : null);
  notes.set("past", past === null ? null : pastText(game, past), {
    label: yourTurn() ? t("Back to your move") : t("Back to the game"),
    run: () => look(game.plies.length),
  });
  const chosen = premove.length > 0 ? t("Premove: {way}", { way: wayText(premove, pieces()) }) : null;
  notes.set("premove", chosen, { label: t("Cancel"), run: cancelPremove });
  if (you !== null && rematch.offered_by === you)
    notes.set("offer", t("You have asked for a rematch."), { label: t("Withdraw"), run: withdrawRematch });
  else if (you !== null && state.draw_offer === you) notes.set("offer", t("You have offered a draw."));
  else if (you !== null && state.take_back_offer === you)
    notes.set("offer", t("You have asked to take back your move."));
  else if (you !== null && state.adjusting.includes(you) && (state.touched === null || state.turn !== you))
    notes.set("offer", t("J’adoube: what you touch does not count."));
  else notes.set("offer", null);
}

function renderAsks(): void {
  const claimIn = claimAt === null ? null : claimAt - performance.now();
  asks.render(
    standing(game, { claimIn, rematch, begun }, (deed) => {
      if (!requests.asking(deed.t)) request(deed);
    }),
  );
}

function renderStrips(fen: string): void {
  const { state, you } = game;
  const over = state.result !== null;
  // While a move is on its way it is the opponent's turn, unless it does not seem to arrive.
  const arriving = game.pending !== null && !lost && !awaited.late;
  clocks.press(arriving ? you : null);
  const turn = arriving ? opponent(state.turn) : state.turn;
  const firstMoveIn = firstMoveAt === null || over ? null : Math.max(0, firstMoveAt - performance.now());
  for (const place of ["far", "near"] as const) {
    const color = place === "near" ? board.orientation : opponent(board.orientation);
    const toMove = !over && turn === color && (arriving || game.pending === null);
    const computer = game.players[color].kind === "computer";
    const here = computer || presence === null ? null : color === you ? !lost : presence[color];
    strips[place].render({
      game,
      color,
      fen,
      toMove,
      thinking: toMove && state.thinking && computer,
      here,
      firstMoveIn: toMove ? firstMoveIn : null,
      rating: rating[color],
      canBeGivenTime: state.can.add_time && color !== you && here !== false,
    });
  }
}

function showClocks(reading: ClockReading | null): void {
  const over = game.state.result !== null;
  for (const place of ["far", "near"] as const) {
    const color = place === "near" ? board.orientation : opponent(board.orientation);
    strips[place].clock(reading, color, !over);
  }
  if (reading && game.you && reading.running === game.you && !over) warn(reading[game.you], reading.low);
}

/** What has been said of the own time running out: each once, since time that is added would repeat it. */
const warned = new Set<number>();
function warn(ms: number, low: number): void {
  const passed = [low, URGENT].filter((limit) => ms <= limit && !warned.has(limit));
  if (passed.length === 0) return;
  for (const limit of passed) warned.add(limit);
  tell(tn("You have {n} second left.", "You have {n} seconds left.", Math.ceil(ms / 1000)));
}

/** Keeps what counts down in seconds going, as long as something does. */
function count(): void {
  clearTimeout(countTimer);
  const now = performance.now();
  const ends = [firstMoveAt, claimAt].filter((at): at is number => at !== null && at > now);
  if (ends.length === 0 || game.state.result !== null) return;
  const wait = Math.min(...ends.map((at) => ((at - now) % 1000) + 5));
  countTimer = setTimeout(() => {
    renderStrips(fenAt(game, past ?? game.plies.length));
    renderAsks();
    count();
  }, wait);
}

function renderResult(): void {
  const card = byId("result");
  const { result } = game.state;
  card.hidden = result === null;
  if (result === null) card.replaceChildren();
  if (result === null || card.childElementCount > 0) return;
  const points = result.score === "*" ? "" : result.score.replace("-", "–");
  card.append(
    make("strong", "", headline(game, result.winner, result.score)),
    make("span", "points", points),
    make("p", "", result.text),
  );
}

function withdrawRematch(): void {
  if (!send({ t: "decline_rematch" })) return;
  rematch = { ...rematch, offered_by: null };
  render();
}

// --- What the person does ------------------------------------------------------------------------------------------

function cancelPremove(): void {
  setPremove([]);
  render();
}

board.addEventListener("draughts-move", (event) => {
  const { move } = (event as CustomEvent<MoveDetail>).detail;
  view.moved(move);
  play(move);
  tellLine(lost);
  render();
});

board.addEventListener("draughts-premove", (event) => {
  unsay();
  premove = (event as CustomEvent<PremoveDetail>).detail.way;
  render();
});

board.addEventListener("draughts-pick", (event) => {
  const { square } = (event as CustomEvent<PickDetail>).detail;
  unsay();
  const { can, touched, adjusting } = game.state;
  if (!can.touch || touched !== null || touching !== null || game.pending !== null) return;
  if (game.you && adjusting.includes(game.you)) return;
  if (!send({ t: "touch", ply: game.plies.length, square })) return;
  touching = square;
  render();
});

board.addEventListener("draughts-illegal", (event) => {
  const { from, to } = (event as CustomEvent<IllegalDetail>).detail;
  if (past !== null) return;
  if (to === 0) refuse(t("Pieces stand and move on the dark squares only."));
  else if (from === to && isOwn(game, from))
    refuse(cannotMove(from, game.state.legal, game.state.touched ?? touching));
  else if (socket.send({ t: "explain", ref: ++ref, ply: game.plies.length, from: from ?? to, to })) {
    question = ref;
    awaited.add(ref);
  }
});

board.addEventListener("keydown", (event) => event.key === "Escape" && unsay(), { capture: true });

/** On a phone, what needs more than the line that is kept for it takes the moves' place as well, and all of it. */
new ResizeObserver(() => {
  const { parentElement, offsetHeight } = byId("asks");
  parentElement?.classList.toggle("tall", offsetHeight > lineHeight);
}).observe(byId("asks"));

byId("flip").addEventListener("click", () => {
  board.orientation = opponent(board.orientation);
  clocks.refresh();
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
  if (event.key === "Escape" && premove.length > 0 && !event.defaultPrevented) cancelPremove();
  if (!which || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  if (target.closest("draughts-board, input, textarea, select, [popover]")) return;
  event.preventDefault();
  step(which);
});

initSettings((settings) => {
  board.numbers = settings.numbers;
  board.hints = settings.hints;
  sounds.set(settings);
});
clocks.set(first.clock);
firstMoveAt = first.first_move_in === null ? null : performance.now() + first.first_move_in;
byId("main").classList.toggle("people", betweenPeople(game));
render();
socket.connect();
