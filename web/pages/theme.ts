// Runs before the first paint, so that the page never flashes in the other theme.
import { loadSettings } from "./settings";

document.documentElement.dataset.theme = loadSettings().theme;
