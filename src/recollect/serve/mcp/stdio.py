"""The stdio transport: one client, one message per line. Only protocol messages reach stdout; an invalid line is answered.

While the server runs, the SDK redirects the process's own stdout to stderr, so that a stray print cannot corrupt a message.
"""

from __future__ import annotations

import asyncio
import io
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import RootModel

from recollect.errors import RecollectError
from recollect.serve.mcp.jsonrpc import BATCH_VERSION, Line, read_line

# How long pending requests may still be answered after the client has closed its input.
_DRAIN_SECONDS = 30.0
_POLL_SECONDS = 0.01
Incoming = SessionMessage | Exception
Answer = types.JSONRPCResponse | types.JSONRPCError


class _Answers(RootModel[list[Any]]):
    """The answers to the requests of a batch, as one message."""


def serve_stdio(server: Server[Any], close_streams: Callable[[], None]) -> None:
    """Serve until the client closes its input or the process is told to stop; `close_streams` ends the subscription streams."""
    anyio.run(_serve, server, close_streams)


async def _serve(server: Server[Any], close_streams: Callable[[], None]) -> None:
    failures: list[RecollectError] = []
    lines = _claim_stdin()
    try:
        # The SDK writes; the lines are read here, because it does not say which line an error is about.
        async with stdio_server(stdin=anyio.wrap_file(io.StringIO())) as (_, write):
            with anyio.CancelScope() as scope:
                _on_stop_signal(scope.cancel)
                # Raised below: an error that leaves the streams would discard what is not written yet.
                failures += await _run_with_relays(server, close_streams, lines, write)
            if scope.cancelled_caught:
                # A thread is blocked reading stdin and cannot be woken; the store is closed already.
                sys.stderr.flush()
                os._exit(0)
    except* (BrokenPipeError, anyio.BrokenResourceError):
        pass  # the client disconnected
    if failures:
        raise failures[0]


def _claim_stdin() -> BinaryIO:
    """The lines of the client; whatever else reads the standard input of this process finds it empty."""
    private, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return os.fdopen(private, "rb", closefd=False)


async def _read_lines(lines: BinaryIO) -> AsyncIterator[str]:
    """Each line as text. A thread that waits for one is left alone when the server ends."""
    while line := await anyio.to_thread.run_sync(lines.readline, abandon_on_cancel=True):
        yield line.decode("utf-8", "replace")


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
    server: Server[Any], close_streams: Callable[[], None], lines: BinaryIO, write: Any
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
            tasks.start_soon(_relay_in, lines, to_server, write, pending)
            tasks.start_soon(_relay_out, from_server, write, pending)
            await server.run(inbound, outbound, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    except* RecollectError as wrapped:
        failures += _flatten(wrapped)
    await write.aclose()
    return failures


@dataclass(slots=True)
class _Batch:
    """The requests of one array that have no response yet, and the answers so far."""

    waiting: set[types.RequestId]
    answers: list[Answer]


@dataclass(slots=True)
class _PendingRequests:
    """The requests that have no response yet, and whether the protocol version in use has batches."""

    close_streams: Callable[[], None]
    ids: set[types.RequestId] = field(default_factory=set)
    batches: list[_Batch] = field(default_factory=list)
    has_batches: bool = False

    def track(self, message: Any) -> None:
        """Add a request; remove one that the client cancels."""
        if isinstance(message, types.JSONRPCRequest):
            self.ids.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._settle((message.params or {}).get("requestId", ""))

    def begin(self, line: Line) -> None:
        """Wait for the answers to the requests of a batch."""
        requests = {message.id for message in line.messages if isinstance(message, types.JSONRPCRequest)}
        if requests or line.errors:
            self.batches.append(_Batch(requests, list(line.errors)))

    def answered(self, answer: Answer) -> bool:
        """Note an answer; whether it waits for the rest of its batch."""
        if isinstance(answer, types.JSONRPCResponse) and "protocolVersion" in answer.result:
            self.has_batches = answer.result["protocolVersion"] == BATCH_VERSION
        batch = next((batch for batch in self.batches if answer.id in batch.waiting), None)
        if batch is not None:
            batch.answers.append(answer)
        if answer.id is not None:
            self._settle(answer.id)
        return batch is not None

    def _settle(self, id: types.RequestId) -> None:
        self.ids.discard(id)
        for batch in self.batches:
            batch.waiting.discard(id)

    def complete_batches(self) -> list[_Answers]:
        """The answers of the batches that wait for nothing more, each once."""
        done = [batch for batch in self.batches if not batch.waiting]
        self.batches = [batch for batch in self.batches if batch.waiting]
        return [
            _Answers([each.model_dump(by_alias=True, exclude_unset=True) for each in batch.answers])
            for batch in done
            if batch.answers
        ]

    async def drain(self) -> None:
        """Wait until every request is answered, or the time is up."""
        self.close_streams()
        with anyio.move_on_after(_DRAIN_SECONDS):
            while self.ids:
                await anyio.sleep(_POLL_SECONDS)


async def _relay_in(
    lines: BinaryIO, to_server: MemoryObjectSendStream[Incoming], write: Any, pending: _PendingRequests
) -> None:
    async with to_server:
        async for text in _read_lines(lines):
            line = read_line(text, batches=pending.has_batches)
            if line.batch:
                pending.begin(line)
            for error in () if line.batch else line.errors:
                await write.send(SessionMessage(error))
            for message in line.messages:
                pending.track(message)
                await to_server.send(SessionMessage(message))
            await _send_batches(write, pending)
        await pending.drain()


async def _relay_out(
    from_server: MemoryObjectReceiveStream[SessionMessage], write: Any, pending: _PendingRequests
) -> None:
    async with from_server:
        async for item in from_server:
            answer = isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError)
            if not (answer and pending.answered(item.message)):  # type: ignore[arg-type]
                await write.send(item)
            await _send_batches(write, pending)


async def _send_batches(write: Any, pending: _PendingRequests) -> None:
    for answers in pending.complete_batches():
        await write.send(SessionMessage(answers))  # type: ignore[arg-type]
