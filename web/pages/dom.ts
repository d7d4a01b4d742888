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

/** The JSON that the server embedded in the page under this id. */
export function embedded<T>(id: string): T {
  return JSON.parse(byId(id).textContent ?? "null") as T;
}
