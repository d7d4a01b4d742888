"""The club's tables, for the pages and services off the hot path; the event store writes its own three by hand.

Moments are seconds since 1970. What :mod:`damier.server.migrations` makes of a database is what stands here, and a
test compares the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    text,
)
from sqlalchemy.dialects.sqlite import REAL
from sqlalchemy.types import Boolean

if TYPE_CHECKING:
    from sqlalchemy import Dialect
    from sqlalchemy.types import TypeEngine


class Flag(TypeDecorator[bool]):
    """True or false. SQLite's strict tables have no type for it, so there it is 1 or 0."""

    impl = Boolean
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(Integer() if dialect.name == "sqlite" else Boolean())

    def process_result_value(self, value: object, dialect: Dialect) -> bool | None:
        return None if value is None else bool(value)


def moment() -> TypeEngine[float]:
    """The type of a moment: eight bytes everywhere."""
    return Double[float]().with_variant(REAL(), "sqlite")


def number() -> TypeEngine[float]:
    """The type of a number that is none of the whole ones."""
    return moment()


metadata: Final = MetaData()
ROLES: Final = ("player", "moderator", "administrator")

_STRICT: Final[dict[str, Any]] = {"sqlite_strict": True, "sqlite_with_rowid": False}


def _game_id() -> Column[str]:
    return Column("game", Text, ForeignKey("game.id", ondelete="CASCADE"), primary_key=True)


def _only_where(name: str, column: str, condition: str, sqlite_condition: str | None = None, *more: str) -> Index:
    return Index(
        name, column, *more, sqlite_where=text(sqlite_condition or condition), postgresql_where=text(condition)
    )


game: Final = Table(
    "game",
    metadata,
    Column("id", Text, primary_key=True),
    Column("start", Text, nullable=False),
    Column("is_public", Flag, nullable=False),
    Column("created", moment(), nullable=False),
    Column("version", Integer, nullable=False),
    # a summary of the present state, so that lists need not replay games
    Column("changed", moment(), nullable=False),
    Column("fen", Text, nullable=False),
    Column("plies", Integer, nullable=False),
    Column("turn", Text, CheckConstraint("turn IN ('white', 'black')", name="game_turn"), nullable=False),
    Column("score", Text, CheckConstraint("score IN ('2-0', '1-1', '0-2', '*')", name="game_score")),
    Column("reason", Text),
    Column("last_from", Integer),
    Column("last_to", Integer),
    Column("computer_to_move", Flag, nullable=False),
    Column("running", Flag, nullable=False),
    Column("due", moment()),
    _only_where("game_computer_to_move", "changed", "computer_to_move", "computer_to_move = 1"),
    _only_where("game_running", "id", "running", "running = 1"),
    _only_where("game_due", "due", "due IS NOT NULL"),
    _only_where("game_playing", "changed", "is_public AND score IS NULL", "is_public = 1 AND score IS NULL"),
    _only_where("game_ended", "changed", "score IS NOT NULL"),
    sqlite_strict=True,  # its rows are long: a table without row numbers would have to move them with every event
)
"""``start``: JSON of :class:`damier.record.Start`. ``version``: the number of its events. ``due``: when the
arbiter has to act next. ``running``: so there is a time that runs, or one that stands still for the arbiter's pause."""

event: Final = Table(
    "event",
    metadata,
    _game_id(),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("entry", Text, nullable=False),
    **_STRICT,
)
"""``version``: 1 for the first. ``entry``: JSON of :class:`damier.events.Entry`."""

seat: Final = Table(
    "seat",
    metadata,
    _game_id(),
    Column("color", Text, CheckConstraint("color IN ('white', 'black')", name="seat_color"), primary_key=True),
    Column("player", Text, nullable=False),
    Index("seat_player", "player"),
    **_STRICT,
)
"""Who plays a side: ``player`` is :attr:`damier.record.Player.id`, which a computer has not."""

