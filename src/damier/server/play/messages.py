"""What the server and the page say to each other over a game's socket: JSON objects whose ``t`` names their kind.

What a page asks carries a number ``ref``, and the answer to it carries the same: ``ack`` (it is kept for good),
``reason`` or ``error``. The rest comes by itself: ``state`` after every event of the game, and ``presence``, ``chat``,
``rematch`` and ``rating`` when these change, and ``begun`` when another game of the same person does. Times that are left are milliseconds at the moment of sending.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from damier.events import MoveMade

Side: TypeAlias = Literal["white", "black"]
Room: TypeAlias = Literal["players", "watchers"]
Speed: TypeAlias = Literal["bullet", "blitz", "rapid", "classical", "correspondence", "unlimited"]
Preset: TypeAlias = Literal[
    "hello", "good_luck", "good_game", "well_played", "thanks", "sorry", "one_moment", "bye"
]  # fmt: skip
Square = Annotated[int, msgspec.Meta(ge=1, le=50)]
Reference = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A number that the page chooses; the answer to its message carries it."""

LARGEST_MESSAGE: Final = 4096
"""Bytes; a longer frame ends the connection."""
LONGEST_LINE: Final = 140
"""Characters of a line of chat."""

# --- From the page ------------------------------------------------------------------------------------------------


class MovePart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Which move: its start, target, captured squares and whether a man was crowned."""

    from_square: Square = msgspec.field(name="from")
    to_square: Square = msgspec.field(name="to")
    captured: Annotated[list[Square], msgspec.Meta(max_length=20)] = []
    crowned: bool = False

    def event(self) -> MoveMade:
        return MoveMade(self.from_square, self.to_square, tuple(sorted(self.captured)), self.crowned)


class Asked(msgspec.Struct, tag_field="t", frozen=True, forbid_unknown_fields=True):
    """What is answered: an ``ack``, or an ``error`` with the reason why not."""

    ref: Reference


class MoveMessage(Asked, tag="move", frozen=True):
    """A move, chosen in the position after ``ply`` plies."""

    ply: int
    move: MovePart


class ExplainMessage(Asked, tag="explain", frozen=True):
    """Why is there no such move in the position after ``ply`` plies?"""

    ply: int
    from_square: Square = msgspec.field(name="from")
    to_square: Square = msgspec.field(name="to")


class TakeBackMessage(Asked, tag="take_back", frozen=True):
    """Undo my last move and the computer's answer to it."""


class ResignMessage(Asked, tag="resign", frozen=True):
    """I give up."""


class OfferDrawMessage(Asked, tag="offer_draw", frozen=True):
    """Shall we call it a draw?"""


class AcceptDrawMessage(Asked, tag="accept_draw", frozen=True):
    """Yes, a draw."""


class DeclineDrawMessage(Asked, tag="decline_draw", frozen=True):
    """No draw."""


class OfferTakeBackMessage(Asked, tag="offer_take_back", frozen=True):
    """May I take back my last move?"""


class AcceptTakeBackMessage(Asked, tag="accept_take_back", frozen=True):
    """You may take it back."""


class DeclineTakeBackMessage(Asked, tag="decline_take_back", frozen=True):
    """The move stands."""


class AbortMessage(Asked, tag="abort", frozen=True):
    """Break the game off: not both of us have moved."""


class AddTimeMessage(Asked, tag="add_time", frozen=True):
    """Give my opponent 15 seconds."""


class TouchMessage(Asked, tag="touch", frozen=True):
    """I touch the piece on a square of the position after ``ply`` plies."""

    ply: int
    square: Square


class AdjustMessage(Asked, tag="adjust", frozen=True):
    """J'adoube: my touches do not count."""


class UnsayMessage(Asked, tag="unsay", frozen=True):
    """My touches count again."""


class ClaimMessage(Asked, tag="claim", frozen=True):
    """My opponent has left: I claim the win, or a draw."""

    kind: Literal["win", "draw"] = msgspec.field(name="as")


class RematchMessage(Asked, tag="rematch", frozen=True):
    """Once more with the colors exchanged: offers it, or accepts the other's offer."""


class DeclineRematchMessage(Asked, tag="decline_rematch", frozen=True):
    """No rematch; or, by who has offered it, no longer."""


class SayMessage(Asked, tag="say", frozen=True):
    """A line of chat, either in the speaker's own words or one of the presets."""

    room: Room
    text: str | None = None
    preset: Preset | None = None


class ChatMessage(Asked, tag="chat", frozen=True):
    """Switch chat on or off for this person, here and in other games."""

    on: bool


class PingMessage(msgspec.Struct, tag_field="t", tag="ping", frozen=True, forbid_unknown_fields=True):
    """Is anybody there?"""


