// A WebSocket that comes back by itself: after a lost line, a sleeping laptop or a restarted server.

import type { ClientMessage, ServerMessage } from "./protocol";

type SignOfLife = { t: "ping" } | { t: "pong"; id: number };

export interface SocketHandlers<Received> {
  /** The address to connect to now: it carries the version that the page holds. */
  url: () => string;
  message: (message: Received) => void;
  /** True once a connection stands, false when it is lost. */
  connected: (is: boolean) => void;
}

const firstDelay = 400;
const longestDelay = 15_000;
/** A line that is silent for this long is asked for a sign of life, and given up after as long again. */
const silence = 20_000;
const steady = 5_000;
const RESTARTING = 1012;
const LOGGED_OUT = 4001;

/**
 * Milliseconds to wait before a try: doubles from try to try up to 15 s, of which a random half is waited, so
 * that the pages of a restarted server do not all come back at once.
 */
export function backoff(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(longestDelay, firstDelay * 2 ** attempt);
  return ceiling * (0.5 + random() / 2);
}

/** `Received` and `Sent`: what a socket of its kind says and is told, besides signs of life. */
export class GameSocket<Received = ServerMessage, Sent = ClientMessage> {
  readonly #handlers: SocketHandlers<Received>;
  #socket: WebSocket | null = null;
  #attempt = 0;
  #since = Number.POSITIVE_INFINITY;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setTimeout> | undefined;

  constructor(handlers: SocketHandlers<Received>) {
    this.#handlers = handlers;
    // The moments at which a line that was lost is likely to be back.
    addEventListener("online", () => this.#hurry());
    // The connection may stand all the same, to a server on this machine: then the next try finds it at once.
    addEventListener("offline", () => this.renew());
    addEventListener("pageshow", () => this.#hurry());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.#hurry();
    });
  }

  get open(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Send now, or return false: what matters is sent again by the caller once the connection stands. */
  send(message: Sent | SignOfLife): boolean {
    if (!this.open) return false;
    this.#socket?.send(JSON.stringify(message));
    return true;
  }

  /** Connect, dropping the present connection if there is one. */
  connect(): void {
    clearTimeout(this.#retry);
    this.#drop();
    const socket = new WebSocket(this.#handlers.url());
    this.#socket = socket;
    this.#listen();
    socket.onopen = () => {
      this.#since = Date.now();
      this.#listen();
      this.#handlers.connected(true);
    };
    socket.onmessage = (event: MessageEvent<string>) => {
      this.#listen();
      const message = JSON.parse(event.data) as { t: "ping"; id: number } | (Received & { t: "" });
      // Before anything else: the server measures by it how far away the page is.
      if (message.t === "ping") this.send({ t: "pong", id: message.id });
      else this.#handlers.message(message);
    };
    socket.onclose = ({ code }) => {
      // A server that is about to start anew says so: its pages are soon expected back, each at its own moment.
      if (code === RESTARTING) this.#attempt = 0;
      // Whoever sat here may not do so any more: the page is somebody else's now.
      if (code === LOGGED_OUT) location.reload();
      this.#lost();
    };
  }

  /** Give the present connection up for dead, and try another one soon. */
  renew(): void {
    if (this.#socket !== null) this.#lost();
  }

  #drop(): void {
    clearTimeout(this.#watch);
    if (this.#socket === null) return;
    this.#socket.onopen = this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close();
    this.#socket = null;
  }

  #lost(): void {
    this.#drop();
    this.#handlers.connected(false);
    // Only a connection that lasted starts the waits anew; one refused at once must not be hammered.
    if (Date.now() - this.#since > steady) this.#attempt = 0;
    this.#since = Number.POSITIVE_INFINITY;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.connect(), backoff(this.#attempt++));
  }

  /** A dead line often shows no sign: nothing heard for a while, so ask; nothing heard then, so start anew. */
  #listen(): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => {
      if (!this.send({ t: "ping" })) return this.#lost();
      this.#watch = setTimeout(() => this.#lost(), silence);
    }, silence);
  }

  #hurry(): void {
    if (this.#socket === null) {
      this.#attempt = 0;
      this.connect();
    } else if (this.open) {
      clearTimeout(this.#watch);
      this.send({ t: "ping" });
      this.#watch = setTimeout(() => this.#lost(), 4_000);
    }
  }
}
