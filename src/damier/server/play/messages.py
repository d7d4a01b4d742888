"""What the server and the page say to each other over a game's socket: JSON objects whose ``t`` names their kind."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from damier.events import MoveMade

Side: TypeAlias = Literal["white", "black"]
Square = Annotated[int, msgspec.Meta(ge=1, le=50)]
Reference = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A number that the page chooses; the answer to its message carries it."""

LARGEST_MESSAGE: Final = 4096
"""Bytes; a longer frame ends the connection."""

# --- From the page ------------------------------------------------------------------------------------------------


class MovePart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which move: its start, target, captured squares and whether a man was crowned."""

    from_square: Square = msgspec.field(name="from")
    to_square: Square = msgspec.field(name="to")
    captured: Annotated[list[Square], msgspec.Meta(max_length=20)] = []
    crowned: bool = False

    def event(self) -> MoveMade:
        return MoveMade(self.from_square, self.to_square, tuple(sorted(self.captured)), self.crowned)


class MoveMessage(msgspec.Struct, tag_field="t", tag="move", frozen=True, forbid_unknown_fields=True):
    """A move, chosen in the position after ``ply`` plies."""

    ref: Reference
    ply: int
    move: MovePart


class ExplainMessage(msgspec.Struct, tag_field="t", tag="explain", frozen=True, forbid_unknown_fields=True):
    """Why is there no such move in the position after ``ply`` plies?"""

    ref: Reference
    ply: int
    from_square: Square = msgspec.field(name="from")
    to_square: Square = msgspec.field(name="to")


class TakeBackMessage(msgspec.Struct, tag_field="t", tag="take_back", frozen=True, forbid_unknown_fields=True):
    ref: Reference


class ResignMessage(msgspec.Struct, tag_field="t", tag="resign", frozen=True, forbid_unknown_fields=True):
    ref: Reference


class PingMessage(msgspec.Struct, tag_field="t", tag="ping", frozen=True, forbid_unknown_fields=True):
    pass


ClientMessage: TypeAlias = MoveMessage | ExplainMessage | TakeBackMessage | ResignMessage | PingMessage

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


class MoveView(msgspec.Struct, frozen=True):
    """A move with its ways: each a list of squares from start to target."""

    from_square: int = msgspec.field(name="from")
    to_square: int = msgspec.field(name="to")
    captured: tuple[int, ...]
    crowned: bool
    paths: tuple[tuple[int, ...], ...]


class PlyView(msgspec.Struct, frozen=True):
    """A move that was made: its text, the position after it, and itself with one way."""

    text: str
    fen: str
    move: MoveView


class ResultView(msgspec.Struct, frozen=True):
    winner: Side | None
    score: str
    rule: str
    text: str


class DrawCountView(msgspec.Struct, frozen=True):
    rule: str
    done: int
    of: int
    text: str


class Can(msgspec.Struct, frozen=True):
    take_back: bool
    resign: bool


class State(msgspec.Struct, tag_field="t", tag="state", frozen=True, kw_only=True):
    """The game as one viewer sees it; the plies before ``from_ply`` are as the page has them."""

    version: int
    from_ply: int
    plies: tuple[PlyView, ...]
    fen: str
    turn: Side
    legal: tuple[MoveView, ...]
    result: ResultView | None
    draw_counts: tuple[DrawCountView, ...]
    thinking: bool
    can: Can


class PlayerView(msgspec.Struct, frozen=True):
    kind: str
    name: str
    level: int | None


class Players(msgspec.Struct, frozen=True):
    white: PlayerView
    black: PlayerView


class FirstState(State, tag_field="t", tag="state", frozen=True, kw_only=True):
    """The first state, embedded in the page, with what does not change during a game."""

    id: str
    rules: str
    you: Side | None
    start_fen: str
    players: Players


class Ack(msgspec.Struct, tag_field="t", tag="ack", frozen=True):
    """The event is kept for good; the game has this version now."""

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


ServerMessage: TypeAlias = State | Ack | Error | ReasonView | Pong

_encoder = msgspec.json.Encoder()


def encode(message: ServerMessage) -> str:
    """A message as the text of a frame."""
    return _encoder.encode(message).decode()
