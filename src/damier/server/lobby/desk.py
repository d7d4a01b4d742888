"""Seeks and challenges as those who read them see them: with names and ratings, in their language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import or_, select

from damier.i18n import N_, translator
from damier.server.lobby import controls
from damier.server.lobby.choices import SideChoice, rules_title
from damier.server.lobby.invitations import ANSWERS
from damier.server.ratings import Pool
from damier.server.tables import block

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.ext.asyncio import AsyncEngine

    from damier.server.lobby.invitation import Invitation, InvitationNews
    from damier.server.lobby.offers import Offers
    from damier.server.people import People, Who
    from damier.server.rating_book import RatingBook
    from damier.server.ratings import Rating


class OfferView(msgspec.Struct, frozen=True):
    """A seek or a challenge as its reader sees it.

    ``name``: of the other one: who seeks, who challenges, or who is challenged; ``rating``: that one's, with a question
    mark while it is not certain. ``side``: the reader's own. ``range``: the ratings wished for. ``mine``: whether the
    reader has made it. ``id``: also names it in its addresses.
    """

    id: str
    name: str
    is_member: bool
    is_bot: bool
    rating: str | None
    time: str
    rules: str
    rated: bool
    side: SideChoice
    range: str | None
    mine: bool


class DeclinedView(msgspec.Struct, tag_field="t", tag="declined", frozen=True):
    """A challenge of the reader's that was declined. ``text``: the phrase, if there was one."""

    id: str
    name: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Listed:
    """What is open, with what is known of its people. ``apart``: who do not play each other."""

    offers: Sequence[Invitation]
    people: Mapping[str, Who]
    ratings: Mapping[tuple[str, str], Rating]
    apart: frozenset[frozenset[str]] = frozenset()

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(each.id for each in self.offers)

    def views(self, reader: str | None, language: str) -> tuple[OfferView, ...]:
        """Those that concern a reader."""
        return tuple(
            self._view(each, reader, language)
            for each in self.offers
            if reader is None or frozenset((reader, each.host)) not in self.apart
        )

    def _view(self, offer: Invitation, reader: str | None, language: str) -> OfferView:
        mine = reader == offer.host
        other = offer.guest if mine and offer.guest is not None else offer.host
        who = self.people.get(other)
        known = self.ratings.get((offer.id, other))
        return OfferView(
            id=offer.id,
            name=(who and who.name) or translator(language).gettext(N_("Guest")),
            is_member=who is not None and who.is_member,
            is_bot=who is not None and who.kind == "bot",
            rating=None if known is None else f"{round(known.value)}{'?' if known.is_provisional else ''}",
            time=controls.described(offer.control, language),
            rules=rules_title(offer.rules.name, language),
            rated=offer.rated,
            side=offer.color if mine else offer.guests_color,
            range=range_text(offer.lowest, offer.highest),
            mine=mine,
        )


def phrases(language: str) -> dict[str, str]:
    """What a challenge can be declined with, by its key."""
    return {key: translator(language).gettext(text) for key, text in ANSWERS.items()}


def range_text(lowest: int | None, highest: int | None) -> str | None:
    """A range of ratings.

    >>> range_text(1400, 1600), range_text(1400, None), range_text(None, 1600), range_text(None, None)
    ('1400–1600', '≥ 1400', '≤ 1600', None)
    """
    if lowest is None:
        return None if highest is None else f"≤ {highest}"
    return f"≥ {lowest}" if highest is None else f"{lowest}–{highest}"


class Desk:
    """Where the open seeks and challenges of a club are read."""

    def __init__(self, engine: AsyncEngine, offers: Offers, people: People, book: RatingBook) -> None:
        self._engine = engine
        self._offers = offers
        self._people = people
        self._book = book

    async def seeks(self) -> Listed:
        """All open seeks."""
        return await self.listed(await self._offers.seeks())

    async def challenges(self, person_id: str) -> Listed:
        """The open challenges of somebody, and to somebody."""
        return await self.listed(await self._offers.challenges_of(person_id))

    async def declined(self, news: InvitationNews, language: str) -> DeclinedView:
        """How a challenge that was declined is told to who made it."""
        who = await self._people.who(news.guest or "")
        text = None if news.answer is None else phrases(language).get(news.answer)
        return DeclinedView(news.id, who.name or "", text)

    async def listed(self, offers: Sequence[Invitation]) -> Listed:
        """Invitations with what is known of their people."""
        hosts = {each.host for each in offers}
        people = hosts | {each.guest for each in offers if each.guest is not None}
        if not people:
            return Listed(offers, {}, {})
        ratings: dict[tuple[str, str], Rating] = {}
        for pool in {Pool.of(each.rules.name, each.control) for each in offers}:
            if pool is None:
                continue
            known = await self._book.of(people, pool)
            for each in offers:
                if Pool.of(each.rules.name, each.control) == pool:
                    ratings |= {(each.id, one): known[one] for one in (each.host, each.guest or "") if one in known}
        async with self._engine.connect() as connection:
            blocks = await connection.execute(
                select(block.c.blocker, block.c.blocked).where(
                    or_(block.c.blocker.in_(hosts), block.c.blocked.in_(hosts))
                )
            )
            apart = frozenset(frozenset((each.blocker, each.blocked)) for each in blocks)
        return Listed(offers, await self._people.named(people), ratings, apart)
