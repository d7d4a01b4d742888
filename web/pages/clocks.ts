// The players' time. The server's readings are the truth; between two of them the page counts down by itself.

import type { Color } from "../board/types";
import { opponent } from "./game";
import type { ClockReading } from "./protocol";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;
/** Below this a clock shows tenths of a second. */
const TENTHS_BELOW = 10 * SECOND;

/** What a clock shows, cut and not rounded: 4:59 until the last moment of that second. */
export interface Face {
  readonly days: number;
  readonly time: string;
}

/** `decimal`: the reader's sign between seconds and tenths; null for no tenths. */
export function face(ms: number, decimal: string | null = "."): Face {
  const left = Math.max(0, ms);
  const seconds = Math.floor(left / SECOND);
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (left >= DAY) return { days: Math.floor(hours / 24), time: `${hours % 24}:${two(minutes)}` };
  const tenths =
    decimal !== null && left < TENTHS_BELOW ? `${decimal}${Math.floor((left % SECOND) / 100)}` : "";
  const time = hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
  return { days: 0, time: time + tenths };
}

/** Milliseconds until a running clock shows something else. */
export function untilChange(ms: number): number {
  if (ms <= 0) return Number.POSITIVE_INFINITY;
  const step = ms < TENTHS_BELOW ? 100 : ms >= DAY ? 60 * SECOND : SECOND;
  return (ms % step) + 1;
}

/** A side's time when a reading is this old. */
export function left(reading: ClockReading, color: Color, age: number): number {
  return Math.max(0, reading[color] - (reading.running === color ? age : 0));
}

interface Dated {
  readonly reading: ClockReading;
  readonly at: number;
}

/** Keeps both clocks going; `show` is told whenever one of them shows something else. */
export class Clocks {
  readonly #show: (reading: ClockReading | null) => void;
  #truth: Dated | null = null;
  #shown: Dated | null = null;
  #pressed: Color | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(show: (reading: ClockReading | null) => void) {
    this.#show = show;
  }

  /** The server's word, just come. */
  set(reading: ClockReading | null): void {
    this.#truth = this.#shown = reading && { reading, at: performance.now() };
    this.#pressed = null;
    this.#tick();
  }

  /**
   * The side whose own move is on its way: to the eye its clock stands already and the other's goes. Null once the
   * move does not seem to arrive: its clock then goes on as if it had never stood.
   */
  press(color: Color | null): void {
    if (color === this.#pressed || this.#truth === null) return;
    this.#pressed = color;
    this.#shown = this.#truth;
    if (color !== null && this.#truth.reading.running === color)
      this.#shown = { reading: { ...this.#now(), running: opponent(color) }, at: performance.now() };
    this.#tick();
  }

  /** What both sides have now, by the server's word. */
  get left(): ClockReading | null {
    return this.#truth && aged(this.#truth);
  }

  /** Show them again, where they are to be seen now. */
  refresh(): void {
    this.#tick();
  }

  #now(): ClockReading {
    return aged(this.#shown as Dated);
  }

  #tick(): void {
    clearTimeout(this.#timer);
    const now = this.#shown && this.#now();
    this.#show(now);
    const wait = now?.running ? untilChange(now[now.running]) : Number.POSITIVE_INFINITY;
    if (Number.isFinite(wait)) this.#timer = setTimeout(() => this.#tick(), wait);
  }
}

/** A reading as it is by now. */
function aged({ reading, at }: Dated): ClockReading {
  const age = performance.now() - at;
  return { ...reading, white: left(reading, "white", age), black: left(reading, "black", age) };
}
