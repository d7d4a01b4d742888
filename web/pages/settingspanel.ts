// The panel behind the settings button: what is chosen there holds at once and on this device.
import { byId } from "./dom";
import { loadSettings, parseSettings, type Settings, saveSettings } from "./settings";

/** Fill the panel, and call `apply` now and after each change. */
export function initSettings(apply: (settings: Settings) => void): void {
  const form = byId<HTMLFormElement>("settings");
  const field = <T extends Element>(name: string): T => form.elements.namedItem(name) as unknown as T;
  const settings = loadSettings();
  field<RadioNodeList & Element>("theme").value = settings.theme;
  field<RadioNodeList & Element>("numbers").value = settings.numbers;
  field<HTMLInputElement>("hints").checked = settings.hints;
  apply(settings);
  form.addEventListener("change", () => {
    const entries = Object.fromEntries(new FormData(form));
    const chosen = parseSettings(JSON.stringify({ ...entries, hints: entries.hints !== undefined }));
    saveSettings(chosen);
    document.documentElement.dataset.theme = chosen.theme;
    apply(chosen);
  });
}
