"""Deleting an account: the games stay, and everything that says who played them goes.

The first step makes a nobody of the member in one transaction: the name, the sessions and all that opens the account
are gone, and the person's ``kind`` is "gone". The account's bare row stays until all else is done, and says to whichever
process looks next that there is work left; each step can be done again.

What processes have in memory is forgotten on word over the bus, at the beginning: what they read from then on, they
take the names out of themselves.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Final

import msgspec
from sqlalchemy import delete, exists, or_, select, update

from damier import Color
from damier.errors import DamierError
from damier.events import Aborted, Resigned
from damier.i18n import DEFAULT_LANGUAGE, LANGUAGES, N_, translator
from damier.record import Start
from damier.refusals import GameError
from damier.server.lobby.invitation import InvitationError
from damier.server.moderation import subjects
from damier.server.people import MEMBER_NAMES
from damier.server.stats.service import forget as forget_numbers
from damier.server.tables import (
    account,
    api_token,
    awaited_answer,
    block,
    chat_line,
    conduct,
    daily_exercise,
    deed,
    exercise,
    follow,
    game,
    guide_step,
    invitation,
    letter_link,
    offence,
    paired,
    passkey,
    person,
    post,
    rated_game,
    rating,
    report,
    seat,
    seeker,
    session,
    vote,
    warning,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from damier.events import Event
    from damier.game import Game
    from damier.server.bus import Bus
    from damier.server.lobby.invitations import Invitations
    from damier.server.play.service import Play
    from damier.server.play.store import EventStore

TOPIC: Final = "gone"
"""On the bus: the id of somebody who has deleted the account."""
PAGE: Final = 100
"""Games whose names are taken out in one transaction."""
TRIES: Final = 20
WAIT_SECONDS: Final = 0.25
"""Between two looks at what others have still to do with this person's games."""
LOOK_SECONDS: Final = 3600.0
"""Between two looks for accounts whose deletion was broken off."""
LATELY: Final = 86_400.0
GONE_QUESTION: Final = N_("A question of a former member")
"""What stands for the words of a question that goes while its answers stay."""
OWN: Final = (
    rating,
    seeker,
    paired,
    offence,
    conduct,
    warning,
    vote,
    awaited_answer,
    guide_step,
    exercise,
    daily_exercise,
)
"""Tables of which a person's rows go with the person."""

log = logging.getLogger(__name__)


class OnlyAdministrator(DamierError):
    """The account is the only administrator's."""

    def __init__(self) -> None:
        super().__init__(N_("You are the only administrator of this club: make somebody else one first."))


