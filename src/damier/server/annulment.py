"""Taking a rated game out of the ratings, and putting it back: what is left is what would be there had it never been
rated, or always, to the last bit.

With every game that is rated its row keeps what the books said of both players just before (:class:`Known`) and which of
its pool's games it was (``turn``; :class:`damier.server.rating_book.RatingBook` writes both). So nothing before the game
need be looked at: from it on the pool's games are gone through in their turn, and those of the two, of whom they have
played since, and so on, are rated anew. It is one transaction, during which no other game of the pool is rated.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import and_, delete, select, text, update

from damier.errors import DamierError
from damier.i18n import N_
from damier.server.database import insert_if_missing
from damier.server.ratings import Rating, after_game
from damier.server.tables import person, rated_game, rating

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.ext.asyncio import AsyncConnection

PAGE: Final = 1000
"""Games that are read at once."""
KEPT: Final = ("member", "bot", "closed")
"""Kinds of people who have ratings."""
SIDES: Final = ("white", "black")


class NotAnnulled(DamierError):
    """A game is not rated, or not annulled, or was rated by a release that has not kept what it takes."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the books say of somebody in a pool: the rating as it was after so many ``games``, the last rated ``at`` a
    moment. Without a game that is nothing.

    >>> Known.decode(Known(Rating(1662.25, 290), 1, 5.5).encode())
    Known(rating=Rating(value=1662.25, deviation=290.0, volatility=0.06), games=1, at=5.5)
    """

    rating: Rating = Rating()  # noqa: RUF009 (frozen)
    games: int = 0
    at: float = 0.0

    def encode(self) -> str:
        """The same as text, exactly."""
        own, at = self.rating, self.at if self.games else 0.0
        return msgspec.json.encode([own.value, own.deviation, own.volatility, self.games, at]).decode()

    @classmethod
    def decode(cls, text: str) -> Known:
        value, deviation, volatility, games, at = msgspec.json.decode(text)
        return cls(Rating(float(value), float(deviation), float(volatility)), int(games), float(at))

    def seconds(self, at: float) -> float:
        """Seconds without a game until a moment; before the first one none have passed."""
        return at - self.at if self.games else 0.0

    def after(self, own: Rating, at: float) -> Known:
        """The same after another game, which has left ``own``."""
        return Known(own, self.games + 1, max(at, self.at) if self.games else at)


@dataclass(frozen=True, slots=True)
class Rerated:
    """What a game made of what was known of its players; None of who was in no books."""

    values: dict[str, object]
    after: dict[str, Known]


def rate(known: Mapping[str, Known | None], score: float, at: float) -> Rerated:
    """Rate a game between ``known["white"]`` and ``known["black"]``; returns what its row says of it, and what is known
    afterwards.

    >>> rerated = rate({"white": Known(), "black": None}, 1.0, 60.0)
    >>> round(rerated.values["white_after"]), rerated.after["white"].games, "black" in rerated.after
    (1662, 1, False)
    """
    before = {side: (known[side] or Known()).rating for side in SIDES}
    seconds = {side: 0.0 if (own := known[side]) is None else own.seconds(at) for side in SIDES}
    rated = dict(
        zip(
            SIDES,
            after_game(before["white"], before["black"], score, seconds["white"], seconds["black"]),
            strict=True,
        )
    )
    values: dict[str, object] = {"state": "rated", "at": at, "score": score}
    after: dict[str, Known] = {}
    for side in SIDES:
        values[f"{side}_before"] = before[side].value
        values[f"{side}_deviation_before"] = before[side].after(seconds[side]).deviation
        values[f"{side}_after"] = rated[side].value
        values[f"{side}_deviation_after"] = rated[side].deviation
        values |= _as_known(side, known[side])
        if (own := known[side]) is not None:
            after[side] = own.after(rated[side], at)
    return Rerated(values, after)


def _as_known(side: str, known: Known | None) -> dict[str, object]:
    return {f"{side}_known": None if known is None else known.encode()}


_UNRATED: Final[dict[str, object]] = {
    f"{side}_{name}": None for side in SIDES for name in ("before", "deviation_before", "after", "deviation_after")
}


async def annul(connection: AsyncConnection, game_id: str) -> None:
    """Take a rated game out of the ratings. Raises :class:`NotAnnulled` for one that is not in them."""
    row = await _row(connection, game_id, "rated", N_("This game is not rated."))
    await connection.execute(update(rated_game).where(rated_game.c.game == game_id).values(state="annulled"))
    await _go_on_from(connection, row)


async def restore(connection: AsyncConnection, game_id: str) -> None:
    """Put an annulled game back into the ratings, in its turn. Raises :class:`NotAnnulled` for one that is not."""
    row = await _row(connection, game_id, "annulled", N_("This game is not annulled."))
    await connection.execute(update(rated_game).where(rated_game.c.game == game_id).values(state="rated"))
    await _go_on_from(connection, row)


async def _row(connection: AsyncConnection, game_id: str, state: str, otherwise: str) -> Any:
    """A game's row, its pool being this transaction's alone from now on."""
    question = select(rated_game).where(rated_game.c.game == game_id)
    row = (await connection.execute(question)).one_or_none()
    if row is None:
        raise NotAnnulled(otherwise)
    await alone_in_pool(connection, row.rules, row.speed)
    row = (await connection.execute(question)).one()
    if row.state != state:
        raise NotAnnulled(otherwise)
    if row.turn is None:
        raise NotAnnulled(N_("This game was rated before the club kept what it takes to annul one."))
    return row


async def _go_on_from(connection: AsyncConnection, first: Any) -> None:
    """Rate a pool's games anew from one on, as far as that changes anything."""
    known: dict[str, Known | None] = {
        getattr(first, side): None if (kept := getattr(first, f"{side}_known")) is None else Known.decode(kept)
        for side in SIDES
    }
    turn, last = first.turn, ""
    pool = and_(rated_game.c.rules == first.rules, rated_game.c.speed == first.speed)
    while True:
        rows = await connection.execute(
            select(rated_game)
            .where(
                pool,
                rated_game.c.state.in_(("rated", "annulled")),
                (rated_game.c.turn > turn) | ((rated_game.c.turn == turn) & (rated_game.c.game > last))
                if last
                else (rated_game.c.turn > turn) | (rated_game.c.game == first.game),
            )
            .order_by(rated_game.c.turn, rated_game.c.game)
            .limit(PAGE)
        )
        found = rows.all()
        for row in found:
            values = _again(row, known)
            if values is not None:
                await connection.execute(update(rated_game).where(rated_game.c.game == row.game).values(**values))
        if len(found) < PAGE:
            break
        turn, last = found[-1].turn, found[-1].game
    await _write(connection, first.rules, first.speed, known)


