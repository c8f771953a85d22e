"""The stdio transport: one client, one message per line. Only protocol messages reach stdout; an invalid line is answered.

While the server runs, the SDK redirects the process's own stdout to stderr, so that a stray print cannot corrupt a message.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from recollect.errors import RecollectError

# How long pending requests may still be answered after the client has closed its input.
_DRAIN_SECONDS = 30.0
_POLL_SECONDS = 0.01
Incoming = SessionMessage | Exception


def serve_stdio(server: Server[Any], close_streams: Callable[[], None]) -> None:
    """Serve until the client closes its input or the process is told to stop; `close_streams` ends the subscription streams."""
    anyio.run(_serve, server, close_streams)


async def _serve(server: Server[Any], close_streams: Callable[[], None]) -> None:
    failures: list[RecollectError] = []
    try:
        async with stdio_server() as (read, write):
            with anyio.CancelScope() as scope:
                _on_stop_signal(scope.cancel)
                # Raised below: an error that leaves the streams would discard what is not written yet.
                failures += await _run_with_relays(server, close_streams, read, write)
            if scope.cancelled_caught:
                # A thread is blocked reading stdin and cannot be woken; the store is closed already.
                sys.stderr.flush()
                os._exit(0)
    except* (BrokenPipeError, anyio.BrokenResourceError):
        pass  # the client disconnected
    if failures:
        raise failures[0]


def _flatten(group: BaseExceptionGroup[RecollectError]) -> list[RecollectError]:
    """The errors inside nested exception groups."""
    inside = [_flatten(one) if isinstance(one, BaseExceptionGroup) else [one] for one in group.exceptions]
    return [error for errors in inside for error in errors]


def _on_stop_signal(stop: Callable[[], None]) -> None:
    if os.name == "posix":
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop)


async def _run_with_relays(
    server: Server[Any], close_streams: Callable[[], None], read: Any, write: Any
) -> list[RecollectError]:
    """Run the server between two relays, which answer invalid lines and wait for pending results at the end.

    Returns the errors of a store that could not be opened or closed.
    """
    failures: list[RecollectError] = []
    to_server, inbound = anyio.create_memory_object_stream[Incoming](0)
    outbound, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    pending = _PendingRequests(close_streams)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_relay_in, read, to_server, write, pending)
            tasks.start_soon(_relay_out, from_server, write, pending)
            await server.run(inbound, outbound, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    except* RecollectError as wrapped:
        failures += _flatten(wrapped)
    await write.aclose()
    return failures


@dataclass(slots=True)
class _PendingRequests:
    """The requests that have no response yet."""

    close_streams: Callable[[], None]
    ids: set[types.RequestId] = field(default_factory=set)

    def track(self, message: Any) -> None:
        """Add a request; remove one that the client cancels."""
        if isinstance(message, types.JSONRPCRequest):
            self.ids.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self.ids.discard((message.params or {}).get("requestId", ""))

    async def drain(self) -> None:
        """Wait until every request is answered, or the time is up."""
        self.close_streams()
        with anyio.move_on_after(_DRAIN_SECONDS):
            while self.ids:
                await anyio.sleep(_POLL_SECONDS)


async def _relay_in(
    read: Any, to_server: MemoryObjectSendStream[Incoming], write: Any, pending: _PendingRequests
) -> None:
    async with to_server:
        async for item in read:
            if isinstance(item, Exception):
                await write.send(SessionMessage(_parse_error()))
                continue
            pending.track(item.message)
            await to_server.send(item)
        await pending.drain()


async def _relay_out(
    from_server: MemoryObjectReceiveStream[SessionMessage], write: Any, pending: _PendingRequests
) -> None:
    async with from_server:
        async for item in from_server:
            await write.send(item)
            if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError) and item.message.id is not None:
                pending.ids.discard(item.message.id)


def _parse_error() -> types.JSONRPCError:
    problem = "this line is not a JSON-RPC message; send one JSON object per line, in UTF-8"
    return types.JSONRPCError(jsonrpc="2.0", id=None, error=types.ErrorData(code=types.PARSE_ERROR, message=problem))
