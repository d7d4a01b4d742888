"""The routes of one's account, and of other members."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, Any, Final

from litestar import Request, get, post
from litestar.params import PathParameter, QueryParameter
from litestar.response import Stream
from sqlalchemy import ColumnElement, and_, or_, select

from damier.i18n import N_
from damier.server.api import standing
from damier.server.api.auth import access_of, asker, is_for, needs, who_asks
from damier.server.api.models import LONGEST_MEMBER_NAME, Account, Member, RatingView
from damier.server.api.openapi import PDN, PdnOperation
from damier.server.api.problems import NOBODY, ApiError, documented
from damier.server.api.tokens import READ, SCOPES
from damier.server.club import Club
from damier.server.people import Who
from damier.server.play.store import UnknownGame
from damier.server.play.web import pdn_text
from damier.server.tables import game, seat

MOST_EXPORTED: Final = 300
"""Games in one answer; who wants more asks on from the last one's date."""
READ_AT_ONCE: Final = 25

LATEST: Final = 1e11
"""Seconds since 1970; what is later than this no clock shows."""

Req = Request[Any, Any, Any]
Name = Annotated[
    str, PathParameter(min_length=1, max_length=LONGEST_MEMBER_NAME, description="The name of a member or a bot.")
]
NO_MEMBER: Final = N_("There is no member of this name.")


async def account_of(request: Req, club: Club) -> Account:
    """The account of whoever asks."""
    access = access_of(request)
    if access is None:
        raise ApiError(401, "unauthorized", NOBODY)
    who = await club.people.who(access.person)  # as it is now: becoming a bot asks too
    return Account(
        id=who.id,
        name=who.name or "",
        kind="bot" if who.kind == "bot" else "member",
        role=who.role,
        scopes=[READ, *(scope for scope in SCOPES if scope in access.scopes)],
        ratings=await ratings_of(club, who.id),
    )


@get("/account", **needs(READ), responses=documented())
async def account(request: Req, club: Club) -> Account:
    """Who I am.

    The owner of the token, what the token is for, and the owner's ratings.
    """
    return await account_of(request, club)


@post("/account/bot", status_code=200, **needs("bot"), responses=documented(403, 409))
async def become_bot(request: Req, club: Club) -> Account:
    """Become a bot, for good.

    A bot's moves may be made by an engine, and everybody sees that it is one. Its games are never rated, and it cannot
    use quick pairing. Only who has played no rated game, and has no game running, can become one.
    """
    await standing.become_bot(club.engine, asker(request).id)
    return await account_of(request, club)


async def member_of(club: Club, name: str) -> Who:
    """The member of a name. Raises :class:`ApiError` where there is none."""
    who = await club.people.member(name)
    if who is None:
        raise ApiError(404, "unknown_member", NO_MEMBER)
    return who


@get("/members/{name:str}", responses=documented(404))
async def member(request: Req, club: Club, name: Name) -> Member:
    """A member.

    Needs no token. To whom the member has blocked they are never online.
    """
    who, asks = await member_of(club, name), who_asks(request)
    hidden = asks is not None and asks.id in await club.ties.blocked_by(who.id)
    return Member(
        name=who.name or "",
        kind="bot" if who.kind == "bot" else "member",
        joined=await standing.joined(club.engine, who.id),
        online=not hidden and who.id in await club.presence.among([who.id]),
        ratings=await ratings_of(club, who.id),
    )


async def ratings_of(club: Club, who: str) -> list[RatingView]:
    """A member's ratings as of now, each of at least one game."""
    known = await club.ratings.all_of(who)
    shown: list[RatingView] = []
    for pool, record in sorted(known.items()):
        value, deviation = record.rating.rounded
        provisional = record.rating.is_provisional
        shown.append(RatingView(pool.rules, pool.speed, value, deviation, provisional, record.games))
    return shown


@get("/members/{name:str}/games.pdn", media_type=PDN, operation_class=PdnOperation, responses=documented(404))
async def games_of_member(
    request: Req,
    club: Club,
    name: Name,
    most: Annotated[
        int, QueryParameter(name="max", ge=1, le=MOST_EXPORTED, description="How many games at most.")
    ] = MOST_EXPORTED,
    since: Annotated[
        float,
        QueryParameter(ge=-LATEST, le=LATEST, description="Seconds since 1970: of games that ended from then on."),
    ] = 0.0,
    until: Annotated[
        float,
        QueryParameter(ge=-LATEST, le=LATEST, description="Seconds since 1970: of games that ended before then."),
    ] = LATEST,
) -> Stream:
    """A member's finished games as PDN, the latest first.

    Of public games, and needs no token; a token of the member's own that is for `export` brings the private ones too.
    """
    who = await member_of(club, name)
    asks = who_asks(request)
    own = asks is not None and asks.id == who.id and is_for(request, "export")
    wanted = [seat.c.player == who.id, game.c.score.is_not(None), or_(game.c.plies > 0, game.c.score != "*")]
    wanted += [game.c.changed >= since, game.c.changed < until]
    if not own:
        wanted.append(game.c.is_public)
    site = str(request.base_url).rstrip("/")
    headers = {"content-disposition": 'attachment; filename="damier.pdn"', "cache-control": "private, no-cache"}
    return Stream(_written(club, and_(*wanted), most, site), media_type=PDN, headers=headers)


async def _written(club: Club, wanted: ColumnElement[bool], most: int, site: str) -> AsyncGenerator[bytes]:
    """The games that are wanted, one after the other, each read when the one before has been taken."""
    after: ColumnElement[bool] | None = None
    while most > 0:
        question = select(game.c.id, game.c.changed).join(seat, seat.c.game == game.c.id).where(wanted)
        if after is not None:
            question = question.where(after)
        question = question.order_by(game.c.changed.desc(), game.c.id).limit(min(most, READ_AT_ONCE))
        async with club.engine.connect() as connection:
            rows = (await connection.execute(question)).all()
        for row in rows:
            try:
                stored = await club.store.load(row.id)
            except UnknownGame:
                continue  # gone meanwhile
            standing = await club.ratings.standing(row.id)
            yield (pdn_text(stored.game, stored.created, site, standing) + "\n").encode()
        if len(rows) < min(most, READ_AT_ONCE):
            return
        most -= len(rows)
        last = rows[-1]
        after = or_(game.c.changed < last.changed, and_(game.c.changed == last.changed, game.c.id > last.id))
