// What a board sounds like: made here, of noise and of tones, so that there is nothing to load.
import type { LegalMove } from "../board/types";
import type { Game } from "./game";
import type { Settings } from "./settings";

export type Sound = "move" | "capture" | "end";

/** The sound that goes from one state of a game to the next; null where nothing is heard. */
export function soundOf(before: Game, next: Game): Sound | null {
  if (next.state.result !== null && before.state.result === null) return "end";
  const made = next.plies.length - before.plies.length;
  // An own move has been heard when it was made, before the server knew it.
  if (made !== 1 || before.pending !== null) return null;
  const last = next.plies.at(-1);
  return last === undefined ? null : soundOfMove(last.move);
}

export function soundOfMove({ captured }: Pick<LegalMove, "captured">): Sound {
  return captured.length > 0 ? "capture" : "move";
}

export class Sounds {
  #on = true;
  #context: AudioContext | null = null;

  constructor() {
    // No browser lets a page be heard before somebody has done something on it.
    const wake = () => {
      if (this.#on) this.#context ??= new AudioContext();
      if (this.#context?.state === "suspended") void this.#context.resume();
    };
    addEventListener("pointerdown", wake);
    addEventListener("keydown", wake);
  }

  set({ sounds }: Settings): void {
    this.#on = sounds;
  }

  play(sound: Sound | null): void {
    const context = this.#context;
    if (sound === null || !this.#on || context === null || context.state !== "running") return;
    const now = context.currentTime;
    if (sound === "end") {
      tone(context, now, 392, 0.3);
      tone(context, now + 0.16, 523, 0.45);
      return;
    }
    knock(context, now, 0.45);
    if (sound === "capture") knock(context, now + 0.09, 0.55);
  }
}

/** Wood set down on wood: a short burst of noise, and the board's own low note. */
function knock(context: AudioContext, at: number, loudness: number): void {
  const length = Math.round(context.sampleRate * 0.05);
  const noise = context.createBuffer(1, length, context.sampleRate);
  const samples = noise.getChannelData(0);
  for (let i = 0; i < length; i++) samples[i] = (Math.random() * 2 - 1) * (1 - i / length) ** 6;
  const burst = context.createBufferSource();
  burst.buffer = noise;
  const filter = context.createBiquadFilter();
  filter.type = "bandpass";
  filter.frequency.value = 1500;
  filter.Q.value = 0.8;
  burst.connect(filter).connect(fading(context, at, loudness, 0.06));
  burst.start(at);
  const body = context.createOscillator();
  body.frequency.setValueAtTime(210, at);
  body.frequency.exponentialRampToValueAtTime(120, at + 0.07);
  body.connect(fading(context, at, loudness * 0.5, 0.08));
  body.start(at);
  body.stop(at + 0.1);
}

function tone(context: AudioContext, at: number, frequency: number, seconds: number): void {
  const voice = context.createOscillator();
  voice.type = "triangle";
  voice.frequency.value = frequency;
  voice.connect(fading(context, at, 0.12, seconds));
  voice.start(at);
  voice.stop(at + seconds);
}

function fading(context: AudioContext, at: number, loudness: number, seconds: number): GainNode {
  const gain = context.createGain();
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(loudness, at + 0.004);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + seconds);
  gain.connect(context.destination);
  return gain;
}
