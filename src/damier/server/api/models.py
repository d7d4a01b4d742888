"""What the interface is sent and what it answers, as its OpenAPI document describes it."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from damier.server.lobby.controls import Speed

Side: TypeAlias = Literal["white", "black"]
Rules: TypeAlias = Literal["official", "club", "leaflet", "classic"]
RatedRules: TypeAlias = Literal["official", "club"]
Moment: TypeAlias = Annotated[float, Meta(description="Seconds since 1970.")]
Square: TypeAlias = Annotated[int, Meta(ge=1, le=50)]
GameId: TypeAlias = Annotated[str, Meta(description="The id of a game.")]
Fen: TypeAlias = Annotated[str, Meta(description="A position, such as `W:W31-50:B1-20`.")]
Clock: TypeAlias = Annotated[
    str,
    Meta(
        description="The time control as PDN writes it: `300+3` is five minutes and three seconds a move, `1/259200`"
        " three days a move, `-` no clock.",
    ),
]
WantedClock: TypeAlias = Annotated[
    str,
    Meta(
        examples=["300+3", "correspondence 3"],
        pattern=r"^(-|[0-9]{1,5}(\+[0-9]{1,3})?|1/[0-9]{5,7}|correspondence [0-9]{1,2})$",
        description="The time control: `300+3` (seconds, and seconds a move), `600`, `correspondence 3` (days a move)"
        " or `-` (no clock). From 3 seconds to 180 minutes and at most 180 seconds a move, or 1 to 14 days.",
    ),
]
Color: TypeAlias = Annotated[
    Literal["white", "black", "lot"], Meta(description="The side of who asks; `lot`: either, by lot.")
]
WantedRating: TypeAlias = Annotated[int, Meta(ge=100, le=3500)]


class RatingView(msgspec.Struct, frozen=True):
    """A rating in one pool."""

    rules: str
    speed: Speed
    value: Annotated[int, Meta(description="The strength; 200 points more score about three in four.")]
    deviation: Annotated[int, Meta(description="The standard error of the value, as of today.")]
    provisional: bool
    games: int


class Account(msgspec.Struct, frozen=True):
    """Who the token's owner is, and what the token is for."""

    id: Annotated[str, Meta(description="Told to nobody else.")]
    name: str
    kind: Literal["member", "bot"]
    role: Literal["player", "moderator", "administrator"]
    scopes: list[Literal["account:read", "play", "seek", "bot", "export"]]
    ratings: list[RatingView]


class Member(msgspec.Struct, frozen=True):
    """A member, or a bot, as everybody sees them."""

    name: str
    kind: Literal["member", "bot"]
    joined: Moment
    online: bool
    ratings: list[RatingView]


class PlayerView(msgspec.Struct, frozen=True):
    """One side of a game."""

    name: Annotated[str | None, Meta(description="As it was when the game began; none for who had none.")]
    kind: Annotated[str, Meta(description="`guest`, `member`, `bot` or `computer`.")]
    level: Annotated[int | None, Meta(description="The computer's strength.")]
    id: Annotated[str | None, Meta(description="One's own id; nobody is told another's.")]


class ResultView(msgspec.Struct, frozen=True):
    """How a game ended."""

    winner: Side | None
    score: Annotated[str, Meta(description="`2-0`, `1-1` or `0-2`; `*` for a game that was broken off.")]
    reason: str


class ClocksView(msgspec.Struct, frozen=True):
    """Milliseconds that both sides had left when this was sent."""

    white: int
    black: int
    running: Side | None


class GameView(msgspec.Struct, frozen=True):
    """A game as it stands."""

    id: GameId
    rules: Rules
    clock: Clock
    rated: bool
    public: bool
    white: PlayerView
    black: PlayerView
    fen: Fen
    start_fen: Fen
    moves: Annotated[list[str], Meta(description="Every move that stands, as PDN writes it.")]
    turn: Side
    result: ResultView | None
    version: Annotated[int, Meta(description="The number of the game's events.")]
    clocks: ClocksView | None


