"""What the books say of a member: when they joined; and becoming a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, func, or_, select, update

from damier.i18n import N_
from damier.server.api.problems import ApiError
from damier.server.stats.service import forget as forget_numbers
from damier.server.tables import account, game, invitation, person, rated_game, seat, seeker

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine


async def joined(engine: AsyncEngine, who: str) -> float:
    """When a member joined."""
    async with engine.connect() as connection:
        found = await connection.execute(select(account.c.joined).where(account.c.person == who))
        return found.scalar_one()


async def become_bot(engine: AsyncEngine, who: str) -> None:
    """Make a member a bot, for good. A bot may do so again.

    Raises :class:`ApiError` for who has played a rated game, and for whose opponents believe that they play a person.
    """
    own = or_(rated_game.c.white == who, rated_game.c.black == who)
    async with engine.begin() as connection:
        found = await connection.execute(select(person.c.kind).where(person.c.id == who).with_for_update())
        kind = found.scalar_one_or_none()
        if kind == "bot":
            return
        role = await connection.execute(select(account.c.role).where(account.c.person == who))
        if role.scalar_one() != "player":
            raise ApiError(409, "has_a_role", N_("Who keeps order here is no bot. Make another account for your bot."))
        rated = await connection.execute(
            select(func.count()).select_from(rated_game).where(own, rated_game.c.state != "void")
        )
        if rated.scalar_one() > 0:
            raise ApiError(
                409, "has_played_rated", N_("You have played rated games. Make another account for your bot.")
            )
        unfinished = await connection.execute(
            select(func.count())
            .select_from(seat.join(game, game.c.id == seat.c.game))
            .where(seat.c.player == who, game.c.score.is_(None))
        )
        if unfinished.scalar_one() > 0:
            raise ApiError(409, "games_running", N_("End the games that you are playing first."))
        await connection.execute(delete(seeker).where(seeker.c.person == who))
        # nor has anybody offered a rated game to a bot, or is told anything but that
        await connection.execute(
            update(invitation).where(invitation.c.host == who, invitation.c.state == "open").values(state="withdrawn")
        )
        await connection.execute(update(person).where(person.c.id == who, person.c.kind == "member").values(kind="bot"))
        await forget_numbers(connection, who, listed_only=True)
