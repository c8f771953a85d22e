"""Doors: what MCP adds to a recall, over standard streams and over HTTP, and how long a server takes to be ready."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import recollect
from bench.metrics import quantile
from bench.tables import Figure

_QUESTIONS = 60
_STARTS = 7
Connected = Callable[[], AbstractAsyncContextManager[Any]]


def door_figures(path: Path, asked: Sequence[str], label: str) -> list[Figure]:
    """Recalls by words alone, so that the model is on neither side of the comparison."""
    questions = [asked[number % len(asked)] for number in range(_QUESTIONS)]
    with recollect.open(path, embedder="none", touch=False) as memory:
        memory.recall(questions[0])
        alone = [_milliseconds(lambda q=q: memory.recall(q)) for q in questions]
    figures = []
    for way, connected in (("stdio", lambda: _on_streams(path)), ("HTTP", lambda: _on_http(path))):
        ready = [asyncio.run(_ready(connected)) for _ in range(_STARTS)]
        times = asyncio.run(_asked(connected, questions))
        added = quantile(times, 0.5) - quantile(alone, 0.5)
        note = f"wall p50 {quantile(times, 0.5):.1f} ms, the library {quantile(alone, 0.5):.1f}"
        slowest = f"median of {_STARTS} starts, the slowest {max(ready):.2f} s; client included"
        figures += [
            Figure(f"MCP over {way} at {label}: added to a recall", added, 5.0, "lower", "ms wall", note),
            Figure(f"MCP over {way} at {label}: ready after", quantile(ready, 0.5), 1.5, "lower", "s wall", slowest),
        ]
    return figures


def _milliseconds(work: Any) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e3


async def _ready(connected: Connected) -> float:
    """From before the process starts until it has said what tools it has."""
    import mcp.client.client  # noqa: F401 - the client is not what is measured

    start = time.perf_counter()
    async with connected() as client:
        await client.list_tools()
        return time.perf_counter() - start


async def _asked(connected: Connected, questions: Sequence[str]) -> list[float]:
    async with connected() as client:
        await client.list_tools()
        await client.call_tool("recall", {"query": questions[0]})
        times = []
        for question in questions:
            begun = time.perf_counter()
            await client.call_tool("recall", {"query": question})
            times.append((time.perf_counter() - begun) * 1e3)
    return times


def _environment(path: Path) -> dict[str, str]:
    return {**os.environ, "RECOLLECT_DB": str(path), "RECOLLECT_EMBEDDER": "none", "RECOLLECT_TOUCH": "false"}


@asynccontextmanager
async def _on_streams(path: Path) -> AsyncIterator[Any]:
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters

    server = StdioServerParameters(command=sys.executable, args=["-m", "recollect", "mcp"], env=_environment(path))
    async with Client(server) as client:
        yield client


@asynccontextmanager
async def _on_http(path: Path) -> AsyncIterator[Any]:
    from mcp.client.client import Client

    command = [sys.executable, "-m", "recollect", "mcp", "--http", "--port", "0"]
    with subprocess.Popen(command, env=_environment(path), stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            async with Client(server.stderr.readline().split()[-1]) as client:
                yield client
        finally:
            server.terminate()
