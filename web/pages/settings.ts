// What a person chose on this device: kept in localStorage, and working for this visit when that is refused.

export interface Settings {
  theme: "auto" | "light" | "dark";
  board: "wood" | "green" | "blue" | "contrast" | "print";
  pieces: "turned" | "flat" | "print";
  numbers: "inside" | "edge" | "off";
  hints: boolean;
  sounds: boolean;
}

const defaults: Settings = {
  theme: "auto",
  board: "wood",
  pieces: "turned",
  numbers: "inside",
  hints: false,
  sounds: true,
};
const choices: { readonly [K in keyof Settings]: readonly Settings[K][] } = {
  theme: ["auto", "light", "dark"],
  board: ["wood", "green", "blue", "contrast", "print"],
  pieces: ["turned", "flat", "print"],
  numbers: ["inside", "edge", "off"],
  hints: [true, false],
  sounds: [true, false],
};
const key = "damier.settings";

/** The stored choices that are still valid; a damaged or foreign entry counts as not chosen. */
export function parseSettings(stored: string | null): Settings {
  let found: Partial<Record<keyof Settings, unknown>> = {};
  try {
    const value: unknown = JSON.parse(stored ?? "{}");
    if (typeof value === "object" && value !== null) found = value;
  } catch {
    found = {};
  }
  const pick = <K extends keyof Settings>(name: K): Settings[K] =>
    choices[name].find((choice) => choice === found[name]) ?? defaults[name];
  return {
    theme: pick("theme"),
    board: pick("board"),
    pieces: pick("pieces"),
    numbers: pick("numbers"),
    hints: pick("hints"),
    sounds: pick("sounds"),
  };
}

export function loadSettings(): Settings {
  try {
    return parseSettings(localStorage.getItem(key));
  } catch {
    return { ...defaults };
  }
}

export function saveSettings(settings: Settings): void {
  try {
    localStorage.setItem(key, JSON.stringify(settings));
  } catch {
    // Private windows may refuse storage; the choice then holds until the page is left.
  }
}

/** Let the styles know what was chosen of the page's colours, the board's and the pieces'. */
export function dress({ theme, board, pieces }: Settings): void {
  Object.assign(document.documentElement.dataset, { theme, board, pieces });
}
