"""A game as those who look at it see it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import msgspec

from damier import Color
from damier.clock import milliseconds
from damier.events import MoveMade, TakeBackAccepted, TookBack, color_to_json
from damier.i18n import N_, translator
from damier.rules import by_name
from damier.server.lobby import controls
from damier.server.people import profile_url
from damier.server.play import arbiter, chat
from damier.server.play.messages import (
    Can,
    ClockView,
    DrawCountView,
    FirstState,
    MoveView,
    Own,
    Players,
    PlayerView,
    PlyView,
    RatedView,
    ResultView,
    Shared,
    Side,
    encode,
    with_own,
)
from damier.server.play.store import computer_to_move

if TYPE_CHECKING:
    from collections.abc import Mapping
    from gettext import NullTranslations

    from damier import Move
    from damier.game import Game
    from damier.record import Player, Result
    from damier.server.ratings import NotRated

WINS: Final[Mapping[tuple[str, str], str]] = {
    ("no_moves", "white"): N_("White wins: Black has no move left."),
    ("no_moves", "black"): N_("Black wins: White has no move left."),
    ("resigned", "white"): N_("White wins: Black resigned."),
    ("resigned", "black"): N_("Black wins: White resigned."),
    ("abandoned", "white"): N_("White wins: Black left the game."),
    ("abandoned", "black"): N_("Black wins: White left the game."),
    ("flag", "white"): N_("White wins: Black's time is up."),
    ("flag", "black"): N_("Black wins: White's time is up."),
}
WITHOUT_WINNER: Final[Mapping[str, str]] = {
    "agreed": N_("Draw by agreement."),
    "abandoned": N_("Draw: one side left the game."),
    "flag_lone_king": N_("Draw: time is up, but against a lone king."),
    "repetition": N_("Draw: the same position for the third time."),
    "king_moves": N_("Draw: {count} moves of each side with kings only and without a capture."),
    "three_pieces": N_("Draw: {count} moves of each side with a lone king against three pieces."),
    "two_pieces": N_("Draw: {count} moves of each side with a lone king against at most two pieces."),
    "same_move": N_("Draw: the same move made three times, with only its return in between."),
    "move_limit": N_("Draw: {count} moves of each side have been made."),
}
BROKEN_OFF: Final[Mapping[tuple[str, str], str]] = {
    ("arbiter", "white"): N_("Broken off: White did not make the first move in time."),
    ("arbiter", "black"): N_("Broken off: Black did not make the first move in time."),
    ("player", "white"): N_("White broke the game off before both sides had moved."),
    ("player", "black"): N_("Black broke the game off before both sides had moved."),
}
COUNTS: Final[Mapping[str, str]] = {
    "repetition": N_("Same position: {done} of {of} times"),
    "king_moves": N_("Only kings moved: {done} of {of} moves"),
    "three_pieces": N_("Lone king against three pieces: {done} of {of} moves"),
    "two_pieces": N_("Lone king against two pieces or one: {done} of {of} moves"),
    "same_move": N_("Same move: {done} of {of} times"),
    "move_limit": N_("Length of the game: {done} of {of} moves"),
}

FORMER_MEMBER: Final = N_("Former member")
"""What is shown in place of the name of somebody who has deleted the account."""

NOTHING: Final = Own()
_SIDES: Final = tuple(Color)


class View:
    """A game at one version, with its moves written out. ``previous``: an earlier view of it, to save the work.

    ``created``: when the game began to be. ``is_public``: whether it is shown to everybody, or only to who has its
    link.
    """

    __slots__ = ("_legal", "_sent", "_sent_at", "created", "fen", "game", "is_public", "plies")

    def __init__(self, game: Game, created: float, *, is_public: bool = False, previous: View | None = None) -> None:
        self.game = game
        self.created = created
        self.is_public = is_public
        self.fen = game.fen()
        self.plies = self._write_out(previous)
        self._legal: tuple[MoveView, ...] | None = None
        self._sent_at: float | None = None
        self._sent: dict[tuple[str, int], str] = {}
        """What was sent at that moment to all who read a language and had the plies up to one."""

    def after(self, game: Game) -> View:
        """The view of the same game some events later."""
        return View(game, self.created, is_public=self.is_public, previous=self)

    def _write_out(self, previous: View | None) -> tuple[PlyView, ...]:
        kept = 0 if previous is None else common_plies(self.game, previous.game.version)
        known = () if previous is None else previous.plies[:kept]
        board, fen = self.game.board, self.fen
        plies: list[PlyView] = []
        for _ in range(board.ply - kept):
            move = board.pop()
            plies.append(PlyView(board.notation(move), fen, move_view(move, all_paths=False)))
            fen = "" if board.ply == kept else board.fen()
        return (*known, *reversed(plies))

    @property
    def legal(self) -> tuple[MoveView, ...]:
        """The moves that the side to move may make."""
        if self._legal is None:
            self._legal = tuple(move_view(move) for move in self.game.legal_moves)
        return self._legal

    def frame(self, viewer: Color | None, language: str, now: float, from_ply: int = 0) -> str:
        """The state for the player of a side, or for somebody who watches (None), from a ply on, sent at ``now``."""
        if self._sent_at != now:
            self._sent_at, self._sent = now, {}
        shared = self._sent.get((language, from_ply))
        if shared is None:
            shared = self._sent[language, from_ply] = encode(self._shared(language, now, from_ply))
        return with_own(shared, self._own(viewer))

    def _own(self, viewer: Color | None) -> Own:
        game = self.game
        if viewer is None or game.result is not None:
            return NOTHING
        return Own(legal=self.legal if viewer is game.turn else (), can=self._can(viewer))

    def _shared(self, language: str, now: float, from_ply: int) -> Shared:
        game = self.game
        result = game.result
        counts = () if result is not None else game.board.draw_counts
        first_move_until = arbiter.first_move_until(game, self.created)
        days = game.origin.clock.days
        return Shared(
            version=game.version,
            from_ply=from_ply,
            plies=self.plies[from_ply:],
            fen=self.fen,
            turn=color_to_json(game.turn),
            result=None if result is None else self._result(result, translator(language)),
            draw_counts=tuple([_draw_count_view(count.rule, count.done, count.of, language) for count in counts]),
            thinking=computer_to_move(game),
            clock=self._clock(now, first_move_until if days else None),
            # a clock of days tells it
            first_move_in=None if first_move_until is None or days else max(0, milliseconds(first_move_until - now)),
            draw_offer=_side(game.draw_offer),
            take_back_offer=_side(game.take_back_offer),
            touched=game.touched,
            adjusting=tuple([color_to_json(color) for color in _SIDES if game.is_adjusting(color)]),
            paused=game.paused,
        )

    def first_state(
        self,
        game_id: str,
        viewer: Color | None,
        language: str,
        now: float,
        *,
        chat_on: bool = True,
        rating: RatedView | None = None,
        why_casual: NotRated | None = None,
    ) -> FirstState:
        """The whole state, for the page."""
        shared, own = self._shared(language, now, 0), self._own(viewer)
        fields = msgspec.structs.asdict(shared) | msgspec.structs.asdict(own)
        origin = self.game.origin
        return FirstState(
            **fields,
            id=game_id,
            rules=origin.rules,
            you=_side(viewer),
            start_fen=origin.fen,
            players=Players(_player_view(origin.white, language), _player_view(origin.black, language)),
            control=controls.text(origin.clock),
            control_label=controls.label(origin.clock, language),
            speed=controls.speed(origin.clock),
            is_public=self.is_public,
            rating=rating or RatedView(is_rated=False),
            why_casual=None if why_casual is None else why_casual.sentence(language),
            chat_on=chat_on,
            presets=chat.presets(language),
        )

    def _clock(self, now: float, first_move_until: float | None) -> ClockView | None:
        """The clocks. With ``first_move_until`` the side to move, whose clock stands, sees its time for that move run."""
        clock, turn = self.game.clock, self.game.turn
        if clock is None:
            return None
        left = {color: clock.remaining(color, now) for color in _SIDES}
        running = clock.running
        if first_move_until is not None and running is None and self.game.result is None:
            left[turn], running = max(0.0, first_move_until - now), turn
        white, black = milliseconds(left[Color.WHITE]), milliseconds(left[Color.BLACK])
        return ClockView(white, black, _side(running), arbiter.low(clock.control))

    def _can(self, viewer: Color) -> Can:
        game, opponent = self.game, viewer.opponent
        with_person = not game.player(opponent).is_computer
        clock = game.clock
        return Can(
            take_back=not with_person and game.can_take_back(viewer) > 0,
            resign=True,
            offer_draw=with_person and game.draw_offer is None and not game.moves_until_draw_offer(viewer),
            offer_draw_in=game.moves_until_draw_offer(viewer) if with_person else 0,
            accept_draw=game.draw_offer is opponent,
            offer_take_back=with_person and game.can_offer_take_back(viewer),
            accept_take_back=game.take_back_offer is opponent and not game.paused,
            abort=game.can_abort,
            add_time=with_person and clock is not None and not clock.control.days,
            touch=game.can_touch(viewer),
        )

    def _result(self, result: Result, texts: NullTranslations) -> ResultView:
        if result.reason == "aborted":
            by = self.game.events[-1].by
            which = ("arbiter", self.game.turn) if by is None else ("player", by)
            text = texts.gettext(BROKEN_OFF[which[0], color_to_json(which[1])])
        else:
            text = ending(result.winner, result.reason, self.game.origin.rules, texts)
        winner = None if result.winner is None else color_to_json(result.winner)
        return ResultView(winner, result.score, result.reason, text)


def ending(winner: Color | None, reason: str, rules: str, texts: NullTranslations) -> str:
    """How a game of a rule set ended, in words."""
    if winner is not None:
        return texts.gettext(WINS[reason, color_to_json(winner)])
    limits = {"king_moves", "three_pieces", "two_pieces", "move_limit"}
    count = getattr(by_name(rules), reason) if reason in limits else None
    return texts.gettext(WITHOUT_WINNER[reason]).format(count=count)


def common_plies(game: Game, version: int) -> int:
    """How many plies of a game's present moves were there at an earlier version too, and ever since."""
    plies = kept = game.plies
    for entry in reversed(game.events[version:]):
        if isinstance(entry.event, MoveMade):
            plies -= 1
        elif isinstance(entry.event, TookBack | TakeBackAccepted):
            plies += entry.event.plies
        kept = min(kept, plies)
    return kept


