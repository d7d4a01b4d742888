"""A conversation in DamExchange without the wire: who may say what when, and what it makes of the game."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from damier.errors import DamierError, EngineError, IllegalMove
from damier.i18n import N_, translator
from damier.notation.dxp import (
    Answer,
    BackAnswer,
    BackRequest,
    BadDxp,
    Chat,
    DxpMove,
    GameAnswer,
    GameEnd,
    GameRequest,
    MoveMessage,
    read_message,
)

if TYPE_CHECKING:
    from damier._kernel import Move
    from damier.board import Board, Color
    from damier.notation.dxp import Message

__all__ = ["BAD_MESSAGE", "NOT_NOW", "NO_MORE", "DxpError", "DxpTalk", "Heard", "News", "Phase"]

_NO_GOING_BACK: Final = 1

BAD_MESSAGE = N_("{other} has sent what is no message of DamExchange: {what}")
_OUT_OF_ORDER = N_("{other} has sent “{token}” when it was not its turn to.")
_BOTH_ASK = N_("{other} asks for a game, as this side does; one of the two has to follow.")
_ILLEGAL = N_("{other} has played an illegal move: {what}")
NO_MORE = N_("{other} wants no other game.")
NOT_NOW = N_("This cannot be said at this point of a DamExchange game.")

_BAD_GAMES: Final = ("man_on_far_row", "too_many")


class DxpError(EngineError):
    """An opponent in DamExchange who failed, or a thing that cannot be asked of him.

    ``code``: ``not_connected``, ``nobody_came``, ``gone``, ``silent``, ``bad_message``, ``out_of_order``, ``both_ask``,
    ``illegal_move``, ``flood``, ``refused``, ``no_more``, ``ended``, ``not_now`` or ``closed``. ``chat``: what the
    other side said last for people to read, which may tell why. ``end``: what it said the game's end is, where the
    code is ``ended``. ``answer``: what it answered to a request, where the code is ``refused``.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        chat: tuple[str, ...] = (),
        end: GameEnd | None = None,
        answer: Answer | None = None,
        **facts: object,
    ) -> None:
        super().__init__(message, **facts)
        self.code = code
        self.chat = chat
        self.end = end
        self.answer = answer

    def sentence(self, language: str = "en") -> str:
        """The error as a sentence in ``language``, what was wrong in the message or move too."""
        if language == "en":
            return str(self)
        facts = {
            name: fact.sentence(language) if isinstance(fact, DamierError) else fact
            for name, fact in self.facts.items()
        }
        return translator(language).gettext(self.message).format(**facts)


class Phase(Enum):
    """How far a conversation is."""

    IDLE = "no game"
    ASKING = "this side has asked for a game"
    ASKED = "the other side has asked for a game"
    PLAYING = "a game is on"
    ENDING = "this side has said that the game is over"


News: TypeAlias = GameRequest | GameAnswer | DxpMove | GameEnd | Chat | BackRequest


class Heard(NamedTuple):
    """What a message of the other side means, None if nothing, and what has to be answered at once."""

    news: News | None
    replies: tuple[Message, ...] = ()


