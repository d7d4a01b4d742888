"""The routes of seeks, which are in a list that all see, and of challenges, which are for one member."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from litestar import HttpMethod, Request, Response, delete, get, post, route
from litestar.params import PathParameter

from damier.clock import TimeControl
from damier.i18n import N_
from damier.rules import by_name
from damier.server.api.auth import asker, needs
from damier.server.api.models import (
    Challenge,
    ChallengeBody,
    Challenges,
    DeclineBody,
    Declined,
    OpponentView,
    Rules,
    Seek,
    SeekBody,
    Started,
)
from damier.server.api.people import Name, member_of
from damier.server.api.problems import ApiError, documented
from damier.server.club import Club
from damier.server.lobby import controls
from damier.server.lobby.invitation import Invitation, UnknownInvitation
from damier.server.people import Who
from damier.server.ratings import Pool

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from damier.server.lobby.invitation import Kind
    from damier.server.people import People
    from damier.server.ratings import Rating

Req = Request[Any, Any, Any]
OfferPath = Annotated[
    str, PathParameter(pattern=r"^[A-Za-z0-9]{1,64}$", description="The id of a seek or of a challenge.")
]

NOT_OFFERED: Final = N_("Give 3 seconds to 180 minutes, at most 180 seconds a move, or 1 to 14 days a move.")
CORRESPONDENCE: Final = "correspondence "


def wanted_control(text: str) -> TimeControl:
    """The time control that is asked for. Raises :class:`ApiError` for one that is not offered.

    >>> wanted_control("300+3").to_pdn(), wanted_control("correspondence 3").days, bool(wanted_control("-"))
    ('300+3', 3, False)
    """
    try:
        days = int(text.removeprefix(CORRESPONDENCE)) if text.startswith(CORRESPONDENCE) else None
        control = TimeControl.from_pdn(text) if days is None else None
        if days in controls.DAYS:
            control = TimeControl.correspondence(days)
    except ValueError:  # of which a control that the clock does not know is one
        control = None
    if control is None or not controls.offered(control):
        raise ApiError(422, "bad_clock", NOT_OFFERED, field="clock")
    return control


async def _of_kind(club: Club, invitation_id: str, kind: Kind) -> Invitation:
    """A seek, or a challenge. Raises UnknownInvitation for what is something else."""
    invitation = await club.lobby.get(invitation_id)
    if invitation.kind != kind:
        raise UnknownInvitation
    return invitation


async def _accept(club: Club, invitation_id: str, kind: Kind, who: Who) -> Started:
    await _of_kind(club, invitation_id, kind)
    accepted = await club.lobby.accept(invitation_id, who.id)
    return Started(accepted.game or "")


# --- Seeks -----------------------------------------------------------------------------------------------------------


@route("/seeks", http_method=HttpMethod.OPTIONS, status_code=204, include_in_schema=False, sync_to_thread=False)
def seek_methods() -> Response[None]:
    """What can be done with the list; Litestar's own answer knows only the first of two routes at one path."""
    return Response(None, headers={"allow": "GET, OPTIONS, POST"})


@get("/seeks", **needs("seek"), responses=documented(403))
async def seeks(request: Req, club: Club) -> list[Seek]:
    """The open seeks, the latest first."""
    who = asker(request)
    return await _shown(club, await club.offers.seeks(who.id), who)


@post("/seeks", **needs("seek", body=SeekBody, begins_game=True), responses=documented(403, 409, 422, body=True))
async def create_seek(request: Req, club: Club, data: SeekBody) -> Seek:
    """Look for an opponent.

    A seek for a game with minutes or hours on the clocks is there only while its owner is: keep the personal socket
    open. Whoever accepts it begins the game, of which the personal socket tells.
    """
    who = asker(request)
    seek = await club.offers.create_seek(
        who,
        rules=by_name(data.rules),
        control=wanted_control(data.clock),
        color=data.color,
        rated=data.rated,
        lowest=data.lowest,
        highest=data.highest,
    )
    (shown,) = await _shown(club, [seek], who)
    return shown


@delete("/seeks/{offer_id:str}", **needs("seek"), responses=documented(403, 404, 409))
async def withdraw_seek(request: Req, club: Club, offer_id: OfferPath) -> None:
    """Take back a seek of one's own."""
    await _of_kind(club, offer_id, "seek")
    await club.lobby.withdraw(offer_id, asker(request).id)