class PongMessage(msgspec.Struct, tag_field="t", tag="pong", frozen=True, forbid_unknown_fields=True):
    """The answer to the server's ping with the same number, at once."""

    id: Reference


GameMessage: TypeAlias = (
    MoveMessage
    | TakeBackMessage
    | ResignMessage
    | OfferDrawMessage
    | AcceptDrawMessage
    | DeclineDrawMessage
    | OfferTakeBackMessage
    | AcceptTakeBackMessage
    | DeclineTakeBackMessage
    | AbortMessage
    | AddTimeMessage
    | TouchMessage
    | AdjustMessage
    | UnsayMessage
)
"""What makes an event of the game, if the game takes it."""
AskedMessage: TypeAlias = (
    GameMessage | ClaimMessage | ExplainMessage | RematchMessage | DeclineRematchMessage | SayMessage | ChatMessage
)
ClientMessage: TypeAlias = AskedMessage | PingMessage | PongMessage

_decoder = msgspec.json.Decoder(ClientMessage)


def decode(text: str | bytes) -> ClientMessage:
    """The message in a frame; raises :class:`msgspec.DecodeError` (of which ValidationError is a kind)."""
    return _decoder.decode(text)


class _Numbered(msgspec.Struct):
    ref: Reference | None = None


_numbered_decoder = msgspec.json.Decoder(_Numbered)


def reference(text: str | bytes | None) -> int | None:
    """The number of a message that is not as it should be, as far as it has one.

    >>> reference('{"t":"move","ref":7}'), reference("[]"), reference(None)
    (7, None, None)
    """
    try:
        return _numbered_decoder.decode(text or "").ref
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None


# --- To the page --------------------------------------------------------------------------------------------------


class MoveView(msgspec.Struct, frozen=True, gc=False):
    """A move with its ways: each a list of squares from start to target."""

    from_square: int = msgspec.field(name="from")
    to_square: int = msgspec.field(name="to")
    captured: tuple[int, ...]
    crowned: bool
    paths: tuple[tuple[int, ...], ...]


class PlyView(msgspec.Struct, frozen=True, gc=False):
    """A move that was made: its text, the position after it, and itself with one way."""

    text: str
    fen: str
    move: MoveView


class ResultView(msgspec.Struct, frozen=True, gc=False):
    winner: Side | None
    score: str
    rule: str
    text: str


class DrawCountView(msgspec.Struct, frozen=True, gc=False):
    rule: str
    done: int
    of: int
    text: str


class ClockView(msgspec.Struct, frozen=True, gc=False):
    """Both sides' time: milliseconds left when this was sent. ``running``: whose goes on from there.

    ``low``: milliseconds under which to warn.
    """

    white: int
    black: int
    running: Side | None
    low: int


class Can(msgspec.Struct, frozen=True, gc=False):
    """What the viewer may do in the game as it stands.

    ``offer_draw_in``: moves that the opponent has yet to make before the viewer may offer a draw again.
    """

    take_back: bool = False
    resign: bool = False
    offer_draw: bool = False
    offer_draw_in: int = 0
    accept_draw: bool = False
    offer_take_back: bool = False
    accept_take_back: bool = False
    abort: bool = False
    add_time: bool = False
    touch: bool = False


class Shared(msgspec.Struct, tag_field="t", tag="state", frozen=True, kw_only=True, gc=False):
    """The game as all see it who read one language; the plies before ``from_ply`` are as the page has them.

    ``draw_offer``, ``take_back_offer``: who has made one that is not answered. ``touched``: the square of the piece
    that must be moved. ``adjusting``: who has said j'adoube. ``first_move_in``: milliseconds after which the game is
    broken off if the side to move does not make its first move.
    """

    version: int
    from_ply: int
    plies: tuple[PlyView, ...]
    fen: str
    turn: Side
    result: ResultView | None
    draw_counts: tuple[DrawCountView, ...]
    thinking: bool
    clock: ClockView | None
    first_move_in: int | None
    draw_offer: Side | None
    take_back_offer: Side | None
    touched: int | None
    adjusting: tuple[Side, ...]
    paused: bool


