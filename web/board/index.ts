import { DraughtsBoard } from "./element";

export { DraughtsBoard } from "./element";
export { ENGLISH, type Labels } from "./labels";
export type {
  Color,
  IllegalDetail,
  LegalMove,
  MoveDetail,
  Numbers,
  PickDetail,
  PremoveDetail,
  Square,
  SquareDetail,
} from "./types";

declare global {
  interface HTMLElementTagNameMap {
    "draughts-board": DraughtsBoard;
  }
  interface HTMLElementEventMap {
    "draughts-move": CustomEvent<import("./types").MoveDetail>;
    "draughts-illegal": CustomEvent<import("./types").IllegalDetail>;
    "draughts-pick": CustomEvent<import("./types").PickDetail>;
    "draughts-premove": CustomEvent<import("./types").PremoveDetail>;
    "draughts-square": CustomEvent<import("./types").SquareDetail>;
  }
}

customElements.define("draughts-board", DraughtsBoard);
