"""The parts of a running club, as its pages and sockets are given them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from damier.server.bus import Bus
    from damier.server.play.hub import Hub
    from damier.server.play.service import Play
    from damier.server.play.store import EventStore
    from damier.server.presence import Presence
    from damier.server.settings import Settings
    from damier.server.site import Site
    from damier.server.visitors import Visitors


class Club:
    """Everything that a page or socket may need."""

    # not a dataclass: Litestar would look into one, field by field, at every request

    __slots__ = ("bus", "hub", "play", "presence", "settings", "site", "store", "visitors")

    def __init__(
        self,
        *,
        settings: Settings,
        site: Site,
        visitors: Visitors,
        store: EventStore,
        bus: Bus,
        presence: Presence,
        hub: Hub,
        play: Play,
    ) -> None:
        self.settings = settings
        self.site = site
        self.visitors = visitors
        self.store = store
        self.bus = bus
        self.presence = presence
        self.hub = hub
        self.play = play
