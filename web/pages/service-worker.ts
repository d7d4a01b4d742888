// What the browser keeps for when there is no line: the files of the pages, the rules, the guide, and a page that says
// what is the matter. The server writes before this script what that is; see damier/server/installable.py.

/** The addresses of the pages; the first is the one that says that there is no line. */
declare const PAGES: readonly string[];
declare const FILES: readonly string[];
/** Another whenever one of them has changed. */
declare const VERSION: string;

interface Waiting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Asked extends Waiting {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Worker {
  addEventListener(kind: "install" | "activate", listener: (event: Waiting) => void): void;
  addEventListener(kind: "fetch", listener: (event: Asked) => void): void;
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
}
const worker = self as unknown as Worker;

worker.addEventListener("install", (event) => {
  event.waitUntil(keep().then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(forgetOthers().then(() => worker.clients.claim()));
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(request, pathname));
  else if (FILES.includes(pathname)) event.respondWith(file(request));
});

async function keep(): Promise<void> {
  const cache = await caches.open(VERSION);
  // As a stranger would see them: nobody's name is kept on a machine that others use too.
  for (const address of [...FILES, ...PAGES]) {
    // What people write below a page does not belong to it: it may be gone tomorrow.
    const whole = PAGES.includes(address) ? `${address}?offline` : address;
    const answer = await fetch(whole, { credentials: "omit" });
    if (answer.ok) await cache.put(address, answer);
    else if (address === PAGES[0]) throw new Error(`${address}: ${answer.status}`);
  }
}

async function forgetOthers(): Promise<void> {
  for (const name of await caches.keys()) if (name !== VERSION) await caches.delete(name);
}

async function page(request: Request, pathname: string): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const cache = await caches.open(VERSION);
    const plain = (path: string) => path.replace(/^\/[a-z]{2}(?=\/)/, "");
    const kept = PAGES.find((each) => plain(each) === plain(pathname)) ?? "";
    const answer = (await cache.match(kept)) ?? (await cache.match(PAGES[0] ?? ""));
    if (answer) return answer;
    throw error;
  }
}

async function file(request: Request): Promise<Response> {
  const cache = await caches.open(VERSION);
  return (await cache.match(request)) ?? fetch(request);
}
