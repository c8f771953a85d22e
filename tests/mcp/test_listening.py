"""Who listens to a resource is told when it says something else, whoever changed it, and only then."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.subscriptions import ListenNotSupportedError, ResourceUpdated
from mcp.shared.exceptions import MCPError
from playing import RECOLLECT, Line, call, environment, made, on_http, on_stdio, outcome_of

import recollect
from recollect.serve.mcp.listening import Listening

Played = Callable[..., Any]
PINNED, START, LATEST = "recollect://pinned", "recollect://bootstrap", "recollect://narrative/latest"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
LISTEN = {
    "jsonrpc": "2.0",
    "id": "ear",
    "method": "subscriptions/listen",
    "params": {"notifications": {"resourceSubscriptions": [PINNED]}, "_meta": META},
}
_SOON = 20


async def told_of_what_others_write(client: Client, store: Path) -> None:
    """Another process pins a memory; one that is not pinned is no news for what is."""
    async with client.listen(resource_subscriptions=[PINNED, START]) as heard:
        with recollect.open(store, embedder="none", project="shop") as other:
            other.remember("The kettle is blue")
            assert await asyncio.wait_for(anext(heard), _SOON) == ResourceUpdated(START)
            other.remember("Answer in German", delivery="pinned")
        news = {await asyncio.wait_for(anext(heard), _SOON) for _ in range(2)}
        assert news == {ResourceUpdated(PINNED), ResourceUpdated(START)}
        assert "Answer in German" in (await client.read_resource(PINNED)).contents[0].text


@pytest.mark.parametrize("where", ["stdio", "http"])
def test_a_client_is_told_of_what_another_process_writes(store: Path, where: str) -> None:
    async def run(target: Any) -> Any:
        async with Client(target) as client:
            return await outcome_of(told_of_what_others_write(client, store))

    if where == "stdio":
        made(asyncio.run(run(on_stdio(store))))
        return
    with on_http(store) as (url, _):
        made(asyncio.run(run(url)))


def test_each_who_listens_is_told_once_and_only_of_what_it_asked_for(played: Played) -> None:
    async def scene(client: Client) -> None:
        kept = (await call(client, "remember", content="The kettle is blue")).form["id"]
        one = f"recollect://memory/{kept}"
        async with (
            client.listen(resource_subscriptions=[one, one]) as first,
            client.listen(resource_subscriptions=[one, LATEST, "recollect://nothing"]) as second,
        ):
            for content in ("The kettle is red", "The kettle is green"):
                await call(client, "update", id=kept, content=content)
                for heard in (first, second):
                    assert await asyncio.wait_for(anext(heard), _SOON) == ResourceUpdated(one)

    played(scene)


def test_listening_does_not_count_as_reading(played: Played) -> None:
    async def scene(client: Client, said: str = "The report for the board is written in German") -> str:
        await call(client, "remember", content=said, delivery="pinned")
        async with client.listen(resource_subscriptions=[PINNED]):
            # What an agent was given to read and says again is an echo; what was only watched it found out itself.
            return (await call(client, "remember", content=said, source="inferred")).form["kind"]

    assert played(scene) == "reinforced"


def test_more_than_can_be_watched_is_refused(played: Played) -> None:
    async def scene(client: Client) -> None:
        with pytest.raises(MCPError, match="at most 16"):
            async with client.listen(resource_subscriptions=[f"recollect://memory/{n:04d}" for n in range(17)]):
                pass

    played(scene)


def test_only_the_current_revision_offers_it(played: Played, store: Path) -> None:
    async def current(client: Client) -> bool | None:
        assert client.server_capabilities.resources is not None
        return client.server_capabilities.resources.subscribe

    async def older(client: Client) -> bool | None:
        with pytest.raises(ListenNotSupportedError):
            async with client.listen(resource_subscriptions=[PINNED]):
                pass
        return await current(client)

    assert played(current) is True
    assert not played(older, mode="legacy")
    with Line(store) as line:
        line.initialize()
        line.send({**LISTEN, "params": {"notifications": {}}})
        assert line.read()["error"]["code"] == -32601


def test_a_client_that_closes_its_end_gets_the_last_answer_of_its_stream(store: Path) -> None:
    ran = subprocess.run(
        [*RECOLLECT, "--project", "shop", "mcp"],
        input=json.dumps({**LISTEN, "params": {"notifications": {"toolsListChanged": True}, "_meta": META}}) + "\n",
        env=environment(store),
        capture_output=True,
        text=True,
        timeout=_SOON,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    acknowledged, last = map(json.loads, ran.stdout.splitlines())
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert acknowledged["params"]["_meta"][SUBSCRIPTION] == last["result"]["_meta"][SUBSCRIPTION] == "ear"


def test_a_stream_that_begins_after_the_end_is_acknowledged_and_ended_like_the_others() -> None:
    told: list[Any] = []

    async def hear(notification: Any, **_: Any) -> None:
        told.append(notification.method)

    async def scene() -> Any:
        listening = Listening(lambda _, uris: asyncio.sleep(0, dict.fromkeys(uris, "")))
        listening.hang_up()
        asked = types.SubscriptionsListenRequestParams.model_validate(
            {"notifications": {"toolsListChanged": True}, "_meta": META}
        )
        client: Any = SimpleNamespace(request_id="ear", session=SimpleNamespace(send_notification=hear))
        return await asyncio.wait_for(listening(client, asked), _SOON)

    assert asyncio.run(scene()).meta[SUBSCRIPTION] == "ear"
    assert told == ["notifications/subscriptions/acknowledged"]


def test_a_server_that_is_told_to_stop_ends_its_streams_in_order(store: Path) -> None:
    async def run(url: str, stop: Callable[[], None]) -> Any:
        async with Client(url) as client:
            return await outcome_of(scene(client, stop))

    async def scene(client: Client, stop: Callable[[], None]) -> list[Any]:
        async with client.listen(resource_subscriptions=[PINNED]) as heard:
            stop()
            return [event async for event in heard]

    with on_http(store) as (url, process):
        assert made(asyncio.run(run(url, process.terminate))) == []
        assert process.wait(_SOON) == 0
        assert process.stderr is not None and process.stderr.read() == ""
