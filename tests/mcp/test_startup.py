"""A server is ready before its store: the handshake is answered at once, calls wait, and a failure to open is reported."""

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
from mcp_clients import RECOLLECT, RawClient, call, capture_failure, environment, on_http, unwrap
from pydantic import BaseModel

from recollect.advice import install_command
from recollect.serve.mcp.startup import deferred_models


@pytest.fixture
def locked_file(store: Path) -> Iterator[sqlite3.Connection]:
    """A lock on the file: it cannot be opened as a store until this connection releases it."""
    with closing(sqlite3.connect(store, isolation_level=None)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        yield lock


def test_on_http_the_tools_are_listed_while_the_store_cannot_be_opened_yet(
    store: Path, locked_file: sqlite3.Connection, era: str
) -> None:
    async def scene(client: Client) -> None:
        waiting = asyncio.ensure_future(call(client, "remember", content="Lunch is at noon"))
        assert len((await client.list_tools()).tools) == 11
        assert not waiting.done()
        locked_file.execute("ROLLBACK")
        assert (await waiting).structured["kind"] == "stored"

    async def run(url: str) -> Any:
        async with Client(url, mode=era) as client:
            return await capture_failure(scene(client))

    with on_http(store) as (url, process):
        unwrap(asyncio.run(run(url)))
        process.terminate()
        assert process.wait(20) == 0


def test_on_stdio_the_tools_are_listed_while_the_store_cannot_be_opened_yet(
    store: Path, locked_file: sqlite3.Connection
) -> None:
    with RawClient(store) as raw:
        raw.initialize()
        raw.call(1, "remember", content="Lunch is at noon")
        raw.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        assert raw.read()["id"] == 2
        locked_file.execute("ROLLBACK")
        assert raw.read()["result"]["structuredContent"]["kind"] == "stored"


def test_on_http_a_store_that_cannot_be_opened_ends_the_server_with_the_reason(store: Path) -> None:
    store.write_bytes(b"this is not a database, but it is long enough to be taken for one" * 40)
    command = [*RECOLLECT, "mcp", "--http", "--port", "0"]
    ran = subprocess.run(command, env=environment(store), capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 3
    assert "Traceback" not in ran.stderr and "restore a backup" in ran.stderr
    assert ran.stderr.count(str(store)) == 1


def test_invalid_settings_end_the_server_before_it_prints_an_address(store: Path) -> None:
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
    assert "the MCP SDK is not installed" in ran.stderr and install_command("mcp") in ran.stderr


def test_models_declared_in_deferred_models_are_built_on_first_use_and_others_at_once() -> None:
    try:
        with deferred_models():

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