def _again(row: Any, known: dict[str, Known | None]) -> dict[str, object] | None:
    """What a game's row is to say now, None if nothing else than it does; ``known`` moves on."""
    people = {side: getattr(row, side) for side in SIDES}
    if not any(each in known for each in people.values()):
        return None
    before: dict[str, Known | None] = {}
    for side, each in people.items():
        kept: str | None = getattr(row, f"{side}_known")
        # of who was in no books then the game has never changed anything
        own = None if kept is None else known.get(each) or Known.decode(kept)
        before[side] = own
    if row.state == "annulled":
        values = dict(_UNRATED)
        for side in SIDES:
            values |= _as_known(side, before[side])
        return values
    rerated = rate(before, row.score, row.at)
    for side, each in people.items():
        if side in rerated.after:
            known[each] = rerated.after[side]
    return rerated.values


async def _write(connection: AsyncConnection, rules: str, speed: str, known: Mapping[str, Known | None]) -> None:
    """Let the books say what is known now."""
    rows = await connection.execute(
        select(person.c.id).where(person.c.id.in_(set(known)), person.c.kind.in_(KEPT)).order_by(person.c.id)
    )
    for each in rows.scalars().all():
        own = known[each]
        if own is None:
            continue
        mine = and_(rating.c.person == each, rating.c.rules == rules, rating.c.speed == speed)
        if not own.games:
            await connection.execute(delete(rating).where(mine))
            continue
        pool = {"person": each, "rules": rules, "speed": speed}
        await connection.execute(insert_if_missing(connection, rating, **pool, **columns(own)))
        await connection.execute(update(rating).where(mine).values(**columns(own)))


def columns(known: Known) -> dict[str, object]:
    """What is known as columns of ``rating``."""
    own = known.rating
    return {
        "value": own.value,
        "deviation": own.deviation,
        "volatility": own.volatility,
        "games": known.games,
        "at": known.at,
    }


# --- A pool's transactions -------------------------------------------------------------------------------------------


async def alone_in_pool(connection: AsyncConnection, rules: str, speed: str) -> None:
    """Let no other transaction change ratings of a pool before this one has ended."""
    await _lock(connection, rules, speed, "pg_advisory_xact_lock")


async def beside_others_in_pool(connection: AsyncConnection, rules: str, speed: str) -> None:
    """Wait for who is :func:`alone_in_pool`, and let nobody be alone in it before this transaction has ended."""
    await _lock(connection, rules, speed, "pg_advisory_xact_lock_shared")


async def _lock(connection: AsyncConnection, rules: str, speed: str, how: str) -> None:
    if connection.dialect.name != "postgresql":  # in SQLite one transaction writes at a time
        return
    digest = hashlib.sha256(f"pool {rules}/{speed}".encode()).digest()
    key = int.from_bytes(digest[:8], signed=True)
    await connection.execute(text(f"SELECT {how}(:key)"), {"key": key})
