"""What happens around a board and is no event of its game: who is there, what is said, and who wants another game."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias, get_args

import msgspec

from damier import Color
from damier.clock import milliseconds
from damier.events import Abandoned, color_to_json
from damier.i18n import N_, translator
from damier.refusals import GameError
from damier.server.accounts.ties import NEWS as TIES
from damier.server.lobby.invitation import InvitationNews
from damier.server.play import arbiter
from damier.server.play.chat import HIDDEN_LINE, ChatIsOff, NoRoom, NotHere, rooms_of
from damier.server.play.messages import (
    BegunView,
    ChangedLineView,
    ChatLine,
    ChatOnView,
    ChatView,
    KeptLine,
    PresenceView,
    RatedView,
    RematchView,
    Room,
    encode,
)
from damier.server.play.view import FORMER_MEMBER

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Sequence

    from damier.events import Event
    from damier.game import Game
    from damier.server.accounts.ties import Ties
    from damier.server.bus import Bus
    from damier.server.lobby.invitations import Invitations, Rematch
    from damier.server.moderation.conduct import Conduct
    from damier.server.moderation.renames import Renamed
    from damier.server.people import People
    from damier.server.play.chat import Chat
    from damier.server.play.hub import Hub, Reader
    from damier.server.play.messages import SayMessage
    from damier.server.play.service import Play
    from damier.server.play.view import View
    from damier.server.presence import Presence

PLACE: Final = "game:"
"""What the places of games begin with."""
TOLD_AFTER: Final = 0.2
"""Seconds for which changes of who is there are gathered."""

log = logging.getLogger(__name__)


class NotGone(GameError):
    """A claim against an opponent who is there, or has not been away for long."""

    code = "not_gone"
    text = N_("Your opponent is here, or has not been away for long enough.")


class NobodyKnown(GameError):
    """What is kept with a person, by a browser that shows no cookie of ours."""

    code = "unknown_person"
    text = N_("Your browser must accept our cookie for this.")


class _Said(msgspec.Struct, tag_field="t", tag="chat"):
    room: Room
    line: KeptLine


class _Changed(msgspec.Struct, tag_field="t", tag="changed"):
    room: Room
    line: KeptLine


class _Again(msgspec.Struct, tag_field="t", tag="rematch"):
    rematch: RematchView


_News: TypeAlias = _Said | _Changed | _Again | RatedView
_encode = msgspec.json.Encoder().encode
_decoder = msgspec.json.Decoder(_News)
_switch_decoder = msgspec.json.Decoder(ChatOnView)
_invited_decoder = msgspec.json.Decoder(InvitationNews)
_INVITED: Final = b'{"t":"invitation"'
_SWITCH: Final = b'{"t":"chat_on"'
"""What the news that somebody has switched chat begins with; more of what concerns a person goes the same way."""


class _Open:
    """What is around a board that somebody in this process looks at."""

    __slots__ = ("lines", "opening", "readers", "unsubscribe")

    def __init__(self) -> None:
        self.readers = 0
        self.opening = asyncio.Lock()
        self.unsubscribe: Callable[[], None] | None = None
        self.lines: dict[Room, list[KeptLine]] = {}
        """What has been said, so that it is read once for all; line n is the nth."""


class Rooms:
    """The rooms of all games. Its methods are called from one event loop."""

    def __init__(
        self,
        play: Play,
        hub: Hub,
        bus: Bus,
        presence: Presence,
        people: People,
        chat: Chat,
        lobby: Invitations,
        ties: Ties,
        conduct: Conduct,
    ) -> None:
        self._play = play
        self._hub = hub
        self._bus = bus
        self._presence = presence
        self._people = people
        self._chat = chat
        self._lobby = lobby
        self._ties = ties
        self._conduct = conduct
        self._gone: set[str] = set()
        """Those who have deleted their accounts while this process ran: what they said is not shown any more."""
        self._open: dict[str, _Open] = {}
        self._changed: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        play.on_event(self._event_came)
        presence.on_change(self._people_changed)
        bus.on_gap(self._missed_something)

    async def close(self) -> None:
        """Stop what is going on."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- Coming and going ------------------------------------------------------------------------------------------

    async def enter(self, game_id: str, reader: Reader) -> Callable[[], None]:
        """Tell a reader who has joined the hub all that it has missed, and from now on all that happens.

        The result is to be called when it goes.
        """
        room = self._open.setdefault(game_id, _Open())
        room.readers += 1
        leave_place = self._presence.enter(reader.person, PLACE + game_id)
        deaf: Callable[[], None] | None = None

        def leave() -> None:
            leave_place()
            if deaf is not None:
                deaf()
            room.readers -= 1
            if room.readers == 0:
                if self._open.get(game_id) is room:
                    del self._open[game_id]
                if room.unsubscribe is not None:
                    room.unsubscribe()

        try:
            async with room.opening:
                if room.unsubscribe is None:
                    # first the subscription: what is said after it is heard, what was said before it is read
                    room.unsubscribe = await self._bus.subscribe(f"room:{game_id}", partial(self._hear, game_id))
                    await self._read(game_id, room)
            view = await self._play.view(game_id)
            if not self._unknown(game_id, view.game):  # else it is told as soon as it is known
                reader.put(encode(self._who_is_there(game_id, view, reader.viewer)))
            if reader.is_known:
                deaf = await self._bus.subscribe(f"person:{reader.person}", partial(self._switched, game_id, reader))
            await self._read_switch(reader)
            await self._read_blocked(reader)
            self._tell_lines(room, view.game, [reader])
            if view.game.result is not None:
                await self._tell_rematch(game_id, reader)
        except BaseException:
            leave()
            raise
        return leave

    def _event_came(self, game_id: str, before: Game | None, game: Game) -> None:
        """After the first moves a side that has left can be claimed against; after the end all hear everything."""
        if before is None or before.can_abort != game.can_abort or game.result is not None:
            self._people_changed(PLACE + game_id)
        if game.result is not None and (room := self._open.get(game_id)) is not None:
            self._tell_lines(room, game, self._hub.readers(game_id))

    def _missed_something(self) -> None:
        for game_id, room in self._open.items():
            self._people_changed(PLACE + game_id)
            self._start(self._catch_up(game_id, room))

    async def _catch_up(self, game_id: str, room: _Open) -> None:
        """Read what may have been missed, and tell it."""
        await self._read(game_id, room)
        await self._read_changed(game_id, room)
        for reader in tuple(self._hub.readers(game_id)):
            await self._read_switch(reader)
            await self._read_blocked(reader)
        game = (await self._play.view(game_id)).game
        self._tell_lines(room, game, self._hub.readers(game_id))
        if game.result is not None:
            for reader in tuple(self._hub.readers(game_id)):
                await self._tell_rematch(game_id, reader)

    async def _tell_rematch(self, game_id: str, reader: Reader) -> None:
        rematch = await self._lobby.rematch_state(game_id)
        if rematch.offered_by is not None or rematch.game is not None:
            reader.put(encode(_rematch_view(rematch)))

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("A reader could not be told what it has missed", exc_info=error)

    # --- Who is there ----------------------------------------------------------------------------------------------

    def _people_changed(self, place: str) -> None:
        game_id = place.removeprefix(PLACE)
        if not place.startswith(PLACE) or game_id not in self._open:
            return
        if not self._changed:
            asyncio.get_running_loop().call_later(TOLD_AFTER, self._tell_who_is_there)
        self._changed.add(game_id)

    def _tell_who_is_there(self) -> None:
        changed, self._changed = self._changed, set()
        for game_id in changed:
            view = self._play.known(game_id)
            if view is not None:
                self._hub.tell(game_id, partial(self._who_is_there, game_id, view))

    def _unknown(self, game_id: str, game: Game) -> set[str]:
        """The players of whom it is not known at present if they are there."""
        return {person for person in _players(game) if not self._presence.knows(PLACE + game_id, person)}

    def _who_is_there(self, game_id: str, view: View, viewer: Color | None) -> PresenceView:
        here = self._presence.here(PLACE + game_id)
        origin = view.game.origin
        players = _players(view.game)
        # nobody is said to be absent of whom that is not known
        here |= self._unknown(game_id, view.game)
        wait = None if viewer is None else self.claim_in(game_id, view.game, view.created, viewer)
        return PresenceView(
            white=origin.white.is_computer or origin.white.id in here,
            black=origin.black.is_computer or origin.black.id in here,
            watchers=len(here - players),
            claim_in=None if wait is None else milliseconds(wait),
        )

    def claim_in(self, game_id: str, game: Game, created: float, viewer: Color) -> float | None:
        """Seconds after which a side may claim against its opponent, who has left.

        None if there is nothing to claim, and while it is not known whether the opponent is there.
        """
        opponent = game.player(viewer.opponent)
        wait = arbiter.claim_after(game.origin.clock)
        if wait is None or game.result is not None or game.paused or game.can_abort or opponent.is_computer:
            return None
        person = opponent.id or ""
        if person in self._presence.here(PLACE + game_id) or not self._presence.knows(PLACE + game_id, person):
            return None
        away = self._presence.since(PLACE + game_id, person)
        if away is None:
            away = max(self._presence.watched_since, created)
        own = next((entry.at for entry in reversed(game.events) if entry.by is viewer.opponent), created)
        return max(0.0, max(away, own) + wait - self._play.now())

    async def claim(self, game_id: str, viewer: Color, *, draw: bool) -> Game:
        """Claim the win, or a draw, against an opponent who has left. Raises :class:`NotGone` and what a game raises."""
        created = (await self._play.view(game_id)).created

        def decide(game: Game) -> Event:
            wait = self.claim_in(game_id, game, created, viewer)
            # of a game that is over, paused or has not begun, the game itself says so
            if (wait is None or wait > 0) and game.result is None and not game.paused and not game.can_abort:
                raise NotGone
            return Abandoned(viewer.opponent, draw)

        return await self._play.submit(game_id, None, decide)

    # --- Chat ------------------------------------------------------------------------------------------------------

    async def say(self, game_id: str, reader: Reader, message: SayMessage) -> None:
        """Keep a line and let everybody hear it who may. Raises :class:`damier.refusals.GameError`, StoreError."""
        game = (await self._play.view(game_id)).game
        if message.room not in (open_to := rooms_of(game, reader.viewer)):
            raise NotHere if open_to else NoRoom
        if not reader.is_known:
            raise NobodyKnown
        if await self._people.chat_off(reader.person):
            raise ChatIsOff
        await self._conduct.expect_not_silenced(reader.person)
        who = await self._people.keep(reader.person)
        if who.kind == "gone":  # while this socket was still open
            raise NobodyKnown
        line = await self._chat.say(game_id, message.room, who, reader.viewer, message.text, message.preset)
        await self._bus.publish(f"room:{game_id}", _encode(_Said(message.room, line)))

    async def _read(self, game_id: str, room: _Open) -> None:
        """Read the lines that are not known yet."""
        for name in get_args(Room):
            known = room.lines.setdefault(name, [])
            for line in await self._chat.lines(game_id, name, len(known)):
                # more may have been heard while these were read
                if line.seq == len(known) + 1:
                    known.append(self._unsaid(line))

    async def _read_changed(self, game_id: str, room: _Open) -> None:
        """Find out which lines are others than they were, and tell it."""
        for name, known in room.lines.items():
            for line in (await self._chat.lines(game_id, name))[: len(known)]:
                self._put_line(game_id, name, self._unsaid(line))

    async def changed(self, game_id: str, room: Room, seq: int) -> None:
        """Let everybody see a line as it is now. Raises StoreError."""
        line = await self._chat.line(game_id, room, seq)
        if line is not None:
            await self._bus.publish(f"room:{game_id}", _encode(_Changed(room, line)))

    def rename(self, renamed: Renamed) -> None:
        """Show what somebody has said under another name."""
        for game_id, room in self._open.items():
            for name, lines in room.lines.items():
                for line in tuple(lines):
                    if line.person == renamed.person and line.name == renamed.old:
                        self._put_line(game_id, name, msgspec.structs.replace(line, name=renamed.new))

    def _put_line(self, game_id: str, name: Room, line: KeptLine) -> None:
        """Keep a line as it is now, and show it to those who have heard it otherwise."""
        room, view = self._open.get(game_id), self._play.known(game_id)
        if room is None or view is None:
            return
        lines = room.lines.get(name, [])
        if line.seq > len(lines) or lines[line.seq - 1] == line:
            return
        lines[line.seq - 1] = line
        for reader in self._hub.readers(game_id):
            hears = name in rooms_of(view.game, reader.viewer) and line.person not in reader.blocked
            if reader.chat_on and hears and reader.said.get(name, 0) >= line.seq:
                reader.put(encode(ChangedLineView(name, _shown(line, reader.language))))

    def _tell_lines(self, room: _Open, game: Game, readers: Iterable[Reader]) -> None:
        """Send the lines that these readers may hear and have not heard."""
        frames: dict[tuple[Room, int, str, frozenset[str]], str | None] = {}
        for reader in readers:
            if not reader.chat_on:
                continue
            for name in rooms_of(game, reader.viewer):
                lines, said = room.lines.get(name, ()), reader.said.get(name, 0)
                if said >= len(lines):
                    continue
                key = (name, said, reader.language, reader.blocked)
                if key not in frames:
                    heard = [line for line in lines[said:] if line.person not in reader.blocked]
                    frames[key] = _chat_frame(name, heard, reader.language) if heard else None
                reader.said[name] = len(lines)
                if (frame := frames[key]) is not None:
                    reader.put(frame)

    async def switch_chat(self, reader: Reader, *, on: bool) -> None:
        """Let a person see chat from now on, or not, at every board. Raises :class:`NobodyKnown`."""
        if not reader.is_known:
            raise NobodyKnown
        await self._people.set_chat_off(reader.person, not on)
        await self._bus.publish(f"person:{reader.person}", _encode(ChatOnView(on)))

    def _switched(self, game_id: str, reader: Reader, payload: bytes) -> None:
        """A reader's person has switched chat, or blocked somebody, here or elsewhere, or an offer of that person has led
        to a game."""
        if payload == TIES:
            self._start(self._read_blocked(reader))
            return
        if payload.startswith(_INVITED):
            news = _invited_decoder.decode(payload)
            if (
                news.live
                and news.game is not None
                and news.host == reader.person
                and news.kind in ("seek", "challenge")
            ):
                reader.put(encode(BegunView(news.game)))
            return
        if not payload.startswith(_SWITCH):
            return
        reader.switches += 1
        self._switch(reader, _switch_decoder.decode(payload).on)
        room, view = self._open.get(game_id), self._play.known(game_id)
        if room is not None and view is not None:
            self._tell_lines(room, view.game, [reader])

    async def _read_switch(self, reader: Reader) -> None:
        """Find out whether a reader's person wants to see chat; what is heard of that meanwhile is newer."""
        if not reader.is_known:
            reader.chat_on = True
            return
        switches = reader.switches
        off = await self._people.chat_off(reader.person)
        if reader.switches == switches:
            self._switch(reader, not off)

    async def _read_blocked(self, reader: Reader) -> None:
        """Find out whose lines a reader's person does not want to see."""
        if reader.is_known:
            reader.blocked = await self._ties.blocked_by(reader.person)

    @staticmethod
    def _switch(reader: Reader, on: bool) -> None:
        reader.chat_on = on
        reader.put(encode(ChatOnView(on)))

    def forget(self, person: str) -> None:
        """Show no more of what somebody has said: the account is gone."""
        self._gone.add(person)
        for room in self._open.values():
            for lines in room.lines.values():
                lines[:] = map(self._unsaid, lines)

    def _unsaid(self, line: KeptLine) -> KeptLine:
        if line.person not in self._gone:
            return line
        return msgspec.structs.replace(line, name="", text="", preset=None)

    # --- Another game ----------------------------------------------------------------------------------------------

    async def rematch(self, game_id: str, reader: Reader, *, wanted: bool) -> None:
        """Offer, accept, decline or withdraw a rematch. Raises InvitationError, UnknownGame."""
        ask = self._lobby.rematch if wanted else self._lobby.decline_rematch
        rematch = await ask(game_id, reader.person)
        await self._bus.publish(f"room:{game_id}", _encode(_Again(_rematch_view(rematch))))

    # --- What the bus tells ----------------------------------------------------------------------------------------

    def _hear(self, game_id: str, payload: bytes) -> None:
        news = _decoder.decode(payload)
        if isinstance(news, _Again):
            self._hub.tell(game_id, lambda _: news.rematch)
            return
        if isinstance(news, RatedView):
            self._hub.tell(game_id, lambda _: news)
            return
        if isinstance(news, _Changed):
            self._put_line(game_id, news.room, self._unsaid(news.line))
            return
        room, view = self._open.get(game_id), self._play.known(game_id)
        if room is None or view is None:
            return
        lines = room.lines.setdefault(news.room, [])
        if news.line.seq == len(lines) + 1:
            lines.append(self._unsaid(news.line))
            self._tell_lines(room, view.game, self._hub.readers(game_id))
        elif news.line.seq > len(lines):
            self._start(self._catch_up(game_id, room))


def _players(game: Game) -> set[str]:
    """The ids of the people who play a game."""
    return {player.id for player in (game.origin.white, game.origin.black) if player.id is not None}


def _chat_frame(room: Room, lines: Sequence[KeptLine], language: str) -> str:
    return encode(ChatView(room, tuple(_shown(line, language) for line in lines)))


def _shown(line: KeptLine, language: str) -> ChatLine:
    _ = translator(language).gettext
    if line.text == "":  # which nobody can say: of who has deleted the account the words go too
        return ChatLine(line.seq, _(FORMER_MEMBER), line.side, _(N_("(removed)")), None, line.at)
    name, text = line.name or _(N_("Guest")), line.text
    if text == HIDDEN_LINE:
        text = _(N_("(removed by a moderator)"))
    return ChatLine(line.seq, name, line.side, text, line.preset, line.at)


def _rematch_view(rematch: Rematch) -> RematchView:
    return RematchView(None if rematch.offered_by is None else color_to_json(rematch.offered_by), rematch.game)
