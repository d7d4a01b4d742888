// The moves of the game as numbered pairs; each shows its position. One tab stop, then the arrow keys.
import { make } from "./dom";
import { firstColor, type Game, moveNumber } from "./game";
import { t } from "./i18n";

export class MoveList {
  readonly #list: HTMLElement;
  readonly #choose: (ply: number) => void;
  #texts: string[] = [];

  constructor(list: HTMLElement, choose: (ply: number) => void) {
    this.#list = list;
    this.#choose = choose;
    list.addEventListener("click", (event) => {
      const button = (event.target as Element).closest<HTMLElement>("[data-ply]");
      if (button) this.#choose(Number(button.dataset.ply));
    });
  }

  /** Bring the list up to date and mark the move after which the board stands. */
  render(game: Game, ply: number): void {
    const texts = game.plies.map((each) => each.text);
    let kept = 0;
    while (kept < texts.length && texts[kept] === this.#texts[kept]) kept++;
    if (kept < this.#texts.length || this.#texts.length === 0) {
      for (const button of this.#buttons().slice(kept)) button.remove();
      for (const row of [...this.#list.children]) if (row.querySelector("[data-ply]") === null) row.remove();
    }
    for (let index = kept; index < texts.length; index++) this.#append(game, index);
    this.#texts = texts;
    this.#mark(ply);
  }

  #append(game: Game, index: number): void {
    const text = game.plies[index]?.text ?? "";
    const number = moveNumber(game, index);
    const black = (index % 2 === 1) !== (firstColor(game) === "black");
    if (!black || index === 0) {
      this.#list.append(make("li", "", make("span", "number", `${number}.`)));
      if (black) this.#list.lastElementChild?.append(make("span", "none", "…"));
    }
    const button = make("button", "", text);
    button.dataset.ply = String(index + 1);
    const side = black ? t("Black") : t("White");
    button.ariaLabel = t("Move {number}, {side}: {move}", { number, side, move: text });
    this.#list.lastElementChild?.append(button);
  }

  #buttons(): HTMLElement[] {
    return [...this.#list.querySelectorAll<HTMLElement>("[data-ply]")];
  }

  #mark(ply: number): void {
    const buttons = this.#buttons();
    for (const button of buttons) {
      const current = Number(button.dataset.ply) === ply;
      button.tabIndex = current || (ply === 0 && button === buttons[0]) ? 0 : -1;
      if (current) {
        button.ariaCurrent = "step";
        this.#reveal(button);
      } else button.ariaCurrent = null;
    }
    if (ply === 0) this.#list.scrollTo(0, 0);
  }

  /** Scrolls the list alone: the page itself must never move. */
  #reveal(button: HTMLElement): void {
    const list = this.#list.getBoundingClientRect();
    const row = button.getBoundingClientRect();
    if (row.top < list.top || row.bottom > list.bottom)
      this.#list.scrollTop += (row.top + row.bottom - list.top - list.bottom) / 2;
    if (row.left < list.left || row.right > list.right)
      this.#list.scrollLeft += (row.left + row.right - list.left - list.right) / 2;
  }
}
