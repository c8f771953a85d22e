"""A subscriber is notified when the text of a resource changes, whoever changed it, and only then."""

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
from mcp_clients import RECOLLECT, RawClient, call, capture_failure, environment, on_http, on_stdio, unwrap

import recollect
from recollect.serve.mcp.subscriptions import Subscriptions

RunScene = Callable[..., Any]
PINNED, START, LATEST = "recollect://pinned", "recollect://bootstrap", "recollect://narrative/latest"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
LISTEN = {
    "jsonrpc": "2.0",
    "id": "stream-1",
    "method": "subscriptions/listen",
    "params": {"notifications": {"resourceSubscriptions": [PINNED]}, "_meta": META},
}
_SOON = 20


async def notified_of_other_writers(client: Client, store: Path) -> None:
    """Another process pins a memory; one that is not pinned does not change the pinned resource."""
    async with client.listen(resource_subscriptions=[PINNED, START]) as heard:
        with recollect.open(store, embedder="none", project="shop") as other:
            other.remember("The kettle is blue")
            assert await asyncio.wait_for(anext(heard), _SOON) == ResourceUpdated(START)
            other.remember("Answer in German", delivery="pinned")
        news = {await asyncio.wait_for(anext(heard), _SOON) for _ in range(2)}
        assert news == {ResourceUpdated(PINNED), ResourceUpdated(START)}
        assert "Answer in German" in (await client.read_resource(PINNED)).contents[0].text


@pytest.mark.parametrize("where", ["stdio", "http"])
def test_a_client_is_notified_of_what_another_process_writes(store: Path, where: str) -> None:
    async def run(target: Any) -> Any:
        async with Client(target) as client:
            return await capture_failure(notified_of_other_writers(client, store))

    if where == "stdio":
        unwrap(asyncio.run(run(on_stdio(store))))
        return
    with on_http(store) as (url, _):
        unwrap(asyncio.run(run(url)))


def test_each_subscriber_is_notified_once_and_only_of_its_own_resources(run_scene: RunScene) -> None:
    async def scene(client: Client) -> None:
        kept = (await call(client, "remember", content="The kettle is blue")).structured["id"]
        one = f"recollect://memory/{kept}"
        async with (
            client.listen(resource_subscriptions=[one, one]) as first,
            client.listen(resource_subscriptions=[one, LATEST, "recollect://nothing"]) as second,
        ):
            for content in ("The kettle is red", "The kettle is green"):
                await call(client, "update", id=kept, content=content)
                for heard in (first, second):
                    assert await asyncio.wait_for(anext(heard), _SOON) == ResourceUpdated(one)

    run_scene(scene)


def test_a_subscription_does_not_count_as_reading(run_scene: RunScene) -> None:
    async def scene(client: Client, said: str = "The report for the board is written in German") -> str:
        await call(client, "remember", content=said, delivery="pinned")
        async with client.listen(resource_subscriptions=[PINNED]):
            # Repeating what it has read makes an agent an echo; a resource it only subscribed to it has not read.
            return (await call(client, "remember", content=said, source="inferred")).structured["kind"]

    assert run_scene(scene) == "reinforced"


def test_too_many_resources_are_refused(run_scene: RunScene) -> None:
    async def scene(client: Client) -> None:
        with pytest.raises(MCPError, match="at most 16"):
            async with client.listen(resource_subscriptions=[f"recollect://memory/{n:04d}" for n in range(17)]):
                pass

    run_scene(scene)


def test_only_the_current_revision_has_subscriptions(run_scene: RunScene, store: Path) -> None:
    async def current(client: Client) -> bool | None:
        assert client.server_capabilities.resources is not None
        return client.server_capabilities.resources.subscribe

    async def older(client: Client) -> bool | None:
        with pytest.raises(ListenNotSupportedError):
            async with client.listen(resource_subscriptions=[PINNED]):
                pass
        return await current(client)

    assert run_scene(current) is True
    assert not run_scene(older, mode="legacy")
    with RawClient(store) as raw:
        raw.initialize()
        raw.send({**LISTEN, "params": {"notifications": {}}})
        assert raw.read()["error"]["code"] == -32601


def test_a_client_that_closes_its_input_gets_the_final_result_of_its_stream(store: Path) -> None:
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
    assert acknowledged["params"]["_meta"][SUBSCRIPTION] == last["result"]["_meta"][SUBSCRIPTION] == "stream-1"


def test_a_stream_that_starts_after_closing_is_acknowledged_and_ended() -> None:
    told: list[Any] = []

    async def hear(notification: Any, **_: Any) -> None:
        told.append(notification.method)

    async def scene() -> Any:
        subscriptions = Subscriptions(lambda _, uris: asyncio.sleep(0, dict.fromkeys(uris, "")))
        subscriptions.close()
        request = types.SubscriptionsListenRequestParams.model_validate(
            {"notifications": {"toolsListChanged": True}, "_meta": META}
        )
        client: Any = SimpleNamespace(request_id="stream-1", session=SimpleNamespace(send_notification=hear))
        return await asyncio.wait_for(subscriptions(client, request), _SOON)

    assert asyncio.run(scene()).meta[SUBSCRIPTION] == "stream-1"
    assert told == ["notifications/subscriptions/acknowledged"]


def test_a_stopping_server_ends_its_streams_cleanly(store: Path) -> None:
    async def run(url: str, stop: Callable[[], None]) -> Any:
        async with Client(url) as client:
            return await capture_failure(scene(client, stop))

    async def scene(client: Client, stop: Callable[[], None]) -> list[Any]:
        async with client.listen(resource_subscriptions=[PINNED]) as heard:
            stop()
            return [event async for event in heard]

    with on_http(store) as (url, process):
        assert unwrap(asyncio.run(run(url, process.terminate))) == []
        assert process.wait(_SOON) == 0
        assert process.stderr is not None and process.stderr.read() == ""
