// Every page that leads to a board: the numbers of the club, live boards, one's own affairs, an invitation's answer.
import "../board/index";
import type { DraughtsBoard } from "../board/index";
import { type ClubMessage, type InvitationNews, listen } from "./club";
import { make } from "./dom";
import { Featured } from "./featured";
import { localUrl, t, tn } from "./i18n";
import { follow, Minis, setUp, squares } from "./minis";
import { Search } from "./search";
import { type Challenges, Notices, showSeeks } from "./seeks";
import { Sent, sentBy, tabStorage } from "./sent";
import { initSettings } from "./settingspanel";

const big = document.querySelector<DraughtsBoard>("#board");
const place = document.querySelector<HTMLElement>("[data-live]");
const invitation = document.querySelector<HTMLElement>("[data-invitation]");
const featured = big && new Featured(big);
const seeks = document.querySelector<HTMLElement>("#seeks");
const quick = document.querySelector<HTMLFormElement>("#quick");
const search = quick && new Search(quick, (message) => send(message));
const notices = new Notices();
const sent = new Sent(tabStorage());
const minis = place && new Minis(place, Number(place.dataset.live));

for (const board of document.querySelectorAll("draughts-board")) setUp(board);
initSettings((settings) => {
  if (big) big.numbers = settings.numbers;
});

// A page that the browser kept may show what has changed since.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// The address of what was just sent is that of a page like any other once it is read.
const justSent = sentBy(location.hash);
if (justSent) {
  sent.add([justSent]);
  history.replaceState(history.state, "", location.pathname + location.search);
}

const title = document.title;

/** How many games wait for the reader: in the page's head, and in its title for who looks elsewhere. */
function yourMove(count: number): void {
  const badge = document.querySelector<HTMLElement>("#your-moves");
  if (badge) {
    badge.hidden = count === 0;
    const number = badge.lastElementChild;
    if (number) number.textContent = String(count);
  }
  document.title = count > 0 ? `(${count}) ${title}` : title;
  const own = document.querySelector<HTMLElement>("#own");
  if (own && Number(own.dataset.moves) !== count) void renew(own);
}

/** Fetch the page anew, and take from it the reader's games, which are sorted by whose turn it is. */
async function renew(own: HTMLElement): Promise<void> {
  const answer = await fetch(location.href).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector<HTMLElement>("#own");
  if (!fresh || !own.isConnected) return;
  const focused = own.contains(document.activeElement) ? document.activeElement?.getAttribute("href") : null;
  own.replaceWith(document.adoptNode(fresh));
  for (const board of fresh.querySelectorAll("draughts-board")) setUp(board);
  if (focused) fresh.querySelector<HTMLElement>(`a[href="${CSS.escape(focused)}"]`)?.focus();
  const shown = page.querySelector<HTMLElement>("#board[data-game]")?.dataset;
  if (big && shown?.fen && shown.game === big.dataset.game) {
    follow(big, { fen: shown.fen, last: squares(shown.last) });
  }
}

function numbers(online: number, playing: number): void {
  const line = document.querySelector<HTMLElement>("#numbers");
  if (!line) return;
  const people = tn("{n} person online", "{n} people online", online);
  const games = tn("{n} game being played", "{n} games being played", playing);
  line.textContent = `${people} · ${games}`;
}

/** Lead to a game that has begun while its host looks at another page. */
function begun(news: InvitationNews): void {
  if (document.querySelector("#begun")) return;
  const link = make("a", "button primary", t("Go to the game"));
  link.href = localUrl(`/games/${news.game}`);
  const note = make("div", "begun", make("b", "", t("Your invitation was accepted.")), link);
  note.id = "begun";
  note.setAttribute("role", "alert");
  document.querySelector("main")?.before(note);
}

/** Whether an answer of this page's own is on its way: the browser is then going where that leads. */
let leaving = false;
for (const form of document.forms) form.addEventListener("submit", () => (leaving = true));

