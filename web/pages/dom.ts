// The few things that every part of the page does to the document.

/** The element with this id; the templates promise it, so its absence is a fault of ours. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element #${id}`);
  return found as E;
}

/** A new element with a class and text or children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

const focusable = "button, input, select, textarea, a[href], [tabindex]";

function canTakeFocus(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(":disabled") && element.getClientRects().length > 0;
}

/**
 * Makes a change to the page. When it hides, disables or removes the element that has the focus, the focus goes to
 * the next one of its group, else to the one before, else to the first of `heirs`: never back to the page's top.
 */
export function keepingFocus(change: () => void, heirs: () => (HTMLElement | null)[]): void {
  const focused = document.activeElement;
  const group = focused?.closest<HTMLElement>("[role=group], .actions, .note");
  const members = group ? [...group.querySelectorAll<HTMLElement>(focusable)] : [];
  change();
  if (!(focused instanceof HTMLElement) || focused === document.body || canTakeFocus(focused)) return;
  // The change itself may have seen to it.
  const now = document.activeElement;
  if (now instanceof HTMLElement && now !== document.body && canTakeFocus(now)) return;
  const place = members.indexOf(focused);
  const near = [...members.slice(place + 1), ...members.slice(0, Math.max(place, 0)).reverse()];
  const renewed = group ? [...group.querySelectorAll<HTMLElement>(focusable)] : [];
  const heir = [...near, ...renewed, ...heirs()].find((element) => element !== null && canTakeFocus(element));
  heir?.focus({ preventScroll: true });
}

/** The JSON that the server embedded in the page under this id. */
export function embedded<T>(id: string): T {
  return JSON.parse(byId(id).textContent ?? "null") as T;
}