@post(
    "/seeks/{offer_id:str}/accept",
    status_code=200,
    **needs("seek", begins_game=True),
    responses=documented(403, 404, 409, 422, 503),
)
async def accept_seek(request: Req, club: Club, offer_id: OfferPath) -> Started:
    """Accept a seek: the game begins."""
    return await _accept(club, offer_id, "seek", asker(request))


async def _shown(club: Club, seeks: Sequence[Invitation], reader: Who) -> list[Seek]:
    people = await club.people.named(each.host for each in seeks)
    hosts: dict[Pool, set[str]] = defaultdict(set)
    for each in seeks:
        pool = Pool.of(each.rules.name, each.control)
        if pool is not None:
            hosts[pool].add(each.host)
    ratings = {pool: await club.ratings.of(there, pool) for pool, there in hosts.items()}
    return [_seek(each, people[each.host], reader, ratings) for each in seeks]


def _seek(invitation: Invitation, host: Who, reader: Who, ratings: dict[Pool, dict[str, Rating]]) -> Seek:
    pool = Pool.of(invitation.rules.name, invitation.control)
    rating = None if pool is None else ratings[pool].get(invitation.host)
    return Seek(
        id=invitation.id,
        host=OpponentView(host.name, host.kind),
        rating=None if rating is None else rating.rounded[0],
        own=invitation.host == reader.id,
        rules=cast("Rules", invitation.rules.name),
        clock=invitation.control.to_pdn(),
        rated=invitation.rated,
        color=invitation.color,
        lowest=invitation.lowest,
        highest=invitation.highest,
        created=invitation.created,
        expires=invitation.expires,
    )


# --- Challenges ------------------------------------------------------------------------------------------------------


@post(
    "/members/{name:str}/challenges",
    **needs("seek", body=ChallengeBody, begins_game=True),
    responses=documented(403, 404, 409, 422, body=True),
)
async def challenge(request: Req, club: Club, name: Name, data: ChallengeBody) -> Challenge:
    """Ask a member for a game."""
    who = asker(request)
    made = await club.offers.challenge(
        who,
        await member_of(club, name),
        rules=by_name(data.rules),
        control=wanted_control(data.clock),
        color=data.color,
        rated=data.rated,
    )
    (shown,) = await shown_challenges(club.people, [made], who.id)
    return shown


@get("/challenges", **needs("seek"), responses=documented(403))
async def challenges(request: Req, club: Club) -> Challenges:
    """My open challenges: those that wait for me, and those that I have made."""
    who = asker(request)
    every = await shown_challenges(club.people, await club.offers.challenges_of(who.id), who.id)
    return Challenges([each for each in every if each.incoming], [each for each in every if not each.incoming])


@post(
    "/challenges/{offer_id:str}/accept",
    status_code=200,
    **needs("seek", begins_game=True),
    responses=documented(403, 404, 409, 422, 503),
)
async def accept_challenge(request: Req, club: Club, offer_id: OfferPath) -> Started:
    """Accept a challenge: the game begins."""
    return await _accept(club, offer_id, "challenge", asker(request))


@post(
    "/challenges/{offer_id:str}/decline",
    status_code=200,
    **needs("seek", body=DeclineBody | None),
    responses=documented(403, 404, 409, body=True),
)
async def decline_challenge(request: Req, club: Club, offer_id: OfferPath, data: DeclineBody | None = None) -> Declined:
    """Decline a challenge, with a reason if one likes."""
    await _of_kind(club, offer_id, "challenge")
    answer = None if data is None else data.answer
    declined = await club.lobby.decline(offer_id, asker(request).id, answer)
    return Declined(declined.id, answer)


@delete("/challenges/{offer_id:str}", **needs("seek"), responses=documented(403, 404, 409))
async def withdraw_challenge(request: Req, club: Club, offer_id: OfferPath) -> None:
    """Take back a challenge of one's own."""
    await _of_kind(club, offer_id, "challenge")
    await club.lobby.withdraw(offer_id, asker(request).id)


async def shown_challenges(people: People, found: Iterable[Invitation], reader: str) -> list[Challenge]:
    """Challenges as one of the two sees them."""
    every = list(found)
    named = await people.named(person for each in every for person in (each.host, each.guest) if person is not None)
    return [
        Challenge(
            id=each.id,
            incoming=each.guest == reader,
            challenger=OpponentView(named[each.host].name, named[each.host].kind),
            challenged=OpponentView(named[each.guest].name, named[each.guest].kind),
            rules=cast("Rules", each.rules.name),
            clock=each.control.to_pdn(),
            rated=each.rated,
            color=each.color,
            created=each.created,
            expires=each.expires,
        )
        for each in every
        if each.guest is not None
    ]