class Own(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What is for one viewer: the moves that may be made, and what else may be done."""

    legal: tuple[MoveView, ...] = ()
    can: Can = Can()


class State(Shared, tag_field="t", tag="state", frozen=True, kw_only=True, gc=False):
    """The game as one viewer sees it: what all see, and what is for this one."""

    legal: tuple[MoveView, ...]
    can: Can


class PlayerView(msgspec.Struct, frozen=True):
    """Who plays a side. ``url``: a member's own page."""

    kind: str
    name: str
    level: int | None
    url: str | None = None


class Players(msgspec.Struct, frozen=True):
    white: PlayerView
    black: PlayerView


class RatingView(msgspec.Struct, frozen=True):
    """A player's rating as it is now, ``provisional`` while little is known; after a rated game with its change."""

    value: int
    provisional: bool
    change: int | None = None


class RatedView(msgspec.Struct, tag_field="t", tag="rating", frozen=True):
    """Whether the game is rated, and the players' ratings; sent when these change, which is after the game."""

    is_rated: bool
    white: RatingView | None = None
    black: RatingView | None = None


class PresetView(msgspec.Struct, frozen=True):
    """A line of chat that is said with one click, and its text in the viewer's language."""

    id: Preset
    text: str


class FirstState(State, tag_field="t", tag="state", frozen=True, kw_only=True):
    """The first state, embedded in the page, with what does not change during a game.

    ``control``: the time control for people, like "5+3"; ``control_label``: the same in words. ``why_casual``: why the
    game is not rated though both wanted it to be, as a sentence. ``chat_on``: whether
    the viewer wants to see chat. ``presets``: what can be said with one click.
    """

    id: str
    rules: str
    you: Side | None
    start_fen: str
    players: Players
    control: str
    control_label: str
    speed: Speed
    is_public: bool
    rating: RatedView
    why_casual: str | None
    chat_on: bool
    presets: tuple[PresetView, ...]


class Ack(msgspec.Struct, tag_field="t", tag="ack", frozen=True, gc=False):
    """What was asked is done, and kept for good; the game has this version now."""

    ref: int
    version: int


class Error(msgspec.Struct, tag_field="t", tag="error", frozen=True):
    """What was asked was not done. ``ref`` is None when the message could not be read."""

    ref: int | None
    code: str
    message: str


class ReasonView(msgspec.Struct, tag_field="t", tag="reason", frozen=True):
    """Why a move is not legal."""

    ref: int
    code: str
    text: str
    facts: dict[str, object]


class Pong(msgspec.Struct, tag_field="t", tag="pong", frozen=True):
    pass


class Ping(msgspec.Struct, tag_field="t", tag="ping", frozen=True):
    """To be answered at once by a pong with the same number: how far away is this player?"""

    id: int


class PresenceView(msgspec.Struct, tag_field="t", tag="presence", frozen=True):
    """Who is here. ``watchers``: people, not sockets.

    ``claim_in``: milliseconds after which this viewer may claim against the opponent, who has left; 0: now; None: the
    opponent is here, or there is nothing to claim.
    """

    white: bool
    black: bool
    watchers: int
    claim_in: int | None


class ChatLine(msgspec.Struct, frozen=True, omit_defaults=False):
    """A line of chat: ``text``, or a ``preset``, whose text the page has from the first state.

    ``side``: which the speaker plays, None for a watcher. ``at``: seconds since 1970.
    """

    seq: int
    name: str
    side: Side | None
    text: str | None
    preset: str | None
    at: float


class KeptLine(ChatLine, frozen=True, kw_only=True):
    """A line as the club keeps it. ``person``: the id of who said it, which pages are not told."""

    person: str


class ChatView(msgspec.Struct, tag_field="t", tag="chat", frozen=True):
    """Lines of a room that the page does not have yet, in order."""

    room: Room
    lines: tuple[ChatLine, ...]


class ChangedLineView(msgspec.Struct, tag_field="t", tag="chat_changed", frozen=True):
    """A line that you have been sent is another now: a moderator has hidden it, or shows it again."""

    room: Room
    line: ChatLine


class ChatOnView(msgspec.Struct, tag_field="t", tag="chat_on", frozen=True):
    """Whether this person wants to see chat: on coming, and whenever it is switched, at whatever board."""

    on: bool


class RematchView(msgspec.Struct, tag_field="t", tag="rematch", frozen=True):
    """Who offers a rematch; ``game``: the id of the new game, where it is to be played."""

    offered_by: Side | None
    game: str | None


class BegunView(msgspec.Struct, tag_field="t", tag="begun", frozen=True):
    """Another game of this person's has begun: somebody has accepted an open game or a challenge."""

    game: str


ServerMessage: TypeAlias = (
    State | Ack | Error | ReasonView | Pong | Ping | PresenceView | ChatView | ChangedLineView | ChatOnView | RematchView | RatedView | BegunView
)  # fmt: skip

_encoder = msgspec.json.Encoder()


def with_own(shared: str, own: Own) -> str:
    """A :class:`State` as the text of a frame: what is for its viewer added to what is encoded already, for all.

    >>> with_own('{"t":"state","version":3}', Own()).startswith('{"t":"state","version":3,"legal":[],"can":{"take_back":')
    True
    """
    return f"{shared[:-1]},{_encoder.encode(own).decode()[1:]}"


def encode(message: ServerMessage | Shared) -> str:
    """A message as the text of a frame."""
    return _encoder.encode(message).decode()
