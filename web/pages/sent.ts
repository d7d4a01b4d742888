// The reader's own seeks and challenges that this tab last heard of as open: what is accepted or declined while it is
// connected to nothing, between two pages or on a lost line, is asked for once it is connected again.

const key = "damier-sent";
/** As many as the server answers for. */
const most = 20;

export class Sent {
  #ids: string[] = [];
  readonly #storage: Storage | null;

  /** `storage` outlasts the page; null where there is none. */
  constructor(storage: Storage | null) {
    this.#storage = storage;
    try {
      const kept: unknown = JSON.parse(storage?.getItem(key) ?? "[]");
      if (Array.isArray(kept)) this.add(kept.filter((id) => typeof id === "string"));
    } catch {
      // Refused, or not ours: then this page begins anew.
    }
  }

  get ids(): readonly string[] {
    return this.#ids;
  }

  /** These are open. */
  add(ids: readonly string[]): void {
    this.#keep([...this.#ids.filter((id) => !ids.includes(id)), ...ids].slice(-most));
  }

  /** It has been heard how this one ended. */
  end(id: string): void {
    this.#keep(this.#ids.filter((each) => each !== id));
  }

  #keep(ids: string[]): void {
    this.#ids = ids;
    try {
      this.#storage?.setItem(key, JSON.stringify(ids));
    } catch {
      // A private window may refuse storage: then it is known to this page alone.
    }
  }
}

/** The offer that a page's address says was just sent; null without one. */
export function sentBy(hash: string): string | null {
  return /^#sent=([\w-]+)$/.exec(hash)?.[1] ?? null;
}

/** The tab's own storage, where the browser lets a page have it. */
export function tabStorage(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}
