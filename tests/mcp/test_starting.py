"""A server is ready before its store is: greetings are answered at once, calls wait, and a store that will not open is told."""

from __future__ import annotations

import asyncio
import gc
import json
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from playing import RECOLLECT, Line, call, environment, made, on_http, outcome_of
from pydantic import BaseModel

from recollect.serve.mcp.lean import lean_imports


@pytest.fixture
def held_back(store: Path) -> Iterator[sqlite3.Connection]:
    """A file that nobody can open as a store until this connection lets go."""
    with closing(sqlite3.connect(store, isolation_level=None)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        yield lock


def test_on_http_the_tools_are_listed_while_the_store_cannot_be_opened_yet(
    store: Path, held_back: sqlite3.Connection, era: str
) -> None:
    async def scene(client: Client) -> None:
        waiting = asyncio.ensure_future(call(client, "remember", content="Lunch is at noon"))
        assert len((await client.list_tools()).tools) == 10
        assert not waiting.done()
        held_back.execute("ROLLBACK")
        assert (await waiting).form["kind"] == "stored"

    async def run(url: str) -> Any:
        async with Client(url, mode=era) as client:
            return await outcome_of(scene(client))

    with on_http(store) as (url, process):
        made(asyncio.run(run(url)))
        process.terminate()
        assert process.wait(20) == 0


def test_on_stdio_the_tools_are_listed_while_the_store_cannot_be_opened_yet(
    store: Path, held_back: sqlite3.Connection
) -> None:
    with Line(store) as line:
        line.initialize()
        line.call(1, "remember", content="Lunch is at noon")
        line.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        assert line.read()["id"] == 2
        held_back.execute("ROLLBACK")
        assert line.read()["result"]["structuredContent"]["kind"] == "stored"


def test_on_http_a_store_that_cannot_be_opened_ends_the_server_with_the_reason(store: Path) -> None:
    store.write_bytes(b"this is not a database, but it is long enough to be taken for one" * 40)
    command = [*RECOLLECT, "mcp", "--http", "--port", "0"]
    ran = subprocess.run(command, env=environment(store), capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 3
    assert "Traceback" not in ran.stderr and "restore a backup" in ran.stderr
    assert ran.stderr.count(str(store)) == 1


def test_settings_that_are_wrong_end_the_server_before_it_says_an_address(store: Path) -> None:
    command = [*RECOLLECT, "mcp", "--http", "--port", "0"]
    wrong = environment(store, RECOLLECT_EMBEDDER="psychic")
    ran = subprocess.run(command, env=wrong, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 2
    assert "psychic" in ran.stderr and "http://" not in ran.stderr


def test_without_the_sdk_the_command_says_what_to_install(store: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "sitecustomize.py").write_text(
        "import importlib.util\nreal = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *a: None if name == 'mcp_types' else real(name, *a)\n"
    )
    seen = environment(store, PYTHONPATH=str(blocked))
    ran = subprocess.run([*RECOLLECT, "mcp"], env=seen, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 2
    assert "the MCP SDK is not installed" in ran.stderr and "recollect[mcp]" in ran.stderr


def test_models_that_are_declared_leanly_are_built_when_they_are_used_and_others_as_ever() -> None:
    try:
        with lean_imports():

            class Late(BaseModel):
                number: int

            assert not gc.isenabled()
        assert gc.isenabled()
    finally:
        gc.unfreeze()

    class Early(BaseModel):
        number: int

    assert (Late.__pydantic_complete__, Early.__pydantic_complete__) == (False, True)
    assert Late.model_validate_json(json.dumps({"number": 7})).number == 7
    assert Late.__pydantic_complete__