class Departures:
    """Deletes accounts. ``forget``: what to call with the id of somebody whose name this process is to forget."""

    def __init__(
        self,
        engine: AsyncEngine,
        store: EventStore,
        play: Play,
        lobby: Invitations,
        bus: Bus,
        forget: Sequence[Callable[[str], None]] = (),
        now: Callable[[], float] = time.time,
    ) -> None:
        self._engine = engine
        self._store = store
        self._play = play
        self._lobby = lobby
        self._bus = bus
        self._forget = tuple(forget)
        self._now = now
        self._finishing: set[asyncio.Task[None]] = set()
        bus.on_gap(lambda: self._start(self._hear_again()))

    # --- For all processes -----------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Hear from now on who goes. To be awaited before anybody is served."""
        await self._bus.subscribe(TOPIC, lambda payload: self._gone(payload.decode()))
        for each in await self.unfinished():
            self._gone(each)

    async def run(self) -> None:
        """Finish what was broken off, at the start and then once an hour, until cancelled."""
        while True:
            try:
                for each in await self.unfinished():
                    await self.finish(each)
                await self._sweep()
            except Exception:
                log.exception("The deletion of an account could not be finished")
            await asyncio.sleep(LOOK_SECONDS)

    async def close(self) -> None:
        """Stop; what is not finished the next process finishes."""
        for task in self._finishing:
            task.cancel()
        await asyncio.gather(*self._finishing, return_exceptions=True)

    def _gone(self, who: str) -> None:
        for forget in self._forget:
            forget(who)

    async def _hear_again(self) -> None:
        """News may have been lost: those who went lately are forgotten anew."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(person.c.id).where(person.c.kind == "gone", person.c.seen > self._now() - LATELY)
            )
            for each in rows.scalars():
                self._gone(each)

    # --- Going -----------------------------------------------------------------------------------------------------

    async def begin(self, who: str) -> bool:
        """Make a nobody of a member, and have the rest done beside; returns whether there was such a member.

        Raises :class:`OnlyAdministrator`.
        """
        if not await self._unname(who):
            return False
        self._start(self.finish(who))
        return True

    async def leave(self, who: str) -> None:
        """Delete an account; returns when all is done. Raises :class:`OnlyAdministrator`."""
        await self._unname(who)
        await self.finish(who)

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._finishing.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._finishing.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("The deletion of an account is not finished yet", exc_info=error)

    async def _unname(self, who: str) -> bool:
        """The first step, with which the account opens to nobody."""
        async with self._engine.begin() as connection:
            administrators = await connection.execute(
                select(account.c.person)
                .where(account.c.role == "administrator")
                .order_by(account.c.person)
                .with_for_update()
            )
            if administrators.scalars().all() == [who]:
                raise OnlyAdministrator
            changed = await connection.execute(
                update(person)
                .where(person.c.id == who, person.c.kind.in_(MEMBER_NAMES))
                .values(kind="gone", name=None, name_key=None, chat_off=False, seen=self._now())
            )
            if changed.rowcount != 1:
                return False
            await connection.execute(
                update(account)
                .where(account.c.person == who)
                .values(password=None, role="player", email=None, daily=False, daily_sent=None)
            )
            for table in (session, passkey, letter_link, api_token):
                await connection.execute(delete(table).where(table.c.person == who))
        return True

    async def unfinished(self) -> list[str]:
        """Those whose account's row is still there although they are gone."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(person.c.id).join(account, account.c.person == person.c.id).where(person.c.kind == "gone")
            )
            return list(rows.scalars())

    async def finish(self, who: str) -> None:
        """All that comes after the first step; what has been done is not done again."""
        if who not in await self.unfinished():
            return
        await self._bus.publish(TOPIC, who.encode())
        await self._withdraw(who)
        for _ in range(TRIES):
            await self._leave_games(who)
            if not await self._is_awaited(who):
                break
            await asyncio.sleep(WAIT_SECONDS)
        if await self._store.unfinished_of(who, 1):
            raise RuntimeError("a game of somebody who has gone goes on")
        # a game that was begun under the name in the very moment is found the second time
        while await self._unname_games(who):
            pass
        await self._delete_rest(who)

    async def _withdraw(self, who: str) -> None:
        """Take back what others could still accept, and decline what waits for an answer."""
        mine, theirs = invitation.c.host == who, invitation.c.guest == who
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(invitation.c.id, invitation.c.host).where(invitation.c.state == "open", or_(mine, theirs))
            )
            found = rows.all()
        for each, host in found:
            try:
                await (self._lobby.withdraw if host == who else self._lobby.decline)(each, who)
            except InvitationError:
                continue  # answered or expired meanwhile

    async def _leave_games(self, who: str) -> None:
        """Break off the games that have hardly begun, and resign the others."""
        for each in await self._store.unfinished_of(who, PAGE):
            own = Color.WHITE if each.start.white.id == who else Color.BLACK

            def decide(present: Game) -> Event | None:
                if present.result is not None:
                    return None
                return Aborted() if present.can_abort else Resigned()

            try:
                await self._play.submit(each.id, own, decide)
            except GameError:
                continue  # its flag has fallen, or its last move was made: it ends without us

    async def _is_awaited(self, who: str) -> bool:
        """Whether a game goes on, or one that is over has still to be rated."""
        if await self._store.unfinished_of(who, 1):
            return True
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(rated_game.c.game)
                .join(game, game.c.id == rated_game.c.game)
                .where(rated_game.c.state == "playing", or_(rated_game.c.white == who, rated_game.c.black == who))
                .limit(1)
            )
            return rows.first() is not None

    async def _unname_games(self, who: str) -> int:
        """Take the name out of the games' starts; returns in how many it was."""
        changed, last = 0, ""
        while True:
            async with self._engine.begin() as connection:
                # locked, for both players of a game may go at the same moment
                rows = await connection.execute(
                    select(game.c.id, game.c.start)
                    .join(seat, seat.c.game == game.c.id)
                    .where(seat.c.player == who, game.c.id > last)
                    .order_by(game.c.id)
                    .limit(PAGE)
                    .with_for_update(of=game, key_share=True)
                )
                found = rows.all()
                for each in found:
                    start = Start.from_json(msgspec.json.decode(each.start))
                    nameless = _nameless(start, who)
                    if nameless != start:
                        text = msgspec.json.encode(nameless.to_json()).decode()
                        await connection.execute(update(game).where(game.c.id == each.id).values(start=text))
                        changed += 1
            if len(found) < PAGE:
                return changed
            last = found[-1].id

    async def _delete_rest(self, who: str) -> None:
        async with self._engine.begin() as connection:
            await forget_numbers(connection, who)
            # the lines stay as gaps, since the rooms count them
            await connection.execute(
                update(chat_line).where(chat_line.c.person == who).values(name="", text="", preset=None)
            )
            await connection.execute(delete(follow).where(or_(follow.c.follower == who, follow.c.followed == who)))
            await connection.execute(delete(block).where(or_(block.c.blocker == who, block.c.blocked == who)))
            for table in OWN:
                await connection.execute(delete(table).where(table.c.person == who))
            await _leave_questions(connection, who)
            # what a moderator cannot take back any more; the log stays, and says nothing of who that was
            await connection.execute(update(deed).where(deed.c.person == who).values(before=None))
            await connection.execute(delete(report).where(report.c.person == who))
            await connection.execute(update(report).where(report.c.reporter == who).values(reporter=None))
            around = select(report.c.id, report.c.context).where(report.c.context.contains(who, autoescape=True))
            for each in (await connection.execute(around)).all():
                context = subjects.without(subjects.decode(each.context), who).encode()
                await connection.execute(update(report).where(report.c.id == each.id).values(context=context))
            await connection.execute(
                delete(invitation).where(invitation.c.host == who, invitation.c.state != "accepted")
            )
            await connection.execute(delete(account).where(account.c.person == who))

    async def _sweep(self) -> None:
        """What others have written of somebody just after he had gone."""
        gone = select(person.c.id).where(person.c.kind == "gone")
        async with self._engine.begin() as connection:
            for table in OWN:
                await connection.execute(delete(table).where(table.c.person.in_(gone)))


