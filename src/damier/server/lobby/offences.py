"""What is held against whom: games that were left, and time that was let run. Quick pairing waits for it.

What a game's end says of its players is decided without looking anything up (:func:`offence_in`); this keeps it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, insert, select
from sqlalchemy.exc import IntegrityError

from damier.events import Abandoned, Aborted, FlagFallen, MoveMade, Resumed
from damier.server.fairplay import REMEMBERED, Offence, pause
from damier.server.lobby.controls import speed
from damier.server.tables import invitation as invitations
from damier.server.tables import offence as offences

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.ext.asyncio import AsyncEngine

    from damier import Color
    from damier.game import Game
    from damier.server.fairplay import OffenceKind, Pause
    from damier.server.play.service import Play

LEAST_STALL: Final = 60.0
"""Seconds without a move before a flag falls, below which nobody has let the time run."""

log = logging.getLogger(__name__)


def offence_in(game: Game) -> tuple[Color, OffenceKind] | None:
    """Whose offence a game's end was, if it was one: in games between people with clocks that run.

    A side that has left and was claimed against, that never made its first move or broke the game off; and a side that let its flag fall
    without a move in more than half of the time it had at the start.

    >>> from damier import Color
    >>> from damier.clock import TimeControl
    >>> from damier.game import Game
    >>> game = Game.start(clock=TimeControl.fischer(300, 3))
    >>> offence_in(game.apply(Aborted(), at=30.0, by=None)) == (Color.WHITE, "left")
    True
    >>> offence_in(game.apply(Aborted(), at=30.0, by=Color.BLACK)) == (Color.BLACK, "left")
    True
    """
    result, control = game.result, game.origin.clock
    if result is None or speed(control) in ("correspondence", "unlimited"):
        return None
    if game.origin.white.is_computer or game.origin.black.is_computer:
        return None
    last = game.events[-1]
    if isinstance(last.event, Abandoned):
        return last.event.side, "left"
    if isinstance(last.event, Aborted):
        return last.by or game.turn, "left"
    if isinstance(last.event, FlagFallen) and result.winner is not None:
        began = next((each.at for each in reversed(game.events) if isinstance(each.event, MoveMade | Resumed)), last.at)
        if last.at - began > max(LEAST_STALL, control.initial / 2):
            return result.winner.opponent, "stalled"
    return None


class Offences:
    """The offences of a club's people. ``now``: seconds since 1970."""

    def __init__(self, engine: AsyncEngine, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._now = now
        self._noting: set[asyncio.Task[None]] = set()

    async def of(self, person_id: str) -> list[Offence]:
        """What is remembered against somebody, the latest first."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(offences.c.at, offences.c.kind)
                .where(offences.c.person == person_id, offences.c.at > self._now() - REMEMBERED)
                .order_by(offences.c.at.desc())
            )
            return [Offence(row.at, row.kind) for row in rows]

    async def pause_of(self, person_id: str) -> Pause | None:
        """The pause that somebody is in."""
        return pause(await self.of(person_id), self._now())

    def watch(self, play: Play) -> None:
        """Note the offences in games that end before this process's eyes. To be called once."""
        play.on_event(self._event_came)

    def _event_came(self, game_id: str, before: Game | None, game: Game) -> None:
        if game.result is None or (before is not None and before.result is not None) or offence_in(game) is None:
            return
        task = asyncio.create_task(self._note_quietly(game_id, game))
        self._noting.add(task)
        task.add_done_callback(self._noting.discard)

    async def _note_quietly(self, game_id: str, game: Game) -> None:
        try:
            await self.note(game_id, game)
        except Exception:
            log.exception("How game %s ended could not be noted", game_id)

    async def note(self, game_id: str, game: Game) -> bool:
        """Note what a game's end says of its players; whether that was new.

        Who has agreed on a game with a friend may let it be: only of those with strangers it counts not to begin one.
        """
        found = offence_in(game)
        if found is None:
            return False
        color, kind = found
        person = game.player(color).id
        host_or_guest = [player.id for player in (game.origin.white, game.origin.black) if player.id is not None]
        if person is None:
            return False
        async with self._engine.begin() as connection:
            if game.result is not None and game.result.reason == "aborted":
                agreed = await connection.execute(
                    select(invitations.c.kind).where(
                        invitations.c.host.in_(host_or_guest),
                        invitations.c.state == "accepted",
                        invitations.c.game == game_id,
                    )
                )
                if agreed.scalar_one_or_none() not in ("pairing", "seek"):
                    return False
            try:
                async with connection.begin_nested():
                    await connection.execute(
                        insert(offences).values(person=person, game=game_id, kind=kind, at=game.events[-1].at)
                    )
            except IntegrityError:
                return False  # another process was first
        return True

    async def forget(self) -> None:
        """Forget what weighs nothing any more."""
        async with self._engine.begin() as connection:
            await connection.execute(delete(offences).where(offences.c.at <= self._now() - REMEMBERED))

    async def close(self) -> None:
        """Let what is being noted come to its end."""
        await asyncio.gather(*self._noting, return_exceptions=True)
