"""`recollect mcp --http` as a process: both protocol eras, a thousand concurrent calls, and hostile requests."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import subprocess
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp_clients import RECOLLECT, call, capture_failure, environment, on_http, unwrap

import recollect

ACCEPTS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
MODERN = {**ACCEPTS, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "recall"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def recall_of(number: int) -> dict[str, Any]:
    params = {"name": "recall", "arguments": {"query": f"who has badge {number}?", "limit": 1}, "_meta": META}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


async def _both_eras(url: str) -> None:
    for mode, version in (("auto", "2026-07-28"), ("legacy", "2025-11-25")):
        async with Client(url, mode=mode) as client:
            assert client.protocol_version == version
            told = await capture_failure(_kept(client, version))
        unwrap(told)


async def _kept(client: Client, version: str) -> None:
    kept = await call(client, "remember", content=f"The {version} client has its own mug")
    found = await call(client, "recall", query=f"{version} client mug", limit=1)
    assert [hit["id"] for hit in found.structured["hits"]] == [kept.structured["id"]]
    assert (await call(client, "recall", querry="x")).failed
    assert (await client.read_resource("recollect://pinned")).contents[0].text == "Nothing is pinned."


async def _a_thousand_concurrent_calls(url: str) -> None:
    """Nine hundred recalls and a hundred writes at the same time: all are answered, and no write is lost."""
    limits = httpx2.Limits(max_connections=200, max_keepalive_connections=200)
    async with Client(url) as client, httpx2.AsyncClient(limits=limits, timeout=60) as web:
        writes = [call(client, "remember", content=f"Badge {n} belongs to guest number {n}") for n in range(100)]
        questions = [web.post(url, json=recall_of(n), headers=MODERN) for n in range(900)]
        kept, answers = await asyncio.gather(asyncio.gather(*writes), asyncio.gather(*questions))
    assert {told.structured["kind"] for told in kept} == {"stored"}
    assert {answer.status_code for answer in answers} == {200}
    assert {answer.json()["id"] for answer in answers} == set(range(900))


async def _hostile_requests(url: str) -> None:
    port = url.split(":")[2].split("/")[0]
    async with httpx2.AsyncClient() as web:

        async def status(body: Any = None, **headers: str) -> int:
            content = body if isinstance(body, bytes) else json.dumps(body or recall_of(1)).encode()
            return (await web.post(url, content=content, headers={**MODERN, **headers})).status_code

        for headers in (MODERN, ACCEPTS):
            for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", "169.254.169.254"):
                assert await status(**{**headers, "host": host}) == 421, host
            assert await status(**{**headers, "origin": "http://evil.example"}) == 403
        assert await status(origin=f"http://localhost:{port}") == 200
        # Refused by its Content-Length: the connection may be closed before the response is read.
        with contextlib.suppress(httpx2.TransportError):
            assert await status(b"{" + b"x" * 10_000_000) == 413
        assert await status(b"{broken") == 400
        assert await status(b"\xff\xfe") == 400
        assert await status(**{"content-type": "text/plain"}) in (400, 415)
        assert await status(**{"mcp-method": "tools/list"}) == 400, "a header that contradicts the body"
        assert await status({**recall_of(1), "method": "no/such"}, **{"mcp-method": "no/such"}) in (200, 404)
        for path in ("/", "/../etc/passwd", "/mcp/../..", "/admin"):
            assert (await web.get(url.replace("/mcp", path))).status_code in (404, 406)
        assert await status() == 200, "and it still serves"


def test_the_server_on_loopback_serves_its_clients_and_nobody_else(store: Path, older_python: Path) -> None:
    with on_http(store, RECOLLECT_DURABILITY="process") as (url, process):
        asyncio.run(_both_eras(url))
        script = [str(older_python), str(Path(__file__).with_name("older_client.py")), url]
        older = subprocess.run(script, capture_output=True, text=True, timeout=60, check=False)
        assert older.returncode == 0, older.stderr
        assert json.loads(older.stdout)["found"] == ["We deploy with make deploy"]
        asyncio.run(_a_thousand_concurrent_calls(url))
        asyncio.run(_hostile_requests(url))
        process.terminate()
        assert process.wait(20) == 0
    with recollect.open(store, embedder="none", project="shop") as memory:
        assert len([m for m in memory.list(limit=1000) if m.content.startswith("Badge ")]) == 100


def test_a_port_in_use_is_an_error_that_says_what_to_do(store: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [*RECOLLECT, "mcp", "--http", "--port", port]
        ran = subprocess.run(command, env=environment(store), capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 2
    assert f"port: {port} is used by another program" in ran.stderr and "Traceback" not in ran.stderr
