"""Doors: what MCP adds to a recall, over standard streams and over HTTP, and how long a server takes to be ready."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import recollect
from bench.metrics import quantile
from bench.tables import Figure

_QUESTIONS = 60


def door_figures(path: Path, asked: Sequence[str], label: str) -> list[Figure]:
    """Recalls by words alone, so that the model is on neither side of the comparison."""
    questions = [asked[number % len(asked)] for number in range(_QUESTIONS)]
    with recollect.open(path, embedder="none", touch=False) as memory:
        memory.recall(questions[0])
        alone = [_milliseconds(lambda q=q: memory.recall(q)) for q in questions]
    figures = []
    for way, (ready, times) in (("stdio", _over_streams(path, questions)), ("HTTP", _over_http(path, questions))):
        added = quantile(times, 0.5) - quantile(alone, 0.5)
        note = f"wall p50 {quantile(times, 0.5):.1f} ms, the library {quantile(alone, 0.5):.1f}"
        figures += [
            Figure(f"MCP over {way} at {label}: added to a recall", added, 5.0, "lower", "ms wall", note),
            Figure(f"MCP over {way} at {label}: ready after", ready, 1.5, "lower", "s wall"),
        ]
    return figures


def _milliseconds(work: Any) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e3


def _environment(path: Path) -> dict[str, str]:
    return {**os.environ, "RECOLLECT_DB": str(path), "RECOLLECT_EMBEDDER": "none", "RECOLLECT_TOUCH": "false"}


async def _asked(target: Any, questions: Sequence[str], start: float) -> tuple[float, list[float]]:
    from mcp.client.client import Client

    async with Client(target) as client:
        await client.list_tools()
        ready = time.perf_counter() - start
        await client.call_tool("recall", {"query": questions[0]})
        times = []
        for question in questions:
            begun = time.perf_counter()
            await client.call_tool("recall", {"query": question})
            times.append((time.perf_counter() - begun) * 1e3)
    return ready, times


def _over_streams(path: Path, questions: Sequence[str]) -> tuple[float, list[float]]:
    from mcp.client.stdio import StdioServerParameters

    server = StdioServerParameters(command=sys.executable, args=["-m", "recollect", "mcp"], env=_environment(path))
    return asyncio.run(_asked(server, questions, time.perf_counter()))


def _over_http(path: Path, questions: Sequence[str]) -> tuple[float, list[float]]:
    start = time.perf_counter()
    command = [sys.executable, "-m", "recollect", "mcp", "--http", "--port", "0"]
    with subprocess.Popen(command, env=_environment(path), stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            address = server.stderr.readline().split()[-1]
            return asyncio.run(_asked(address, questions, start))
        finally:
            server.terminate()
