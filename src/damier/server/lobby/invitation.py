"""What an invitation is: its terms, how it is kept and told, and why something cannot be done with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias

import msgspec

from damier.clock import TimeControl
from damier.errors import DamierError
from damier.i18n import N_
from damier.rules import by_name
from damier.server.lobby.controls import speed

if TYPE_CHECKING:
    from sqlalchemy import RowMapping

    from damier import Color, Rules
    from damier.server.lobby.choices import SideChoice
    from damier.server.ratings import NotRated

Kind: TypeAlias = Literal["link", "rematch", "seek", "challenge", "pairing"]
State: TypeAlias = Literal["open", "accepted", "declined", "withdrawn", "expired"]


class InvitationError(DamierError):
    """What was asked cannot be done with an invitation; ``code`` names it to programs, ``text`` says it."""

    code: ClassVar[str]
    text: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(self.text)


class UnknownInvitation(InvitationError):
    """There is no such invitation."""

    code = "unknown_invitation"
    text = N_("There is no such invitation.")


class TooManyOpen(InvitationError):
    """One person cannot have more invitations open."""

    code = "too_many_open"
    text = N_("You have ten invitations open. Withdraw one first.")


class NotOpen(InvitationError):
    """It has been answered, withdrawn, or it has expired."""

    code = "not_open"
    text = N_("This invitation is no longer open.")


class OwnInvitation(InvitationError):
    """Who invites cannot also be the one who is invited."""

    code = "own_invitation"
    text = N_("This is your own invitation: send the link to whom you want to play.")


class AskedOften(InvitationError):
    """A rematch that the opponent has been offered again and again."""

    code = "asked_often"
    text = N_("You have offered this rematch several times; now it is for your opponent to offer one.")


class NotYours(InvitationError):
    """Only who invites may withdraw an invitation, and only who is invited may answer it."""

    code = "not_yours"
    text = N_("This invitation is for somebody else.")


class MembersOnly(InvitationError):
    """What a guest cannot do."""

    code = "members_only"
    text = N_("Only members can do this. Becoming one takes a name and a password.")


class CannotBeRated(InvitationError):
    """A rated game that could not be one; ``reason`` says why."""

    code = "cannot_be_rated"
    text = N_("This game cannot be rated.")

    def __init__(self, reason: NotRated) -> None:
        super().__init__()
        self.reason = reason

    def sentence(self, language: str = "en") -> str:
        """The reason in ``language``."""
        return self.reason.sentence(language)


class Apart(InvitationError):
    """One of the two has blocked the other; it is not told which."""

    code = "apart"
    text = N_("The two of you do not play each other.")


class OutOfRange(InvitationError):
    """The rating of who would accept is not one that the host wishes for."""

    code = "out_of_range"
    text = N_("Your rating is not in the range that was asked for.")


class TooManySeeks(InvitationError):
    """One person cannot have more seeks open."""

    code = "too_many_seeks"
    text = N_("You have five games on offer. Withdraw one first.")


class TooManyChallenges(InvitationError):
    """One person cannot have more challenges open."""

    code = "too_many_challenges"
    text = N_("You have ten challenges open. Withdraw one first.")


class ChallengedOften(InvitationError):
    """Several challenges to the same member are waiting for an answer."""

    code = "challenged_often"
    text = N_("Three of your challenges wait for this member's answer already.")


class BadRange(InvitationError):
    """A range of ratings that nobody could be in, or that leaves the scale."""

    code = "bad_range"
    text = N_("The lowest rating must not be above the highest one.")


class UnknownAnswer(InvitationError):
    """A challenge is declined with one of the set phrases, or without any."""

    code = "unknown_answer"
    text = N_("Choose one of the answers offered.")


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation as it stands. Moments are seconds since 1970.

    ``color``: the side that ``host`` takes; once accepted never "lot". ``guest``: the id of the only person who may
    answer it, and once answered of who did. ``game``: the id that its game has once it is accepted.
    """

    id: str
    host: str
    guest: str | None
    rules: Rules
    control: TimeControl
    color: SideChoice
    is_public: bool
    state: State
    created: float
    expires: float
    game: str | None
    rematch_of: str | None = None
    kind: Kind = "link"
    rated: bool = False
    lowest: int | None = None
    highest: int | None = None
    answer: str | None = None

    @property
    def is_open(self) -> bool:
        return self.state == "open"

    @property
    def is_live(self) -> bool:
        """Whether it is for a game that is played at once, with both there: minutes or hours on the clocks."""
        return speed(self.control) not in ("correspondence", "unlimited")

    @property
    def seats(self) -> tuple[str, str]:
        """The ids of White and Black of what was accepted."""
        guest = self.guest or ""
        return (self.host, guest) if self.color == "white" else (guest, self.host)

    @property
    def guests_color(self) -> SideChoice:
        """The side that is left for the guest."""
        return _OTHER[self.color]


class InvitationNews(msgspec.Struct, tag_field="t", tag="invitation", frozen=True):
    """What the processes tell each other of an invitation. Not every reader may be told all of it."""

    id: str
    state: State
    game: str | None
    host: str
    guest: str | None
    is_public: bool
    kind: Kind = "link"
    answer: str | None = None
    live: bool = False

    @classmethod
    def of(cls, invitation: Invitation) -> InvitationNews:
        return cls(
            id=invitation.id,
            state=invitation.state,
            game=invitation.game,
            host=invitation.host,
            guest=invitation.guest,
            is_public=invitation.is_public,
            kind=invitation.kind,
            answer=invitation.answer,
            live=invitation.is_live,
        )

    def game_for(self, person: str | None) -> str | None:
        """The game that came of it, for who may know of it: of a private one the two who play it."""
        return self.game if self.is_public or (person is not None and person in (self.host, self.guest)) else None


@dataclass(frozen=True, slots=True)
class Rematch:
    """How things stand with another game after one: ``offered_by`` whom, and the ``game`` that came of it."""

    offered_by: Color | None = None
    game: str | None = None


_OTHER: Final[dict[SideChoice, SideChoice]] = {"white": "black", "black": "white", "lot": "lot"}


def values(invitation: Invitation) -> dict[str, object]:
    """An invitation as a row of its table."""
    return {
        "id": invitation.id,
        "host": invitation.host,
        "guest": invitation.guest,
        "rules": invitation.rules.name,
        "clock": invitation.control.to_pdn(),
        "color": invitation.color,
        "is_public": invitation.is_public,
        "state": invitation.state,
        "created": invitation.created,
        "expires": invitation.expires,
        "game": invitation.game,
        "rematch_of": invitation.rematch_of,
        "kind": invitation.kind,
        "rated": invitation.rated,
        "lowest": invitation.lowest,
        "highest": invitation.highest,
        "answer": invitation.answer,
    }


def from_row(row: RowMapping, now: float) -> Invitation:
    """An invitation that was kept, as it stands at a moment."""
    fields: dict[str, Any] = dict(row)
    clock, rules = TimeControl.from_pdn(fields.pop("clock")), by_name(fields.pop("rules"))
    if fields["state"] == "open" and fields["expires"] <= now:
        fields["state"] = "expired"
    return Invitation(rules=rules, control=clock or TimeControl.none(), **fields)
