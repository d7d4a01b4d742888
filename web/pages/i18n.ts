// Texts of the script. Message ids are the English sentences; the page embeds the reader's language as JSON.
import { fill } from "../board/labels";

/** The page's language. */
export const language = typeof document === "undefined" ? "en" : document.documentElement.lang;

const addressed = typeof location !== "undefined" && `${location.pathname}/`.startsWith(`/${language}/`);

/** A page's address, in this page's language if its own address has one. */
export function localUrl(path: string): string {
  return addressed ? `/${language}${path}` : path;
}

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
  const text = Array.isArray(forms) ? forms[pluralForm(n, forms.length)] : undefined;
  return fill(text || (n === 1 ? one : many), { n });
}

const plurals = new Intl.PluralRules(language || "en");
const kinds = ["zero", "one", "two", "few", "many", "other"];
const known = new Set<string>(plurals.resolvedOptions().pluralCategories);
const order = kinds.filter((kind) => known.has(kind));

/** Which of so many forms a number takes: gettext has them in this order, and none for fractions and whole millions. */
function pluralForm(n: number, forms: number): number {
  return Math.min(order.indexOf(plurals.select(n)), forms - 1);
}
