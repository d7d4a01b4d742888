"""What can go wrong between a program and a club."""

from __future__ import annotations

from damier.errors import DamierError
from damier.i18n import N_

__all__ = ["ClubError", "Unreachable"]

_REFUSED = N_("The club refused: {what}")
_UNREACHABLE = N_("The club at {address} cannot be reached: {what}")


class ClubError(DamierError):
    """The club did not do what it was asked.

    ``status``: of the HTTP answer, None over a socket. ``code``: the club's name for the reason, such as "not_open".
    ``what``: the reason in the club's words. ``field``: which part of the request is wrong, if it is one.
    ``retry_after``: seconds to wait, where the club says so.

    >>> print(ClubError("too_fast", "Too many requests.", status=429, retry_after=2.0))
    The club refused: Too many requests.
    """

    def __init__(
        self,
        code: str,
        what: str,
        *,
        status: int | None = None,
        field: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(_REFUSED, what=what)
        self.code = code
        self.status = status
        self.field = field
        self.retry_after = retry_after


class Unreachable(DamierError):
    """The club does not answer, or what answers is no club."""

    def __init__(self, address: str, what: str) -> None:
        super().__init__(_UNREACHABLE, address=address, what=what)
