"""A mistake is an answer: in words that say what to do, and with its kind for programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.client.client import Client
from playing import call

Played = Callable[..., Any]
KINDS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "recall",
        {"query": "x", "limit": "5"},
        {
            "kind": "InvalidInput",
            "field": "limit",
            "problem": "'5' is not a whole number",
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
            "fix": "read it again, redo the change on that and write once more",
            "version": 1,
        },
    ),
]
MISTAKES: list[tuple[str, dict[str, Any], str]] = [
    ("recall", {"querry": "x"}, "querry: is not an argument of recall; arguments: query, limit"),
    ("recall", {}, "query: is missing"),
    ("recall", {"query": "x", "limit": "5"}, "limit: '5' is not a whole number"),
    ("recall", {"query": "x", "limit": 0}, "limit: 0 is out of range"),
    ("recall", {"query": "x", "type": ["fct"]}, "use one of fact, preference"),
    ("recall", {"query": "x", "mode": "psychic"}, "use one of lexical, semantic, hybrid"),
    ("remember", {"content": ""}, "content: is empty"),
    ("remember", {"content": "x", "tags": "a, b"}, "tags: 'a, b' is not a list"),
    ("remember", {"content": "x", "tags": [1]}, "1 is not text"),
    ("remember", {"content": "x", "scope": "galaxy"}, "use one of global"),
    ("remember", {"content": "x", "more": {"trust": 1.0}}, "more.trust: is unknown"),
    ("remember", {"content": "x" * 600_000}, "500,000"),
    ("update", {"id": "deadbeef", "content": "x"}, "no memory deadbeef here"),
    ("update", {"id": "not an id", "content": "x"}, "is not an id"),
    ("update", {"id": "deadbeef", "content": "x", "add_tags": ["y"]}, "make two calls"),
    ("forget", {"id": "deadbeef"}, "no memory deadbeef here"),
    ("resolve", {"new": "aaaa", "old": "bbbb", "way": "fight"}, "use one of keep_both"),
    ("list", {"view": "history"}, "id: is missing"),
    ("list", {"view": "tags", "type": ["fact"]}, "does not narrow"),
    ("list", {"limit": 100000}, "is not a page"),
    ("pool", {"action": "read", "name": "none"}, "none"),
    ("pool", {"action": "list", "value": 1}, "means nothing to list"),
    ("context", {"budget": -1}, "budget"),
]


def test_a_mistake_is_a_tool_error_that_says_what_to_do(played: Played) -> None:
    async def scene(client: Client) -> None:
        for tool, arguments, says in MISTAKES:
            told = await call(client, tool, **arguments)
            assert told.failed, (tool, arguments)
            assert told.text.startswith("error: ")
            assert says in told.text
            assert "Traceback" not in told.text and len(told.text) < 2000

    played(scene)


def test_a_mistake_names_its_kind_for_programs_beside_the_words(played: Played, era: str) -> None:
    async def scene(client: Client) -> None:
        await client.list_tools()  # from here on the client holds answers against their schemas
        assert (await call(client, "pool", action="create", name="board", value={})).mistake is None
        for tool, arguments, wanted in KINDS:
            told = await call(client, tool, **arguments)
            assert (told.failed, told.mistake, told.form) == (True, wanted, None)

    played(scene, mode=era)


def test_a_mistake_that_quotes_nonsense_is_told_all_the_same(played: Played) -> None:
    async def scene(client: Client) -> None:
        for nonsense in ("\ud83d", "x" * 100_000):
            told = await call(client, "forget", id=nonsense)
            assert told.failed and told.mistake is not None and told.mistake["kind"] == "InvalidInput"
            assert max(map(len, told.mistake.values())) <= 500

    played(scene)
