"""HTTP: the same server on loopback, for clients that want an address. Never on another interface: there is no key.

A page in a browser on this machine can send requests to loopback too; the Host and Origin of each are checked, so that
neither another site nor a name that was pointed here gets in.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel.server import Server

from recollect.serve.mcp.binding import LOOPBACK, PATH
from recollect.serve.mcp.opening import Opening

# The longest memory is 500,000 characters, three megabytes when every one of them is escaped.
_LARGEST_BODY = 4 * 1024 * 1024
_LAST_ANSWERS = 3
# Clients drop an idle connection after five seconds; a server that does so at the same moment cuts off their next call.
_IDLE = 75


class _Web(uvicorn.Server):
    """Hangs up on those who listen before it waits for the last answers."""

    def __init__(self, config: uvicorn.Config, hang_up: Callable[[], None]) -> None:
        super().__init__(config)
        self._hang_up = hang_up

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._hang_up()
        await super().shutdown(sockets)


def serve_http(server: Server[Any], opening: Opening, hang_up: Callable[[], None], listening: socket.socket) -> None:
    """Serve until the process is told to stop, or the store turns out not to open."""
    app = server.streamable_http_app(
        streamable_http_path=PATH, host=LOOPBACK, json_response=True, max_request_body_size=_LARGEST_BODY
    )
    config = uvicorn.Config(
        app,
        # Warnings reach stderr without a configuration of their own, which takes a while to import.
        log_config=None,
        log_level="warning",
        access_log=False,
        ws="none",
        lifespan="off",
        timeout_graceful_shutdown=_LAST_ANSWERS,
        timeout_keep_alive=_IDLE,
    )
    # uvicorn stops in order and then sends itself the signal again; by then there is nothing left to stop.
    signal.signal(signal.SIGTERM, lambda *_: None)
    anyio.run(_serve, server, opening, _Web(config, hang_up), listening)


async def _serve(server: Server[Any], opening: Opening, web: uvicorn.Server, listening: socket.socket) -> None:
    """The store is opened here and not by the web server, which would show a traceback for a file that is damaged."""

    def stop() -> None:
        web.should_exit = True

    async with server.session_manager.run():
        opening.when_failed(stop)
        await web.serve(sockets=[listening])
