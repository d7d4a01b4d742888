"""Games between people: public games, clocks and who has to act when; people, invitations, chat and outages."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import CheckConstraint, Column, ForeignKey, Integer, Text, false, text

from damier.server.tables import Flag, moment

revision = "0002"
down_revision = "0001"

STRICT: dict[str, Any] = {"sqlite_strict": True, "sqlite_with_rowid": False}
OF_OLD = "id, start, created, version, changed, fen, plies, turn, score, reason, computer_to_move"
# name, column, and the condition in PostgreSQL and in SQLite
INDEXES = (
    ("game_running", "id", "running", "running = 1"),
    ("game_due", "due", "due IS NOT NULL", "due IS NOT NULL"),
    ("game_playing", "changed", "is_public AND score IS NULL", "is_public = 1 AND score IS NULL"),
)


def upgrade() -> None:
    if op.get_context().dialect.name == "sqlite":
        _rebuild_game()
        op.execute("PRAGMA user_version = 2")  # so that the first release leaves the file alone
    else:
        _alter_game()
    for name, column, condition, sqlite_condition in INDEXES:
        op.create_index(name, "game", [column], sqlite_where=text(sqlite_condition), postgresql_where=text(condition))
    op.create_table(
        "person",
        Column("id", Text, primary_key=True),
        Column("kind", Text, CheckConstraint("kind IN ('guest')", name="person_kind"), nullable=False),
        Column("name", Text),
        Column("name_key", Text),
        Column("chat_off", Flag, nullable=False),
        Column("created", moment(), nullable=False),
        Column("seen", moment(), nullable=False),
        **STRICT,
    )
    op.create_index("person_name_key", "person", ["name_key"])
    op.create_table(
        "invitation",
        Column("id", Text, primary_key=True),
        Column("host", Text, ForeignKey("person.id", ondelete="CASCADE"), nullable=False),
        Column("guest", Text),
        Column("rules", Text, nullable=False),
        Column("clock", Text, nullable=False),
        Column(
            "color",
            Text,
            CheckConstraint("color IN ('white', 'black', 'lot')", name="invitation_color"),
            nullable=False,
        ),
        Column("is_public", Flag, nullable=False),
        Column(
            "state",
            Text,
            CheckConstraint(
                "state IN ('open', 'accepted', 'declined', 'withdrawn', 'expired')", name="invitation_state"
            ),
            nullable=False,
        ),
        Column("created", moment(), nullable=False),
        Column("expires", moment(), nullable=False),
        Column("game", Text),
        Column("rematch_of", Text),
        **STRICT,
    )
    op.create_index("invitation_host", "invitation", ["host", "state"])
    op.create_index(
        "invitation_open",
        "invitation",
        ["expires"],
        sqlite_where=text("state = 'open'"),
        postgresql_where=text("state = 'open'"),
    )
    op.create_table(
        "chat_line",
        Column("game", Text, ForeignKey("game.id", ondelete="CASCADE"), primary_key=True),
        Column(
            "room", Text, CheckConstraint("room IN ('players', 'watchers')", name="chat_line_room"), primary_key=True
        ),
        Column("seq", Integer, primary_key=True, autoincrement=False),
        Column("person", Text, nullable=False),
        Column("side", Text, CheckConstraint("side IN ('white', 'black')", name="chat_line_side")),
        Column("name", Text, nullable=False),
        Column("text", Text),
        Column("preset", Text),
        Column("at", moment(), nullable=False),
        CheckConstraint("(text IS NULL) <> (preset IS NULL)", name="chat_line_words"),
        **STRICT,
    )
    op.create_table(
        "beat",
        Column("id", Integer, CheckConstraint("id = 1", name="beat_id"), primary_key=True, autoincrement=False),
        Column("at", moment(), nullable=False),
        **STRICT,
    )
    op.create_table(
        "outage",
        Column("id", Integer, primary_key=True, autoincrement=False),
        Column("began", moment(), nullable=False),
        Column("ended", moment(), nullable=False),
        **STRICT,
    )


def _rebuild_game() -> None:
    # SQLite cannot alter a constraint: the score of a game that was broken off is new. And the rows have grown long,
    # so the table has row numbers now, and an event changes one of them where it lies.
    op.create_table(
        "new_game",
        Column("id", Text, primary_key=True),
        Column("start", Text, nullable=False),
        Column("is_public", Flag, nullable=False),
        Column("created", moment(), nullable=False),
        Column("version", Integer, nullable=False),
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
        sqlite_strict=True,
    )
    op.execute(
        f"INSERT INTO new_game ({OF_OLD}, is_public, running) SELECT {OF_OLD}, FALSE, FALSE FROM game"  # noqa: S608
    )
    op.drop_table("game")
    op.rename_table("new_game", "game")
    op.create_index("game_computer_to_move", "game", ["changed"], sqlite_where=text("computer_to_move = 1"))


def _alter_game() -> None:
    op.drop_constraint("game_score", "game", type_="check")
    op.create_check_constraint("game_score", "game", "score IN ('2-0', '1-1', '0-2', '*')")
    for name in ("is_public", "running"):
        op.add_column("game", Column(name, Flag, nullable=False, server_default=false()))
        op.alter_column("game", name, server_default=None)
    op.add_column("game", Column("last_from", Integer))
    op.add_column("game", Column("last_to", Integer))
    op.add_column("game", Column("due", moment()))


def downgrade() -> None:
    for table in ("outage", "beat", "chat_line", "invitation", "person"):
        op.drop_table(table)
    for name, *_ in INDEXES:
        op.drop_index(name, "game")
    # that the score of a game that was broken off is allowed stays: there may be such games
    for name in ("is_public", "running", "last_from", "last_to", "due"):
        op.drop_column("game", name)
    if op.get_context().dialect.name == "sqlite":
        op.execute("PRAGMA user_version = 1")
