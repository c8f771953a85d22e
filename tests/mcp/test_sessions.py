"""Sessions: idle ones end, what is sent slowly is cut, lists do not change, and the project may come from the client's roots."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
import uvicorn
from mcp.client.client import Client
from mcp_clients import RawClient, call

from recollect.adapters.toolsets import TOOLSETS
from recollect.project import Project
from recollect.serve.mcp.app import App
from recollect.serve.mcp.http import DeadlineProtocol, RequestBodies, web_app
from recollect.serve.mcp.lifespan import StoreLifespan
from recollect.serve.mcp.roots import is_no_project, project_of_uri

RunScene = Callable[..., Any]
ACCEPTS = {"accept": "application/json, text/event-stream", "content-type": "application/json", "host": "127.0.0.1:80"}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "idle", "version": "1"}}
SECONDS = 20


def test_lists_do_not_change_and_resources_are_subscribed_to_where_they_can_be(run_scene: RunScene, era: str) -> None:
    async def scene(client: Client) -> None:
        offered = client.server_capabilities
        assert [offered.tools.list_changed, offered.prompts.list_changed, offered.resources.list_changed] == [False] * 3
        assert offered.resources.subscribe is (era == "auto")

    run_scene(scene, mode=era)


def test_an_idle_session_ends(store: Path) -> None:
    async def scene() -> None:
        server = App(TOOLSETS["recollect"], "default").server(StoreLifespan({"db": store, "embedder": "none"}).lifespan)
        app: Any = web_app(server, idle_seconds=0.2)
        transport = httpx2.ASGITransport(app)
        async with (
            server.session_manager.run(),
            httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:80", headers=ACCEPTS) as web,
        ):
            body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
            session = (await web.post("/mcp", json=body)).headers["mcp-session-id"]
            ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
            with anyio.fail_after(SECONDS):
                while True:
                    await anyio.sleep(0.3)  # longer than the session may be idle: a request keeps it alive
                    if (await web.post("/mcp", json=ping, headers={"mcp-session-id": session})).status_code == 404:
                        return

    asyncio.run(scene())


def test_a_body_that_is_not_sent_in_time_is_cut() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("the request was never complete")

    async def scene() -> list[Any]:
        sent: list[Any] = []

        async def receive() -> Any:
            await anyio.sleep_forever()

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "POST", "headers": []}
        with anyio.fail_after(SECONDS):
            await RequestBodies(app, seconds=0.05)(scope, receive, send)
        return sent

    assert asyncio.run(scene())[0]["status"] == 408


@pytest.mark.parametrize("sent", [b"", b"POST /mcp HTTP/1.1\r\nhost: x\r\n"])
def test_a_head_that_is_not_sent_in_time_is_cut(sent: bytes) -> None:
    class Impatient(DeadlineProtocol):
        seconds = 0.1

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("the request was never complete")

    async def scene() -> bytes:
        listener = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, http=Impatient, lifespan="off", log_config=None))
        serving = asyncio.ensure_future(server.serve(sockets=[listener]))
        try:
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            writer.write(sent)
            with anyio.fail_after(SECONDS):
                left = await reader.read()
            writer.close()
            return left
        finally:
            server.should_exit = True
            await serving

    assert asyncio.run(scene()) == b""


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    folder = tmp_path / "open here" / "bakery"
    folder.mkdir(parents=True)
    (folder / ".recollect.toml").write_text('project = "bakery-app"\n')
    return folder


def test_the_project_of_a_root(opened: Path, tmp_path: Path) -> None:
    assert project_of_uri(opened.as_uri()) == "bakery-app"
    assert project_of_uri(tmp_path.as_uri()) == tmp_path.name
    for other in ("https://example.org/x", "file:///no/such/folder", "file:///", Path.home().as_uri(), "nonsense", ""):
        assert project_of_uri(other) is None, other


def test_only_the_name_of_a_folder_that_is_no_project_gives_way() -> None:
    home = Path.home()
    assert is_no_project(Project(home.name, "folder name"), home)
    assert is_no_project(Project("root", "folder name"), Path("/"))
    assert not is_no_project(Project("shop", "given"), home)
    assert not is_no_project(Project("shop", "folder name"), home / "shop")


def test_a_server_started_in_no_project_asks_the_client_once(store: Path, opened: Path) -> None:
    asked: list[Any] = []

    async def roots(*_: Any) -> types.ListRootsResult:
        asked.append(1)
        return types.ListRootsResult(roots=[types.Root(uri="file:///no/such/folder"), types.Root(uri=opened.as_uri())])

    async def scene(client: Client) -> str:
        kept = [
            await call(client, "remember", content=text) for text in ("The oven is called Bertha", "Rye is sold out")
        ]
        return {each.structured["memory"]["project"] for each in kept}.pop()

    async def run(ask_roots: bool, callback: Any) -> str:
        lifespan = StoreLifespan({"db": store, "embedder": "none", "project": "home"}).lifespan
        server = App(TOOLSETS["recollect"], "default", ask_roots=ask_roots).server(lifespan)
        async with Client(server, mode="legacy", list_roots_callback=callback) as client:
            return await scene(client)

    assert asyncio.run(run(True, roots)) == "bakery-app" and len(asked) == 1
    assert asyncio.run(run(False, roots)) == "home" and len(asked) == 1
    assert asyncio.run(run(True, None)) == "home"


def test_on_stdio_the_roots_are_asked_for_when_the_folder_is_home(
    store: Path, opened: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with RawClient(store, project=None, HOME=str(tmp_path)) as raw:
        raw.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO | {"capabilities": {"roots": {}}}})
        assert raw.read()["result"]["serverInfo"]["name"] == "recollect"
        raw.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        raw.call(1, "remember", content="The oven is called Bertha")
        asked = raw.read()
        assert asked["method"] == "roots/list"
        raw.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": opened.as_uri()}]}})
        assert raw.read()["result"]["structuredContent"]["memory"]["project"] == "bakery-app"
