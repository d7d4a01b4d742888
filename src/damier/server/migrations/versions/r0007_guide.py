"""What a learner has done: steps of the guide, exercises."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import Column, ForeignKey, Integer, Text

from damier.server.tables import Flag, moment

revision = "0007"
down_revision = "0006"

STRICT: dict[str, Any] = {"sqlite_strict": True, "sqlite_with_rowid": False}


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "guide_step",
        Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
        Column("step", Text, primary_key=True),
        Column("at", moment(), nullable=False),
        **STRICT,
    )
    op.create_table(
        "exercise",
        Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
        Column("number", Integer, nullable=False),
        Column("missed", Flag, nullable=False),
        Column("score", Integer, nullable=False),
        Column("best", Integer, nullable=False),
        Column("solved", Integer, nullable=False),
        Column("at", moment(), nullable=False),
        **STRICT,
    )
    op.create_table(
        "daily_exercise",
        Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
        Column("day", Text, primary_key=True),
        Column("solved", Flag, nullable=False),
        Column("at", moment(), nullable=False),
        **STRICT,
    )
    op.create_index("daily_exercise_day", "daily_exercise", ["day", "solved"])


def downgrade() -> None:
    """Drop them."""
    for name in ("daily_exercise", "exercise", "guide_step"):
        op.drop_table(name)
