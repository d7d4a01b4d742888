"""Questions, answers, reports, and what moderators do."""

from __future__ import annotations

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the tables."""


def downgrade() -> None:
    """Drop them."""
