"""The parts of a running club, as its pages and sockets are given them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

    from damier.server.accounts.daily import DailyLetters
    from damier.server.accounts.deletion import Departures
    from damier.server.accounts.entrance import Entrance
    from damier.server.accounts.export import Exports
    from damier.server.accounts.letters import Letters
    from damier.server.accounts.passkeys import Passkeys
    from damier.server.accounts.profile import Profiles
    from damier.server.accounts.service import Accounts
    from damier.server.accounts.ties import Ties
    from damier.server.api.tokens import Tokens
    from damier.server.bus import Bus
    from damier.server.guide.learners import Learners
    from damier.server.lobby.desk import Desk
    from damier.server.lobby.invitations import Invitations
    from damier.server.lobby.offers import Offers
    from damier.server.lobby.quick import Quick
    from damier.server.lobby.socket import Lounge
    from damier.server.mail import Mailer
    from damier.server.moderation.conduct import Conduct
    from damier.server.moderation.deeds import Moderation
    from damier.server.moderation.log import Log
    from damier.server.moderation.reports import Reports
    from damier.server.moderation.subjects import Subjects
    from damier.server.observe import Observer
    from damier.server.people import People
    from damier.server.play.hub import Hub
    from damier.server.play.rooms import Rooms
    from damier.server.play.service import Play
    from damier.server.play.store import EventStore
    from damier.server.presence import Presence
    from damier.server.questions.letters import AnswerLetters
    from damier.server.questions.service import Forum
    from damier.server.rating_book import RatingBook
    from damier.server.settings import Settings
    from damier.server.site import Site
    from damier.server.stats.service import Statistics
    from damier.server.visitors import Visitors


class Club:
    """Everything that a page or socket may need."""

    # not a dataclass: Litestar would look into one, field by field, at every request

    __slots__ = (
        "accounts",
        "answer_letters",
        "bus",
        "conduct",
        "daily",
        "departures",
        "desk",
        "engine",
        "entrance",
        "exports",
        "forum",
        "hub",
        "learners",
        "letters",
        "lobby",
        "log",
        "lounge",
        "mailer",
        "moderation",
        "observer",
        "offers",
        "passkeys",
        "people",
        "play",
        "presence",
        "profiles",
        "quick",
        "ratings",
        "reports",
        "rooms",
        "settings",
        "site",
        "statistics",
        "store",
        "subjects",
        "ties",
        "tokens",
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
        entrance: Entrance,
        passkeys: Passkeys,
        letters: Letters,
        tokens: Tokens,
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
        statistics: Statistics,
        lounge: Lounge,
        observer: Observer,
        ties: Ties,
        profiles: Profiles,
        exports: Exports,
        departures: Departures,
        daily: DailyLetters,
        learners: Learners,
        forum: Forum,
        answer_letters: AnswerLetters,
        conduct: Conduct,
        subjects: Subjects,
        reports: Reports,
        moderation: Moderation,
        log: Log,
    ) -> None:
        self.settings = settings
        self.site = site
        self.visitors = visitors
        self.store = store
        self.engine = engine
        self.people = people
        self.accounts = accounts
        self.entrance = entrance
        self.passkeys = passkeys
        self.letters = letters
        self.tokens = tokens
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
        self.statistics = statistics
        self.lounge = lounge
        self.observer = observer
        self.ties = ties
        self.profiles = profiles
        self.exports = exports
        self.departures = departures
        self.daily = daily
        self.learners = learners
        self.forum = forum
        self.answer_letters = answer_letters
        self.conduct = conduct
        self.subjects = subjects
        self.reports = reports
        self.moderation = moderation
        self.log = log
