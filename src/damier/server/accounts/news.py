"""What the club's processes tell one another of a member's sessions, on the topic ``person:<id>``."""

from __future__ import annotations

from typing import Final

import msgspec

CLOSE_LOGGED_OUT: Final = 4001
"""The code that a socket is closed with whose browser is no longer logged in; its page loads anew."""


GUESTS: Final = ""
"""The session that a guest has, until the guest becomes a member."""


OF_TOKEN: Final = "token:"  # noqa: S105 (a beginning)
"""What stands before a token's id where a session's is looked for."""


class LoggedOut(msgspec.Struct, tag_field="t", tag="logged_out", frozen=True):
    """Sessions have ended. ``ended``: the one that did, or None for all of them but ``kept``, tokens left alone."""

    ended: str | None = None
    kept: str | None = None


_encode = msgspec.json.Encoder().encode
_decoder = msgspec.json.Decoder(LoggedOut)
_BEGINNING: Final = b'{"t":"logged_out"'


def encoded(news: LoggedOut) -> bytes:
    """The news as the bus carries it."""
    return _encode(news)


def ends(payload: bytes, session_id: str | None) -> bool:
    """Whether a message of the topic says that a session has ended.

    >>> ends(encoded(LoggedOut("a")), "a"), ends(encoded(LoggedOut("a")), "b"), ends(encoded(LoggedOut()), None)
    (True, False, False)
    >>> ends(encoded(LoggedOut(kept="a")), "a"), ends(encoded(LoggedOut(kept="a")), "b"), ends(b'{"t":"now"}', "b")
    (False, True, False)
    >>> ends(encoded(LoggedOut()), OF_TOKEN + "a"), ends(encoded(LoggedOut(OF_TOKEN + "a")), OF_TOKEN + "a")
    (False, True)
    >>> ends(encoded(LoggedOut(GUESTS)), GUESTS), ends(encoded(LoggedOut(GUESTS)), "a")
    (True, False)
    """
    if session_id is None or not payload.startswith(_BEGINNING):
        return False
    news = _decoder.decode(payload)
    if news.ended is not None:
        return session_id == news.ended
    return session_id != news.kept and not session_id.startswith(OF_TOKEN)
