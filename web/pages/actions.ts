// What can be done in the game, and the one question that is asked before what cannot be undone.
import { byId } from "./dom";
import { betweenPeople, type Game } from "./game";
import { t } from "./i18n";
import type { Deed } from "./protocol";
import { whyNoDrawOffer } from "./reasons";

export interface ActionsHost {
  game(): Game;
  /** Ask the server for it, and say so when there is no line. */
  request(deed: Deed): boolean;
  /** Say something beside the board; null says nothing. */
  tell(text: string | null): void;
  /** Whether one of these has been asked and not been answered. */
  asking(...kinds: Deed["t"][]): boolean;
  /** Whether the viewer has asked for a rematch. */
  hasRematch(): boolean;
  /** Whether a question beside the board leads to the rematch already: the opponent's, or the way to the new game. */
  isAskedForRematch(): boolean;
}

interface Question {
  readonly text: string;
  readonly yes: string;
  readonly deed: Deed;
  readonly danger: boolean;
  /** The button that asked. */
  readonly button: HTMLElement;
}

export class Actions {
  readonly #host: ActionsHost;
  readonly #bar = byId("actions");
  readonly #confirm = byId("confirm");
  readonly #takeBack = byId<HTMLButtonElement>("take-back");
  readonly #draw = byId<HTMLButtonElement>("draw");
  readonly #resign = byId<HTMLButtonElement>("resign");
  readonly #abort = byId<HTMLButtonElement>("abort");
  readonly #adjust = byId<HTMLButtonElement>("adjust");
  readonly #rematch = byId<HTMLElement>("rematch");
  #question: Question | null = null;

  constructor(host: ActionsHost) {
    this.#host = host;
    this.#resign.addEventListener("click", () =>
      this.#ask({
        text: t("Resign this game?"),
        yes: t("Resign"),
        deed: { t: "resign" },
        danger: true,
        button: this.#resign,
      }),
    );
    this.#draw.addEventListener("click", () => {
      if (!host.game().state.can.offer_draw) return host.tell(whyNoDrawOffer(host.game()));
      this.#ask({
        text: t("Offer a draw?"),
        yes: t("Offer"),
        deed: { t: "offer_draw" },
        danger: false,
        button: this.#draw,
      });
    });
    this.#takeBack.addEventListener("click", () => {
      const kind = host.game().state.can.take_back ? "take_back" : "offer_take_back";
      // A second click on the same moves must not undo the ones before.
      if (!host.asking(kind)) host.request({ t: kind });
    });
    this.#abort.addEventListener("click", () => host.request({ t: "abort" }));
    this.#adjust.addEventListener("click", () => {
      if (!host.asking("adjust", "unsay")) host.request({ t: this.#isAdjusting ? "unsay" : "adjust" });
    });
    if (this.#rematch instanceof HTMLButtonElement)
      this.#rematch.addEventListener("click", () => {
        if (!host.asking("rematch")) host.request({ t: "rematch" });
      });
    byId("confirm-no").addEventListener("click", () => this.#ask(null));
    byId("confirm-yes").addEventListener("click", () => {
      const deed = this.#question?.deed;
      this.#ask(null);
      if (deed) host.request(deed);
    });
    this.#confirm.addEventListener("keydown", (event) => event.key === "Escape" && this.#ask(null));
  }

  render(): void {
    const game = this.#host.game();
    const { can, result, take_back_offer } = game.state;
    const [over, plays, people] = [result !== null, game.you !== null, betweenPeople(game)];
    if (this.#question && !this.#canStill(this.#question.deed)) this.#ask(null);
    const going = plays && !over;
    this.#takeBack.hidden = !going;
    this.#takeBack.disabled = !can.take_back && !can.offer_take_back;
    this.#takeBack.classList.toggle("asked", take_back_offer !== null && take_back_offer === game.you);
    this.#draw.hidden = !going || !people;
    // It can still be pressed, to be told why: a finger sees no title.
    this.#draw.ariaDisabled = String(!can.offer_draw);
    this.#draw.title = whyNoDrawOffer(game) ?? "";
    const breaksOff = can.abort && people;
    this.#abort.hidden = !going || !breaksOff;
    this.#resign.hidden = !going || breaksOff;
    this.#resign.disabled = !can.resign;
    this.#adjust.hidden = !going || game.rules !== "leaflet";
    this.#adjust.ariaPressed = String(this.#isAdjusting);
    // It does not free a piece that has been touched before.
    this.#adjust.disabled = game.state.touched !== null && game.state.turn === game.you && !this.#isAdjusting;
    this.#rematch.hidden = !over || !plays || this.#host.isAskedForRematch();
    if (this.#rematch instanceof HTMLButtonElement) this.#rematch.disabled = this.#host.hasRematch();
    byId("new-game").hidden = !over && people;
  }

  get #isAdjusting(): boolean {
    const { you, state } = this.#host.game();
    return you !== null && state.adjusting.includes(you);
  }

  #canStill({ t: kind }: Deed): boolean {
    const { can } = this.#host.game().state;
    return kind === "offer_draw" ? can.offer_draw : can.resign;
  }

  /** Puts a question in the place of the actions, or takes it back. */
  #ask(question: Question | null): void {
    const asked = this.#question;
    this.#question = question;
    const answered = question === null && this.#confirm.contains(document.activeElement);
    if (question) {
      byId("confirm-text").textContent = question.text;
      const yes = byId("confirm-yes");
      yes.textContent = question.yes;
      yes.className = question.danger ? "danger" : "primary";
    }
    this.#confirm.hidden = question === null;
    this.#bar.hidden = question !== null;
    if (question) byId("confirm-no").focus();
    if (answered) asked?.button.focus();
  }
}
