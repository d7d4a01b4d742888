// The panel behind the settings button: what is chosen there holds at once and on this device.
import { byId } from "./dom";
import { dress, loadSettings, parseSettings, type Settings, saveSettings } from "./settings";

const radios = ["theme", "board", "pieces", "numbers"] as const;
const checks = ["hints", "sounds"] as const;

/** Fill the panel, and call `apply` now and after each change. */
export function initSettings(apply: (settings: Settings) => void): void {
  const form = byId<HTMLFormElement>("settings");
  const field = <T extends Element>(name: string): T => form.elements.namedItem(name) as unknown as T;
  const settings = loadSettings();
  for (const name of radios) field<RadioNodeList & Element>(name).value = settings[name];
  for (const name of checks) field<HTMLInputElement>(name).checked = settings[name];
  apply(settings);
  form.addEventListener("change", () => {
    const chosen = new FormData(form);
    const entries = [
      ...radios.map((name) => [name, chosen.get(name)]),
      ...checks.map((name) => [name, chosen.has(name)]),
    ];
    const next = parseSettings(JSON.stringify(Object.fromEntries(entries)));
    saveSettings(next);
    dress(next);
    apply(next);
  });
}
