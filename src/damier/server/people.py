"""The people of the club: who they are, by what name, and what they prefer."""

from __future__ import annotations

import time
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias
from urllib.parse import quote

from sqlalchemy import case, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from damier.errors import DamierError
from damier.i18n import N_
from damier.record import Player
from damier.server.tables import account, conduct, person, report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

LONGEST_NAME: Final = 20
SHORTEST_MEMBER_NAME: Final = 3
MOST_MARKS: Final = 2
"""Combining marks on one letter; more would tower over the neighbouring lines."""
LONGEST_TYPED: Final = 200
"""Characters that are looked at of what somebody types as a name."""
NAME_KEPT: Final = 30 * 86_400
"""Seconds that a guest who is away keeps a name to himself."""
NAME_LOCK: Final = 0x6E616D65
"""The first number of the locks in PostgreSQL that names are taken under."""
SEEN_EVERY: Final = 3600
"""Seconds between two notes of when somebody was last seen."""

_JOINTS: Final = " .-_'’"
# Writing systems that go together; every other one stands alone.
_TOGETHER: Final = frozenset(("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"))
# Those that people write every day; others are full of letters that pass for Latin ones.
_EVERYDAY: Final = (
    "LATIN GREEK CYRILLIC ARMENIAN HEBREW ARABIC DEVANAGARI BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA"
    " MALAYALAM SINHALA THAI LAO TIBETAN MYANMAR KHMER GEORGIAN ETHIOPIC HANGUL CJK HIRAGANA KATAKANA"
    " KATAKANA-HIRAGANA"
)
_SCRIPTS: Final = frozenset(_EVERYDAY.split())
# Of these three the letters that are written with any of these as their base: no phonetic signs, no small capitals.
_LETTERS: Final[dict[str, frozenset[str]]] = {
    "LATIN": frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZæÆœŒøØđĐðÐþÞłŁħĦßẞŋŊŧŦıəƏ"),
    "GREEK": frozenset("αβγδεζηθικλμνξοπρσςτυφχψωΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"),
    "CYRILLIC": frozenset(map(chr, (*range(0x400, 0x460), *range(0x48A, 0x500)))),
}
BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs that show nothing."""
# Letters that pass for another one, in lower case.
_LOOKS_LIKE: Final = str.maketrans(
    {
        **dict(zip("авеёзікмнорсутхѕјԁԛԝһӏү", "abee3lkmhopcytxsjdqwhly", strict=True)),
        **dict(zip("αβγεζηικμνορτυχ", "abyezhlkmvoptux", strict=True)),
        **dict(zip("օսոհզցյլ", "ounhqgjl", strict=True)),
        **dict(zip("ıi1|", "llll", strict=True)),
        **dict(zip("ðþŋŧ", "dpnt", strict=True)),
        "0": "o",
        "5": "s",
        "ø": "o",
        "đ": "d",
        "ł": "l",
        "ħ": "h",
    }
)
_RESERVED: Final = (
    "admin",
    "administrator",
    "moderator",
    "system",
    "damier",
    "computer",
    "ordinateur",
    "guest",
    "gast",
    "invité",
    "white",
    "black",
    "wit",
    "zwart",
    "blancs",
    "noirs",
    "weiß",
    "schwarz",
)


class BadName(DamierError, ValueError):
    """A name that nobody can have here."""


Kind: TypeAlias = Literal["guest", "member", "bot", "closed", "gone"]
MEMBER_NAMES: Final = ("member", "bot", "closed")
"""Kinds of people whose names nobody else can have."""
Role: TypeAlias = Literal["player", "moderator", "administrator"]


@dataclass(frozen=True, slots=True)
class Who:
    """Somebody at the club. ``name``: as shown, None for a guest who has not chosen one. A bot is a member too.

    ``language``: which one a member reads; None for a guest, whose browser knows.
    ``must_read``: whether there is something of the moderators to be read before all else; ``looked_at``: whether what
    this person has reported was looked at; ``cases``: of who keeps order, how much waits to be looked at.
    """

    id: str
    kind: Kind = "guest"
    name: str | None = None
    role: Role = "player"
    language: str | None = field(default=None, compare=False)
    must_read: bool = False
    looked_at: bool = False
    cases: int = 0

    @property
    def keeps_order(self) -> bool:
        """Whether this is a moderator, or an administrator, who is one too."""
        return self.is_member and self.role != "player"

    @property
    def is_member(self) -> bool:
        return self.kind in ("member", "bot")

    def player(self) -> Player:
        """The same as one side of a game."""
        return Player(self.kind, self.name, id=self.id)


def valid_name(text: str) -> str:
    """The name as it is kept and shown. Raises :class:`BadName` for one that would mislead or cannot be seen.

    A name has 1 to 20 letters of one writing system, digits, and single joints (space, point, hyphen, underscore,
    apostrophe) between them.

    >>> valid_name("  Ton   Sijbrands "), valid_name("O'Neill"), valid_name("Gestel-2")
    ('Ton Sijbrands', "O'Neill", 'Gestel-2')
    >>> for text in ("", "a" * 21, "p\\u0430ul", "a\\u202eb", "Computer"):
    ...     try:
    ...         valid_name(text)
    ...     except BadName as error:
    ...         print(error)
    Write a name of 1 to 20 characters.
    Write a name of 1 to 20 characters.
    Use the letters of one alphabet only.
    Use letters, digits, spaces and - . _ ' only.
    This name is kept for the club itself.
    """
    # so many that nothing is cut off here that a name could hold
    name = " ".join(unicodedata.normalize("NFC", text[: 8 * LONGEST_NAME]).split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise BadName(N_("Write a name of 1 to 20 characters."))
    marks = 0
    for before, character in zip(" " + name, name, strict=False):
        category = unicodedata.category(character)
        marks = marks + 1 if category.startswith("M") else 0
        joint = character in _JOINTS
        follows_a_letter = before not in _JOINTS
        if not (category[0] == "L" or category == "Nd" or joint or marks) or marks > MOST_MARKS:
            raise BadName(N_("Use letters, digits, spaces and - . _ ' only."))
        if (category[0] == "L" or category == "Nd") and not _is_everyday(character):
            raise BadName(N_("Use letters, digits, spaces and - . _ ' only."))
        if marks and any(word in unicodedata.name(character, "") for word in ("VARIATION SELECTOR", "JOINER")):
            raise BadName(N_("Use letters, digits, spaces and - . _ ' only."))
        if (joint or marks) and not (follows_a_letter or (character == " " and before in ".'’")):
            raise BadName(N_("Begin with a letter or a digit, and put one sign at a time between letters."))
    if name[-1] in "-_ ":
        raise BadName(N_("Begin with a letter or a digit, and put one sign at a time between letters."))
    scripts = {_script(each) for each in name if each.isalpha() or (each.isdecimal() and not each.isascii())}
    if len(scripts) > 1 and not scripts <= _TOGETHER:
        raise BadName(N_("Use the letters of one alphabet only."))
    if name_key(name) in _RESERVED_KEYS:
        raise BadName(N_("This name is kept for the club itself."))
    return name


def valid_member_name(text: str) -> str:
    """The name of a member, who keeps it: 3 to 20 letters, digits, hyphens and underscores.

    Raises :class:`BadName` for one that is not, or that :func:`valid_name` refuses.

    >>> valid_member_name(" Gestel-2 ")
    'Gestel-2'
    >>> for text in ("Jo", "Ton Sijbrands", "O'Neill", "Moderator"):
    ...     try:
    ...         valid_member_name(text)
    ...     except BadName as error:
    ...         print(error)
    A member's name has 3 to 20 letters, digits, - or _.
    A member's name has 3 to 20 letters, digits, - or _.
    A member's name has 3 to 20 letters, digits, - or _.
    This name is kept for the club itself.
    """
    name = valid_name(text)
    if len(name) < SHORTEST_MEMBER_NAME or any(joint in name for joint in " .'’"):
        raise BadName(N_("A member's name has 3 to 20 letters, digits, - or _."))
    return name


def name_key(name: str) -> str:
    """What a name looks like: equal for names that are taken for one another.

    >>> name_key("Paul") == name_key("PAU1") == name_key("p.a-u l") == name_key("\\u0440\\u0430ul")
    True
    >>> name_key("MIHAZ") == name_key("\u039c\u0399\u0397\u0391\u0396"), name_key("Paul") == name_key("Pauline")
    (True, False)
    """
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    kept = "".join(character for character in plain if character.isalnum())
    return kept.translate(_LOOKS_LIKE).replace("rn", "m").replace("vv", "w")


def _script(letter: str) -> str:
    """The writing system of a letter or a digit: the first word of its Unicode name says it."""
    name = unicodedata.name(letter, "").removeprefix("EXTENDED ")
    return name.partition(" ")[0].removesuffix("-INDIC")


def _is_everyday(character: str) -> bool:
    """Whether a letter or a digit is one that people write names with."""
    if unicodedata.normalize("NFKC", character) != character or character in BLANK:
        return False
    script = _script(character)
    if not character.isalpha():
        return character.isascii() or script in _SCRIPTS
    letters = _LETTERS.get(script)
    if letters is None:
        return script in _SCRIPTS and (script != "HANGUL" or "SYLLABLE" in unicodedata.name(character))
    return unicodedata.normalize("NFD", character)[0] in letters


def profile_url(name: str) -> str:
    """The address of a member's own page.

    >>> profile_url("Anna-2"), profile_url("\u0410\u043d\u043d\u0430")
    ('/@/Anna-2', '/@/%D0%90%D0%BD%D0%BD%D0%B0')
    """
    return f"/@/{quote(name)}"


_RESERVED_KEYS: Final = frozenset(name_key(name) for name in _RESERVED)


async def _alone_with(connection: AsyncConnection, key: str) -> None:
    """Let nobody else take a name that looks so before this transaction has ended."""
    if connection.dialect.name == "postgresql":  # in SQLite one transaction writes at a time
        await connection.execute(select(func.pg_advisory_xact_lock(NAME_LOCK, func.hashtext(key))))


async def take_name(connection: AsyncConnection, person_id: str, name: str, now: float) -> None:
    """Make a name free for somebody. Raises :class:`BadName` where a member or a guest of late has it."""
    key = name_key(name)
    await _alone_with(connection, key)
    others = (person.c.name_key == key, person.c.id != person_id)
    taken = await connection.execute(
        select(person.c.id).where(*others, or_(person.c.kind.in_(MEMBER_NAMES), person.c.seen > now - NAME_KEPT))
    )
    if taken.first() is not None:
        raise BadName(N_("Somebody here has this name, or one that looks like it. Choose another."))
    # who has been away for long and comes back finds it given to another
    await connection.execute(update(person).where(*others).values(name=None, name_key=None))


class People:
    """Those who have done something at the club; a mere visitor is known by the cookie alone."""

    def __init__(self, engine: AsyncEngine, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._now = now

    async def who(self, person_id: str) -> Who:
        """Who has this id; somebody nameless if the id is new."""
        return (await self.named([person_id]))[person_id]

    async def named(self, person_ids: Iterable[str]) -> dict[str, Who]:
        """Who has these ids, all at once."""
        wanted = set(person_ids)
        about = report.c.what + " " + report.c.subject
        waiting = select(func.count(about.distinct())).where(report.c.closed.is_(None)).scalar_subquery()
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(
                    person.c.id,
                    person.c.kind,
                    person.c.name,
                    account.c.role,
                    account.c.language,
                    or_(conduct.c.warned, conduct.c.must_rename).label("must_read"),
                    conduct.c.looked_at,
                    case((account.c.role != "player", waiting), else_=0).label("cases"),
                )
                .outerjoin(account, account.c.person == person.c.id)
                .outerjoin(conduct, conduct.c.person == person.c.id)
                .where(person.c.id.in_(wanted))
            )
            known = {
                row.id: Who(
                    row.id,
                    row.kind,
                    row.name,
                    row.role or "player",
                    row.language,
                    bool(row.must_read),
                    bool(row.looked_at),
                    row.cases,
                )
                for row in rows
            }
        return {each: known.get(each, Who(each)) for each in wanted}

    async def member(self, name: str, *, closed: bool = False) -> Who | None:
        """The member or bot of a name, or of one that looks like it; None where there is none.

        ``closed``: also one whose account has been closed.
        """
        kinds = MEMBER_NAMES if closed else ("member", "bot")
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(person.c.id).where(person.c.name_key == name_key(name[:LONGEST_TYPED]), person.c.kind.in_(kinds))
            )
            found = rows.scalar_one_or_none()
        return None if found is None else await self.who(found)

    async def keep(self, person_id: str) -> Who:
        """Enter somebody into the books, if that has not been done, and note the visit."""
        now = self._now()
        async with self._engine.begin() as connection:
            row = (
                await connection.execute(
                    select(person.c.kind, person.c.name, person.c.seen).where(person.c.id == person_id)
                )
            ).one_or_none()
            if row is not None:
                if row.seen < now - SEEN_EVERY:
                    await connection.execute(update(person).where(person.c.id == person_id).values(seen=now))
                return Who(person_id, row.kind, row.name)
            try:
                async with connection.begin_nested():
                    await connection.execute(
                        insert(person).values(id=person_id, kind="guest", chat_off=False, created=now, seen=now)
                    )
            except IntegrityError:
                pass  # another tab was first
        return Who(person_id)

    async def rename(self, person_id: str, text: str | None) -> Who:
        """Give somebody a name, or none. Raises :class:`BadName`, also for one that somebody else bears."""
        name = valid_name(text) if text else None
        if (await self.keep(person_id)).is_member:
            raise BadName(N_("A member keeps the name."))
        now = self._now()
        async with self._engine.begin() as connection:
            if name is not None:
                await take_name(connection, person_id, name, now)
            await connection.execute(
                update(person)
                .where(person.c.id == person_id, person.c.kind == "guest")
                .values(name=name, name_key=None if name is None else name_key(name), seen=now)
            )
        return Who(person_id, name=name)

    async def chat_off(self, person_id: str) -> bool:
        """Whether somebody has switched the chat off."""
        async with self._engine.connect() as connection:
            found = await connection.execute(select(person.c.chat_off).where(person.c.id == person_id))
            return bool(found.scalar_one_or_none())

    async def set_chat_off(self, person_id: str, off: bool) -> None:
        """Switch the chat off, or on, for somebody."""
        await self.keep(person_id)
        async with self._engine.begin() as connection:
            await connection.execute(update(person).where(person.c.id == person_id).values(chat_off=off))
