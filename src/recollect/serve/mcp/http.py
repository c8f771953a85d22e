"""The HTTP transport, on loopback only: there is no authentication.

A web page in a browser on this machine can send requests to loopback too. The SDK checks the Host and Origin headers of each
request, which blocks other sites and DNS rebinding.
"""

from __future__ import annotations

import asyncio
import re
import signal
import socket
from collections.abc import Callable
from typing import Any

import anyio
import h11
import uvicorn
from mcp.server.lowlevel.server import Server
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from recollect.serve.mcp.jsonrpc import ErrorMessage, read_line
from recollect.serve.mcp.lifespan import StoreLifespan
from recollect.serve.mcp.startup import LOOPBACK, PATH

# The longest memory is 500,000 characters, three megabytes when every one of them is escaped.
_MAX_BODY = 4 * 1024 * 1024
_SHUTDOWN_SECONDS = 3
# A client on the same machine sends what it has to say at once.
_BODY_SECONDS = 30.0
_HEAD_SECONDS = 30.0
# A client whose session has ended starts another one.
_IDLE_SECONDS = 30 * 60.0
# Half a surrogate pair, or arguments that are no object.
_TO_MEND = re.compile(rb"\\u[dD][89a-fA-F]|\"arguments\"\s*:\s*[\"\[]")
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


class RequestBodies:
    """Reads the body of each request within a deadline, answers what is no message, and mends what the SDK cannot read."""

    def __init__(self, app: ASGIApp, seconds: float = _BODY_SECONDS) -> None:
        self._app, self._seconds = app, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or _announced(scope) > _MAX_BODY:
            await self._app(scope, receive, send)  # what is too long is refused before it is read
            return
        with anyio.move_on_after(self._seconds) as waiting:
            body = await _body(receive)
        if waiting.cancelled_caught:
            await Response("the request was not sent in time", 408, {"connection": "close"})(scope, receive, send)
            return
        if body is None:
            await Response("the request is too long", 413, {"connection": "close"})(scope, receive, send)
            return
        line = read_line(body.decode("utf-8", "replace"))
        if line.errors:
            await _answer(line.errors[0])(scope, receive, send)
            return
        if line.messages and _TO_MEND.search(body):
            body = line.messages[0].model_dump_json(by_alias=True, exclude_unset=True).encode()
            # The length of the body is another one now.
            headers = [(name, value) for name, value in scope["headers"] if name != b"content-length"]
            scope = {**scope, "headers": [*headers, (b"content-length", str(len(body)).encode())]}
        await self._app(scope, _replay(body, receive), send)


def _announced(scope: Scope) -> int:
    length = Request(scope).headers.get("content-length", "")
    return int(length) if length.isdigit() else 0


async def _body(receive: Receive) -> bytes | None:
    """The whole body, or None when it is too long."""
    parts, size = [], 0
    while True:
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        parts.append(part)
        if size > _MAX_BODY:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Receive the body that was read already, then whatever follows."""
    waiting = [body]

    async def replayed() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return replayed


def _answer(error: ErrorMessage) -> Response:
    return Response(error.model_dump_json(by_alias=True), 400, media_type="application/json")


class DeadlineProtocol(H11Protocol):
    """A connection that is closed when the head of a request is not complete in time; idle ones between requests stay."""

    seconds = _HEAD_SECONDS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._cut: asyncio.TimerHandle | None = self.loop.call_later(self.seconds, transport.close)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        incomplete = self.conn.their_state is h11.IDLE
        if not incomplete and self._cut is not None:
            self._cut.cancel()
            self._cut = None
        elif incomplete and self._cut is None:
            self._cut = self.loop.call_later(self.seconds, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._cut is not None:
            self._cut.cancel()
        super().connection_lost(exc)


def web_app(server: Server[Any], idle_seconds: float = _IDLE_SECONDS) -> ASGIApp:
    """The web application of a server; a session without a request for `idle_seconds` ends."""
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=LOOPBACK,
        json_response=True,
        max_request_body_size=_MAX_BODY,
        session_idle_timeout=idle_seconds,
    )
    return RequestBodies(app)


def serve_http(
    server: Server[Any], store: StoreLifespan, close_streams: Callable[[], None], listener: socket.socket
) -> None:
    """Serve until the process is told to stop, or the store cannot be opened."""
    config = uvicorn.Config(
        web_app(server),
        http=DeadlineProtocol,
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
