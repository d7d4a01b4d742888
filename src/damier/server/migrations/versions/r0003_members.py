"""Members: a person who has a password, and the browsers in which somebody is logged in."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import CheckConstraint, Column, ForeignKey, Text, text

from damier.server.tables import Flag, moment

revision = "0003"
down_revision = "0002"

STRICT: dict[str, Any] = {"sqlite_strict": True, "sqlite_with_rowid": False}
COLUMNS = "id, kind, name, name_key, chat_off, created, seen"


def upgrade() -> None:
    _allow("kind IN ('guest', 'member')")
    only_members = text("kind = 'member'")
    op.create_index(
        "person_member_name",
        "person",
        ["name_key"],
        unique=True,
        sqlite_where=only_members,
        postgresql_where=only_members,
    )
    op.create_table(
        "account",
        Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
        Column("password", Text, nullable=False),
        Column("joined", moment(), nullable=False),
        **STRICT,
    )
    op.create_table(
        "session",
        Column("token_hash", Text, primary_key=True),
        Column("person", Text, ForeignKey("account.person", ondelete="CASCADE"), nullable=False),
        Column("device", Text, nullable=False),
        Column("created", moment(), nullable=False),
        Column("seen", moment(), nullable=False),
        **STRICT,
    )
    op.create_index("session_person", "session", ["person"])


def downgrade() -> None:
    op.drop_table("session")
    op.drop_table("account")
    op.drop_index("person_member_name", "person")
    op.execute("UPDATE person SET kind = 'guest'")  # with the name, which any guest keeps for a while
    _allow("kind IN ('guest')")


def _allow(kinds: str) -> None:
    if op.get_context().dialect.name != "sqlite":
        op.drop_constraint("person_kind", "person", type_="check")
        op.create_check_constraint("person_kind", "person", kinds)
        return
    # SQLite cannot alter a constraint
    op.create_table(
        "new_person",
        Column("id", Text, primary_key=True),
        Column("kind", Text, CheckConstraint(kinds, name="person_kind"), nullable=False),
        Column("name", Text),
        Column("name_key", Text),
        Column("chat_off", Flag, nullable=False),
        Column("created", moment(), nullable=False),
        Column("seen", moment(), nullable=False),
        **STRICT,
    )
    op.execute(f"INSERT INTO new_person ({COLUMNS}) SELECT {COLUMNS} FROM person")  # noqa: S608 (ours)
    op.drop_table("person")
    op.rename_table("new_person", "person")
    op.create_index("person_name_key", "person", ["name_key"])
