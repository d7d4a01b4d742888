"""The peer of ``load.py``: rooms of three sockets, and whatever one of them sends answered with frames of given sizes.

``python bare.py ACK MOVER OPPONENT WATCHER``: the sizes in bytes. Nothing is decoded, checked or kept: this is what the
network alone costs a Python process. A socket joins by its address, ``/ROOM/SEAT``, with seats 0, 1 and 2 (watching).
"""

from __future__ import annotations

import sys
from typing import ClassVar

import uvloop
from picows import WSFrame, WSListener, WSMsgType, WSTransport, WSUpgradeRequest, ws_create_server

BEGINNING = b'{"t":"state",'


def frame(size: int) -> bytes:
    return BEGINNING + b" " * max(0, size - len(BEGINNING) - 1) + b"}"


class Socket(WSListener):
    """One end of a room."""

    rooms: ClassVar[dict[str, list[WSTransport | None]]] = {}
    ack = mover = opponent = watcher = b""

    def __init__(self, path: str) -> None:
        _, room, seat = path.split("/")
        self._room = self.rooms.setdefault(room, [None, None, None])
        self._seat = int(seat)
        self._transport: WSTransport | None = None

    def on_ws_connected(self, transport: WSTransport) -> None:
        self._transport = self._room[self._seat] = transport
        transport.send(WSMsgType.TEXT, self.watcher)

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type is not WSMsgType.TEXT:
            return
        transport.send(WSMsgType.TEXT, self.ack)
        for seat, each in enumerate(self._room):
            if each is not None:
                payload = self.watcher if seat == 2 else self.mover if seat == self._seat else self.opponent
                each.send(WSMsgType.TEXT, payload)

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        self._room[self._seat] = None


async def main() -> None:
    Socket.ack, Socket.mover, Socket.opponent, Socket.watcher = (frame(int(size)) for size in sys.argv[1:5])

    def join(request: WSUpgradeRequest) -> WSListener:
        return Socket(request.path.decode())

    server = await ws_create_server(join, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())
