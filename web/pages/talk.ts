// Chat at the board: docked where there is room for it, else behind a button that counts what was not yet seen.
import type { Color } from "../board/types";
import { byId, make } from "./dom";
import { betweenPeople, type Game } from "./game";
import { language, t, tn } from "./i18n";
import { type Lines, NO_LINES, roomsOf, saidSoFar, withChangedLine, withLines } from "./lines";
import type { ChatChangedMessage, ChatLine, ChatMessage, Deed, Preset, Room } from "./protocol";

export interface TalkHost {
  /** Say something; false when there is no line to say it on. */
  send(deed: Deed): boolean;
  game(): Game;
}

/** What comes so soon after the page has joined the game was said before. */
const HISTORY_MS = 500;
/** Characters left at which they begin to be told. */
const FEW_LEFT = 20;

export class Talk {
  readonly #host: TalkHost;
  readonly #panel = byId("talk");
  readonly #button = byId<HTMLButtonElement>("talk-open");
  readonly #log = byId("talk-log");
  readonly #form = byId<HTMLFormElement>("talk-form");
  readonly #field = byId<HTMLInputElement>("talk-field");
  readonly #note = byId("talk-note");
  readonly #presets: ReadonlyMap<string, string>;
  #joined = Number.POSITIVE_INFINITY;
  #lines: Lines = NO_LINES;
  #unseen: Record<Room, number> = { players: 0, watchers: 0 };
  #on: boolean;
  /** The room that is looked at, once another than the own one was chosen. */
  #chosen: Room | null = null;
  /** What was sent last: it comes back into the field when it is refused. */
  #sent = "";

  constructor(host: TalkHost, presets: readonly Preset[], on: boolean) {
    this.#host = host;
    this.#on = on;
    this.#presets = new Map(presets.map(({ id, text }) => [id, text]));
    const list = byId("talk-presets");
    for (const { id, text } of presets) {
      const button = make("button", "small", text);
      button.type = "button";
      button.addEventListener("click", () => {
        this.#sent = "";
        this.#say({ t: "say", room: this.#room, preset: id });
      });
      list.append(button);
    }
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.#field.value.trim();
      if (!text || !this.#say({ t: "say", room: this.#room, text })) return;
      this.#sent = text;
      this.#field.value = "";
    });
    this.#field.addEventListener("input", () => this.#tellLeft());
    for (const button of this.#panel.querySelectorAll<HTMLElement>("[data-room]"))
      button.addEventListener("click", () => {
        this.#chosen = button.dataset.room as Room;
        this.render();
        this.#log.scrollTop = this.#log.scrollHeight;
      });
    byId("talk-switch").addEventListener("click", () => {
      if (!this.#host.send({ t: "chat", on: !this.#on })) return this.#tellOffline();
      this.#on = !this.#on;
      this.render();
    });
    this.#button.addEventListener("click", () => this.#open(!this.isOpen));
    byId("talk-close").addEventListener("click", () => this.#open(false));
    this.#panel.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.isOpen) this.#open(false);
    });
    new ResizeObserver(() => this.#look()).observe(this.#panel);
  }

  /** What a new line is asked for. */
  get said(): string {
    return saidSoFar(this.#lines, this.#own, this.#over);
  }

  get isOpen(): boolean {
    return this.#panel.classList.contains("open");
  }

  /** The server has spoken for the first time. */
  join(): void {
    this.#joined = Math.min(this.#joined, performance.now());
  }

  receive({ room, lines: came }: ChatMessage): void {
    const before = this.#lines[room].length;
    this.#lines = withLines(this.#lines, room, came);
    const others = this.#lines[room].slice(before).filter((line) => !this.#isOwn(line));
    if (performance.now() - this.#joined > HISTORY_MS) this.#unseen[room] += others.length;
    this.render();
  }

  /** A line that was here already is another now. */
  changed({ room, line }: ChatChangedMessage): void {
    this.#lines = withChangedLine(this.#lines, room, line);
    if (this.#log.dataset.room === room) this.#log.replaceChildren();
    this.render();
  }

  /** Chat has been switched on or off, here or in another tab. */
  switched(on: boolean): void {
    this.#on = on;
    this.render();
  }

  /** What was said, or the switching of the chat, was refused. */
  refused(kind: "say" | "chat", reason: string): void {
    if (kind === "chat") this.#on = !this.#on;
    else if (!this.#field.value) this.#field.value = this.#sent;
    this.render();
    this.#tell(reason);
  }

  /** Show what there is to show, as the game stands. */
  render(): void {
    const rooms = this.#rooms;
    const game = this.#host.game();
    byId("main").classList.toggle("silent", rooms.length === 0);
    this.#panel.hidden = rooms.length === 0;
    this.#button.hidden = rooms.length === 0;
    if (rooms.length === 0) return;
    const room = this.#room;
    byId("talk-rooms").hidden = rooms.length < 2;
    byId("talk-title").hidden = rooms.length > 1;
    byId("talk-title").textContent = game.you === null ? t("Watchers’ chat") : t("Chat");
    for (const button of this.#panel.querySelectorAll<HTMLElement>("[data-room]"))
      button.ariaPressed = String(button.dataset.room === room);
    this.#panel.classList.toggle("off", !this.#on);
    const toggle = byId("talk-switch");
    toggle.ariaChecked = String(this.#on);
    toggle.title = this.#on ? t("Switch chat off") : t("Switch chat on");
    byId("talk-is").textContent = this.#on ? t("on") : t("off");
    this.#form.hidden = byId("talk-presets").hidden = !this.#on;
    this.#renderLines(room);
    this.#look();
  }

  get #over(): boolean {
    return this.#host.game().state.result !== null;
  }

  get #own(): Room {
    return this.#host.game().you === null ? "watchers" : "players";
  }

  get #rooms(): Room[] {
    const game = this.#host.game();
    return roomsOf(game.you, betweenPeople(game), this.#over, this.#lines);
  }

  get #room(): Room {
    return this.#rooms.find((room) => room === this.#chosen) ?? this.#rooms[0] ?? this.#own;
  }

  #isOwn(line: ChatLine): boolean {
    return line.side !== null && line.side === this.#host.game().you;
  }

  #say(deed: Deed): boolean {
    this.#tell("");
    if (this.#host.send(deed)) return true;
    this.#tellOffline();
    return false;
  }

  #tellOffline(): void {
    this.#tell(t("There is no connection just now. Try again in a moment."));
  }

  #tellLeft(): void {
    const left = this.#field.maxLength - this.#field.value.length;
    this.#tell(left <= FEW_LEFT ? tn("{n} character left", "{n} characters left", left) : "");
  }

  #tell(text: string): void {
    this.#note.textContent = text;
  }

