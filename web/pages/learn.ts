// The pages to learn from: the rules, the guide, the exercise.
import "../board/index";
import { initSettings } from "./settingspanel";
import { initTrials } from "./trials";

initSettings(() => undefined);
initTrials();
