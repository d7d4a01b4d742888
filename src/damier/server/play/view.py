"""A game as those who look at it see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from damier.events import MoveMade, TakeBackAccepted, TookBack, color_to_json
from damier.game import Game
from damier.i18n import N_, translator
from damier.server.play.messages import (
    Can,
    DrawCountView,
    FirstState,
    MoveView,
    Players,
    PlayerView,
    PlyView,
    ResultView,
    State,
)
from damier.server.play.store import computer_to_move

if TYPE_CHECKING:
    from collections.abc import Mapping
    from gettext import NullTranslations

    from damier import Color, Move
    from damier.record import Player, Result

WINS: Final[Mapping[tuple[str, str], str]] = {
    ("no_moves", "white"): N_("White wins: Black has no move left."),
    ("no_moves", "black"): N_("Black wins: White has no move left."),
    ("resigned", "white"): N_("White wins: Black resigned."),
    ("resigned", "black"): N_("Black wins: White resigned."),
    ("flag", "white"): N_("White wins: Black's time is up."),
    ("flag", "black"): N_("Black wins: White's time is up."),
}
WITHOUT_WINNER: Final[Mapping[str, str]] = {
    "agreed": N_("Draw by agreement."),
    "flag_lone_king": N_("Draw: time is up, but against a lone king."),
    "repetition": N_("Draw: the same position for the third time."),
    "king_moves": N_("Draw: {count} moves of each side with kings only and without a capture."),
    "three_pieces": N_("Draw: {count} moves of each side with a lone king against three pieces."),
    "two_pieces": N_("Draw: {count} moves of each side with a lone king against at most two pieces."),
    "same_move": N_("Draw: the same move made three times, with only its return in between."),
    "move_limit": N_("Draw: {count} moves of each side have been made."),
    "aborted": N_("The game was broken off before both sides had moved."),
}
COUNTS: Final[Mapping[str, str]] = {
    "repetition": N_("Same position: {done} of {of} times"),
    "king_moves": N_("Only kings moved: {done} of {of} moves"),
    "three_pieces": N_("Lone king against three pieces: {done} of {of} moves"),
    "two_pieces": N_("Lone king against two pieces or one: {done} of {of} moves"),
    "same_move": N_("Same move: {done} of {of} times"),
    "move_limit": N_("Length of the game: {done} of {of} moves"),
}


class View:
    """A game at one version, with its moves written out. ``previous``: an earlier view of it, to save the work."""

    __slots__ = ("board", "game", "plies")

    def __init__(self, game: Game, previous: View | None = None) -> None:
        self.game = game
        self.board = game.board
        self.plies = self._write_out(previous)

    def _write_out(self, previous: View | None) -> tuple[PlyView, ...]:
        kept = 0 if previous is None else common_plies(self.game, previous.game.version)
        plies: list[PlyView] = [] if previous is None else list(previous.plies[:kept])
        board = self.game.board
        moves: list[Move] = [board.pop() for _ in range(board.ply - kept)]
        while moves:
            move = moves.pop()
            text = board.notation(move)
            board.push(move)
            plies.append(PlyView(text, board.fen(), _move_view(move, all_paths=False)))
        return tuple(plies)

    def state(self, viewer: Color | None, language: str, from_ply: int = 0) -> State:
        """The state for the player of a side, or for somebody who watches (None), from a ply on."""
        game = self.game
        to_move = viewer is not None and viewer is game.turn and game.result is None
        texts = translator(language)
        return State(
            version=game.version,
            from_ply=from_ply,
            plies=self.plies[from_ply:],
            fen=self.board.fen(),
            turn=color_to_json(game.turn),
            legal=tuple(_move_view(move) for move in self.board.legal_moves) if to_move else (),
            result=None if game.result is None else self._result(game.result, texts),
            draw_counts=() if game.result is not None else self._draw_counts(texts),
            thinking=computer_to_move(game),
            can=Can(
                take_back=viewer is not None and game.can_take_back(viewer) > 0,
                resign=viewer is not None and game.result is None,
            ),
        )

    def first_state(self, game_id: str, viewer: Color | None, language: str) -> FirstState:
        """The whole state, for the page."""
        state = self.state(viewer, language)
        fields = {name: getattr(state, name) for name in State.__struct_fields__}
        origin = self.game.origin
        return FirstState(
            **fields,
            id=game_id,
            rules=origin.rules,
            you=None if viewer is None else color_to_json(viewer),
            start_fen=origin.fen,
            players=Players(_player_view(origin.white, language), _player_view(origin.black, language)),
        )

    def _result(self, result: Result, texts: NullTranslations) -> ResultView:
        if result.winner is not None:
            winner = color_to_json(result.winner)
            text = texts.gettext(WINS[result.reason, winner])
        else:
            winner = None
            limits = {"king_moves", "three_pieces", "two_pieces", "move_limit"}
            count = getattr(self.board.rules, result.reason) if result.reason in limits else None
            text = texts.gettext(WITHOUT_WINNER[result.reason]).format(count=count)
        return ResultView(winner, result.score, result.reason, text)

    def _draw_counts(self, texts: NullTranslations) -> tuple[DrawCountView, ...]:
        return tuple(
            DrawCountView(
                count.rule, count.done, count.of, texts.gettext(COUNTS[count.rule]).format(done=count.done, of=count.of)
            )
            for count in self.board.draw_counts
        )


def common_plies(game: Game, version: int) -> int:
    """How many plies of a game's present moves were there at an earlier version too, and ever since."""
    plies = kept = 0
    for number, entry in enumerate(game.events, 1):
        if number == version + 1:
            kept = plies
        if isinstance(entry.event, MoveMade):
            plies += 1
        elif isinstance(entry.event, TookBack | TakeBackAccepted):
            plies -= entry.event.plies
        if number > version:
            kept = min(kept, plies)
    return plies if version >= game.version else kept


def _move_view(move: Move, *, all_paths: bool = True) -> MoveView:
    paths = move.paths if all_paths else move.paths[:1]
    return MoveView(move.from_square, move.to_square, move.captured, move.crowned, paths)


def player_name(player: Player, language: str) -> str:
    """A player's name in a language: of the nameless, what they are."""
    if player.name is not None:
        return player.name
    return translator(language).gettext(N_("Computer") if player.is_computer else N_("Guest"))


def _player_view(player: Player, language: str) -> PlayerView:
    return PlayerView(player.kind, player_name(player, language), player.level)
