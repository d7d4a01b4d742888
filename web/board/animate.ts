import { distance, placeOf } from "./geometry";
import type { Color, Square } from "./types";

/** A hop takes from 150 to 220 ms, the longer the farther it goes. */
export function hopDuration(from: Square, to: Square): number {
  return 150 + (70 * (Math.min(distance(from, to), 9) - 1)) / 8;
}

export const FADE = 160;
export const BACK = 180;

/** An offset in widths of a square. */
export interface Offset {
  readonly x: number;
  readonly y: number;
}

export function offset(from: Square, to: Square, orientation: Color): Offset {
  const a = placeOf(from, orientation);
  const b = placeOf(to, orientation);
  return { x: a.x - b.x, y: a.y - b.y };
}

/** The offset as a value of CSS's `translate`. */
export function translate({ x, y }: Offset): string {
  return `${x * 100}% ${y * 100}%`;
}

/** The movements under way on one board, so that all can be cut short together. */
export class Motion {
  readonly #running = new Set<Animation>();
  /** The page's own switch; the person's wish for less motion counts as well. */
  enabled = true;

  get wanted(): boolean {
    // A hidden page draws no frames, so an animation there would wait until it is shown again.
    return this.enabled && !document.hidden && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  /** Lets a piece come from an offset to the square that it stands on. */
  async glide(element: Element, from: Offset, duration: number): Promise<void> {
    element.classList.add("moving");
    await this.#run(
      element,
      { translate: [translate(from), "none"] },
      { duration, easing: "cubic-bezier(.35, 0, .25, 1)" },
    );
    element.classList.remove("moving");
  }

  async fade(elements: readonly Element[], from: number, to: number): Promise<void> {
    await Promise.all(
      elements.map((element) =>
        this.#run(element, { opacity: [from, to] }, { duration: FADE, fill: "forwards" }),
      ),
    );
  }

  /** Ends every movement now. */
  cut(): void {
    for (const animation of this.#running) animation.cancel();
    this.#running.clear();
  }

  async #run(
    element: Element,
    frames: PropertyIndexedKeyframes,
    timing: KeyframeAnimationOptions,
  ): Promise<void> {
    if (!this.wanted) return;
    const animation = element.animate(frames, timing);
    this.#running.add(animation);
    try {
      await animation.finished;
    } catch {
      // Cut short: whoever cut it shows what comes instead.
    } finally {
      this.#running.delete(animation);
    }
  }
}
