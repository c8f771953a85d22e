"""Which tool of the MCP server runs which verb, with which arguments, and how its result becomes the result of the verb."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Arguments = dict[str, Any]
_DRAFT_FIELDS = "content type tags importance delivery ttl scope source supersedes triggers session task"
_OWN_FIELDS = {"remember": _DRAFT_FIELDS.split(), "update": "id content type tags importance".split()}
# The kind of an error, recognised by its text.
_KINDS = (
    (re.compile(r"error: no .* here; "), "NotFound"),
    (re.compile(r"error: memory is off for "), "Disabled"),
    (re.compile(r"error: .* is read-only; "), "ReadOnly"),
    (re.compile(r"error: (expected_)?version: is \d+, but pool "), "StaleVersion"),
    (re.compile(r"error: [\w.\[\]]+: .*; ", re.DOTALL), "InvalidInput"),
)


@dataclass(frozen=True)
class ToolOfVerb:
    """`arguments` returns None when the tool cannot do this."""

    name: str
    arguments: Callable[[Arguments], Arguments | None]
    answer: Callable[[Any], Any]


def kind_of(text: str) -> str:
    """The kind of an error, from the text the agent reads."""
    return next((kind for shape, kind in _KINDS if shape.match(text)), text)


def _more(tool: str) -> Callable[[Arguments], Arguments]:
    """The fields that are arguments of a tool, and the others in `more`."""

    def arguments(given: Arguments) -> Arguments:
        own = {name: value for name, value in given.items() if name in _OWN_FIELDS[tool]}
        rest = {name: value for name, value in given.items() if name not in own}
        return own | ({"more": rest} if rest else {})

    return arguments


def _renamed(more: Mapping[str, Any] | None = None, /, **names: str) -> Callable[[Arguments], Arguments]:
    return lambda given: {**{names.get(name, name): value for name, value in given.items()}, **(more or {})}


def _listed(given: Arguments) -> Arguments | None:
    return None if isinstance(given.get("status"), list) else given


def _view(view: str, only: Mapping[str, Any] | None = None) -> Callable[[Arguments], Arguments | None]:
    """A view of `list`. It has no arguments but an id, so any other argument must be at its fixed value."""

    def arguments(given: Arguments) -> Arguments | None:
        rest = {name: value for name, value in given.items() if name != "id"}
        if rest != dict(only or {}):
            return None
        return {"view": view, **{name: value for name, value in given.items() if name == "id"}}

    return arguments


def _verdict(given: Arguments) -> Arguments:
    return {"ids": [given["id"]], "verdict": "helpful" if given["helpful"] else "unhelpful"}


def _same(form: Any) -> Any:
    return form


def _memory(form: Any) -> Any:
    return form if form["kind"] == "refused" else form["memory"]


def _first(form: Any) -> Any:
    return form["changed"][0]


def _changed(form: Any) -> Any:
    return form["changed"]


def _items(form: Any) -> Any:
    return form["items"]


def _item(form: Any) -> Any:
    return form["items"][0]


def _pool(action: str, answer: Callable[[Any], Any] = _same, **names: str) -> ToolOfVerb:
    return ToolOfVerb("pool", _renamed({"action": action}, expected_version="version", **names), answer)


TOOLS = {
    # What an agent says is its own word; the story is told by the user.
    "remember": ToolOfVerb("remember", lambda given: _more("remember")({"source": "user_stated", **given}), _same),
    "recall": ToolOfVerb("recall", _same, _same),
    "search": ToolOfVerb("recall", _same, _same),
    "update": ToolOfVerb("update", _more("update"), _memory),
    "tag": ToolOfVerb("update", _renamed(tags="add_tags"), _memory),
    "untag": ToolOfVerb("update", _renamed(tags="remove_tags"), _memory),
    "supersede": ToolOfVerb("update", _renamed(old="replaces", new="id"), _memory),
    "forget": ToolOfVerb("forget", _same, _memory),
    "restore": ToolOfVerb("forget", _renamed({"restore": True}), _memory),
    "reinforce": ToolOfVerb("feedback", lambda given: {"ids": [given["id"]], "verdict": "reinforce"}, _first),
    "demote": ToolOfVerb("feedback", lambda given: {"ids": [given["id"]], "verdict": "demote"}, _first),
    "feedback": ToolOfVerb("feedback", _verdict, _first),
    "feedback_many": ToolOfVerb("feedback", _same, _changed),
    "link": ToolOfVerb("link", _same, _first),
    "unlink": ToolOfVerb("link", _renamed({"remove": True}), _changed),
    "resolve": ToolOfVerb("resolve", _same, _changed),
    "context": ToolOfVerb("context", _same, _same),
    "get": ToolOfVerb("list", _same, _item),
    "list": ToolOfVerb("list", _listed, _items),
    "history": ToolOfVerb("list", _view("history"), _items),
    "contradictions": ToolOfVerb("list", _view("contradictions"), _items),
    "gaps": ToolOfVerb("list", _view("gaps"), _items),
    "tags": ToolOfVerb("list", _view("tags"), _items),
    "related": ToolOfVerb("list", _view("related", {"depth": 2}), _items),
    "stats": ToolOfVerb("list", _view("stats"), _item),
    "pools.create": _pool("create", data="value"),
    "pools.get": _pool("read"),
    "pools.read": _pool("read", lambda form: form["value"]),
    "pools.write_key": _pool("write"),
    "pools.merge": _pool("merge", changes="value"),
    "pools.remove_key": _pool("remove"),
    "pools.write": _pool("write", data="value"),
    "pools.grant": _pool("grant", to="agent"),
    "pools.revoke": _pool("revoke", of="agent"),
    "pools.drop": _pool("drop", lambda _: None),
    "pools.list": _pool("list", lambda form: form["pools"]),
}
