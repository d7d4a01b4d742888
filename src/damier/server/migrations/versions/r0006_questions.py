"""Questions, answers, reports, and what moderators do."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import CheckConstraint, Column, ForeignKey, Integer, Text, text

from damier.server.tables import Flag, moment

revision = "0006"
down_revision = "0005"

STRICT: dict[str, Any] = {"sqlite_strict": True, "sqlite_with_rowid": False}
NEW_TABLES = ("warning", "conduct", "deed", "report", "awaited_answer", "vote", "post")
KINDS = ("kind IN ('guest', 'member', 'bot', 'gone')", "kind IN ('guest', 'member', 'bot', 'closed', 'gone')")
MEMBERS = ("kind IN ('member', 'bot')", "kind IN ('member', 'bot', 'closed')")
STATES = ("state IN ('playing', 'rated', 'void')", "state IN ('playing', 'rated', 'void', 'annulled')")
LASTING = ("id", "at", "moderator", "action", "what", "subject", "person", "words", "undoes")
"""The columns of a deed that are never changed."""


def upgrade() -> None:
    op.drop_index("person_member_name", "person")
    _check("person", "person_kind", *KINDS)
    _unique_names(MEMBERS[1])
    _check("rated_game", "rated_game_state", *STATES)
    op.add_column("rated_game", Column("turn", Integer))
    op.add_column("rated_game", Column("white_known", Text))
    op.add_column("rated_game", Column("black_known", Text))
    op.create_index("rated_game_turn", "rated_game", ["rules", "speed", "turn"])
    _questions()
    _moderation()


def downgrade() -> None:
    """Accounts that were closed open again, and annulled games, whose ratings they are not in, become void."""
    for table in NEW_TABLES:
        op.drop_table(table)
    if op.get_context().dialect.name == "postgresql":
        op.execute("DROP FUNCTION deeds_stay()")
    op.drop_index("rated_game_turn", "rated_game")
    for column in ("turn", "white_known", "black_known"):
        op.drop_column("rated_game", column)
    op.execute("UPDATE rated_game SET state = 'void' WHERE state = 'annulled'")
    _check("rated_game", "rated_game_state", *reversed(STATES))
    op.execute("UPDATE person SET kind = 'member' WHERE kind = 'closed'")
    op.drop_index("person_member_name", "person")
    _check("person", "person_kind", *reversed(KINDS))
    _unique_names(MEMBERS[0])


def _unique_names(members: str) -> None:
    only = text(members)
    op.create_index("person_member_name", "person", ["name_key"], unique=True, sqlite_where=only, postgresql_where=only)


def _check(table: str, name: str, before: str, after: str) -> None:
    """Change a constraint. SQLite cannot, so there the table is made anew from its own words, with its indexes."""
    if op.get_context().dialect.name != "sqlite":
        op.drop_constraint(name, table, type_="check")
        op.create_check_constraint(name, table, after)
        return
    connection = op.get_bind()
    schema = "SELECT sql FROM sqlite_master WHERE type = :type AND tbl_name = :table AND sql IS NOT NULL"
    (made,) = connection.execute(text(schema), {"type": "table", "table": table}).scalars()
    indexes = list(connection.execute(text(schema), {"type": "index", "table": table}).scalars())
    _, _, rest = made.partition("(")
    if before not in rest:
        raise RuntimeError(f"the table {table} is not as this release's migrations made it")
    connection.exec_driver_sql(f"CREATE TABLE new_{table} ({rest.replace(before, after)}")
    connection.exec_driver_sql(f"INSERT INTO new_{table} SELECT * FROM {table}")  # noqa: S608 (ours)
    op.drop_table(table)
    op.rename_table(f"new_{table}", table)
    for index in indexes:
        connection.exec_driver_sql(index)


def _questions() -> None:
    op.create_table(
        "post",
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
        **STRICT,
    )
    op.create_index("post_question", "post", ["question", "created"])
    op.create_index("post_person", "post", ["person", "created"])
    only = text("question IS NULL")
    op.create_index("post_topic", "post", ["topic", "created"], sqlite_where=only, postgresql_where=only)
    op.create_table(
        "vote",
        Column("post", Text, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True),
        Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
        Column("since", moment(), nullable=False),
        **STRICT,
    )
    op.create_index("vote_person", "vote", ["person"])
    op.create_table(
        "awaited_answer",
        Column("question", Text, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True),
        Column("person", Text, ForeignKey("account.person", ondelete="CASCADE"), primary_key=True),
        Column("told", moment(), nullable=False),
        **STRICT,
    )
    op.create_index("awaited_answer_person", "awaited_answer", ["person"])


def _moderation() -> None:
    op.create_table(
        "report",
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
        **STRICT,
    )
    op.create_index("report_subject", "report", ["what", "subject"])
    op.create_index("report_reporter", "report", ["reporter"])
    op.create_index("report_person", "report", ["person"])
    only = text("closed IS NULL")
    op.create_index("report_open", "report", ["created"], sqlite_where=only, postgresql_where=only)
    op.create_table(
        "deed",
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
        **STRICT,
    )
    op.create_index("deed_at", "deed", ["at"])
    op.create_index("deed_subject", "deed", ["what", "subject"])
    op.create_index("deed_person", "deed", ["person"])
    _let_deeds_stay()
    op.create_table(
        "conduct",
        Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
        Column("silenced_until", moment()),
        Column("must_rename", Flag, nullable=False),
        Column("warned", Flag, nullable=False),
        Column("looked_at", Flag, nullable=False),
        **STRICT,
    )
    op.create_table(
        "warning",
        Column("deed", Integer, primary_key=True, autoincrement=False),
        Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), nullable=False),
        Column("words", Text, nullable=False),
        Column("created", moment(), nullable=False),
        Column("read", moment()),
        **STRICT,
    )
    op.create_index("warning_person", "warning", ["person"])


def _let_deeds_stay() -> None:
    """The log can be added to, and no more; what it takes to take a deed back can go."""
    words = "what moderators have done stays in the log"
    if op.get_context().dialect.name == "sqlite":
        for name, when in (("deed_kept", "DELETE"), ("deed_as_it_was", f"UPDATE OF {', '.join(LASTING)}")):
            op.execute(f"CREATE TRIGGER {name} BEFORE {when} ON deed BEGIN SELECT RAISE(ABORT, '{words}'); END")
        return
    op.execute(
        "CREATE FUNCTION deeds_stay() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN RAISE EXCEPTION '{words}' USING ERRCODE = 'restrict_violation'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER deed_kept BEFORE DELETE OR UPDATE OF {', '.join(LASTING)} ON deed"
        " FOR EACH ROW EXECUTE FUNCTION deeds_stay()"
    )
