"""The HTTP transport, on loopback only: there is no authentication.

A web page in a browser on this machine can send requests to loopback too. The SDK checks the Host and Origin headers of each
request, which blocks other sites and DNS rebinding.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel.server import Server

from recollect.serve.mcp.lifespan import StoreLifespan
from recollect.serve.mcp.startup import LOOPBACK, PATH

# The longest memory is 500,000 characters, three megabytes when every one of them is escaped.
_MAX_BODY = 4 * 1024 * 1024
_SHUTDOWN_SECONDS = 3
# Clients close an idle connection after five seconds; a server with the same timeout may close it during their next request.
_KEEP_ALIVE_SECONDS = 75


class _WebServer(uvicorn.Server):
    """Closes the subscription streams before it waits for pending responses."""

    def __init__(self, config: uvicorn.Config, close_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._close_streams = close_streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._close_streams()
        await super().shutdown(sockets)


def serve_http(
    server: Server[Any], store: StoreLifespan, close_streams: Callable[[], None], listener: socket.socket
) -> None:
    """Serve until the process is told to stop, or the store cannot be opened."""
    app = server.streamable_http_app(
        streamable_http_path=PATH, host=LOOPBACK, json_response=True, max_request_body_size=_MAX_BODY
    )
    config = uvicorn.Config(
        app,
        # Warnings reach stderr without a logging configuration, which is slow to import.
        log_config=None,
        log_level="warning",
        access_log=False,
        ws="none",
        lifespan="off",
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
    )
    # After a graceful shutdown uvicorn raises the signal again, which must not end the process with an error.
    signal.signal(signal.SIGTERM, lambda *_: None)
    anyio.run(_serve, server, store, _WebServer(config, close_streams), listener)


async def _serve(server: Server[Any], store: StoreLifespan, web: uvicorn.Server, listener: socket.socket) -> None:
    """Open the store here: the web server's own lifespan would print a traceback for a damaged file."""

    def stop() -> None:
        web.should_exit = True

    async with server.session_manager.run():
        store.on_failure(stop)
        await web.serve(sockets=[listener])
