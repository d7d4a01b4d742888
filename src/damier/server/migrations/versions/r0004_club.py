"""Members in full (roles, e-mail, passkeys, tokens, whom they follow), pairing, seeks and challenges, ratings."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import CheckConstraint, Column, ForeignKey, Integer, Text, false, text

from damier.server.tables import Flag, moment, number

revision = "0004"
down_revision = "0003"

STRICT: dict[str, Any] = {"sqlite_strict": True, "sqlite_with_rowid": False}
PERSON = "id, kind, name, name_key, chat_off, created, seen"
INVITATION = "id, host, guest, rules, clock, color, is_public, state, created, expires, game, rematch_of"
NEW_TABLES = (
    "passkey",
    "letter_link",
    "api_token",
    "follow",
    "block",
    "rating",
    "rated_game",
    "seeker",
    "paired",
    "offence",
)


def upgrade() -> None:
    _people("kind IN ('guest', 'member', 'bot', 'gone')", "kind IN ('member', 'bot')")
    _accounts()
    _invitations()
    op.create_table(
        "passkey",
        Column("id", Text, primary_key=True),
        Column("person", Text, ForeignKey("account.person", ondelete="CASCADE"), nullable=False),
        Column("public_key", Text, nullable=False),
        Column("sign_count", Integer, nullable=False),
        Column("name", Text, nullable=False),
        Column("created", moment(), nullable=False),
        Column("used", moment()),
        **STRICT,
    )
    op.create_index("passkey_person", "passkey", ["person"])
    op.create_table(
        "letter_link",
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
        **STRICT,
    )
    op.create_index("letter_link_person", "letter_link", ["person"])
    op.create_table(
        "api_token",
        Column("id", Text, primary_key=True),
        Column("token_hash", Text, nullable=False, unique=True),
        Column("person", Text, ForeignKey("account.person", ondelete="CASCADE"), nullable=False),
        Column("name", Text, nullable=False),
        Column("scopes", Text, nullable=False),
        Column("created", moment(), nullable=False),
        Column("expires", moment()),
        Column("used", moment()),
        **STRICT,
    )
    op.create_index("api_token_person", "api_token", ["person"])
    op.create_table(
        "follow",
        Column("follower", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
        Column("followed", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
        Column("since", moment(), nullable=False),
        **STRICT,
    )
    op.create_index("follow_followed", "follow", ["followed"])
    op.create_table(
        "block",
        Column("blocker", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
        Column("blocked", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
        Column("since", moment(), nullable=False),
        **STRICT,
    )
    op.create_index("block_blocked", "block", ["blocked"])
    op.create_table(
        "rating",
        Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
        Column("rules", Text, primary_key=True),
        Column("speed", Text, primary_key=True),
        Column("value", number(), nullable=False),
        Column("deviation", number(), nullable=False),
        Column("volatility", number(), nullable=False),
        Column("games", Integer, nullable=False),
        Column("at", moment(), nullable=False),
        **STRICT,
    )

    op.create_table(
        "rated_game",
        Column("game", Text, primary_key=True),
        Column("rules", Text, nullable=False),
        Column("speed", Text, nullable=False),
        Column("white", Text, nullable=False),
        Column("black", Text, nullable=False),
        Column("begun", moment(), nullable=False),
        Column(
            "state",
            Text,
            CheckConstraint("state IN ('playing', 'rated', 'void')", name="rated_game_state"),
            nullable=False,
        ),
        Column("at", moment()),
        Column("score", number()),
        *(
            Column(f"{color}_{name}", number())
            for color in ("white", "black")
            for name in ("before", "deviation_before", "after", "deviation_after")
        ),
        **STRICT,
    )
    op.create_index("rated_game_white", "rated_game", ["white", "begun"])
    op.create_index("rated_game_black", "rated_game", ["black", "begun"])
    only = text("state = 'playing'")
    op.create_index("rated_game_playing", "rated_game", ["begun"], sqlite_where=only, postgresql_where=only)
    op.create_table(
        "seeker",
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
        **STRICT,
    )
    op.create_index("seeker_queue", "seeker", ["rules", "clock", "rated"])
    op.create_table(
        "paired",
        Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
        Column("opponents", Text, nullable=False),
        Column("colors", Text, nullable=False),
        **STRICT,
    )

    op.create_table(
        "offence",
        Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
        Column("game", Text, primary_key=True),
        Column("kind", Text, CheckConstraint("kind IN ('left', 'stalled')", name="offence_kind"), nullable=False),
        Column("at", moment(), nullable=False),
        **STRICT,
    )


def downgrade() -> None:
    for name in reversed(NEW_TABLES):
        op.drop_table(name)
    op.drop_index("invitation_guest", "invitation")
    # what the former release has no word for leads to no game with it; what has led to one stays
    op.execute("DELETE FROM invitation WHERE kind IN ('seek', 'challenge') AND game IS NULL")
    if op.get_context().dialect.name == "sqlite":
        _invitations_without()
    else:
        op.drop_constraint("invitation_kind", "invitation", type_="check")
        for column in ("kind", "rated", "lowest", "highest", "answer"):
            op.drop_column("invitation", column)
    # who has no password cannot log in with the former release: a guest, who keeps the games
    op.execute("UPDATE person SET kind = 'guest' WHERE id IN (SELECT person FROM account WHERE password IS NULL)")
    op.execute("DELETE FROM account WHERE password IS NULL")
    op.execute("UPDATE person SET kind = 'member' WHERE kind = 'bot'")
    op.execute("UPDATE person SET kind = 'guest' WHERE kind = 'gone'")
    _accounts_without()
    _people("kind IN ('guest', 'member')", "kind = 'member'")


def _people(kinds: str, members: str) -> None:
    if op.get_context().dialect.name == "sqlite":  # which cannot alter a constraint
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
        op.execute(f"INSERT INTO new_person ({PERSON}) SELECT {PERSON} FROM person")  # noqa: S608 (ours)
        op.drop_table("person")
        op.rename_table("new_person", "person")
        op.create_index("person_name_key", "person", ["name_key"])
    else:
        op.drop_index("person_member_name", "person")
        op.drop_constraint("person_kind", "person", type_="check")
        op.create_check_constraint("person_kind", "person", kinds)
    only = text(members)
    op.create_index("person_member_name", "person", ["name_key"], unique=True, sqlite_where=only, postgresql_where=only)


def _accounts() -> None:
    roles = "role IN ('player', 'moderator', 'administrator')"
    if op.get_context().dialect.name == "sqlite":
        op.create_table(
            "new_account",
            Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
            Column("password", Text),
            Column("role", Text, CheckConstraint(roles, name="account_role"), nullable=False),
            Column("email", Text),
            Column("daily", Flag, nullable=False),
            Column("daily_sent", moment()),
            Column("language", Text, nullable=False),
            Column("joined", moment(), nullable=False),
            **STRICT,
        )
        op.execute(
            "INSERT INTO new_account (person, password, role, daily, language, joined)"
            " SELECT person, password, 'player', 0, 'en', joined FROM account"
        )
        op.drop_table("account")
        op.rename_table("new_account", "account")
    else:
        op.alter_column("account", "password", nullable=True)
        op.add_column("account", Column("role", Text, nullable=False, server_default="player"))
        op.create_check_constraint("account_role", "account", roles)
        op.add_column("account", Column("email", Text))
        op.add_column("account", Column("daily", Flag, nullable=False, server_default=false()))
        op.add_column("account", Column("daily_sent", moment()))
        op.add_column("account", Column("language", Text, nullable=False, server_default="en"))
        for column in ("role", "daily", "language"):
            op.alter_column("account", column, server_default=None)
    op.create_index("account_email", "account", ["email"])


def _accounts_without() -> None:
    op.drop_index("account_email", "account")
    if op.get_context().dialect.name == "sqlite":
        op.create_table(
            "new_account",
            Column("person", Text, ForeignKey("person.id", ondelete="CASCADE"), primary_key=True),
            Column("password", Text, nullable=False),
            Column("joined", moment(), nullable=False),
            **STRICT,
        )
        op.execute("INSERT INTO new_account (person, password, joined) SELECT person, password, joined FROM account")
        op.drop_table("account")
        op.rename_table("new_account", "account")
        return
    op.drop_constraint("account_role", "account", type_="check")
    for column in ("role", "email", "daily", "daily_sent", "language"):
        op.drop_column("account", column)
    op.alter_column("account", "password", nullable=False)


KINDS = "kind IN ('link', 'rematch', 'seek', 'challenge', 'pairing')"


def _invitations() -> None:
    kind = "CASE WHEN rematch_of IS NULL THEN 'link' ELSE 'rematch' END"
    if op.get_context().dialect.name == "sqlite":
        op.create_table(
            "new_invitation",
            *_invitation_columns(),
            Column("kind", Text, CheckConstraint(KINDS, name="invitation_kind"), nullable=False),
            Column("rated", Flag, nullable=False),
            Column("lowest", Integer),
            Column("highest", Integer),
            Column("answer", Text),
            **STRICT,
        )
        op.execute(
            f"INSERT INTO new_invitation ({INVITATION}, kind, rated)"  # noqa: S608 (ours)
            f" SELECT {INVITATION}, {kind}, 0 FROM invitation"
        )
        _replace_invitations()
    else:
        op.add_column("invitation", Column("kind", Text))
        op.execute(f"UPDATE invitation SET kind = {kind}")  # noqa: S608 (ours)
        op.alter_column("invitation", "kind", nullable=False)
        op.create_check_constraint("invitation_kind", "invitation", KINDS)
        op.add_column("invitation", Column("rated", Flag, nullable=False, server_default=false()))
        op.alter_column("invitation", "rated", server_default=None)
        for column in ("lowest", "highest"):
            op.add_column("invitation", Column(column, Integer))
        op.add_column("invitation", Column("answer", Text))
    op.create_index("invitation_guest", "invitation", ["guest", "state"])


def _invitations_without() -> None:
    op.create_table("new_invitation", *_invitation_columns(), **STRICT)
    op.execute(f"INSERT INTO new_invitation ({INVITATION}) SELECT {INVITATION} FROM invitation")  # noqa: S608 (ours)
    _replace_invitations()


def _replace_invitations() -> None:
    op.drop_table("invitation")
    op.rename_table("new_invitation", "invitation")
    op.create_index("invitation_host", "invitation", ["host", "state"])
    only = text("state = 'open'")
    op.create_index("invitation_open", "invitation", ["expires"], sqlite_where=only, postgresql_where=only)


def _invitation_columns() -> list[Column[Any]]:
    colors, states = "'white', 'black', 'lot'", "'open', 'accepted', 'declined', 'withdrawn', 'expired'"
    return [
        Column("id", Text, primary_key=True),
        Column("host", Text, ForeignKey("person.id", ondelete="CASCADE"), nullable=False),
        Column("guest", Text),
        Column("rules", Text, nullable=False),
        Column("clock", Text, nullable=False),
        Column("color", Text, CheckConstraint(f"color IN ({colors})", name="invitation_color"), nullable=False),
        Column("is_public", Flag, nullable=False),
        Column("state", Text, CheckConstraint(f"state IN ({states})", name="invitation_state"), nullable=False),
        Column("created", moment(), nullable=False),
        Column("expires", moment(), nullable=False),
        Column("game", Text),
        Column("rematch_of", Text),
    ]
