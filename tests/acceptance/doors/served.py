"""The MCP door: a server process on stdio or HTTP, and a client of the current protocol revision or an older one.

A verb without a tool is called on the library, from this process and on the same store: the server sees it at its next call.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

import recollect
from doors.door import Asked, Door, Failed
from doors.library import Library
from doors.tools import TOOLS, kind_of

SERVER = [sys.executable, "-m", "recollect", "mcp"]
CURRENT, OLDER = "2026-07-28", "2025-11-25"
_OLDER_CLIENT = Path(__file__).with_name("older_client.py")
Call = Callable[[str, Mapping[str, Any]], "CallResult"]


@dataclass(frozen=True)
class CallResult:
    """The result of a tool call."""

    failed: bool
    text: str
    structured: Any


@dataclass(frozen=True)
class Served:
    """The tools of a server, and the library for verbs without a tool."""

    call: Call
    outside: Library

    def do(self, asked: Asked) -> Any:
        tool = None if asked.agent or asked.as_of else TOOLS.get(asked.verb)
        arguments = None if tool is None else tool.arguments(dict(asked.arguments))
        if tool is None or arguments is None:
            return self.outside.do(asked)
        result = self.call(tool.name, arguments)
        if result.failed:
            raise Failed(kind_of(result.text), result.text)
        return tool.answer(result.structured)


@contextmanager
def served(db: str, *, http: bool, older_python: Path | None) -> Iterator[Door]:
    """A server process and a client of it."""
    with ExitStack() as stack:
        outside = Library(stack.enter_context(recollect.open(db)))
        where = [stack.enter_context(_on_http())] if http else SERVER
        client = _current(where) if older_python is None else _older(where, older_python)
        yield Served(stack.enter_context(client), outside)


@contextmanager
def _on_http() -> Iterator[str]:
    command = [*SERVER, "--http", "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert process.stderr is not None
    try:
        yield process.stderr.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(30)
        process.stderr.close()


@contextmanager
def _current(where: list[str]) -> Iterator[Call]:
    """The client of the SDK."""
    server: Any = where[0]
    if len(where) > 1:
        server = StdioServerParameters(command=where[0], args=where[1:], env=dict(os.environ))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(server)) as client:
        assert client.protocol_version == CURRENT

        def call(tool: str, arguments: Mapping[str, Any]) -> CallResult:
            result = portal.call(client.call_tool, tool, dict(arguments))
            return CallResult(bool(result.is_error), result.content[0].text, result.structured_content)

        yield call


@contextmanager
def _older(where: list[str], python: Path) -> Iterator[Call]:
    """A client before the current revision, in its own process."""
    command = [str(python), str(_OLDER_CLIENT), *where]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        assert json.loads(process.stdout.readline())["version"] == OLDER

        def call(tool: str, arguments: Mapping[str, Any]) -> CallResult:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps({"tool": tool, "arguments": arguments}) + "\n")
            process.stdin.flush()
            return CallResult(**json.loads(process.stdout.readline()))

        yield call
        process.stdin.close()
        assert process.wait(30) == 0
