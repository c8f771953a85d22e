"""The library itself, and its async edge: one worker thread a call, awaited from a loop in a thread of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from anyio.from_thread import start_blocking_portal

import recollect
from doors.door import Asked, Door, Failed
from recollect.errors import RecollectError
from recollect.portable.graph import render_graph
from recollect.serve.cli.json_output import cluster_json, contradiction_json, provenance_json, related_json, to_json
from recollect.values.cluster import Cluster
from recollect.values.link import Graph
from recollect.values.memory import ProvenanceChain
from recollect.values.outcome import Contradiction
from recollect.values.recalled import Related

# Verbs that take what they work on as a row of words; and an argument that is called otherwise because `agent` is who asks.
_ROWS = {"tag": "tags", "untag": "tags", "confirm": "helped", "merge_tags": "others"}
_FIRST = {"tag": "id", "untag": "id", "merge_tags": "into"}
_RENAMED = {"agent_name": "agent", "to": "agent", "of": "agent"}


class Library:
    """`recollect.open`, and everything a verb gives back made plain."""

    def __init__(self, memory: recollect.Memory) -> None:
        self._memory = memory

    def do(self, asked: Asked) -> Any:
        try:
            return form_of(done(self._memory, asked))
        except RecollectError as error:
            raise Failed(type(error).__name__, str(error)) from error


class Edge:
    """`recollect.open_async`: the same verbs, awaited."""

    def __init__(self, memory: Any, portal: Any) -> None:
        self._memory, self._portal = memory, portal

    def do(self, asked: Asked) -> Any:
        try:
            return form_of(self._portal.call(partial(_awaited, self._memory, asked)))
        except RecollectError as error:
            raise Failed(type(error).__name__, str(error)) from error


@contextmanager
def library(db: str) -> Iterator[Door]:
    """The library in this process."""
    with recollect.open(db) as memory:
        yield Library(memory)


@contextmanager
def edge(db: str) -> Iterator[Door]:
    """The async library in this process."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(recollect.open_async(db)) as memory:
        yield Edge(memory, portal)


def done(memory: Any, asked: Asked) -> Any:
    """What the library makes of a step."""
    if asked.agent is not None:
        memory = memory.with_identity(agent=asked.agent)
    if asked.as_of is not None:
        with memory.as_of(asked.as_of) as past:
            return _called(past, asked)
    return _called(memory, asked)


async def _awaited(memory: Any, asked: Asked) -> Any:
    if asked.agent is not None:
        memory = await memory.with_identity(agent=asked.agent)
    if asked.as_of is not None:
        async with await memory.as_of(asked.as_of) as past:
            return await _called(past, asked)
    return await _called(memory, asked)


def _called(memory: Any, asked: Asked) -> Any:
    method = memory
    for part in asked.verb.split("."):
        method = getattr(method, part)
    given = {_spelled(asked.verb, name): value for name, value in asked.arguments.items()}
    if asked.verb == "resolve":
        return method((given.pop("new"), given.pop("old")), **given)
    if asked.verb in _ROWS:
        first = [given.pop(_FIRST[asked.verb])] if asked.verb in _FIRST else []
        return method(*first, *given.pop(_ROWS[asked.verb]), **given)
    return method(**given)


def _spelled(verb: str, name: str) -> str:
    return _RENAMED.get(name, name) if verb.split(".")[-1] in ("grant", "revoke", "share_with_agent") else name


def form_of(value: Any) -> Any:
    """Any value a verb gives back, as the command line would print it."""
    if isinstance(value, list):
        return [form_of(each) for each in value]
    for kind, form in _FORMS.items():
        if isinstance(value, kind):
            return form(value)
    return to_json(value)


_FORMS: dict[type, Any] = {
    Cluster: cluster_json,
    Contradiction: contradiction_json,
    ProvenanceChain: provenance_json,
    Related: related_json,
    Graph: lambda graph: json.loads(render_graph(graph, "json")),
}
