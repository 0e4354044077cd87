"""A client's connection: its requests are answered in order, and it ends as a fault wants."""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import TYPE_CHECKING

from loopback_server.wire import take_request, without_second_half

if TYPE_CHECKING:
    from loopback_server.server import LoopbackServer
    from loopback_server.wire import HttpResponse


class Connection(asyncio.Protocol):
    """One client, whose requests are answered one after another."""

    transport: asyncio.Transport

    def __init__(self, server: LoopbackServer) -> None:
        self._server = server
        self._received = bytearray()
        self._under_way: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begins to count the client among the connected."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._server.connected(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Drops the answer that the client didn't wait for."""
        if self._under_way:
            self._under_way.cancel()
            self._server.finished(sent=False)
        self._server.disconnected(self)

    def data_received(self, data: bytes) -> None:
        """Answers what is there as a whole by now."""
        self._received += data
        self._answer()

    def _answer(self) -> None:
        while self._under_way is None and not self.transport.is_closing():
            request = take_request(self._received)
            if request is None:
                return
            response = self._server.respond(request)
            if response.delay > 0:
                loop = asyncio.get_running_loop()
                self._under_way = loop.call_later(response.delay, self._send_late, response)
            else:
                self._send(response)

    def _send_late(self, response: HttpResponse) -> None:
        self._under_way = None
        self._send(response)
        self._answer()

    def _send(self, response: HttpResponse) -> None:
        if response.is_reply:  # counted first: a client that has the reply finds it counted
            self._server.finished(sent=response.ending in ("kept", "truncated"))
        if response.ending == "kept":
            self.transport.write(response.content)
        elif response.ending == "truncated":
            self.transport.write(without_second_half(response.content))
            self.transport.close()
        elif response.ending == "closed":
            self.transport.close()
        elif response.ending == "reset":
            # Without lingering, closing is a reset.
            lingering = struct.pack("ii", 1, 0)
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, lingering)
            self.transport.abort()
        else:
            self._server.go_down(response.down)
