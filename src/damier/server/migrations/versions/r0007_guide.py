"""What a learner has done: steps of the guide, exercises."""

from __future__ import annotations

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the tables."""


def downgrade() -> None:
    """Drop them."""
