// Texts of the script. Message ids are the English sentences; the page embeds the reader's language as JSON.
import { fill } from "../board/labels";

const catalogue: Readonly<Record<string, string>> = embedded();

function embedded(): Record<string, string> {
  if (typeof document === "undefined") return {};
  const block = document.getElementById("messages");
  return block?.textContent ? JSON.parse(block.textContent) : {};
}

/** The sentence in the reader's language (in English where the catalogue has none), its `{names}` filled in. */
export function t(message: string, facts: Readonly<Record<string, string | number>> = {}): string {
  return fill(catalogue[message] || message, facts);
}
