"""An error is part of the result: a text that says what to do, and its kind for programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.client.client import Client
from mcp_clients import call

RunScene = Callable[..., Any]
KINDS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "recall",
        {"query": "x", "limit": "five"},
        {
            "kind": "InvalidInput",
            "field": "limit",
            "problem": "'five' is not a whole number",
            "fix": "give a whole number",
        },
    ),
    ("forget", {"id": "deadbeef"}, {"kind": "NotFound", "what": "memory", "key": "deadbeef"}),
    (
        "pool",
        {"action": "write", "name": "board", "value": {}, "version": 9},
        {
            "kind": "StaleVersion",
            "field": "version",
            "problem": "is 9, but pool 'board' is at version 1",
            "fix": "read the pool again, redo the change and write again",
            "version": 1,
        },
    ),
]
ERRORS: list[tuple[str, dict[str, Any], str]] = [
    ("recall", {"querry": "x"}, "querry: is not an argument of recall; arguments: query, limit"),
    ("recall", {}, "query: is missing"),
    ("recall", {"query": {"text": "x"}}, "query: {'text': 'x'} is not text"),
    ("recall", {"query": "x", "limit": "5.5"}, "limit: 5.5 is not a whole number"),
    ("recall", {"query": "x", "limit": -1}, "limit: -1 is out of range"),
    ("recall", {"query": "x", "limit": True}, "limit: True is not a whole number"),
    ("recall", {"query": "x", "inProject": "a", "in_project": "b"}, "in_project: is given twice, also as in_project"),
    ("recall", {"query": "x", "since": "soon"}, "since: 'soon' is not a time; write it like 2026-11-15"),
    ("recall", {"query": "x", "where": {"tag": "a", "NOT": {"sience": "7d"}}}, "where.sience: is unknown"),
    ("recall", {"query": "x", "metadata": "core"}, "metadata: 'core' is not a JSON object"),
    ("recall", {"query": "x", "type": ["fct"]}, "use one of fact, preference"),
    ("recall", {"query": "x", "mode": "psychic"}, "use one of lexical, semantic, hybrid"),
    ("remember", {"content": ""}, "content: is missing"),
    ("remember", {"content": "x", "tags": [{"name": "a"}]}, "is not text"),
    ("remember", {"content": "x", "ttl": "soon"}, "24h, 7d"),
    ("remember", {"content": "x", "scope": "galaxy"}, "use one of global"),
    ("remember", {"content": "x", "more": {"trust": 1.0}}, "more.trust: is unknown"),
    ("remember", {"content": "x" * 600_000}, "500,000"),
    ("update", {"id": "deadbeef", "content": "x"}, "no memory deadbeef here"),
    ("update", {"id": "not an id", "content": "x"}, "is not an id"),
    ("forget", {"id": "deadbeef"}, "no memory deadbeef here"),
    ("resolve", {"new": "aaaa", "old": "bbbb", "resolution": "fight"}, "use one of keep_both"),
    ("list", {"view": "history"}, "id: is missing"),
    ("list", {"limit": 100000}, "limit: 100000 is out of range"),
    ("pool", {"action": "read", "name": "absent"}, "absent"),
    ("link", {"source": "deadbeef", "target": "beefdead", "remove": "maybe"}, "remove: 'maybe' is not true or false"),
    ("pool", {"action": "read", "name": "board"}, 'no pool board here; `pool(action="list")` shows which there are'),
    ("pool", {"action": "list", "value": 1}, "is not an argument of list"),
    ("context", {"budget": -1}, "budget"),
]


def test_an_error_is_a_tool_result_that_says_what_to_do(run_scene: RunScene) -> None:
    async def scene(client: Client) -> None:
        for tool, arguments, says in ERRORS:
            result = await call(client, tool, **arguments)
            assert result.failed, (tool, arguments)
            assert result.text.startswith("error: ")
            assert says in result.text
            assert "Traceback" not in result.text and len(result.text) < 2000

    run_scene(scene)


def test_an_error_has_its_kind_for_programs(run_scene: RunScene, era: str) -> None:
    async def scene(client: Client) -> None:
        await client.list_tools()  # from here on the client validates results against their schemas
        assert (await call(client, "pool", action="create", name="board", value={})).error is None
        for tool, arguments, wanted in KINDS:
            result = await call(client, tool, **arguments)
            assert (result.failed, result.error, result.structured) == (True, wanted, None)

    run_scene(scene, mode=era)


def test_an_error_that_quotes_invalid_text_is_reported_too(run_scene: RunScene) -> None:
    async def scene(client: Client) -> None:
        for nonsense in ("\ud83d", "x" * 100_000):
            result = await call(client, "forget", id=nonsense)
            assert result.failed and result.error is not None and result.error["kind"] == "InvalidInput"
            assert max(map(len, result.error.values())) <= 500

    run_scene(scene)