  #renderLines(room: Room): void {
    const log = this.#log;
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    if (log.dataset.room !== room) log.replaceChildren();
    log.dataset.room = room;
    log.dataset.empty = this.#on ? t("Nothing has been said yet.") : t("Chat is switched off.");
    const lines = this.#on ? this.#lines[room] : [];
    if (log.childElementCount > lines.length) log.replaceChildren();
    for (const line of lines.slice(log.childElementCount)) log.append(this.#line(line, room));
    if (atEnd) log.scrollTop = log.scrollHeight;
  }

  #line(line: ChatLine, room: Room): HTMLElement {
    const text = line.preset === null ? (line.text ?? "") : (this.#presets.get(line.preset) ?? "");
    const name = this.#isOwn(line) ? t("You") : line.name || t("Guest");
    const row = make("p", "", make("b", "", `${name}:`), " ", text);
    if (line.side) row.prepend(sign(line.side), " ");
    row.title = new Date(line.at * 1000).toLocaleTimeString(language, {
      timeStyle: "short",
    });
    if (!this.#isOwn(line)) row.append(this.#reportLink(line, room, name));
    return row;
  }

  #reportLink(line: ChatLine, room: Room, name: string): HTMLElement {
    const link = make("a", "report-line");
    link.href = `/report?what=chat&of=${this.#host.game().id}/${room}/${line.seq}`;
    link.rel = "nofollow";
    link.title = t("Report this line");
    link.ariaLabel = `${link.title}: ${name}`;
    link.append(byId<HTMLTemplateElement>("report-icon").content.cloneNode(true));
    return link;
  }

  /** What is in sight has been seen. */
  #look(): void {
    const inSight = this.#panel.getClientRects().length > 0;
    if (inSight) this.#unseen[this.#room] = 0;
    const unseen = this.#rooms.reduce((sum, room) => sum + this.#unseen[room], 0);
    const mark = byId("talk-unseen");
    mark.hidden = unseen === 0 || !this.#on;
    mark.textContent = String(Math.min(unseen, 99));
    for (const button of this.#panel.querySelectorAll<HTMLElement>("[data-room]"))
      button.classList.toggle("unseen-lines", this.#unseen[button.dataset.room as Room] > 0);
    this.#button.ariaLabel = mark.hidden ? t("Chat") : tn("Chat, {n} new", "Chat, {n} new", unseen);
  }

  #open(open: boolean): void {
    this.#panel.classList.toggle("open", open);
    this.#button.ariaExpanded = String(open);
    this.#log.scrollTop = this.#log.scrollHeight;
    if (open) this.#panel.focus({ preventScroll: true });
    else this.#button.focus({ preventScroll: true });
    this.#look();
  }
}

/** Which side a speaker plays. */
function sign(side: Color): HTMLElement {
  const disc = make("span", `disc ${side}`);
  disc.role = "img";
  disc.ariaLabel = side === "white" ? t("White") : t("Black");
  return disc;
}
