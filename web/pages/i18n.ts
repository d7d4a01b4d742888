// Texts of the script. Message ids are the English sentences; the page embeds the reader's language as JSON.

type Facts = Readonly<Record<string, string | number>>;

const catalogue: Readonly<Record<string, string>> = embedded();

function embedded(): Record<string, string> {
  if (typeof document === "undefined") return {};
  const block = document.getElementById("messages");
  return block?.textContent ? JSON.parse(block.textContent) : {};
}

/** Put the facts into the `{name}` places of a text; a place without a fact stays as it is. */
export function fill(text: string, facts: Facts = {}): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => String(facts[name] ?? place));
}

/** The sentence in the reader's language, or the English one where the catalogue has none. */
export function t(message: string, facts?: Facts): string {
  return fill(catalogue[message] ?? message, facts);
}
