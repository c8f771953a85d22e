"""Calls as models make them, in random combination, through the server of every tool set: none is an error of form."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from mcp.client.client import Client
from mcp_clients import call

from recollect.adapters.toolsets import TOOLSETS
from recollect.serve.mcp.tool import Tool

RunScene = Callable[..., Any]
CALLS_PER_SET = 120
UNUSED = ("", " ", None, [], {}, [""], [None], 0, "null", "None", "undefined")
TIMES = ("2026-01-15", "7d", "last week", "past month", "2026-01", "15 Jan 2026", "2026-01-15T10:00:00Z", "1768471200")
FILTER = {"OR": [{"tags": "a"}, {"NOT": {"metadata": {"team": "core"}}}]}
# The arguments that one tool takes together, by what they are; `id` is any memory that the server has shown.
SHAPES: dict[str, dict[str, dict[str, str]]] = {
    "recollect": {
        "remember": {"content": "text", "tags": "texts", "type": "=decision", "ttl": "seconds", "metadata": "json", "more": "more"},
        "recall": {
            "query": "text", "type": "types", "since": "time", "limit": "count", "where": "where", "mode": "=lexical",
            "working_on": "text", "true_at": "time", "metadata": "json", "min_trust": "share",
        },
        "update": {"id": "id", "content": "text", "add_tags": "texts", "importance": "share", "metadata": "json"},
        "feedback": {"ids": "ids", "verdict": "=helpful"},
        "context": {"topic": "text", "budget": "count", "layers": "layers", "start": "flag"},
        "list": {"view": "=tags", "type": "types", "limit": "count", "any_tags": "texts"},
        "pool": {"action": "=list"},
    },
    "koshi": {
        "memory_store": {"content": "text", "tags": "texts", "source": "=observed"},
        "memory_query": {"query": "text", "limit": "count"},
        "memory_update": {"id": "id", "content": "text"},
    },
    "jcode": {"memory": {"action": "=remember", "content": "text", "tags": "texts", "category": "=negative"}},
    "mememory": {
        "remember": {"content": "text", "type": "=rule", "ttl": "seconds", "weight": "share", "tags": "texts"},
        "recall": {"query": "text", "limit": "count", "scope": "=project"},
        "list": {"type": "=rule", "limit": "count"},
    },
    "anthropic": {"memory": {"command": "=view", "path": "root"}},
    "chatgpt": {"search": {"query": "text"}},
}  # fmt: skip
REQUIRED = {"content", "query", "id", "ids", "verdict", "action", "command", "path"}


class _Model:
    """A source of calls, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._pick, self.ids = random.Random(seed), ["0a1b2c3d"]

    def calls(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        shapes, tools = SHAPES[name], {tool.name: tool for tool in TOOLSETS[name]}
        for _ in range(CALLS_PER_SET):
            tool = self._pick.choice(list(shapes))
            yield tool, self._call(tools[tool], shapes[tool])

    def _call(self, tool: Tool, shape: dict[str, str]) -> dict[str, Any]:
        given = {
            name: self._value(kind) for name, kind in shape.items() if name in REQUIRED or self._pick.random() < 0.4
        }
        # 0 is a value of most numbers and of a flag, so for those an unused argument is blank.
        for name, argument in tool.arguments.items():
            if name not in given and name not in ("id", "facts") and self._pick.random() < 0.4:
                number = argument.schema["type"] in ("integer", "number", "boolean")
                given[name] = self._pick.choice(UNUSED[:7] if number else UNUSED)
        return given

    def _value(self, kind: str) -> Any:
        one = self._pick.choice
        if kind.startswith("="):
            word = kind[1:]
            return one([word, word.upper(), [word], f" {word.title()} ", f'"{word}"'])
        number = self._pick.randrange(10**6)
        id_ = one(self.ids)
        made: dict[str, list[Any]] = {
            "text": [f"Ann keeps key {number}", [f"Bob owns desk {number}"], f"half {number} \ud83d"],
            "texts": [["a", "b"], "a, b", "a", '["a", "b"]', [7]],
            "types": [["fact", "rule"], "FACT", "facts, rules", '["Fact"]'],
            "layers": [["pinned"], "PINNED, Recent", '["rules"]'],
            "json": [{"team": "core"}, '{"team": "core"}', '{"n": 1}'],
            "more": [{"confidence": "0.8"}, '{"valid_from": "2026-01", "speaker": 7}', "{}"],
            "where": [FILTER, json.dumps(FILTER)],
            "seconds": ["7d", 3600, "3600", "2 hours", 86400.0],
            "time": list(TIMES),
            "count": [5, "5", 5.0, [7], "7.0"],
            "share": [0.5, "0.5", [0.5], 1],
            "flag": [True, "true", "False", 1, "no"],
            "id": [id_, f"[{id_}]", f"id: {id_.upper()}", f"[id:{id_}]", [id_], f"`{id_}`"],
            "ids": [[id_], f"[{id_}]", f"{id_} {self.ids[0]}", f"[{id_}], [{self.ids[0]}]", json.dumps([id_])],
            "root": ["/memories", ["/memories/"]],
        }
        return one(made[kind])


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", list(TOOLSETS))
def test_no_call_of_a_model_is_an_error_of_form(run_scene: RunScene, name: str, seed: int) -> None:
    model = _Model(seed)

    async def scene(client: Client) -> None:
        first = next((tool for tool, shape in SHAPES[name].items() if "content" in shape and "id" not in shape), None)
        if first is not None:
            known = {"action": "remember"} if name == "jcode" else {}
            made = await call(client, first, content="Maria owns the billing service", **known)
            model.ids = [made.structured["id"]]
        for tool, arguments in model.calls(name):
            result = await call(client, tool, **arguments)
            assert not result.failed, (tool, arguments, result.text)

    run_scene(scene, name)


def test_one_update_may_change_a_text_and_its_tags_and_is_undone_at_once(run_scene: RunScene) -> None:
    async def scene(client: Client) -> None:
        old = await call(client, "remember", content="Maria owns the billing service", tags=["a", "b"])
        given = {"content": "Maria owns the search service", "add_tags": ["c"], "remove_tags": ["a"]}
        changed = await call(client, "update", id=old.structured["id"], **given)
        assert changed.structured["memory"]["content"] == given["content"]
        assert changed.structured["memory"]["tags"] == ["b", "c"]
        await call(client, "undo")
        back = await call(client, "list", id=old.structured["id"])
        assert back.structured["items"][0]["content"] == "Maria owns the billing service"
        assert back.structured["items"][0]["tags"] == ["a", "b"]

    run_scene(scene)


def test_what_does_not_apply_is_said_in_a_note(run_scene: RunScene) -> None:
    async def scene(client: Client) -> None:
        await call(client, "remember", content="We deploy with make deploy", tags=["deploy"])
        listed = await call(client, "list", view="tags", type="fact", min_trust=0.5)
        assert "note: not applied to the view tags: type, min_trust" in listed.text
        assert "not applied to the view tags: type, min_trust" in listed.structured["notes"]
        found = await call(client, "recall", query="deploy", mode="lexical", working_on="make deploy")
        assert "note: mode was not applied: a plain search takes no working_on" in found.text

    run_scene(scene)


def test_an_error_names_a_memory_as_it_was_shown(run_scene: RunScene) -> None:
    async def scene(client: Client) -> None:
        made = await call(client, "remember", content="We deploy with make deploy")
        await call(client, "undo")
        short = made.structured["id"]
        assert f"no memory {short} here" in (await call(client, "forget", id=short)).text

    run_scene(scene)
