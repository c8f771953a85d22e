"""stdio: one client, one line a message. Nothing but the protocol reaches stdout; a line that is no message is answered.

While it serves, the SDK points the process's own stdout at stderr, so that a stray print cannot tear a message.
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

# How long a client that closed its end is still owed the answers to what it had asked.
_LAST_ANSWERS = 30.0
_POLL = 0.01
Item = SessionMessage | Exception


def serve_stdio(server: Server[Any], hang_up: Callable[[], None]) -> None:
    """Serve until the client closes its end, or the process is told to stop; `hang_up` ends the streams that never end."""
    anyio.run(_serve, server, hang_up)


async def _serve(server: Server[Any], hang_up: Callable[[], None]) -> None:
    failures: list[RecollectError] = []
    try:
        async with stdio_server() as (read, write):
            with anyio.CancelScope() as scope:
                _when_told_to_stop(scope.cancel)
                # Told below: an error that left the streams would take with it what is not written yet.
                failures += await _connected(server, hang_up, read, write)
            if scope.cancelled_caught:
                # A thread waits for a line that may never come, and nothing can wake it; the store is closed already.
                sys.stderr.flush()
                os._exit(0)
    except* (BrokenPipeError, anyio.BrokenResourceError):
        pass  # the client went away without a word
    if failures:
        raise failures[0]


def _leaves(group: BaseExceptionGroup[RecollectError]) -> list[RecollectError]:
    """The errors inside a group, out of all the wrapping that tasks within tasks put around them."""
    inside = [_leaves(one) if isinstance(one, BaseExceptionGroup) else [one] for one in group.exceptions]
    return [error for errors in inside for error in errors]


def _when_told_to_stop(stop: Callable[[], None]) -> None:
    if os.name == "posix":
        loop = asyncio.get_running_loop()
        for told in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(told, stop)


async def _connected(server: Server[Any], hang_up: Callable[[], None], read: Any, write: Any) -> list[RecollectError]:
    """Run the server with a relay on either side, which answers what is no message and waits for the last answers.

    Returns what became of a store that could not be opened or closed.
    """
    failures: list[RecollectError] = []
    to_server, inbound = anyio.create_memory_object_stream[Item](0)
    outbound, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    owed = _Owed(hang_up)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_inwards, read, to_server, write, owed)
            tasks.start_soon(_outwards, from_server, write, owed)
            await server.run(inbound, outbound, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    except* RecollectError as wrapped:
        failures += _leaves(wrapped)
    await write.aclose()
    return failures


@dataclass(slots=True)
class _Owed:
    """The requests that were not answered yet."""

    hang_up: Callable[[], None]
    ids: set[types.RequestId] = field(default_factory=set)

    def asked(self, message: Any) -> None:
        """A request is owed an answer; a cancelled one no more."""
        if isinstance(message, types.JSONRPCRequest):
            self.ids.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self.ids.discard((message.params or {}).get("requestId", ""))

    async def settled(self) -> None:
        """Wait for the last answers, for a while."""
        self.hang_up()
        with anyio.move_on_after(_LAST_ANSWERS):
            while self.ids:
                await anyio.sleep(_POLL)


async def _inwards(read: Any, to_server: MemoryObjectSendStream[Item], write: Any, owed: _Owed) -> None:
    async with to_server:
        async for item in read:
            if isinstance(item, Exception):
                await write.send(SessionMessage(_not_a_message()))
                continue
            owed.asked(item.message)
            await to_server.send(item)
        await owed.settled()


async def _outwards(from_server: MemoryObjectReceiveStream[SessionMessage], write: Any, owed: _Owed) -> None:
    async with from_server:
        async for item in from_server:
            await write.send(item)
            if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError) and item.message.id is not None:
                owed.ids.discard(item.message.id)


def _not_a_message() -> types.JSONRPCError:
    problem = "this line is not a JSON-RPC message; send one JSON object a line, in UTF-8"
    return types.JSONRPCError(jsonrpc="2.0", id=None, error=types.ErrorData(code=types.PARSE_ERROR, message=problem))