person: Final = Table(
    "person",
    metadata,
    Column("id", Text, primary_key=True),
    Column(
        "kind",
        Text,
        CheckConstraint("kind IN ('guest', 'member', 'bot', 'closed', 'gone')", name="person_kind"),
        nullable=False,
    ),
    Column("name", Text),
    Column("name_key", Text),
    Column("chat_off", Flag, nullable=False),
    Column("created", moment(), nullable=False),
    Column("seen", moment(), nullable=False),
    Index("person_name_key", "name_key"),
    Index(
        "person_member_name",
        "name_key",
        unique=True,
        sqlite_where=text("kind IN ('member', 'bot', 'closed')"),
        postgresql_where=text("kind IN ('member', 'bot', 'closed')"),
    ),
    **_STRICT,
)
"""``kind``: a bot is a member whose moves a program makes; "closed" is whose account moderators have closed, which keeps
its name; "gone" is who has deleted the account and left nothing but games. ``name_key``: what the name looks like, so that two that look alike are one. ``seen``: the last visit."""

account: Final = Table(
    "account",
    metadata,
    Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
    Column("password", Text),
    Column("role", Text, CheckConstraint(f"role IN {ROLES}", name="account_role"), nullable=False),
    Column("email", Text),
    Column("daily", Flag, nullable=False),
    Column("daily_sent", moment()),
    Column("language", Text, nullable=False),
    Column("joined", moment(), nullable=False),
    Index("account_email", "email"),
    **_STRICT,
)
"""What a member has beyond a guest. ``password``: its hash, as PHC writes it; None for who logs in by passkey alone.
``email``: in small letters, and known to be the member's own. ``daily``: whether a letter a day is wanted while games
wait, and ``daily_sent``: when the last one went. ``language``: of letters, and of pages where the browser has chosen none."""

session: Final = Table(
    "session",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("person", Text, ForeignKey("account.person", ondelete="CASCADE"), nullable=False),
    Column("device", Text, nullable=False),
    Column("created", moment(), nullable=False),
    Column("seen", moment(), nullable=False),
    Index("session_person", "person"),
    **_STRICT,
)
"""Where members are logged in. ``token_hash``: of what the browser shows. ``device``: what it calls itself."""

