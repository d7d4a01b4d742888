"""HTTP as uvicorn speaks it, quieter about those who do not speak it well."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle


class HttpProtocol(H11Protocol):
    """Takes a request that breaks off into nonsense for what it is: a visitor who has gone.

    As uvicorn has it, the nonsense is answered though the page has answered already, or the page though the nonsense
    has; either way the log gets a traceback for what is not our fault.
    """

    def send_400_response(self, msg: str) -> None:
        """Answer with 400 where no answer has begun; the page that was making one is told that nobody waits for it."""
        # None before the first request, whatever its type says
        cycle = cast("RequestResponseCycle | None", self.cycle)
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            super().send_400_response(msg)
        else:
            self.transport.close()
