"""What a program can do at a club over its HTTP interface, and what it is told of."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar
from urllib.parse import quote, urlsplit
from weakref import WeakSet

import httpx
import msgspec

from damier.client.errors import ClubError, Unreachable
from damier.client.table import Table
from damier.client.wire import Wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from types import TracebackType

__all__ = [
    "Account",
    "Challenge",
    "ChallengeEnded",
    "ChallengeMade",
    "Client",
    "Event",
    "GameStarted",
    "Member",
    "Opponent",
    "Rating",
    "RunningGame",
    "Seek",
    "YourMove",
]

Color: TypeAlias = Literal["white", "black", "lot"]
_Answer = TypeVar("_Answer")

_SECONDS: Final = 30.0
API: Final = "/api/v1"


class Rating(msgspec.Struct, frozen=True):
    """A rating in one pool; ``deviation``: its standard error, ``provisional``: little is known yet."""

    rules: str
    speed: str
    value: int
    deviation: int
    provisional: bool
    games: int


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A member as everybody sees them. ``kind``: "member" or "bot"; ``joined``: seconds since 1970."""

    name: str
    kind: str
    joined: float
    online: bool
    ratings: tuple[Rating, ...] = ()


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """One's own account. ``scopes``: what the token is for."""

    id: str
    name: str
    kind: str
    role: str
    scopes: tuple[str, ...]
    ratings: tuple[Rating, ...] = ()


class Opponent(msgspec.Struct, frozen=True):
    """Who sits opposite. ``name``: None for a guest without one, and for the computer, which has a ``level``."""

    name: str | None
    kind: str
    level: int | None = None


class Seek(msgspec.Struct, frozen=True, kw_only=True):
    """A game that somebody offers to all. ``rating``: of the host; ``own``: whether one is the host.

    ``clock``: as PDN writes it; ``color``: the host's side; ``lowest`` and ``highest``: the ratings wished for.
    """

    id: str
    host: Opponent
    rating: int | None
    own: bool
    rules: str
    clock: str
    rated: bool
    color: Color
    lowest: int | None
    highest: int | None


class Challenge(msgspec.Struct, frozen=True, kw_only=True):
    """A game that one member offers another. ``incoming``: whether it is for oneself to answer.

    ``clock``: as PDN writes it; ``color``: the challenger's side.
    """

    id: str
    incoming: bool
    challenger: Opponent
    challenged: Opponent
    rules: str
    clock: str
    rated: bool
    color: Color


class Challenges(msgspec.Struct, frozen=True):
    incoming: tuple[Challenge, ...]
    outgoing: tuple[Challenge, ...]


class RunningGame(msgspec.Struct, frozen=True, kw_only=True):
    """One of one's unfinished games. ``clock``: as PDN writes it."""

    id: str
    opponent: Opponent
    color: Literal["white", "black"]
    your_turn: bool
    rules: str
    clock: str
    fen: str


class _Game(msgspec.Struct):
    game: str


@dataclass(frozen=True, slots=True)
class ChallengeMade:
    """Somebody challenges, or one's own challenge stands. On connecting one is told of those that are open."""

    challenge: Challenge


@dataclass(frozen=True, slots=True)
class ChallengeEnded:
    """A challenge is open no longer. ``state``: "accepted", "declined", "withdrawn" or "expired"; ``answer``: which of
    the club's phrases it was declined with."""

    id: str
    state: str
    game: str | None
    answer: str | None


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game has begun, or on connecting: goes on."""

    game: str
    color: Literal["white", "black"]


@dataclass(frozen=True, slots=True)
class YourMove:
    """So many games wait for one's move."""

    count: int


Event: TypeAlias = ChallengeMade | ChallengeEnded | GameStarted | YourMove


