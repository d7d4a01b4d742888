"""Numbers kept as games end, for statistics."""

from __future__ import annotations

from typing import Any, Final

from alembic import op
from sqlalchemy import CheckConstraint, Column, Integer, Text, text

from damier.server.tables import Flag, moment, number

revision = "0005"
down_revision = "0004"

STRICT: dict[str, Any] = {"sqlite_strict": True, "sqlite_with_rowid": False}
NEW_TABLES: Final = (
    "counted_game",
    "site_count",
    "site_day",
    "person_count",
    "person_day",
    "person_opponent",
    "rating_day",
    "tally",
    "tally_day",
    "statistics_state",
)


def upgrade() -> None:
    """Make the tables; what has been played before is counted once a club runs."""
    ended = text("score IS NOT NULL")
    op.create_index("game_ended", "game", ["changed"], sqlite_where=ended, postgresql_where=ended)
    op.create_index("rating_order", "rating", ["rules", "speed", "value"])
    op.create_table(
        "counted_game",
        Column("game", Text, primary_key=True),
        Column("ended", moment(), nullable=False),
        Column(
            "kind",
            Text,
            CheckConstraint("kind IN ('rated', 'casual', 'bot', 'computer', 'void')", name="counted_game_kind"),
            nullable=False,
        ),
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
        **STRICT,
    )
    between_two = text("kind IN ('rated', 'casual', 'bot')")
    for side in ("white", "black"):
        op.create_index(
            f"counted_game_{side}",
            "counted_game",
            [side, "ended"],
            sqlite_where=between_two,
            postgresql_where=between_two,
        )
    op.create_table(
        "site_count",
        *_names("kind", "rules", "speed", "score", "reason"),
        *_counts("games", "plies"),
        **STRICT,
    )
    op.create_table("site_day", _day(), *_names("kind"), *_counts("games"), **STRICT)
    op.create_table(
        "person_count",
        *_names("person", "facet", "value"),
        *_counts("wins", "draws", "losses", "plies"),
        **STRICT,
    )
    op.create_table("person_day", *_names("person"), _day(), *_names("kind"), *_counts("games"), **STRICT)
    op.create_table(
        "person_opponent",
        *_names("person", "opponent"),
        *_counts("wins", "draws", "losses", "public_wins", "public_draws", "public_losses"),
        **STRICT,
    )
    op.create_index("person_opponent_opponent", "person_opponent", ["opponent"])
    op.create_table(
        "rating_day",
        *_names("person", "rules", "speed"),
        _day(),
        Column("value", number(), nullable=False),
        Column("deviation", number(), nullable=False),
        Column("at", moment(), nullable=False),
        **STRICT,
    )
    op.create_table(
        "tally",
        Column("person", Text, primary_key=True),
        Column("span", Text, CheckConstraint("span IN ('all', 'month')", name="tally_span"), primary_key=True),
        *_names("rules", "speed"),
        *_counts("games", "wins"),
        **STRICT,
    )
    op.create_index("tally_wins", "tally", ["span", "rules", "speed", "wins", "games"])
    op.create_index("tally_games", "tally", ["span", "rules", "speed", "games", "wins"])
    op.create_table("tally_day", _day(), *_names("person", "rules", "speed"), *_counts("games", "wins"), **STRICT)
    op.create_table(
        "statistics_state",
        Column(
            "id", Integer, CheckConstraint("id = 1", name="statistics_state_id"), primary_key=True, autoincrement=False
        ),
        Column("since", moment(), nullable=False),
        Column("day", Integer, nullable=False),
        **STRICT,
    )
    op.execute("INSERT INTO statistics_state (id, since, day) VALUES (1, 0, 0)")


def downgrade() -> None:
    """Drop them."""
    for name in reversed(NEW_TABLES):
        op.drop_table(name)
    op.drop_index("rating_order", "rating")
    op.drop_index("game_ended", "game")


def _names(*names: str) -> list[Column[Any]]:
    return [Column(name, Text, primary_key=True) for name in names]


def _counts(*names: str) -> list[Column[Any]]:
    return [Column(name, Integer, nullable=False) for name in names]


def _day() -> Column[Any]:
    return Column("day", Integer, primary_key=True, autoincrement=False)
