"""What models send is taken: any form of a valid call reads as the plain form of it, and no form is an error."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.client.client import Client
from mcp_clients import call

from recollect.adapters.toolsets import TOOLSETS
from recollect.errors import InvalidInput
from recollect.serve.mcp.arguments import read_arguments
from recollect.serve.mcp.tool import Tool

RunScene = Callable[..., Any]
NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
BLANKS = ("", " ", None, [], {}, [""], [None])
# What models send for an argument they do not use beside that. A key of a pool may be the word none.
WORDS = ("null", "None", "undefined", ["null"])
# Numbers of which 0 is no value, so that it means absent, as it does for what is no number.
ZERO_IS_ABSENT = {"limit", "budget", "version"}


@dataclass(frozen=True)
class Word:
    """A word of a closed vocabulary."""

    plain: str

    def forms(self) -> list[Any]:
        hyphens = self.plain.replace("_", "-")
        return [self.plain, self.plain.upper(), hyphens.title(), f" {hyphens} ", f"{self.plain}s", f'"{self.plain}"']


@dataclass(frozen=True)
class Id:
    plain: str

    def forms(self) -> list[Any]:
        bare = self.plain
        return [
            bare, bare.upper(), f"[{bare}]", f"id:{bare}", f"ID: {bare}", f"id={bare}", f"#{bare}", f"`{bare}`", f"memory [{bare}]",
            f"- We deploy with make (observed) [{bare}]", f"recollect://memory/{bare}", [bare], {"id": bare},
        ]  # fmt: skip


@dataclass(frozen=True)
class Text:
    plain: str

    def forms(self) -> list[Any]:
        halves = self.plain.encode("utf-16-le")
        split = "".join(chr(int.from_bytes(halves[at : at + 2], "little")) for at in range(0, len(halves), 2))
        return [self.plain, split, [self.plain]]


@dataclass(frozen=True)
class Ago:
    """A time so many days before now."""

    days: int

    @property
    def plain(self) -> str:
        return (NOW - timedelta(days=self.days)).isoformat()

    def forms(self) -> list[Any]:
        days = self.days
        written = self.plain.replace("+00:00", "Z")
        return [self.plain, written, f"{days}d", f"{days} days", f"{days} days ago", f"{days * 24}h", f'"{days}d"']


@dataclass(frozen=True)
class Days:
    """A duration of so many days."""

    days: int

    @property
    def plain(self) -> int:
        return self.days * 86_400

    def forms(self) -> list[Any]:
        days = self.days
        return [self.plain, float(self.plain), str(self.plain), f"{days}d", f"{days * 24} hours", f"{days} Days"]


@dataclass(frozen=True)
class Many:
    """A list; `commas` says whether it may be one text with commas."""

    items: tuple[Any, ...]
    commas: bool = True

    @property
    def plain(self) -> list[Any]:
        return [plain(one) for one in self.items]

    def forms(self) -> list[Any]:
        found: list[Any] = [self.plain, json.dumps(self.plain), [*self.plain, ""], [None, *self.plain]]
        found += [[form(one) for one in self.items] for form in (_first_other, _last)]
        found += [", ".join(self.plain), ",".join(self.plain)] if self.commas else []
        return found + (_forms(self.items[0]) if len(self.items) == 1 else [])


@dataclass(frozen=True)
class Json:
    plain: dict[str, Any]

    def forms(self) -> list[Any]:
        return [self.plain, json.dumps(self.plain), f" {json.dumps(self.plain, indent=1)} "]


def plain(value: Any) -> Any:
    return value.plain if hasattr(value, "plain") else value


def _forms(value: Any) -> list[Any]:
    match value:
        case bool():
            return [value, str(value), str(value).lower(), "yes" if value else "no", int(value), "1" if value else "0"]
        case int():
            return [value, float(value), str(value), f" {value} ", f"{value}.0", [value]]
        case float():
            return [value, str(value), f" {value}", [value]]
    return value.forms()


def _first_other(value: Any) -> Any:
    return _forms(value)[1]


def _last(value: Any) -> Any:
    return _forms(value)[-1]


ONE, OTHER = Id("0a1b2c3d"), Id("0193a000-0000-7000-8000-aaaa12345678")
CALLS: list[tuple[str, str, dict[str, Any]]] = [
    (
        "recollect",
        "remember",
        {"content": Text("We ship on Friday 🚀"), "type": Word("fact"), "tags": Many((Text("a"), Text("b")))},
    ),
    (
        "recollect",
        "remember",
        {"content": Text("x"), "scope": Word("project"), "ttl": Days(7), "importance": 0.7, "supersedes": ONE},
    ),
    (
        "recollect",
        "remember",
        {"content": Text("x"), "source": Word("user_stated"), "metadata": Json({"ticket": 7, "by": ["a"]})},
    ),
    (
        "recollect",
        "remember",
        {"content": Text("x"), "triggers": Many((Text("glob:*.env"), Text("a{1,2}")), commas=False)},
    ),
    ("recollect", "remember", {"content": Text("x"), "more": Json({"project": "shop", "occurred_at": "2026-11-01"})}),
    ("recollect", "recall", {"query": Text("how do we ship?"), "limit": 3, "type": Many((Word("fact"), Word("rule")))}),
    (
        "recollect",
        "recall",
        {"query": Text("x"), "since": Ago(7), "until": Ago(2), "status": Word("all"), "min_trust": 0.5},
    ),
    (
        "recollect",
        "recall",
        {"query": Text("x"), "true_at": Ago(1), "mode": Word("lexical"), "scope": Many((Word("team"),))},
    ),
    (
        "recollect",
        "recall",
        {"query": Text("x"), "where": Json({"OR": [{"tags": ["a"]}, {"NOT": {"since": "2026-11-01"}}]})},
    ),
    (
        "recollect",
        "recall",
        {"query": Text("x"), "metadata": Json({"score": {"$gte": 3}}), "speaker": Many((Text("Ann"),), commas=False)},
    ),
    ("recollect", "update", {"id": ONE, "content": Text("y"), "importance": 0.0}),
    ("recollect", "update", {"id": OTHER, "add_tags": Many((Text("one"), Text("two")))}),
    ("recollect", "forget", {"id": ONE, "restore": True}),
    ("recollect", "feedback", {"ids": Many((ONE, OTHER)), "verdict": Word("helpful")}),
    (
        "recollect",
        "link",
        {"source": ONE, "target": OTHER, "relation": Word("derived_from"), "weight": 0.5, "remove": False},
    ),
    (
        "recollect",
        "context",
        {"topic": Text("the release"), "budget": 2000, "start": True, "layers": Many((Text("pinned"),))},
    ),
    (
        "recollect",
        "list",
        {"view": Word("memories"), "limit": 5, "after": ONE, "created_since": Ago(3), "updated_until": Ago(1)},
    ),
    ("recollect", "resolve", {"new": ONE, "old": OTHER, "resolution": Word("keep_both")}),
    (
        "recollect",
        "pool",
        {"action": Word("create"), "name": Text("board"), "ttl": Days(1), "value": Json({"a": [1, None]})},
    ),
    ("recollect", "pool", {"action": Word("merge"), "name": Text("board"), "version": 2, "value": Json({"a": "7"})}),
    ("koshi", "memory_store", {"content": Text("x"), "tags": Many((Text("a"), Text("b")))}),
    ("koshi", "memory_query", {"query": Text("x"), "limit": 4}),
    (
        "jcode",
        "memory",
        {"action": Word("link"), "from": ONE, "to": OTHER, "relation": Word("contradicts"), "weight": 0.25},
    ),
    (
        "jcode",
        "memory",
        {"action": Word("remember"), "content": Text("x"), "category": Word("negative"), "tags": Many((Text("a"),))},
    ),
    (
        "mememory",
        "remember",
        {"content": Text("x"), "type": Word("decision"), "ttl": Days(3), "weight": 0.9, "supersedes": ONE},
    ),
    ("mememory", "list", {"scope": Word("global"), "limit": 10}),
]
TOOLS = {(name, tool.name): tool for name, tools in TOOLSETS.items() for tool in tools}


def read(tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    return read_arguments(tool.name, tool.arguments, arguments, NOW, tool.required)


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


@st.composite
def sent(draw: st.DrawFn, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    """The call as some model may send it."""
    made: dict[str, Any] = {}
    for name, value in arguments.items():
        form = draw(st.sampled_from(_forms(value)), label=name)
        made[draw(st.sampled_from((name, camel(name), name.upper())))] = form
    for name, argument in tool.arguments.items():
        if name not in arguments and not argument.keeps_blank and draw(st.booleans()):
            zero = name in ZERO_IS_ABSENT or argument.schema["type"] not in ("integer", "number", "boolean")
            unused = (*BLANKS, *(WORDS if name != "key" else ()), *((0, 0.0) if zero else ()))
            made[name] = draw(st.sampled_from(unused), label=name)
    return made


@pytest.mark.parametrize(
    ("toolset", "name", "arguments"), CALLS, ids=lambda value: value if isinstance(value, str) else ""
)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_form_of_a_call_reads_as_its_plain_form(
    toolset: str, name: str, arguments: dict[str, Any], data: st.DataObject
) -> None:
    tool = TOOLS[toolset, name]
    wanted = read(tool, {key: plain(value) for key, value in arguments.items()})
    assert wanted.keys() == arguments.keys()
    assert read(tool, data.draw(sent(tool, arguments))) == wanted


def test_every_form_is_taken_at_least_once() -> None:
    for toolset, name, arguments in CALLS:
        tool = TOOLS[toolset, name]
        wanted = read(tool, {key: plain(value) for key, value in arguments.items()})
        for key, value in arguments.items():
            for form in _forms(value):
                given = {other: plain(each) for other, each in arguments.items()} | {key: form}
                assert read(tool, given) == wanted, (name, key, form)


VALUES: list[tuple[str, dict[str, Any], dict[str, Any] | str]] = [
    # The tool of our own set, what is sent, and what it means.
    ("recall", {"query": 1187}, {"query": "1187"}),
    ("recall", {"query": "x", "tag": "deploy"}, {"query": "x", "tags": ["deploy"]}),
    ("recall", {"query": "x", "types": "facts, Rules"}, {"query": "x", "type": ["fact", "rule"]}),
    ("recall", {"query": "x", "scope": "all", "status": ["ALL"]}, {"query": "x", "status": "all"}),
    ("recall", {"query": "x", "project": "null", "session": "None"}, {"query": "x"}),
    ("recall", {"query": "x", "mode": "none", "querry": ""}, {"query": "x"}),
    ("recall", {"query": "cut \ud83d"}, {"query": "cut \ufffd"}),
    ("recall", {"query": "null"}, {"query": "null"}),
    ("recall", {"query": "[1]"}, {"query": "[1]"}),
    ("recall", {"query": "x", "any_tags": ["a, b"]}, {"query": "x", "any_tags": ["a, b"]}),
    ("remember", {"content": "x", "importance": 0}, {"content": "x", "importance": 0}),
    ("remember", {"content": "x", "trust": 1, "tags": []}, "trust: is not an argument of remember"),
    (
        "remember",
        {"content": "x", "speaker": "Ann", "filePaths": "a.py", "more": {"key": "k"}, "position": ""},
        {"content": "x", "more": {"key": "k", "speaker": "Ann", "file_paths": ["a.py"]}},
    ),
    ("remember", {"content": "x", "more": "{}"}, {"content": "x", "more": {}}),
    (
        "remember",
        {"content": "x", "type": 0, "scope": 0, "session": 0, "metadata": 0, "triggers": 0, "more": 0},
        {"content": "x"},
    ),
    ("remember", {"content": "x", "tags": "none", "metadata": "None", "supersedes": "undefined"}, {"content": "x"}),
    (
        "update",
        {"id": "0a1b2c3d", "content": "null", "importance": 0, "tags": "[]"},
        {"id": "0a1b2c3d", "importance": 0},
    ),
    (
        "feedback",
        {"ids": "[12345678] [123e4567]", "verdict": "demote"},
        {"ids": ["12345678", "123e4567"], "verdict": "demote"},
    ),
    ("feedback", {"ids": "[123e4567]", "verdict": "demote"}, {"ids": ["123e4567"], "verdict": "demote"}),
    (
        "feedback",
        {"ids": "0a1b2c3d deadbeef", "verdict": "demote"},
        {"ids": ["0a1b2c3d", "deadbeef"], "verdict": "demote"},
    ),
    (
        "recall",
        {"query": "x", "where": {"AND": [], "OR": [{"tags": "a"}, None, {}], "NOT": {}}},
        {"query": "x", "where": {"OR": [{"tags": ["a"]}]}},
    ),
    ("recall", {"query": 0}, {"query": "0"}),
    ("recall", {"query": "x", "since": True}, "since: True is not a time"),
    ("update", {"id": "0a1b2c3d", "tags": []}, {"id": "0a1b2c3d"}),
    ("update", {"id": "0a1b2c3d", "more": {"ttl": None}}, {"id": "0a1b2c3d", "more": {"ttl": None}}),
    (
        "feedback",
        {"id": "[0a1b2c3d] [deadbeef]", "verdict": "useful"},
        {"ids": ["0a1b2c3d", "deadbeef"], "verdict": "helpful"},
    ),
    (
        "resolve",
        {"new": "0a1b2c3d", "old": "deadbeef", "resolution": "Keep both"},
        {"new": "0a1b2c3d", "old": "deadbeef", "resolution": "keep_both"},
    ),
    ("forget", {"id": "the one about lunch"}, {"id": "the one about lunch"}),
    (
        "pool",
        {"action": "write", "name": "board", "key": "none", "value": None},
        {"action": "write", "name": "board", "key": "none", "value": None},
    ),
    (
        "pool",
        {"action": "write", "name": "b", "key": "k", "value": "5"},
        {"action": "write", "name": "b", "key": "k", "value": 5},
    ),
    (
        "pool",
        {"action": "write", "name": "b", "key": "k", "value": "a, b"},
        {"action": "write", "name": "b", "key": "k", "value": "a, b"},
    ),
]


@pytest.mark.parametrize(
    ("name", "given_", "means"), VALUES, ids=lambda value: json.dumps(value) if isinstance(value, dict) else ""
)
def test_what_one_form_means(name: str, given_: dict[str, Any], means: dict[str, Any] | str) -> None:
    tool = TOOLS["recollect", name]
    if isinstance(means, str):
        with pytest.raises(InvalidInput) as caught:
            read(tool, given_)
        assert str(caught.value).startswith(means)
        return
    assert read(tool, given_) == means


def test_a_call_with_every_unused_argument_blank_does_what_the_plain_call_does(run_scene: RunScene) -> None:
    blank = dict.fromkeys(TOOLS["recollect", "pool"].arguments, "")
    unused = {"version": 0, "ttl": "0", "access": {}, "value": None}

    async def scene(client: Client) -> None:
        plainly = {"action": "create", "name": "board", "value": {"step": 1}}
        made = await call(client, "pool", **(blank | unused | plainly))
        assert (made.structured["done"], made.structured["data"]) == ("created", {"step": 1})
        seen = await call(client, "pool", **(blank | unused | {"action": "READ", "name": "board"}))
        assert seen.structured["data"] == {"step": 1}
        listed = await call(client, "pool", **(blank | unused | {"action": "list", "value": []}))
        assert [pool["name"] for pool in listed.structured["pools"]] == ["board"]

    run_scene(scene)


def test_times_in_words_narrow_what_is_recalled(run_scene: RunScene, clock: Any) -> None:
    async def scene(client: Client) -> None:
        await call(client, "remember", content="The lighthouse was painted red")
        clock.advance(timedelta(days=10))
        await call(client, "remember", content="The lighthouse keeper is called Ida")

        async def found(**filters: Any) -> int:
            return len((await call(client, "recall", query="lighthouse", **filters)).structured["hits"])

        assert await found() == 2
        assert await found(since="3d") == await found(since="yesterday") == await found(until="3 days ago") == 1
        assert await found(where='{"since": "3d"}') == await found(where={"not": {"until": "3d"}}) == 1

    run_scene(scene)


def test_a_number_is_a_time_in_seconds_or_milliseconds_since_1970() -> None:
    noon = datetime(2025, 11, 15, 12, 0, tzinfo=UTC)
    for sent_ in (1763208000, 1763208000.0, 1763208000000, "1763208000"):
        assert read(TOOLS["recollect", "recall"], {"query": "x", "since": sent_})["since"] == noon
