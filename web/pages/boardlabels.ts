// What the board says to a screen reader, in the reader's language.
import type { Labels } from "../board/labels";
import { t } from "./i18n";

export function boardLabels(): Labels {
  return {
    board: t("Draughts board"),
    whiteMan: t("white man"),
    whiteKing: t("white king"),
    blackMan: t("black man"),
    blackKing: t("black king"),
    empty: t("empty"),
    square: t("{square}, {content}"),
    movable: t("can move"),
    selected: t("picked up"),
    target: t("can go here"),
    prey: t("must be captured"),
    touched: t("touched, must move"),
    premove: t("premove"),
    picked: t("Picked up: {piece} on {square}. It can go to {targets}."),
    stepped: t("On the way: {piece} on {square}. It can go on to {targets}."),
    dropped: t("Put down."),
    premoved: t("Premove: {piece} from {from} to {to}."),
    unpremoved: t("Premove cancelled."),
    moved: t("{piece} from {from} to {to}."),
    captured: t("{piece} from {from} to {to}, captures {captured}."),
    crowned: t("Crowned king."),
  };
}