class OwnGame(msgspec.Struct, frozen=True):
    """One of one's own unfinished games."""

    id: GameId
    opponent: PlayerView
    color: Side
    your_turn: bool
    rules: Rules
    clock: Clock
    fen: Fen
    last_move: Annotated[list[int] | None, Meta(description="The squares from and to which the last move led.")]
    due: Annotated[
        float | None,
        Meta(description="Seconds since 1970 when the side to move has lost, or the game is broken off, as it stands."),
    ]


class MoveBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move."""

    move: Annotated[
        str,
        Meta(
            min_length=2,
            max_length=100,
            examples=["32-28"],
            description="The move as PDN writes it, `32-28` or `26x8`; where two captures have the same squares, the"
            " whole way or `captured`.",
        ),
    ]
    captured: Annotated[
        Annotated[list[Square], Meta(max_length=20)] | None,
        Meta(description="The squares of the pieces that are taken."),
    ] = None
    ply: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(
            description="How many moves have been made before this one; where it is given and the game has moved on,"
            " the move is refused. So it can be sent again after a lost answer.",
        ),
    ] = None


class Done(msgspec.Struct, frozen=True):
    """What was asked is done, and kept."""

    version: Annotated[int, Meta(description="The number of the game's events now.")]
    fen: Fen


class Started(msgspec.Struct, frozen=True):
    """A game has begun."""

    game: GameId


GameAction: TypeAlias = Literal[
    "resign",
    "abort",
    "offer_draw",
    "accept_draw",
    "decline_draw",
    "offer_take_back",
    "accept_take_back",
    "decline_take_back",
    "claim_win",
    "claim_draw",
]
LONGEST_MEMBER_NAME: Final = 40


# --- Finding a game --------------------------------------------------------------------------------------------------


class OpponentView(msgspec.Struct, frozen=True):
    """Somebody who looks for a game, or is asked for one."""

    name: str | None
    kind: Annotated[str, Meta(description="`guest`, `member` or `bot`.")]


class SeekBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The game that is looked for."""

    clock: WantedClock
    rules: Rules = "official"
    rated: bool = False
    color: Color = "lot"
    lowest: Annotated[WantedRating | None, Meta(description="The lowest rating that the opponent should have.")] = None
    highest: Annotated[WantedRating | None, Meta(description="The highest rating that the opponent should have.")] = (
        None
    )


class Seek(msgspec.Struct, frozen=True):
    """A game that somebody looks for."""

    id: str
    host: OpponentView
    rating: Annotated[int | None, Meta(description="Of the host, for such games.")]
    own: Annotated[bool, Meta(description="Whether the host is who asks.")]
    rules: Rules
    clock: Clock
    rated: bool
    color: Annotated[Literal["white", "black", "lot"], Meta(description="The host's side.")]
    lowest: int | None
    highest: int | None
    created: Moment
    expires: Moment


class ChallengeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The game that somebody is asked for."""

    clock: WantedClock
    rules: Rules = "official"
    rated: bool = False
    color: Color = "lot"


class Challenge(msgspec.Struct, frozen=True):
    """A game that one member asks another for."""

    id: str
    incoming: Annotated[bool, Meta(description="Whether it is for who asks, to be answered.")]
    challenger: OpponentView
    challenged: OpponentView
    rules: Rules
    clock: Clock
    rated: bool
    color: Annotated[Literal["white", "black", "lot"], Meta(description="The challenger's side.")]
    created: Moment
    expires: Moment


class Challenges(msgspec.Struct, frozen=True):
    """Open challenges, the latest first."""

    incoming: list[Challenge]
    outgoing: list[Challenge]


Answer: TypeAlias = Literal["not_now", "later", "too_fast", "too_slow", "other_rules", "rated_please", "casual_please"]


class DeclineBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a challenge is declined."""

    answer: Answer | None = None


class Declined(msgspec.Struct, frozen=True):
    """A challenge has been declined."""

    id: str
    answer: Answer | None