class DxpTalk:
    """One side of a conversation. ``name``: what this side calls itself, plain and not too long. ``place``: where the
    other side is, to name it by until it has told its name.

    Each of :meth:`ask`, :meth:`answer`, :meth:`move`, :meth:`end` gives the message that says it, or raises
    :class:`DxpError` if it cannot be said now; :meth:`hear` takes in what the other side says.

    >>> talk = DxpTalk("Damier")
    >>> talk.hear("R01Other                           W060065A").news.minutes
    60
    >>> talk.answer(Answer.ACCEPTED).name, talk.is_our_turn
    ('Damier', True)
    """

    def __init__(self, name: str, place: str = "") -> None:
        self.name = name
        self.place = place
        self.other = ""
        """What the other side calls itself; empty until it has said so."""
        self.phase = Phase.IDLE
        self.request: GameRequest | None = None
        """Of the game that is on, or was the last."""
        self.board: Board | None = None
        """Of the game that is on, or was the last; not to be changed from outside."""
        self.is_initiator = False
        self.is_last = False
        """Whether one of the two has said that there is to be no other game."""

    @property
    def ours(self) -> Color:
        """The side that this side plays. Raises :class:`DxpError` before the first game."""
        if self.request is None:
            raise self.error(NOT_NOW, "not_now")
        follower = self.request.follower
        return follower.opponent if self.is_initiator else follower

    @property
    def is_our_turn(self) -> bool:
        """Whether a game is on in which this side has to move."""
        return self.phase is Phase.PLAYING and self.board is not None and self.board.turn is self.ours

    @property
    def moves_left(self) -> int | None:
        """How many moves the side to move has until the game's limit; None if it has none."""
        if self.request is None or self.board is None or not self.request.moves:
            return None
        return max(0, self.request.moves - self.board.ply // 2)

    # --- This side ------------------------------------------------------------------------------------------------

    def ask(self, request: GameRequest) -> Message:
        """Ask for a game, as its initiator."""
        if self.is_last:
            raise self.error(NO_MORE, "no_more")
        self._expect(Phase.IDLE)
        self.phase, self.request, self.board, self.is_initiator = Phase.ASKING, request, None, True
        return request

    def answer(self, answer: Answer) -> Message:
        """Accept the game that the other side has asked for, or not."""
        self._expect(Phase.ASKED)
        self._begin(accepted=answer is Answer.ACCEPTED)
        return GameAnswer(self.name, answer)

    def move(self, move: Move, seconds: float = 0) -> Message:
        """Play a move. Raises :class:`~damier.IllegalMove` for one that is not legal."""
        if not self.is_our_turn or self.board is None:
            raise self.error(NOT_NOW, "not_now")
        self.board.push(move)
        return MoveMessage.of(move, seconds)

    def end(self, end: GameEnd) -> Message:
        """End the game: in the place of a move or, if it has to be, while the other side thinks."""
        self._expect(Phase.PLAYING)
        self.phase = Phase.ENDING
        self.is_last = self.is_last or end.is_last
        return end

    # --- The other side -------------------------------------------------------------------------------------------

    def hear(self, text: str) -> Heard:
        """Take in a message. Raises :class:`DxpError` for what is none, or may not be said now."""
        try:
            message = read_message(text)
        except BadDxp as error:
            if (answer := self._bad_request(text, error)) is not None:
                return Heard(None, (GameAnswer(self.name, answer),))
            raise self.error(BAD_MESSAGE, "bad_message", what=error) from error
        match message:
            case GameRequest():
                return self._asked(message, text)
            case GameAnswer():
                return self._answered(message, text)
            case MoveMessage():
                return self._moved(message, text)
            case GameEnd():
                return self._ended(message)
            case BackRequest():
                return Heard(message, (BackAnswer(_NO_GOING_BACK),))
            case BackAnswer():
                return Heard(None)  # nobody here has asked
            case Chat():
                return Heard(message)

    def _bad_request(self, text: str, error: BadDxp) -> Answer | None:
        """How a request that was understood and cannot be met is answered."""
        if self.phase is not Phase.IDLE or not text.startswith("R"):
            return None
        if error.code == "other_version":
            return Answer.OTHER_VERSION
        return Answer.NOT_THIS_GAME if error.code in _BAD_GAMES else None

    def _asked(self, request: GameRequest, text: str) -> Heard:
        if self.phase is Phase.ASKING:
            raise self.error(_BOTH_ASK, "both_ask")
        if self.phase is not Phase.IDLE:
            raise self._out_of_order(text)
        self.other = request.name
        if request.board().outcome() is not None:
            return Heard(None, (GameAnswer(self.name, Answer.NOT_THIS_GAME),))
        self.phase, self.request, self.board, self.is_initiator = Phase.ASKED, request, None, False
        return Heard(request)

    def _answered(self, answer: GameAnswer, text: str) -> Heard:
        if self.phase is not Phase.ASKING:
            raise self._out_of_order(text)
        self.other = answer.name
        self._begin(accepted=answer.answer is Answer.ACCEPTED)
        return Heard(answer)

    def _moved(self, message: MoveMessage, text: str) -> Heard:
        if self.phase is Phase.ENDING:
            return Heard(None)  # it was under way when this side ended the game
        if self.phase is not Phase.PLAYING or self.board is None or self.is_our_turn:
            raise self._out_of_order(text)
        try:
            move = self.board.push(message.on(self.board))
        except IllegalMove as error:
            raise self.error(_ILLEGAL, "illegal_move", what=error) from error
        return Heard(DxpMove(move, message.seconds))

    def _ended(self, end: GameEnd) -> Heard:
        self.is_last = self.is_last or end.is_last
        if self.phase is Phase.PLAYING:
            self.phase = Phase.IDLE
            return Heard(end, (GameEnd(is_last=end.is_last),))
        if self.phase is Phase.ENDING:
            self.phase = Phase.IDLE
            return Heard(end)
        return Heard(None)  # an answer too many

    def _begin(self, *, accepted: bool) -> None:
        if accepted and self.request is not None:
            self.phase, self.board = Phase.PLAYING, self.request.board()
        else:
            self.phase, self.request = Phase.IDLE, None

    def _expect(self, phase: Phase) -> None:
        if self.phase is not phase:
            raise self.error(NOT_NOW, "not_now")

    def _out_of_order(self, text: str) -> DxpError:
        return self.error(_OUT_OF_ORDER, "out_of_order", token=text[:40])

    def error(self, message: str, code: str, **facts: Any) -> DxpError:
        """An error of this conversation; ``other`` in the message is who the other side is."""
        return DxpError(message, code=code, other=self.other or self.place, **facts)
