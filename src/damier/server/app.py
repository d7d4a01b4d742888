"""The club put together. The only module that knows all its parts."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from litestar import Litestar, Request, Router
from litestar.config.compression import CompressionConfig
from litestar.datastructures import State
from litestar.di import Provide
from litestar.middleware import DefineMiddleware
from litestar.middleware.rate_limit import RateLimitConfig
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.stores.memory import MemoryStore

from damier.server import database, installable, mail, routes
from damier.server.accounts import page as account_page
from damier.server.accounts import people_web
from damier.server.accounts import web as accounts_web
from damier.server.accounts.daily import DailyLetters
from damier.server.accounts.deletion import Departures
from damier.server.accounts.entrance import Entrance
from damier.server.accounts.export import Exports
from damier.server.accounts.letters import Letters
from damier.server.accounts.passkeys import Passkeys
from damier.server.accounts.passwords import Passwords
from damier.server.accounts.profile import Profiles
from damier.server.accounts.service import Accounts
from damier.server.accounts.ties import Ties
from damier.server.api import openapi, protocol
from damier.server.api import router as api
from damier.server.api import web as api_web
from damier.server.api.tokens import Tokens
from damier.server.club import Club
from damier.server.errors import error_handler, log_failed_socket
from damier.server.guide import exercise_web, rules_web, trying
from damier.server.guide import web as guide_web
from damier.server.guide.learners import Learners
from damier.server.limits import SocketsPerAddress, household
from damier.server.lobby import seeks_web
from damier.server.lobby import web as lobby_web
from damier.server.lobby.desk import Desk
from damier.server.lobby.invitations import Invitations
from damier.server.lobby.offences import Offences
from damier.server.lobby.offers import Offers
from damier.server.lobby.quick import Quick
from damier.server.lobby.socket import Lounge, personal_socket
from damier.server.localized import Localized
from damier.server.lock import FolderLock
from damier.server.mail import Mailer
from damier.server.moderation import renames
from damier.server.moderation import web as moderation_web
from damier.server.moderation.conduct import Conduct
from damier.server.moderation.deeds import Moderation
from damier.server.moderation.log import Log
from damier.server.moderation.reports import Reports
from damier.server.moderation.subjects import Subjects
from damier.server.observe import Numbers, Observer, RequestNumbers
from damier.server.people import People
from damier.server.play import socket, web
from damier.server.play.chat import Chat
from damier.server.play.hub import Hub
from damier.server.play.rooms import Rooms
from damier.server.play.service import Play
from damier.server.play.store import open_store
from damier.server.play.timekeeper import Timekeeper
from damier.server.questions import web as questions_web
from damier.server.questions.letters import AnswerLetters
from damier.server.questions.service import Forum
from damier.server.rating_book import RatingBook
from damier.server.routes import HeadRequests
from damier.server.security import FormCheck, FormLimits, FormTokens, HostCheck, SecurityHeaders
from damier.server.settings import Settings, club_secret
from damier.server.shared import Shared, open_stores
from damier.server.site import Site
from damier.server.stats import web as stats_web
from damier.server.stats.service import Statistics
from damier.server.visitors import Identify, Visitors

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from litestar.stores.base import Store

FORGET_SECONDS: Final = 600
TIDY_SECONDS: Final = 3600
LARGEST_REQUEST: Final = 16_384
"""Bytes of a form; ours have a few hundred."""

log = logging.getLogger(__name__)


def _provide_club(state: State) -> Club:
    return state.club


def _household(request: Request[Any, Any, Any]) -> str:
    """Whose requests count together."""
    return household(request.client.host if request.client else "")


async def _forget_addresses(counters: Store) -> None:
    """Drop the counters of those who have started no game lately; nobody else does."""
    while True:
        await asyncio.sleep(FORGET_SECONDS)
        if isinstance(counters, MemoryStore):
            await counters.delete_expired()


async def _tidy(lobby: Invitations, offences: Offences, forum: Forum) -> None:
    """Put the invitations in order and forget old offences and what was removed, at the start and then once an hour."""
    while True:
        try:
            await lobby.tidy()
            await offences.forget()
            await forum.tidy()
        except Exception:
            log.exception("The invitations could not be put in order")
        await asyncio.sleep(TIDY_SECONDS)


def create_app(settings: Settings) -> SocketsPerAddress:
    """The club as an ASGI application. Its folder and database are made when they are not there.

    A folder with a SQLite database is this process's alone until it has shut down or ended. Raises RuntimeError when
    another has it or what lies in it cannot be used, and OSError or sqlite3.Error where the system refuses.
    """
    folder = FolderLock(settings.data) if settings.database is None else None
    secret = club_secret(settings)
    form_tokens = FormTokens(secret)
    form_limits = FormLimits(settings.forms_per_second, settings.form_burst)
    visitors = Visitors(secret)
    site = Site(form_tokens, visitors)
    database.migrate(settings)
    if not site.bundle:
        log.warning("The web bundle has not been made: pages will have no board. `make web` makes it.")

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncGenerator[None]:
        store = await open_store(settings)
        shared = Shared.open(settings)
        bus, presence, opponents = shared.bus, shared.presence, shared.opponents
        hub = Hub()
        play = Play(store, bus, opponents, hub, pace=settings.computer_pace / 100)
        timekeeper = Timekeeper(store, play)
        await timekeeper.start()
        engine = database.open_engine(settings)
        people = People(engine)
        passwords = Passwords()
        accounts = Accounts(engine, passwords, bus=bus)
        mailer = Mailer(None if settings.smtp is None else mail.Server.parse(settings.smtp), settings.mail_from)
        ratings = RatingBook(engine, bus)
        ratings.watch(play)
        statistics = Statistics(engine)
        statistics.watch(play)
        lobby = Invitations(engine, people, play, bus, ratings)
        offers = Offers(engine, people, lobby, presence)
        ties = Ties(engine, bus)
        forum = Forum(engine)
        conduct = Conduct(engine)
        rooms = Rooms(play, hub, bus, presence, people, Chat(engine), lobby, ties, conduct)
        offences = Offences(engine)
        offences.watch(play)
        quick = Quick(engine, people, lobby, ratings, offences, bus)
        desk = Desk(engine, offers, people, ratings)
        lounge = Lounge(store, engine, presence, bus, lobby, desk)
        forget = (play.forget, rooms.forget, hub.dismiss, lounge.dismiss)
        departures = Departures(engine, store, play, lobby, bus, forget)
        await departures.start()
        await renames.listen(bus, (play.rename, rooms.rename))
        daily = DailyLetters(engine, mailer, settings.address, secret)
        answer_letters = AnswerLetters(engine, mailer, settings.address, secret)

        def gauges(numbers: Numbers) -> None:
            numbers.sockets = sockets.open
            numbers.longest_queue = hub.longest_queue
            numbers.computer_queue = opponents.queued

        observer = Observer(bus, gauges, shared.shelf)
        app.state.club = Club(
            settings=settings,
            site=site,
            visitors=visitors,
            store=store,
            engine=engine,
            people=people,
            accounts=accounts,
            entrance=Entrance(accounts, secret, settings.new_members_per_hour),
            passkeys=Passkeys(engine, secret),
            letters=Letters(engine, passwords, mailer, bus),
            tokens=Tokens(engine, bus=bus),
            mailer=mailer,
            bus=bus,
            presence=presence,
            hub=hub,
            play=play,
            rooms=rooms,
            lobby=lobby,
            offers=offers,
            desk=desk,
            quick=quick,
            ratings=ratings,
            statistics=statistics,
            lounge=lounge,
            observer=observer,
            ties=ties,
            profiles=Profiles(engine),
            exports=Exports(engine, store),
            departures=departures,
            daily=daily,
            learners=Learners(engine, people, secret),
            forum=forum,
            answer_letters=answer_letters,
            conduct=conduct,
            subjects=Subjects(engine),
            reports=Reports(engine),
            moderation=Moderation(engine, bus, ratings, rooms, lobby, statistics),
            log=Log(engine),
        )
        background = [
            asyncio.create_task(play.take_up()),
            asyncio.create_task(timekeeper.run()),
            asyncio.create_task(lounge.run()),
            asyncio.create_task(offers.run()),
            asyncio.create_task(quick.run()),
            asyncio.create_task(ratings.run()),
            asyncio.create_task(statistics.run()),
            asyncio.create_task(observer.run()),
            asyncio.create_task(departures.run()),
            asyncio.create_task(daily.run()),
            asyncio.create_task(answer_letters.run()),
            asyncio.create_task(_tidy(lobby, offences, forum)),
            asyncio.create_task(_forget_addresses(app.stores.get(new_games.store))),
        ]
        try:
            yield
        finally:
            for task in background:
                task.cancel()
            hub.close()
            lounge.close()
            await departures.close()
            await rooms.close()
            await play.close()
            await ratings.close()
            await statistics.close()
            await offences.close()
            passwords.close()
            await shared.close()
            await engine.dispose()
            await store.close()
            if folder is not None:
                folder.release()

    tries = RateLimitConfig(("minute", trying.PER_MINUTE), identifier_for_request=_household, store="tries")
    new_games = RateLimitConfig(("minute", settings.new_games_per_minute), identifier_for_request=_household)
    app = Litestar(
        [
            routes.health,
            routes.ready,
            routes.metrics,
            routes.static_file,
            routes.choose_language,
            protocol.socket_schema,
            *installable.ROUTES,
            api_web.tokens_page,
            api_web.create_token,
            api_web.revoke_token,
            lobby_web.front,
            lobby_web.now,
            lobby_web.my_games,
            lobby_web.invite,
            lobby_web.invitation_page,
            lobby_web.decline_invitation,
            lobby_web.withdraw_invitation,
            lobby_web.name_page,
            *accounts_web.ROUTES,
            *account_page.ROUTES,
            *people_web.ROUTES,
            *stats_web.ROUTES,
            *questions_web.ROUTES,
            *moderation_web.ROUTES,
            seeks_web.seeks_page,
            seeks_web.withdraw_seek,
            seeks_web.challenge_page,
            seeks_web.decline_challenge,
            seeks_web.withdraw_challenge,
            personal_socket,
            web.game_page,
            socket.game_socket,
            *rules_web.ROUTES,
            api.router(settings),
            guide_web.guide_page,
            guide_web.lesson_page,
            exercise_web.exercise_page,
            exercise_web.daily_page,
            Router(
                "/",
                route_handlers=[
                    trying.try_board,
                    guide_web.answer_lesson,
                    exercise_web.answer_exercise,
                    exercise_web.answer_daily,
                    exercise_web.back_to_exercise,
                ],
                middleware=[tries.middleware],
            ),
            Router(
                "/",
                route_handlers=[
                    lobby_web.play_computer,
                    lobby_web.create_invitation,
                    lobby_web.accept_invitation,
                    lobby_web.choose_name,
                    seeks_web.create_seek,
                    seeks_web.accept_seek,
                    seeks_web.create_challenge,
                    seeks_web.accept_challenge,
                ],
                middleware=[new_games.middleware],
            ),
        ],
        lifespan=[lifespan],
        stores=open_stores(settings),
        dependencies={"club": Provide(_provide_club, sync_to_thread=False)},
        # not the bundle's files and archives, which are compressed already
        compression_config=CompressionConfig(backend="gzip", exclude="^/(static/|account/export)"),
        middleware=[Identify, DefineMiddleware(FormCheck, tokens=form_tokens, limits=form_limits)],
        exception_handlers={Exception: error_handler(site)},
        after_exception=[log_failed_socket],
        request_max_body_size=LARGEST_REQUEST,
        include_in_schema=False,  # the schema is for programs: what is not a page says that it belongs there
        openapi_config=OpenAPIConfig(
            "Damier",
            version("damier"),
            path="/schema",
            render_plugins=[JsonRenderPlugin()],
            components=openapi.COMPONENTS,
        ),
        plugins=[openapi.ExactBodies()],
        logging_config=None,
    )
    checked = HostCheck(Localized(app))
    pages = RequestNumbers(SecurityHeaders(HeadRequests(checked)))
    sockets = SocketsPerAddress(pages, checked, settings.sockets_per_address)
    return sockets
