// The pages to learn from: the rules, the guide, the exercise.
import "../board/index";
import { initExercise } from "./exercise";
import { initLesson } from "./lesson";
import { initSettings } from "./settingspanel";
import { initTrials } from "./trials";

initSettings(() => undefined);
initTrials();
initLesson();
initExercise();
