import { loadSettings } from "./settings.ts";

document.documentElement.dataset.theme = loadSettings().theme;
