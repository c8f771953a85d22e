"""MCP as clients meet it: a server in this process for what it says, real processes for how it stands up."""

from __future__ import annotations

import asyncio
import fcntl
import os
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client

from recollect.serve.mcp.app import App
from recollect.serve.mcp.opening import Opening
from recollect.serve.mcp.sets import SETS
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder

sys.path.insert(0, str(Path(__file__).parent))

from playing import Scene, made, outcome_of


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture(params=["auto", "legacy"])
def era(request: pytest.FixtureRequest) -> str:
    """The current revision, and the older handshake."""
    return request.param


@pytest.fixture
def played(store: Path, clock: FixedClock, embedder: HashingEmbedder) -> Callable[..., Any]:
    """Play a scene with a client of a server in this process."""

    def play(scene: Scene, tools: str = "recollect", mode: str = "auto", **named: Any) -> Any:
        async def run() -> Any:
            named.setdefault("project", "shop")
            opening = Opening({"db": store, "embedder": embedder, "clock": clock, **named})
            server = App(SETS[tools], "default").server(opening.lifespan)
            async with Client(server, mode=mode) as client:
                return await outcome_of(scene(client))

        return made(asyncio.run(run()))

    return play


@pytest.fixture(scope="session")
def older_python() -> Path:
    """A Python that has the SDK of before the current revision; made once, shared by all test processes."""
    folder = Path(sys.prefix) / "mcp1"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = folder / "ready"
    with (Path(sys.prefix) / "mcp1.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            venv.create(folder, with_pip=True, clear=True)
            install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "mcp<2"]
            subprocess.run(install, check=True, timeout=300)
            ready.write_text(time.strftime("%F"))
    return python
