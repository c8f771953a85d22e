"""Fixtures of the MCP tests: a server in this process for what it answers, real processes for how it runs."""

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

from recollect.adapters.toolsets import TOOLSETS
from recollect.serve.mcp.app import App
from recollect.serve.mcp.lifespan import StoreLifespan
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder

sys.path.insert(0, str(Path(__file__).parent))

from mcp_clients import Scene, capture_failure, unwrap


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture(params=["auto", "legacy"])
def era(request: pytest.FixtureRequest) -> str:
    """The protocol: the current revision, or the older handshake."""
    return request.param


@pytest.fixture
def run_scene(store: Path, clock: FixedClock, embedder: HashingEmbedder) -> Callable[..., Any]:
    """Run a scene with a client of a server in this process."""

    def run(scene: Scene, tools: str = "recollect", mode: str = "auto", **options: Any) -> Any:
        async def connect() -> Any:
            options.setdefault("project", "shop")
            store_lifespan = StoreLifespan({"db": store, "embedder": embedder, "clock": clock, **options})
            server = App(TOOLSETS[tools], "default", clock).server(store_lifespan.lifespan)
            async with Client(server, mode=mode) as client:
                return await capture_failure(scene(client))

        return unwrap(asyncio.run(connect()))

    return run


@pytest.fixture(scope="session")
def older_python() -> Path:
    """A Python with the SDK before the current revision; created once, shared by all test processes."""
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
