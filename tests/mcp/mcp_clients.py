"""What the MCP tests share: tool calls, and server processes on stdio and HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

RECOLLECT = [sys.executable, "-m", "recollect"]
Scene = Callable[[Client], Awaitable[Any]]


@dataclass(frozen=True)
class CallResult:
    """The result of a tool call."""

    text: str
    structured: dict[str, Any]
    failed: bool
    error: dict[str, Any] | None


async def capture_failure(scene: Awaitable[Any]) -> Any:
    """The result of a scene, or its exception: one raised inside a client would be wrapped in four exception groups."""
    try:
        return await scene
    except (AssertionError, LookupError, TypeError, MCPError) as failure:
        return failure


def unwrap(outcome: Any) -> Any:
    """The result of a scene; a captured exception is raised."""
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


async def call(client: Client, tool: str, /, **arguments: Any) -> CallResult:
    """Call a tool."""
    result = await client.call_tool(tool, arguments)
    error = (result.meta or {}).get("recollect/error")
    return CallResult(result.content[0].text, result.structured_content, result.is_error, error)


def environment(store: Path, **more: str) -> dict[str, str]:
    """The environment of a server process: its own store, and no model unless one is requested."""
    return {**os.environ, "RECOLLECT_DB": str(store), "RECOLLECT_EMBEDDER": "none", **more}


def on_stdio(store: Path, *arguments: str, **more: str) -> StdioServerParameters:
    """A server process for the SDK's own client to start."""
    given = [*RECOLLECT[1:], "--project", "shop", "mcp", *arguments]
    return StdioServerParameters(command=RECOLLECT[0], args=given, env=environment(store, **more))


@contextmanager
def on_http(store: Path, *arguments: str, **more: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server process on a free loopback port: its URL and the process."""
    process = subprocess.Popen(
        [*RECOLLECT, "--project", "shop", "mcp", "--http", "--port", "0", *arguments],
        env=environment(store, **more),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert process.stderr is not None
    try:
        yield process.stderr.readline().split()[-1], process
    finally:
        process.terminate()
        process.wait(20)
        process.stderr.close()


class RawClient:
    """A client that sends any line to a server process, and reads one message per line."""

    def __init__(self, store: Path, *arguments: str, project: str | None = "shop", **more: str) -> None:
        place = [] if project is None else ["--project", project]
        self.process = subprocess.Popen(
            [*RECOLLECT, *place, "mcp", *arguments],
            env=environment(store, **more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def send(self, line: str | bytes | dict[str, Any]) -> None:
        text = json.dumps(line) if isinstance(line, dict) else line
        assert self.process.stdin is not None
        self.process.stdin.write((text if isinstance(text, bytes) else text.encode()) + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def initialize(self) -> None:
        """The older handshake."""
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        self.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about})
        assert self.read()["result"]["serverInfo"]["name"] == "recollect"
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, number: int, tool: str, **arguments: Any) -> None:
        params = {"name": tool, "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
