import "../board/index";
import type { DraughtsBoard } from "../board/index";
import { byId } from "./dom";
import { initSettings } from "./settingspanel";

const board = byId<DraughtsBoard>("board");
board.orientation = board.dataset.orientation === "black" ? "black" : "white";
board.position = board.dataset.fen ?? "";
initSettings((settings) => {
  board.numbers = settings.numbers;
});