function answered(news: InvitationNews): void {
  if (invitation?.dataset.invitation !== news.id) {
    if (news.state === "accepted" && news.game) begun(news);
  } else if (news.state === "accepted" && news.game && "mine" in invitation.dataset) {
    location.assign(localUrl(`/games/${news.game}`));
  } else if (news.state !== invitation.dataset.state && !leaving) {
    location.replace(localUrl(`/i/${news.id}`));
  }
}

/** The challenges that wait: on the page of one's own games in the list, elsewhere above the page. */
function challenged(challenges: Challenges): void {
  sent.add(challenges.sent.map(({ id }) => id));
  const own =
    location.pathname === localUrl("/my-games") ? document.querySelector<HTMLElement>("#own") : null;
  if (own === null) {
    notices.challenges(challenges);
    return;
  }
  const ids = [...challenges.received, ...challenges.sent].map(({ id }) => id);
  const shown = [...own.querySelectorAll<HTMLElement>("[data-offer]")].map(
    ({ dataset }) => dataset.offer ?? "",
  );
  if (ids.sort().join() !== shown.sort().join()) void renew(own);
}

/** A game has begun: who waits for it, or looks at this page, goes there. */
function paired(game: string, mine: boolean): void {
  search?.over();
  if (mine || document.visibilityState === "visible")
    location.assign(localUrl(`/games/${encodeURIComponent(game)}`));
  else notices.begun(game);
}

function hear(message: ClubMessage): void {
  if (message.t === "club") numbers(message.online, message.playing);
  else if (message.t === "your_move") yourMove(message.count);
  else if (message.t === "invitation") answered(message);
  else if (message.t === "searching") search?.told(message.count, message.waited);
  else if (message.t === "stopped") search?.over();
  else if (message.t === "pause") search?.over(message.text);
  else if (message.t === "paired") {
    if (message.offer) sent.end(message.offer);
    paired(message.game, message.mine);
  } else if (message.t === "seeks") {
    sent.add(message.seeks.filter(({ mine }) => mine).map(({ id }) => id));
    if (seeks) showSeeks(seeks, message.seeks);
  } else if (message.t === "challenges") challenged(message);
  else if (message.t === "declined") {
    sent.end(message.id);
    notices.declined(message.id, message.name, message.text);
  } else if (message.t === "now") {
    featured?.show(message.ids, message.games);
    const own = message.games.find((each) => each.id === big?.dataset.game);
    if (big && own) follow(big, own);
    const count = minis?.show(message.ids, message.games, featured?.id ?? null);
    const section = document.querySelector<HTMLElement>(".playing");
    if (section) section.hidden = count === 0;
    const nothing = document.querySelector<HTMLElement>("#nothing-played");
    if (nothing) nothing.hidden = count !== 0;
  }
}

const send = listen(
  {
    games: place !== null || Boolean(featured?.id),
    invitation: invitation?.dataset.invitation ?? null,
    seeks: seeks !== null,
  },
  hear,
  () => {
    if (sent.ids.length > 0) send({ t: "sent", ids: sent.ids });
    search?.connected();
  },
);

// --- The link of an invitation ---

const link = document.querySelector<HTMLInputElement>("#link");
const copy = document.querySelector<HTMLButtonElement>("#copy");
const share = document.querySelector<HTMLButtonElement>("#share");

async function copied(field: HTMLInputElement): Promise<boolean> {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    // Without TLS a page may not reach the clipboard that way.
    return document.execCommand("copy");
  }
}

if (link && copy && share) {
  copy.hidden = false;
  link.addEventListener("focus", () => link.select());
  copy.addEventListener("click", async () => {
    const label = copy.querySelector("span");
    if (!label || !(await copied(link))) return;
    label.textContent = t("Copied");
    document.querySelector("#said")?.remove();
    const said = make("span", "unseen", t("The link is in your clipboard."));
    said.id = "said";
    said.setAttribute("role", "status");
    copy.after(said);
    setTimeout(() => {
      label.textContent = t("Copy");
    }, 2_000);
  });
  share.hidden = !("share" in navigator);
  share.addEventListener("click", () => {
    // Who closes the device's panel again has not failed at anything.
    navigator.share({ url: link.value, title: t("Invitation to a game of draughts") }).catch(() => undefined);
  });
}