passkey: Final = Table(
    "passkey",
    metadata,
    Column("id", Text, primary_key=True),
    Column("person", Text, ForeignKey("account.person", ondelete="CASCADE"), nullable=False),
    Column("public_key", Text, nullable=False),
    Column("sign_count", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("created", moment(), nullable=False),
    Column("used", moment()),
    Index("passkey_person", "person"),
    **_STRICT,
)
"""``id``, ``public_key``: the credential's, in URL-safe base64 (WebAuthn). ``name``: what its owner calls it."""

letter_link: Final = Table(
    "letter_link",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("person", Text, ForeignKey("account.person", ondelete="CASCADE"), nullable=False),
    Column(
        "purpose",
        Text,
        CheckConstraint("purpose IN ('confirm', 'recover')", name="letter_link_purpose"),
        nullable=False,
    ),
    Column("email", Text, nullable=False),
    Column("expires", moment(), nullable=False),
    Index("letter_link_person", "person"),
    **_STRICT,
)
"""What a link in a letter opens, once: an address is the member's own, or the password is forgotten."""

api_token: Final = Table(
    "api_token",
    metadata,
    Column("id", Text, primary_key=True),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("person", Text, ForeignKey("account.person", ondelete="CASCADE"), nullable=False),
    Column("name", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("created", moment(), nullable=False),
    Column("expires", moment()),
    Column("used", moment()),
    Index("api_token_person", "person"),
    **_STRICT,
)
"""What programs show. ``scopes``: what it is for, parted by spaces. ``name``: what its owner calls it."""

follow: Final = Table(
    "follow",
    metadata,
    Column("follower", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
    Column("followed", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
    Column("since", moment(), nullable=False),
    Index("follow_followed", "followed"),
    **_STRICT,
)

block: Final = Table(
    "block",
    metadata,
    Column("blocker", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
    Column("blocked", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
    Column("since", moment(), nullable=False),
    Index("block_blocked", "blocked"),
    **_STRICT,
)
"""Who wants nothing to do with whom: neither games nor words."""

rating: Final = Table(
    "rating",
    metadata,
    Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
    Column("rules", Text, primary_key=True),
    Column("speed", Text, primary_key=True),
    Column("value", number(), nullable=False),
    Column("deviation", number(), nullable=False),
    Column("volatility", number(), nullable=False),
    Column("games", Integer, nullable=False),
    Column("at", moment(), nullable=False),
    Index("rating_order", "rules", "speed", "value"),
    **_STRICT,
)
"""A :class:`damier.server.ratings.Rating` as it was after the last of ``games``, which was rated ``at`` a moment."""

rated_game: Final = Table(
    "rated_game",
    metadata,
    Column("game", Text, primary_key=True),
    Column("rules", Text, nullable=False),
    Column("speed", Text, nullable=False),
    Column("white", Text, nullable=False),
    Column("black", Text, nullable=False),
    Column("begun", moment(), nullable=False),
    Column(
        "state",
        Text,
        CheckConstraint("state IN ('playing', 'rated', 'void', 'annulled')", name="rated_game_state"),
        nullable=False,
    ),
    Column("at", moment()),
    Column("score", number()),
    *(
        Column(f"{color}_{name}", number())
        for color in ("white", "black")
        for name in ("before", "deviation_before", "after", "deviation_after")
    ),
    Column("turn", Integer),
    Column("white_known", Text),
    Column("black_known", Text),
    Index("rated_game_turn", "rules", "speed", "turn"),
    Index("rated_game_white", "white", "begun"),
    Index("rated_game_black", "black", "begun"),
    _only_where("rated_game_playing", "begun", "state = 'playing'"),
    **_STRICT,
)
"""A game that is begun to be rated, and what came of it: "void" when it was broken off, ``at`` a moment, or when the two
had begun as many as may be rated in a day, and it is casual (``at`` is None). It is there before the game is.
``score``: White's, 1, 0.5 or 0. ``turn``: which of its pool's games it was to be rated, and ``white_known``,
``black_known`` what the books said of the players then (:mod:`damier.server.annulment`). An annulled game keeps these
and has changed no rating."""

seeker: Final = Table(
    "seeker",
    metadata,
    Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
    Column("rules", Text, nullable=False),
    Column("clock", Text, nullable=False),
    Column("rated", Flag, nullable=False),
    Column("rating", number(), nullable=False),
    Column("deviation", number(), nullable=False),
    Column("lowest", Integer),
    Column("highest", Integer),
    Column("since", moment(), nullable=False),
    Column("alive", moment(), nullable=False),
    Index("seeker_queue", "rules", "clock", "rated"),
    **_STRICT,
)
"""Who waits in a queue of quick pairing; everybody in one at most. ``alive``: when a process last saw to them."""

paired: Final = Table(
    "paired",
    metadata,
    Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
    Column("opponents", Text, nullable=False),
    Column("colors", Text, nullable=False),
    **_STRICT,
)
"""The last quick pairings, the latest first: ``opponents`` by id, parted by spaces; ``colors``: letters W and B."""

offence: Final = Table(
    "offence",
    metadata,
    Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
    Column("game", Text, primary_key=True),
    Column("kind", Text, CheckConstraint("kind IN ('left', 'stalled')", name="offence_kind"), nullable=False),
    Column("at", moment(), nullable=False),
    **_STRICT,
)
"""What is remembered against somebody (:mod:`damier.server.fairplay`)."""

invitation: Final = Table(
    "invitation",
    metadata,
    Column("id", Text, primary_key=True),
    Column("host", Text, ForeignKey("person.id", ondelete="CASCADE"), nullable=False),
    Column("guest", Text),
    Column("rules", Text, nullable=False),
    Column("clock", Text, nullable=False),
    Column(
        "color", Text, CheckConstraint("color IN ('white', 'black', 'lot')", name="invitation_color"), nullable=False
    ),
    Column("is_public", Flag, nullable=False),
    Column(
        "state",
        Text,
        CheckConstraint("state IN ('open', 'accepted', 'declined', 'withdrawn', 'expired')", name="invitation_state"),
        nullable=False,
    ),
    Column("created", moment(), nullable=False),
    Column("expires", moment(), nullable=False),
    Column("game", Text),
    Column("rematch_of", Text),
    Column(
        "kind",
        Text,
        CheckConstraint("kind IN ('link', 'rematch', 'seek', 'challenge', 'pairing')", name="invitation_kind"),
        nullable=False,
    ),
    Column("rated", Flag, nullable=False),
    Column("lowest", Integer),
    Column("highest", Integer),
    Column("answer", Text),
    Index("invitation_host", "host", "state"),
    Index("invitation_guest", "guest", "state"),
    _only_where("invitation_open", "expires", "state = 'open'"),
    **_STRICT,
)
"""``clock``: the time control as PDN writes it. ``color``: the host's. ``game``: what came of it.

``kind``: a link to whoever opens it, another game after ``rematch_of``, a seek in the list that all see, a challenge to
the member ``guest``, or what quick pairing has brought together. ``lowest``, ``highest``: the ratings wished for.
``answer``: which of the set phrases a challenge was declined with."""

chat_line: Final = Table(
    "chat_line",
    metadata,
    _game_id(),
    Column("room", Text, CheckConstraint("room IN ('players', 'watchers')", name="chat_line_room"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("person", Text, nullable=False),
    Column("side", Text, CheckConstraint("side IN ('white', 'black')", name="chat_line_side")),
    Column("name", Text, nullable=False),
    Column("text", Text),
    Column("preset", Text),
    Column("at", moment(), nullable=False),
    CheckConstraint("(text IS NULL) <> (preset IS NULL)", name="chat_line_words"),
    **_STRICT,
)
"""``seq``: 1 for a room's first line. Of ``text`` and ``preset`` a line has one. ``name``: as it was then."""

post: Final = Table(
    "post",
    metadata,
    Column("id", Text, primary_key=True),
    Column("question", Text, ForeignKey("post.id", ondelete="CASCADE")),
    Column("topic", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("person", Text),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column(
        "state",
        Text,
        CheckConstraint("state IN ('held', 'shown', 'hidden', 'removed')", name="post_state"),
        nullable=False,
    ),
    Column("answered", Flag, nullable=False),
    Column("created", moment(), nullable=False),
    Column("edited", moment()),
    Column("shown", moment()),
    Index("post_question", "question", "created"),
    Index("post_person", "person", "created"),
    Index(
        "post_topic",
        "topic",
        "created",
        sqlite_where=text("question IS NULL"),
        postgresql_where=text("question IS NULL"),
    ),
    **_STRICT,
)
"""A question, whose ``question`` is None, or an answer to one. ``topic``: the page that it stands under. ``person``:
None once that account is deleted. ``state``: "held" until a moderator has read it. ``answered``: of a question, whether
its asker, or a moderator, says so. ``shown``: since when everybody may read it."""

vote: Final = Table(
    "vote",
    metadata,
    Column("post", Text, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True),
    Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
    Column("since", moment(), nullable=False),
    Index("vote_person", "person"),
    **_STRICT,
)
"""Who has found a question or an answer good."""

awaited_answer: Final = Table(
    "awaited_answer",
    metadata,
    Column("question", Text, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True),
    Column("person", Text, ForeignKey("account.person", ondelete="CASCADE"), primary_key=True),
    Column("told", moment(), nullable=False),
    Index("awaited_answer_person", "person"),
    **_STRICT,
)
"""Who wants a letter when a question is answered. ``told``: of answers shown until then no letter is due any more."""

report: Final = Table(
    "report",
    metadata,
    Column("id", Text, primary_key=True),
    Column(
        "what",
        Text,
        CheckConstraint("what IN ('post', 'member', 'chat', 'game')", name="report_what"),
        nullable=False,
    ),
    Column("subject", Text, nullable=False),
    Column("person", Text),
    Column("reporter", Text),
    Column("reason", Text, nullable=False),
    Column("words", Text, nullable=False),
    Column("context", Text, nullable=False),
    Column("created", moment(), nullable=False),
    Column("closed", moment()),
    Index("report_subject", "what", "subject"),
    Index("report_reporter", "reporter"),
    Index("report_person", "person"),
    _only_where("report_open", "created", "closed IS NULL"),
    **_STRICT,
)
"""That somebody finds something wrong. ``subject``: which one of ``what`` it is. ``person``: whom it is about, where
that is one. ``reporter``: None for the club itself, and once that account is deleted. ``context``: JSON of how it was at
that moment (:class:`damier.server.moderation.subjects.Context`). ``closed``: when a moderator had looked at it."""

deed: Final = Table(
    "deed",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("at", moment(), nullable=False),
    Column("moderator", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("what", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("person", Text),
    Column("words", Text, nullable=False),
    Column("undoes", Integer, unique=True),
    Column("before", Text),
    Index("deed_at", "at"),
    Index("deed_subject", "what", "subject"),
    Index("deed_person", "person"),
    **_STRICT,
)
"""What moderators have done, numbered as it was done; rows are only added, and the database refuses to change them. ``undoes``: the deed that
this one has taken back. ``before``: JSON of what it takes to take it back; the one thing that can go later, when whom
it is about has deleted the account."""

conduct: Final = Table(
    "conduct",
    metadata,
    Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
    Column("silenced_until", moment()),
    Column("must_rename", Flag, nullable=False),
    Column("warned", Flag, nullable=False),
    Column("looked_at", Flag, nullable=False),
    **_STRICT,
)
"""What moderators have laid upon somebody, and what somebody is to be told at the next visit: that there is a warning, and
that what he reported was looked at."""

warning: Final = Table(
    "warning",
    metadata,
    Column("deed", Integer, primary_key=True, autoincrement=False),
    Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), nullable=False),
    Column("words", Text, nullable=False),
    Column("created", moment(), nullable=False),
    Column("read", moment()),
    Index("warning_person", "person"),
    **_STRICT,
)
"""``read``: when the one who is warned has said that he has read it."""

beat: Final = Table(
    "beat",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1", name="beat_id"), primary_key=True, autoincrement=False),
    Column("at", moment(), nullable=False),
    **_STRICT,
)
"""One row: when a server was last known to run. Next to SQLite a file says it, which costs no commit."""

outage: Final = Table(
    "outage",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("began", moment(), nullable=False),
    Column("ended", moment(), nullable=False),
    **_STRICT,
)
"""The outages whose time is being given back to the games that were running; several where that failed half-way."""

guide_step: Final = Table(
    "guide_step",
    metadata,
    Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
    Column("step", Text, primary_key=True),
    Column("at", moment(), nullable=False),
    **_STRICT,
)
"""The steps of the guide (:data:`damier.server.guide.steps.STEPS`) that somebody has done."""

exercise: Final = Table(
    "exercise",
    metadata,
    Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("missed", Flag, nullable=False),
    Column("score", Integer, nullable=False),
    Column("best", Integer, nullable=False),
    Column("solved", Integer, nullable=False),
    Column("at", moment(), nullable=False),
    **_STRICT,
)
"""How somebody stands in the endless exercise. ``number``: of the position that is to be solved now, 1 for the first;
``missed``: whether its first answer was wrong. ``best``: the highest ``score`` there was."""

daily_exercise: Final = Table(
    "daily_exercise",
    metadata,
    Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
    Column("day", Text, primary_key=True),
    Column("solved", Flag, nullable=False),
    Column("at", moment(), nullable=False),
    Index("daily_exercise_day", "day", "solved"),
    **_STRICT,
)
"""The exercise of a day (in UTC, as ISO 8601 writes it), and whether somebody's first answer was right."""

# --- Statistics (damier.server.stats) --------------------------------------------------------------------------------

COUNTED_KINDS: Final = ("rated", "casual", "bot", "computer", "void")
BETWEEN_TWO: Final = "kind IN ('rated', 'casual', 'bot')"


def _results() -> list[Column[Any]]:
    return [Column(name, Integer, nullable=False) for name in ("wins", "draws", "losses")]


counted_game: Final = Table(
    "counted_game",
    metadata,
    Column("game", Text, primary_key=True),
    Column("ended", moment(), nullable=False),
    Column("kind", Text, CheckConstraint(f"kind IN {COUNTED_KINDS}", name="counted_game_kind"), nullable=False),
    Column("rules", Text, nullable=False),
    Column("speed", Text, nullable=False),
    Column("white", Text),
    Column("black", Text),
    Column("score", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("plies", Integer, nullable=False),
    Column("opening", Text),
    Column("is_public", Flag, nullable=False),
    Column("white_known", Flag, nullable=False),
    Column("black_known", Flag, nullable=False),
    _only_where("counted_game_white", "white", BETWEEN_TWO, None, "ended"),
    _only_where("counted_game_black", "black", BETWEEN_TWO, None, "ended"),
    **_STRICT,
)
"""The mark that a game is counted, and what was counted of it (:class:`damier.server.stats.facts.Counted`)."""

site_count: Final = Table(
    "site_count",
    metadata,
    *(Column(name, Text, primary_key=True) for name in ("kind", "rules", "speed", "score", "reason")),
    Column("games", Integer, nullable=False),
    Column("plies", Integer, nullable=False),
    **_STRICT,
)
"""All games that are counted, by what they have in common."""

site_day: Final = Table(
    "site_day",
    metadata,
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, primary_key=True),
    Column("games", Integer, nullable=False),
    **_STRICT,
)
"""``day``: since 1970, in UTC, as everywhere in the statistics."""

person_count: Final = Table(
    "person_count",
    metadata,
    *(Column(name, Text, primary_key=True) for name in ("person", "facet", "value")),
    *_results(),
    Column("plies", Integer, nullable=False),
    **_STRICT,
)
"""Somebody's results by a ``facet`` of the games: their kind, the colour, the first move, the length, the pool."""

person_day: Final = Table(
    "person_day",
    metadata,
    Column("person", Text, primary_key=True),
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, primary_key=True),
    Column("games", Integer, nullable=False),
    **_STRICT,
)

person_opponent: Final = Table(
    "person_opponent",
    metadata,
    Column("person", Text, primary_key=True),
    Column("opponent", Text, primary_key=True),
    *_results(),
    *(Column(f"public_{name}", Integer, nullable=False) for name in ("wins", "draws", "losses")),
    Index("person_opponent_opponent", "opponent"),
    **_STRICT,
)
"""Somebody's results against another member or bot; of them those of public games."""

rating_day: Final = Table(
    "rating_day",
    metadata,
    *(Column(name, Text, primary_key=True) for name in ("person", "rules", "speed")),
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("value", number(), nullable=False),
    Column("deviation", number(), nullable=False),
    Column("at", moment(), nullable=False),
    **_STRICT,
)
"""Somebody's rating as the last rated game of a day, which ended ``at`` a moment, left it."""

tally: Final = Table(
    "tally",
    metadata,
    Column("person", Text, primary_key=True),
    Column("span", Text, CheckConstraint("span IN ('all', 'month')", name="tally_span"), primary_key=True),
    Column("rules", Text, primary_key=True),
    Column("speed", Text, primary_key=True),
    Column("games", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Index("tally_wins", "span", "rules", "speed", "wins", "games"),
    Index("tally_games", "span", "rules", "speed", "games", "wins"),
    **_STRICT,
)
"""A member's games against members, and the wins among them: over all time, and over the last 30 days. ``rules`` and
``speed`` are empty where all of them are counted together."""

tally_day: Final = Table(
    "tally_day",
    metadata,
    Column("day", Integer, primary_key=True, autoincrement=False),
    *(Column(name, Text, primary_key=True) for name in ("person", "rules", "speed")),
    Column("games", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    **_STRICT,
)
"""Of which days the last 30 days' tallies are made."""

statistics_state: Final = Table(
    "statistics_state",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1", name="statistics_state_id"), primary_key=True, autoincrement=False),
    Column("since", moment(), nullable=False),
    Column("day", Integer, nullable=False),
    **_STRICT,
)
"""One row. ``since``: all games that ended before are counted. ``day``: the last of the tallies' 30 days."""
