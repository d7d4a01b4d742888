// What was asked of the server and has not been answered, and whether that has taken too long.

export class Awaited {
  readonly #patience: number;
  readonly #expired: () => void;
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();
  readonly #late = new Set<number>();

  /** `expired` is called each time that an answer has not come within `patience` milliseconds. */
  constructor(patience: number, expired: () => void) {
    this.#patience = patience;
    this.#expired = expired;
  }

  /** Whether something waits for longer than patience; asking for it again does not make it less late. */
  get late(): boolean {
    return this.#late.size > 0;
  }

  /** Something has been asked, or asked again: wait for the answer from now on. */
  add(ref: number): void {
    clearTimeout(this.#timers.get(ref));
    const expire = () => {
      this.#late.add(ref);
      this.#expired();
    };
    this.#timers.set(ref, setTimeout(expire, this.#patience));
  }

  /** The answer has come, or will not come any more. */
  settle(ref: number): void {
    clearTimeout(this.#timers.get(ref));
    this.#timers.delete(ref);
    this.#late.delete(ref);
  }

  /** Wait for nothing but this. */
  keepOnly(kept: number | undefined): void {
    for (const ref of [...this.#timers.keys()]) if (ref !== kept) this.settle(ref);
  }
}
