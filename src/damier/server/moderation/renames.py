"""A name that is taken away, or given back: in the games and the chat it stood in, and in what processes remember."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar, Final

import msgspec
from sqlalchemy import select, update

from damier.record import Player, Start
from damier.server.tables import chat_line, game, seat

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.ext.asyncio import AsyncConnection

    from damier.server.bus import Bus

PAGE: Final = 200
"""Games that are read at once."""


class Renamed(msgspec.Struct, frozen=True):
    """Wherever somebody stands under one name there is to be the other."""

    TOPIC: ClassVar[str] = "renamed"

    person: str
    old: str
    new: str

    def encode(self) -> bytes:
        """The same as the bus carries it."""
        return msgspec.json.encode(self)

    def player(self, player: Player) -> Player:
        """A player of a game under the new name, if he is the one and has the old.

        >>> Renamed("q3", "Rude", "Player-1").player(Player("member", "Rude", id="q3")).name
        'Player-1'
        >>> Renamed("q3", "Rude", "Player-1").player(Player("member", "Rude", id="else")).name
        'Rude'
        """
        if player.id != self.person or player.name != self.old:
            return player
        return dataclasses.replace(player, name=self.new)


async def unname_games(connection: AsyncConnection, renamed: Renamed) -> None:
    """Put the new name into the games and the chat in which the old one stands."""
    last = ""
    while True:
        rows = await connection.execute(
            select(game.c.id, game.c.start)
            .join(seat, seat.c.game == game.c.id)
            .where(seat.c.player == renamed.person, game.c.id > last)
            .order_by(game.c.id)
            .limit(PAGE)
            .with_for_update(of=game, key_share=True)
        )
        found = rows.all()
        for each in found:
            start = Start.from_json(msgspec.json.decode(each.start))
            white, black = renamed.player(start.white), renamed.player(start.black)
            if (white, black) != (start.white, start.black):
                new = Start(start.rules, start.fen, white, black, start.clock, start.at)
                text = msgspec.json.encode(new.to_json()).decode()
                await connection.execute(update(game).where(game.c.id == each.id).values(start=text))
        if len(found) < PAGE:
            break
        last = found[-1].id
    await connection.execute(
        update(chat_line)
        .where(chat_line.c.person == renamed.person, chat_line.c.name == renamed.old)
        .values(name=renamed.new)
    )


async def listen(bus: Bus, told: Sequence[Callable[[Renamed], None]]) -> None:
    """Hear from now on whose names change. To be awaited before anybody is served."""

    def heard(payload: bytes) -> None:
        renamed = msgspec.json.decode(payload, type=Renamed)
        for tell in told:
            tell(renamed)

    await bus.subscribe(Renamed.TOPIC, heard)