def _side(color: Color | None) -> Side | None:
    return None if color is None else color_to_json(color)


def move_view(move: Move, *, all_paths: bool = True) -> MoveView:
    start, target, captured = move.from_square, move.to_square, move.captured
    if not captured:
        return _plain_move_view(start, target, move.crowned)
    return MoveView(start, target, captured, move.crowned, move.paths if all_paths else move.paths[:1])


@cache
def _plain_move_view(start: int, target: int, crowned: bool) -> MoveView:
    return MoveView(start, target, (), crowned, ((start, target),))


@cache
def _draw_count_view(rule: str, done: int, of: int, language: str) -> DrawCountView:
    text = translator(language).gettext(COUNTS[rule])
    return DrawCountView(rule, done, of, text.format(done=done, of=of))


def player_name(player: Player, language: str) -> str:
    """A player's name in a language: of the nameless, what they are."""
    if player.name is not None:
        return player.name
    if player.kind == "gone":
        return translator(language).gettext(FORMER_MEMBER)
    return translator(language).gettext(N_("Computer") if player.is_computer else N_("Guest"))


def _player_view(player: Player, language: str) -> PlayerView:
    url = profile_url(player.name) if player.kind in ("member", "bot") and player.name else None
    return PlayerView(player.kind, player_name(player, language), player.level, url)
