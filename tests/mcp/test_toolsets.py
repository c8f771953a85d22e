"""The tool sets of other memory servers: the documented flow of each, run on ours."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from mcp.client.client import Client
from mcp_clients import call

from recollect.testing.clock import FixedClock

RunScene = Callable[..., Any]


def test_koshi_stores_queries_reinforces_demotes_and_updates(run_scene: RunScene) -> None:
    async def scene(client: Client) -> None:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert tools == ["memory_store", "memory_query", "memory_reinforce", "memory_demote", "memory_update"]
        signed = await call(
            client,
            "memory_store",
            content="Payment API HMAC signature: without a body the signature string has no trailing empty string",
            tags="payments, hmac, api, bug",
        )
        assert set(signed.structured["memory"]["tags"]) >= {"payments", "hmac", "api", "bug"}
        rival = await call(
            client, "memory_store", content="Payment API HMAC signature uses the staging secret", tags="payments"
        )
        await call(client, "memory_store", content="The cafeteria opens at eight")
        found = await call(client, "memory_query", query="payment HMAC signature api", limit=5)
        assert {hit["id"] for hit in found.structured["hits"]} == {signed.structured["id"], rival.structured["id"]}
        assert f"[{rival.structured['id']}]" in found.text
        useful = await call(client, "memory_reinforce", id=rival.structured["id"])
        assert useful.structured["memory"]["score"] == 3
        again = await call(client, "memory_query", query="payment HMAC signature api")
        assert again.structured["hits"][0]["id"] == rival.structured["id"], "what was reinforced rises"
        for _ in range(5):
            await call(client, "memory_demote", id=rival.structured["id"])
        last = await call(client, "memory_query", query="payment HMAC signature api")
        assert last.structured["hits"][-1]["id"] == rival.structured["id"], "what was demoted sinks, and is not gone"
        fixed = await call(
            client, "memory_update", id=rival.structured["id"], content="The HMAC secret is per tenant", tags="hmac"
        )
        assert (fixed.structured["memory"]["content"], fixed.structured["memory"]["score"]) == (
            "The HMAC secret is per tenant",
            -2,
        )
        assert (await call(client, "memory_reinforce", id="deadbeef")).failed, "a missing id is no silent no-op"

    run_scene(scene, tools="koshi")


def test_jcode_does_all_through_one_tool(run_scene: RunScene) -> None:
    async def scene(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["memory"]

        async def memory(action: str, **arguments: Any) -> Any:
            result = await call(client, "memory", action=action, **arguments)
            assert not result.failed, result.text
            return result

        auth = await memory(
            "remember", content="Tokens are signed by auth.rs", category="fact", scope="project", tags=["rust", "auth"]
        )
        style = await memory(
            "remember", content="Prefer anyhow over custom errors", category="preference", scope="global"
        )
        wrong = await memory(
            "remember", content="The lighthouse has a red door", category="correction", scope="project"
        )
        assert style.structured["memory"]["scope"] == "global"
        assert {item["id"] for item in (await memory("recall")).structured["items"]} >= {
            auth.structured["id"],
            style.structured["id"],
        }
        assert (await memory("search", query="who signs tokens?")).structured["items"][0]["id"] == auth.structured["id"]
        assert [item["id"] for item in (await memory("list", tag="auth")).structured["items"]] == [
            auth.structured["id"]
        ]
        await memory("link", **{"from": auth.structured["id"], "to": style.structured["id"], "relation": "relates_to"})
        tagged = await memory("tag", id=style.structured["id"], tags=["errors", "rust"])
        assert set(tagged.structured["memory"]["tags"]) >= {"errors", "rust"}
        led = await memory("search", query="who signs tokens?")
        assert style.structured["id"] in {item["id"] for item in led.structured["items"]}, "the link leads there"
        await memory("forget", id=wrong.structured["id"])
        assert wrong.structured["id"] not in {item["id"] for item in (await memory("list")).structured["items"]}
        lost = await call(client, "memory", action="link", **{"from": auth.structured["id"]})
        assert lost.failed and "to: is missing" in lost.text
        assert (await call(client, "memory", action="forget", id=auth.structured["id"], query="x")).failed

    run_scene(scene, tools="jcode")


def test_mememory_lets_beliefs_evolve(run_scene: RunScene, clock: FixedClock) -> None:
    async def scene(client: Client) -> None:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert tools == ["remember", "recall", "forget", "update", "list", "stats"]
        rule = await call(client, "remember", content="Never commit .env files", type="rule")
        assert (rule.structured["memory"]["scope"], rule.structured["memory"]["type"]) == ("global", "rule")
        redux = await call(
            client, "remember", content="We use Redux for stores", scope="project", project="match", type="decision"
        )
        zustand = await call(
            client,
            "remember",
            content="Zustand replaced our old store library",
            scope="project",
            project="match",
            type="decision",
            supersedes=redux.structured["id"],
            weight=0.9,
            tags="frontend, state",
        )
        assert zustand.structured["kind"] == "superseded"
        recalled = await call(client, "recall", query="store library", project="match", limit=3)
        assert recalled.structured["hits"][0]["id"] == zustand.structured["id"]
        assert redux.structured["id"] not in {hit["id"] for hit in recalled.structured["hits"]}, (
            "only the latest belief is shown"
        )
        await call(
            client, "remember", content="Demo on Friday", scope="project", project="match", type="context", ttl="3d"
        )
        listed = await call(client, "list", project="match", scope="project")
        assert "Demo on Friday" in {item["content"] for item in listed.structured["items"]}
        clock.advance(timedelta(days=4))
        listed = await call(client, "list", project="match", scope="project")
        assert "Demo on Friday" not in {item["content"] for item in listed.structured["items"]}
        assert "24h, 7d" in (await call(client, "remember", content="x y z", ttl="soon")).text
        better = await call(
            client, "update", id=zustand.structured["id"], content="Zustand 5 replaced our old store library"
        )
        assert better.structured["memory"]["content"].startswith("Zustand 5")
        assert (await call(client, "forget", id=rule.structured["id"])).structured["kind"] == "forgotten"
        stats = await call(client, "stats")
        assert stats.structured["total"] >= 3 and stats.structured["by_project"]["match"] >= 2

    run_scene(scene, tools="mememory")


def test_a_contradiction_names_the_calls_of_the_tool_set_in_use(run_scene: RunScene) -> None:
    ways = {
        "koshi": ("memory_store", {}, "memory_update(id="),
        "jcode": ("memory", {"action": "remember"}, 'memory(action="forget", id='),
        "mememory": ("remember", {}, "remember(content=…, supersedes="),
    }

    def scene_of(tool: str, more: dict[str, Any], way: str, name: str) -> Callable[[Client], Any]:
        async def scene(client: Client) -> None:
            await call(client, tool, content=f"The {name} team ships on Friday", **more)
            result = await call(client, tool, content=f"The {name} team does not ship on Friday", **more)
            assert way in result.text and "resolve(" not in result.text
            assert result.text.count("\n- ") >= 4

        return scene

    for name, (tool, more, way) in ways.items():
        run_scene(scene_of(tool, more, way, name), tools=name)


_SUPERSEDES = {
    # A tool set: how it stores, what brings the old one back, and how it lists.
    "recollect": (
        ("remember", {}),
        lambda new, old: ("resolve", {"new": new, "old": old, "resolution": "keep_both"}),
        'resolve(new="{new}", old="{old}", resolution="keep_both")',
        ("recall", {"query": "staging server port"}),
    ),
    "koshi": (
        ("memory_store", {}),
        lambda _, old: ("memory_update", {"id": old, "content": _PORT.format(8080)}),
        'memory_update(id="{old}", content=its text)',
        ("memory_query", {"query": "staging server port"}),
    ),
    "jcode": (
        ("memory", {"action": "remember"}),
        lambda new, old: ("memory", {"action": "unlink", "from": new, "to": old}),
        'memory(action="unlink", from="{new}", to="{old}")',
        ("memory", {"action": "list"}),
    ),
    "mememory": (
        ("remember", {}),
        lambda _, old: ("update", {"id": old, "content": _PORT.format(8080)}),
        'update(id="{old}", content=its text)',
        ("list", {}),
    ),
}
_PORT = "The staging server listens on port {}"


@pytest.mark.parametrize("tools", _SUPERSEDES)
def test_what_was_superseded_comes_back_by_the_call_that_the_answer_names(run_scene: RunScene, tools: str) -> None:
    (store, more), bring_back, advice, (reader, asked) = _SUPERSEDES[tools]

    async def scene(client: Client) -> None:
        old = (await call(client, store, content=_PORT.format(8080), **more)).structured["id"]
        answer = await call(client, store, content=_PORT.format(9090), **more)
        new = answer.structured["id"]
        assert answer.structured["kind"] == "superseded"
        told = advice.format(new=new, old=old)
        assert told in answer.text
        assert any(told in note for note in answer.structured["notes"])
        tool, arguments = bring_back(new, old)
        await call(client, tool, **arguments)
        found = (await call(client, reader, **asked)).structured
        assert {item["id"] for item in found.get("hits", found.get("items"))} == {new, old}

    run_scene(scene, tools=tools)


@pytest.mark.parametrize("tools", ["recollect", "koshi", "jcode", "mememory"])
def test_a_word_with_a_hash_that_is_no_tag_does_not_empty_the_answer(run_scene: RunScene, tools: str) -> None:
    store, ask = {
        "recollect": (("remember", {}), ("recall", {})),
        "koshi": (("memory_store", {}), ("memory_query", {})),
        "jcode": (("memory", {"action": "remember"}), ("memory", {"action": "search"})),
        "mememory": (("remember", {}), ("recall", {})),
    }[tools]

    async def scene(client: Client) -> None:
        await call(client, store[0], content="PR 1187 broke the checkout", **store[1])
        found = await call(client, ask[0], query="PR #1187 broke the checkout?", **ask[1])
        assert "PR 1187 broke the checkout" in found.text
        assert "no memory here is tagged #1187: searched as a word" in found.text
        assert "no memory here is tagged #1187: searched as a word" in found.structured["notes"]

    run_scene(scene, tools=tools)
