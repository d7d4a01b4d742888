"""How long the parts of a PDN file may be, for its reader and its writer alike: memory stays bounded."""

from __future__ import annotations

__all__ = ["LONGEST_COMMENT", "LONGEST_TAG"]

LONGEST_COMMENT = 1 << 22
"""Characters with the brace that closes it; longer comments are taken for ones that nobody closed."""
LONGEST_TAG = 1 << 16
"""Characters of the tag's line."""
