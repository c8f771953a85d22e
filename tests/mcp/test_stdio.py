"""`recollect mcp` as a process: real clients of both eras, invalid messages, many servers on one file, a clean end."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp_clients import RECOLLECT, RawClient, call, capture_failure, environment, on_stdio, unwrap

import recollect

VERSIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
NONSENSE = ("{broken", "[]", '"text"', "", "null", "\x00\x01", '{"jsonrpc": "1.0"}', b"\xff\xfe\xfd")
# Prints when it is imported: once through Python, once directly to the file descriptor.
NOISY = "import os\nprint('a stray print', flush=True)\nos.write(1, b'and a raw one\\n')\nraise ImportError\n"
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "pipe", "version": "1"}}


def contents_of(store: Path) -> list[str]:
    """The texts in a store, newest first."""
    with recollect.open(store, embedder="none", project="shop") as memory:
        return [record.content for record in memory.list(limit=2000)]


def piped(store: Path, calls: list[dict[str, Any]], *before: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a server with all requests on its stdin."""
    messages = [{"id": 0, "method": "initialize", "params": HELLO}]
    messages += [
        {"id": n, "method": "tools/call", "params": {"name": "remember", "arguments": c}}
        for n, c in enumerate(calls, 1)
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    seen = environment(store, **more.pop("env", {}))
    command = [*RECOLLECT, *before]
    return subprocess.run(
        command, input=lines, env=seen, capture_output=True, text=True, timeout=60, check=False, **more
    )


def test_the_client_of_the_sdk_works_in_the_current_revision_and_with_the_older_handshake(
    store: Path, era: str
) -> None:
    async def scene(client: Client) -> None:
        assert client.protocol_version == VERSIONS[era]
        assert client.server_info is not None and client.server_info.name == "recollect"
        kept = await call(client, "remember", content="We deploy with make deploy")
        found = await call(client, "recall", query="how do we deploy?")
        assert [hit["id"] for hit in found.structured["hits"]] == [kept.structured["id"]]
        assert "lexical only" in found.text, "without a model it says so"

    async def run() -> Any:
        async with Client(on_stdio(store), mode=era) as client:
            return await capture_failure(scene(client))

    unwrap(asyncio.run(run()))


def test_an_older_client_works(store: Path, older_python: Path) -> None:
    script = [str(older_python), str(Path(__file__).with_name("older_client.py"))]
    command = [*script, *RECOLLECT, "--project", "shop", "mcp"]
    ran = subprocess.run(command, env=environment(store), capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    seen = json.loads(ran.stdout)
    assert seen["version"] == "2025-11-25" and len(seen["tools"]) == 11
    assert (seen["kept"], seen["found"]) == ("stored", ["We deploy with make deploy"])
    failed, text, form, meta = seen["wrong"]
    assert failed is True and "querry: is not an argument of recall" in text and form is None
    assert meta["recollect/error"]["kind"] == "InvalidInput" and meta["recollect/error"]["field"] == "querry"
    assert seen["pinned"] == "Nothing is pinned." and len(seen["resources"]) == 3 and len(seen["prompts"]) == 2


def test_invalid_messages_are_answered_and_sigterm_ends_the_server_cleanly(store: Path) -> None:
    with RawClient(store) as raw:
        raw.initialize()
        for nonsense in NONSENSE:
            raw.send(nonsense)
        raw.send({"jsonrpc": "2.0", "id": 7, "method": "no/such"})
        raw.call(8, "recall", query="still there?")
        told: dict[Any, Any] = {}
        while 8 not in told or 7 not in told:
            answer = raw.read()
            told[answer["id"]] = answer
        assert told[None]["error"]["code"] == -32700
        assert told[7]["error"]["code"] == -32601
        assert told[8]["result"]["isError"] is False

        raw.call(9, "remember", content="x" * 10_000_000)
        refused = raw.read()["result"]
        assert refused["isError"] is True and "500,000" in refused["content"][0]["text"]
        raw.call(10, "remember", **{"y" * 1_000_000: 1, "content": "x"})
        assert len(raw.read()["result"]["content"][0]["text"]) < 1000
        raw.call(11, "remember", content="The kitchen is on the second floor")
        assert raw.read()["result"]["structuredContent"]["kind"] == "stored"

        raw.process.send_signal(signal.SIGTERM)
        assert raw.process.wait(20) == 0
        assert raw.process.stderr is not None and raw.process.stderr.read() == b""
    assert contents_of(store) == ["The kitchen is on the second floor"]


def test_stray_prints_do_not_reach_stdout_and_a_kill_leaves_the_store_consistent(store: Path, tmp_path: Path) -> None:
    noisy = tmp_path / "noisy"
    noisy.mkdir()
    (noisy / "sqlite3_extra.py").write_text(NOISY)
    (noisy / "sitecustomize.py").write_text(
        "import sys, sqlite3\nreal = sqlite3.connect\n"
        "def connect(*a, **k):\n"
        "    try:\n        import sqlite3_extra\n    except ImportError:\n        pass\n"
        "    return real(*a, **k)\nsqlite3.connect = connect\n"
    )
    with RawClient(store, PYTHONPATH=str(noisy)) as raw:
        raw.initialize()
        for n in range(60):
            raw.call(n, "remember", content=f"Fact number {n} of a long talk")
        acknowledged = [raw.read()["id"] for _ in range(5)]
        raw.process.kill()
        said = raw.process.communicate()[1].decode()
    assert "a stray print" in said and "and a raw one" in said
    kept = contents_of(store)
    assert {f"Fact number {n} of a long talk" for n in acknowledged} <= set(kept)
    with recollect.open(store, embedder="none", project="shop") as memory:
        found = memory.doctor()
        assert found["integrity"] == "ok" and not found["orphans"]
        assert len(memory.log(limit=1000)) == len(kept), "every memory has its event, every event its memory"


def test_a_client_that_closes_its_input_gets_pending_results_under_its_identity(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bakery"
    folder.mkdir()
    (folder / ".recollect.toml").write_text('project = "bakery-app"\n')
    calls = [{"content": f"Rye number {n} is sold out"} for n in range(4)]
    calls.append({"content": "The oven is called Bertha", "scope": "agent"})
    calls.append({"content": "The night shift starts at two", "scope": "team", "more": {"team": "night"}})
    ran = piped(
        store, calls, "--agent", "baker", "mcp", "--team", "night", cwd=folder, env={"RECOLLECT_ACCOUNT": "acme"}
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    told = {message["id"]: message["result"] for message in map(json.loads, ran.stdout.splitlines())}
    assert told.keys() == set(range(7))
    assert told[1]["structuredContent"]["memory"]["project"] == "bakery-app"
    assert told[5]["structuredContent"]["memory"]["agent"] == "baker"
    assert told[6]["structuredContent"]["memory"]["team"] == "night"
    with recollect.open(store, embedder="none", account="acme", agent="baker", teams=["night"]) as memory:
        assert len(memory.list()) == 6
    with recollect.open(store, embedder="none") as memory:
        assert memory.list() == []


def test_ten_servers_on_one_file_see_each_others_writes_at_the_next_call(store: Path) -> None:
    clients = [RawClient(store) for _ in range(10)]
    try:
        for raw in clients:
            raw.initialize()
        for turn, raw in enumerate(clients):
            raw.call(1, "remember", content=f"Team {turn} sits in room {100 + turn}")
            assert raw.read()["result"]["structuredContent"]["kind"] == "stored"
            reader = clients[(turn + 1) % len(clients)]
            reader.call(2, "recall", query=f"where does team {turn} sit?", limit=1)
            (hit,) = reader.read()["result"]["structuredContent"]["hits"]
            assert hit["content"] == f"Team {turn} sits in room {100 + turn}"
        for number, raw in enumerate(clients):
            for n in range(5):
                raw.call(10 + n, "remember", content=f"Badge {number * 5 + n} belongs to guest {chr(65 + n)}{number}")
        for raw in clients:
            assert [raw.read()["result"]["structuredContent"]["kind"] for _ in range(5)] == ["stored"] * 5
    finally:
        for raw in clients:
            raw.__exit__()
    assert len(contents_of(store)) == 60


def test_a_store_that_cannot_be_opened_is_reported_to_the_agent_and_on_stderr(store: Path) -> None:
    store.write_bytes(b"this is not a database, but it is long enough to be taken for one" * 40)
    ran = piped(store, [{"content": "Lunch is at noon"}], "mcp")
    told = json.loads(ran.stdout.splitlines()[1])["result"]
    assert told["isError"] is True and "restore a backup" in told["content"][0]["text"]
    assert ran.returncode == 3
    assert "Traceback" not in ran.stderr and ran.stderr.count(str(store)) == 1
