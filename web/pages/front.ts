import "../board/index";
import type { DraughtsBoard } from "../board/index";
import { byId } from "./dom";
import { initSettings } from "./settingspanel";

const board = byId<DraughtsBoard>("board");
board.orientation = board.dataset.orientation === "black" ? "black" : "white";
if (board.dataset.fen) board.position = board.dataset.fen;
initSettings((settings) => {
  board.numbers = settings.numbers;
});

// A page that the browser kept may offer a game that has gone on or ended since.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
