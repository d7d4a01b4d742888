// Texts of the script. Message ids are the English sentences; the page embeds the reader's language as JSON.
import { fill } from "../board/labels";

/** The page's language. */
export const language = typeof document === "undefined" ? "en" : document.documentElement.lang;

const catalogue: Readonly<Record<string, string | string[]>> = embedded();

function embedded(): Record<string, string | string[]> {
  if (typeof document === "undefined") return {};
  const block = document.getElementById("messages");
  return block?.textContent ? JSON.parse(block.textContent) : {};
}

/** The sentence in the reader's language (in English where the catalogue has none), its `{names}` filled in. */
export function t(message: string, facts: Readonly<Record<string, string | number>> = {}): string {
  const text = catalogue[message];
  return fill((Array.isArray(text) ? text[0] : text) || message, facts);
}

/** The sentence that fits a number, `{n}` in it. */
export function tn(one: string, many: string, n: number): string {
  const forms = catalogue[one];
  const plural = isPlural(n);
  const text = Array.isArray(forms) ? forms[plural ? 1 : 0] : undefined;
  return fill(text || (plural ? many : one), { n });
}

/** French counts nothing as one; the other languages count it as many. */
function isPlural(n: number): boolean {
  return language === "fr" ? n > 1 : n !== 1;
}