class Client:
    """A member's way into a club for programs, of version 1 of its interface.

    ``address``: the club's, such as ``https://club.example``. ``token``: a personal access token of the account page;
    without one only what everybody may see. To be used with ``async with``. Every method raises
    :class:`~damier.client.ClubError` where the club refuses and :class:`~damier.client.Unreachable` where none answers.
    """

    def __init__(self, address: str, token: str | None = None) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"a club's address is such as https://club.example, not {address!r}")
        self.address = f"{parts.scheme}://{parts.netloc}"
        self._headers = {"user-agent": "damier-client"} | ({"authorization": f"Bearer {token}"} if token else {})
        self._wires: WeakSet[Wire] = WeakSet()
        self._http = httpx.AsyncClient(base_url=self.address, headers=self._headers, timeout=_SECONDS)

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the connections, those of tables and events too."""
        for wire in list(self._wires):
            await wire.close()
        await self._http.aclose()

    # --- People ----------------------------------------------------------------------------------------------------

    async def account(self) -> Account:
        """One's own account."""
        return await self._get("/account", Account)

    async def become_bot(self) -> Account:
        """Make the account a bot's, for good: its moves may then come from an engine."""
        return await self._post("/account/bot", Account)

    async def member(self, name: str) -> Member:
        """A member by name."""
        return await self._get(f"/members/{_part(name)}", Member)

    async def games_of(self, name: str, most: int | None = None) -> AsyncIterator[str]:
        """A member's finished public games as the text of a PDN file, in pieces as they come."""
        parameters = {} if most is None else {"max": most}
        try:
            async with self._http.stream("GET", f"{API}/members/{_part(name)}/games.pdn", params=parameters) as answer:
                if not answer.is_success:
                    await answer.aread()
                    raise _error(answer)
                async for piece in answer.aiter_text():
                    yield piece
        except httpx.HTTPError as error:
            raise Unreachable(self.address, str(error) or type(error).__name__) from error

    # --- Finding a game --------------------------------------------------------------------------------------------

    async def seeks(self) -> tuple[Seek, ...]:
        """The games that are offered to all."""
        return await self._get("/seeks", tuple[Seek, ...])

    async def seek(
        self,
        clock: str,
        *,
        rules: str = "official",
        rated: bool = False,
        color: Color = "lot",
        lowest: int | None = None,
        highest: int | None = None,
    ) -> Seek:
        """Offer a game to all. ``clock``: the time control as PDN writes it, such as "300+3"."""
        given = {"rules": rules, "clock": clock, "rated": rated, "color": color, "lowest": lowest, "highest": highest}
        return await self._post("/seeks", Seek, given)

    async def accept_seek(self, seek_id: str) -> str:
        """Accept; returns the game's id."""
        return (await self._post(f"/seeks/{_part(seek_id)}/accept", _Game)).game

    async def withdraw_seek(self, seek_id: str) -> None:
        await self._ask("DELETE", f"/seeks/{_part(seek_id)}")

    async def challenge(
        self, name: str, clock: str, *, rules: str = "official", rated: bool = False, color: Color = "lot"
    ) -> Challenge:
        """Offer a member a game."""
        given = {"rules": rules, "clock": clock, "rated": rated, "color": color}
        return await self._post(f"/members/{_part(name)}/challenges", Challenge, given)

    async def challenges(self) -> Challenges:
        """The open challenges, those that one has been sent and those that one has made."""
        return await self._get("/challenges", Challenges)

    async def accept_challenge(self, challenge_id: str) -> str:
        """Accept; returns the game's id."""
        return (await self._post(f"/challenges/{_part(challenge_id)}/accept", _Game)).game

    async def decline_challenge(self, challenge_id: str, answer: str | None = None) -> None:
        """Decline, with one of the club's phrases, such as "too_fast"."""
        await self._ask("POST", f"/challenges/{_part(challenge_id)}/decline", {"answer": answer})

    async def withdraw_challenge(self, challenge_id: str) -> None:
        await self._ask("DELETE", f"/challenges/{_part(challenge_id)}")

    # --- Games -----------------------------------------------------------------------------------------------------

    async def games(self) -> tuple[RunningGame, ...]:
        """One's unfinished games."""
        return await self._get("/games", tuple[RunningGame, ...])

    async def pdn(self, game_id: str) -> str:
        """A game as a PDN file."""
        return (await self._ask("GET", f"/games/{_part(game_id)}.pdn")).text

    def join(self, game_id: str) -> Table:
        """Sit down at a board, or beside it: ``async with club.join(game_id) as table``."""
        return Table(self._wire(f"/games/{_part(game_id)}/socket"))

    async def events(self) -> AsyncIterator[Event]:
        """What concerns oneself, as it happens, and first how it stands. A connection that breaks is made anew, and
        then one is told again what is open."""
        wire = self._wire("/socket")
        async with aclosing(wire.messages()) as messages:
            async for message in messages:
                event = None if message is None else _event(wire, message)
                if event is not None:
                    yield event

    # --- The way there and back ------------------------------------------------------------------------------------

    def _wire(self, path: str) -> Wire:
        wire = Wire(self.address.replace("http", "ws", 1) + API + path, self._headers)
        self._wires.add(wire)
        return wire

    async def _get(self, path: str, kind: type[_Answer]) -> _Answer:
        return self._read(await self._ask("GET", path), kind)

    async def _post(self, path: str, kind: type[_Answer], given: Mapping[str, object] | None = None) -> _Answer:
        return self._read(await self._ask("POST", path, given), kind)

    async def _ask(self, method: str, path: str, given: Mapping[str, object] | None = None) -> httpx.Response:
        body = None if given is None else {name: value for name, value in given.items() if value is not None}
        try:
            answer = await self._http.request(method, API + path, json=body)
        except httpx.HTTPError as error:
            raise Unreachable(self.address, str(error) or type(error).__name__) from error
        if not answer.is_success:
            raise _error(answer)
        return answer

    def _read(self, answer: httpx.Response, kind: type[_Answer]) -> _Answer:
        try:
            return msgspec.json.decode(answer.content, type=kind)
        except msgspec.MsgspecError as error:
            raise Unreachable(self.address, str(error)) from error


def _part(text: str) -> str:
    """A name or an id as one part of an address."""
    return quote(text, safe="")


def _error(answer: httpx.Response) -> ClubError:
    try:
        told: dict[str, Any] = answer.json()
        code, what, field = str(told["code"]), str(told["message"]), told.get("field")
    except (ValueError, KeyError, TypeError):
        code, what, field = "http", f"HTTP status {answer.status_code}", None
    try:
        wait = float(answer.headers.get("retry-after", ""))
    except ValueError:
        wait = None
    return ClubError(code, what, status=answer.status_code, field=field, retry_after=wait)


class _Ended(msgspec.Struct):
    id: str
    state: str
    game: str | None = None
    answer: str | None = None


class _Started(msgspec.Struct):
    game: str
    color: Literal["white", "black"]


class _Waiting(msgspec.Struct):
    count: int


def _event(wire: Wire, message: dict[str, Any]) -> Event | None:
    match message.get("t"):
        case "challenge":
            return ChallengeMade(wire.decoded(message, Challenge))
        case "challenge_ended":
            ended = wire.decoded(message, _Ended)
            return ChallengeEnded(ended.id, ended.state, ended.game, ended.answer)
        case "game_start":
            started = wire.decoded(message, _Started)
            return GameStarted(started.game, started.color)
        case "your_move":
            return YourMove(wire.decoded(message, _Waiting).count)
        case _:
            return None  # of a later version
