"""Games, their events and their seats, as the first release made them (as SQLite's user_version 1)."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import CheckConstraint, Column, ForeignKey, Integer, Text, text

from damier.server.tables import Flag, moment

revision = "0001"
down_revision = None

STRICT: dict[str, Any] = {"sqlite_strict": True, "sqlite_with_rowid": False}


def upgrade() -> None:
    op.create_table(
        "game",
        Column("id", Text, primary_key=True),
        Column("start", Text, nullable=False),
        Column("created", moment(), nullable=False),
        Column("version", Integer, nullable=False),
        Column("changed", moment(), nullable=False),
        Column("fen", Text, nullable=False),
        Column("plies", Integer, nullable=False),
        Column("turn", Text, CheckConstraint("turn IN ('white', 'black')", name="game_turn"), nullable=False),
        Column("score", Text, CheckConstraint("score IN ('2-0', '1-1', '0-2')", name="game_score")),
        Column("reason", Text),
        Column("computer_to_move", Flag, nullable=False),
        **STRICT,
    )
    op.create_index(
        "game_computer_to_move",
        "game",
        ["changed"],
        sqlite_where=text("computer_to_move = 1"),
        postgresql_where=text("computer_to_move"),
    )
    op.create_table(
        "event",
        Column("game", Text, ForeignKey("game.id", ondelete="CASCADE"), primary_key=True),
        Column("version", Integer, primary_key=True, autoincrement=False),
        Column("entry", Text, nullable=False),
        **STRICT,
    )
    op.create_table(
        "seat",
        Column("game", Text, ForeignKey("game.id", ondelete="CASCADE"), primary_key=True),
        Column("color", Text, CheckConstraint("color IN ('white', 'black')", name="seat_color"), primary_key=True),
        Column("player", Text, nullable=False),
        **STRICT,
    )
    op.create_index("seat_player", "seat", ["player"])
    if op.get_context().dialect.name == "sqlite":
        op.execute("PRAGMA user_version = 1")


def downgrade() -> None:
    for table in ("seat", "event", "game"):
        op.drop_table(table)
    if op.get_context().dialect.name == "sqlite":
        op.execute("PRAGMA user_version = 0")