async def _leave_questions(connection: AsyncConnection, who: str) -> None:
    """Answers, and questions that others have answered, stay without the name: without them the rest says nothing.

    What waits to be looked at, what was hidden, and questions that nobody has answered go; of such a question that
    others have answered the words go alone, and it is hidden no less than before.
    """
    answer, reported = post.alias("answer"), report.alias("reported")
    is_answered = exists().where(
        answer.c.question == post.c.id, answer.c.person.is_distinct_from(who), answer.c.state != "removed"
    )
    is_reported = exists().where(
        reported.c.what == "post", reported.c.subject == post.c.id, reported.c.closed.is_(None)
    )
    looked_at = or_(post.c.state != "shown", is_reported)
    rows = await connection.execute(
        select(post.c.id, post.c.language).where(post.c.person == who, is_answered, looked_at)
    )
    for each in rows.all():
        language = each.language if each.language in LANGUAGES else DEFAULT_LANGUAGE
        title = translator(language).gettext(GONE_QUESTION)
        await connection.execute(update(post).where(post.c.id == each.id).values(title=title, text="", person=None))
    alone = post.c.question.is_(None) & ~is_answered
    goes = or_(looked_at, alone)
    await connection.execute(delete(post).where(post.c.person == who, goes))
    await connection.execute(update(post).where(post.c.person == who).values(person=None))


def _nameless(start: Start, who: str) -> Start:
    """A game's start without somebody's name."""
    white, black = (player.gone() if player.id == who else player for player in (start.white, start.black))
    return Start(start.rules, start.fen, white, black, start.clock, start.at)
