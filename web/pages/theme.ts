// Runs before the first paint, so that the page never flashes in the other theme.
import { dress, loadSettings } from "./settings";

dress(loadSettings());

// Once the page is there: what is to be kept for when there is no line.
addEventListener("load", () => {
  const { lang } = document.documentElement;
  navigator.serviceWorker?.register(`/service-worker.js?language=${lang}`).catch(() => undefined);
});
