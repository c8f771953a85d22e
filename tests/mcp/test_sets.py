"""The spellings of other systems: each system's own documented flow, played on ours."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from mcp.client.client import Client
from playing import call

from recollect.testing.clock import FixedClock

Played = Callable[..., Any]


def test_koshi_stores_queries_reinforces_demotes_and_updates(played: Played) -> None:
    async def scene(client: Client) -> None:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert tools == ["memory_store", "memory_query", "memory_reinforce", "memory_demote", "memory_update"]
        signed = await call(
            client,
            "memory_store",
            content="Payment API HMAC signature: without a body the signature string has no trailing empty string",
            tags="payments, hmac, api, bug",
        )
        assert set(signed.form["memory"]["tags"]) >= {"payments", "hmac", "api", "bug"}
        rival = await call(
            client, "memory_store", content="Payment API HMAC signature uses the staging secret", tags="payments"
        )
        await call(client, "memory_store", content="The cafeteria opens at eight")
        found = await call(client, "memory_query", query="payment HMAC signature api", limit=5)
        assert {hit["id"] for hit in found.form["hits"]} == {signed.form["id"], rival.form["id"]}
        assert f"[{rival.form['id']}]" in found.text
        useful = await call(client, "memory_reinforce", id=rival.form["id"])
        assert useful.form["memory"]["score"] == 3
        again = await call(client, "memory_query", query="payment HMAC signature api")
        assert again.form["hits"][0]["id"] == rival.form["id"], "what was reinforced rises"
        for _ in range(5):
            await call(client, "memory_demote", id=rival.form["id"])
        last = await call(client, "memory_query", query="payment HMAC signature api")
        assert last.form["hits"][-1]["id"] == rival.form["id"], "what was demoted sinks, and is not gone"
        fixed = await call(
            client, "memory_update", id=rival.form["id"], content="The HMAC secret is per tenant", tags="hmac"
        )
        assert (fixed.form["memory"]["content"], fixed.form["memory"]["score"]) == ("The HMAC secret is per tenant", -2)
        assert (await call(client, "memory_reinforce", id="deadbeef")).failed, "a missing id is no silent no-op"

    played(scene, tools="koshi")


def test_jcode_does_all_through_one_tool(played: Played) -> None:
    async def scene(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["memory"]

        async def memory(action: str, **arguments: Any) -> Any:
            told = await call(client, "memory", action=action, **arguments)
            assert not told.failed, told.text
            return told

        auth = await memory(
            "remember", content="Tokens are signed by auth.rs", category="fact", scope="project", tags=["rust", "auth"]
        )
        style = await memory(
            "remember", content="Prefer anyhow over custom errors", category="preference", scope="global"
        )
        wrong = await memory(
            "remember", content="The lighthouse has a red door", category="correction", scope="project"
        )
        assert style.form["memory"]["scope"] == "global"
        assert {item["id"] for item in (await memory("recall")).form["items"]} >= {auth.form["id"], style.form["id"]}
        assert (await memory("search", query="who signs tokens?")).form["items"][0]["id"] == auth.form["id"]
        assert [item["id"] for item in (await memory("list", tag="auth")).form["items"]] == [auth.form["id"]]
        await memory("link", **{"from": auth.form["id"], "to": style.form["id"], "relation": "relates_to"})
        tagged = await memory("tag", id=style.form["id"], tags=["errors", "rust"])
        assert set(tagged.form["memory"]["tags"]) >= {"errors", "rust"}
        led = await memory("search", query="who signs tokens?")
        assert style.form["id"] in {item["id"] for item in led.form["items"]}, "the link leads there"
        await memory("forget", id=wrong.form["id"])
        assert wrong.form["id"] not in {item["id"] for item in (await memory("list")).form["items"]}
        lost = await call(client, "memory", action="link", **{"from": auth.form["id"]})
        assert lost.failed and "to: is missing" in lost.text
        assert (await call(client, "memory", action="forget", id=auth.form["id"], query="x")).failed

    played(scene, tools="jcode")


def test_mememory_lets_beliefs_evolve(played: Played, clock: FixedClock) -> None:
    async def scene(client: Client) -> None:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert tools == ["remember", "recall", "forget", "update", "list", "stats"]
        rule = await call(client, "remember", content="Never commit .env files", type="rule")
        assert (rule.form["memory"]["scope"], rule.form["memory"]["type"]) == ("global", "rule")
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
            supersedes=redux.form["id"],
            weight=0.9,
            tags="frontend, state",
        )
        assert zustand.form["kind"] == "superseded"
        recalled = await call(client, "recall", query="store library", project="match", limit=3)
        assert recalled.form["hits"][0]["id"] == zustand.form["id"]
        assert redux.form["id"] not in {hit["id"] for hit in recalled.form["hits"]}, "only the latest belief is shown"
        await call(
            client, "remember", content="Demo on Friday", scope="project", project="match", type="context", ttl="3d"
        )
        listed = await call(client, "list", project="match", scope="project")
        assert "Demo on Friday" in {item["content"] for item in listed.form["items"]}
        clock.advance(timedelta(days=4))
        listed = await call(client, "list", project="match", scope="project")
        assert "Demo on Friday" not in {item["content"] for item in listed.form["items"]}
        assert "24h, 7d" in (await call(client, "remember", content="x y z", ttl="soon")).text
        better = await call(client, "update", id=zustand.form["id"], content="Zustand 5 replaced our old store library")
        assert better.form["memory"]["content"].startswith("Zustand 5")
        assert (await call(client, "forget", id=rule.form["id"])).form["kind"] == "forgotten"
        stats = await call(client, "stats")
        assert stats.form["total"] >= 3 and stats.form["by_project"]["match"] >= 2

    played(scene, tools="mememory")


def test_a_contradiction_is_told_in_the_calls_of_the_set_at_hand(played: Played) -> None:
    ways = {
        "koshi": ("memory_store", {}, "memory_update(id="),
        "jcode": ("memory", {"action": "remember"}, 'memory(action="forget", id='),
        "mememory": ("remember", {}, "remember(content=…, supersedes="),
    }

    def scene_of(tool: str, more: dict[str, Any], way: str, name: str) -> Callable[[Client], Any]:
        async def scene(client: Client) -> None:
            await call(client, tool, content=f"The {name} team ships on Friday", **more)
            told = await call(client, tool, content=f"The {name} team does not ship on Friday", **more)
            assert way in told.text and "resolve(" not in told.text
            assert told.text.count("\n- ") >= 4

        return scene

    for name, (tool, more, way) in ways.items():
        played(scene_of(tool, more, way, name), tools=name)
