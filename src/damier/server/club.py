"""The parts of a running club, as its pages and sockets are given them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

    from damier.server.accounts.service import Accounts
    from damier.server.bus import Bus
    from damier.server.lobby.desk import Desk
    from damier.server.lobby.invitations import Invitations
    from damier.server.lobby.offers import Offers
    from damier.server.lobby.quick import Quick
    from damier.server.lobby.socket import Lounge
    from damier.server.mail import Mailer
    from damier.server.observe import Observer
    from damier.server.people import People
    from damier.server.play.hub import Hub
    from damier.server.play.rooms import Rooms
    from damier.server.play.service import Play
    from damier.server.play.store import EventStore
    from damier.server.presence import Presence
    from damier.server.rating_book import RatingBook
    from damier.server.settings import Settings
    from damier.server.site import Site
    from damier.server.visitors import Visitors


class Club:
    """Everything that a page or socket may need."""

    # not a dataclass: Litestar would look into one, field by field, at every request

    __slots__ = (
        "accounts",
        "bus",
        "desk",
        "engine",
        "hub",
        "lobby",
        "lounge",
        "mailer",
        "observer",
        "offers",
        "people",
        "play",
        "presence",
        "quick",
        "ratings",
        "rooms",
        "settings",
        "site",
        "store",
        "visitors",
    )

    def __init__(
        self,
        *,
        settings: Settings,
        site: Site,
        visitors: Visitors,
        store: EventStore,
        engine: AsyncEngine,
        people: People,
        accounts: Accounts,
        mailer: Mailer,
        bus: Bus,
        presence: Presence,
        hub: Hub,
        play: Play,
        rooms: Rooms,
        lobby: Invitations,
        offers: Offers,
        desk: Desk,
        quick: Quick,
        ratings: RatingBook,
        lounge: Lounge,
        observer: Observer,
    ) -> None:
        self.settings = settings
        self.site = site
        self.visitors = visitors
        self.store = store
        self.engine = engine
        self.people = people
        self.accounts = accounts
        self.mailer = mailer
        self.bus = bus
        self.presence = presence
        self.hub = hub
        self.play = play
        self.rooms = rooms
        self.lobby = lobby
        self.offers = offers
        self.desk = desk
        self.quick = quick
        self.ratings = ratings
        self.lounge = lounge
        self.observer = observer
