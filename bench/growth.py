"""Growth: what each verb costs with 1,000 and with 100,000 memories, and the ratio; a verb that reads the whole store shows.

Real chat texts, a cheap embedder (vectors are not what is measured), warm, the median of several calls in CPU time of this process
for a file and in wall time for a server, where the work is done elsewhere.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

import recollect
from bench.compare import build_indexes
from bench.sets import chat_texts
from bench.tables import Figure
from recollect.testing.embedding import HashingEmbedder

SIZES = (1_000, 100_000)
# What these verbs do is in proportion to what they return, however large the store is.
FLAT = ("get", "get by ending", "list", "history", "log", "undo", "stats", "tag", "untag", "forget", "restore")
_MOST = 2.0
_PAGE = 5_000
_CALLS = 21


class Call(NamedTuple):
    """One call of a verb: on which store, about which memory, the how manyth."""

    memory: recollect.Memory
    id: str
    number: int


Verb = Callable[[Call], object]


VERBS: dict[str, Verb] = {
    "get": lambda call: call.memory.get(call.id),
    "get by ending": lambda call: call.memory.get(call.id[-8:]),
    "list": lambda call: call.memory.list(limit=1),
    "list in_project": lambda call: call.memory.list(in_project="small", limit=1),
    "list forgotten": lambda call: call.memory.list(status="forgotten", limit=1),
    "history": lambda call: call.memory.history(call.id),
    "log": lambda call: call.memory.log(limit=20),
    "stats": lambda call: call.memory.stats(),
    "tag": lambda call: call.memory.tag(call.id, f"tag{call.number}"),
    "undo": lambda call: call.memory.undo(),
    "untag": lambda call: call.memory.untag(call.id, f"tag{call.number - 1}"),
    "update": lambda call: call.memory.update(call.id, importance=0.1 + call.number % 9 / 10),
    "reinforce": lambda call: call.memory.reinforce(call.id),
    "demote": lambda call: call.memory.demote(call.id),
    "forget": lambda call: call.memory.forget(call.id),
    "restore": lambda call: call.memory.restore(call.id),
    "remember": lambda call: call.memory.remember(f"Parcel {call.number} of the growth run is {call.number * 7} grams"),
    "recall": lambda call: call.memory.recall("what did we say about the weekend", limit=10),
    "search": lambda call: call.memory.search("weekend", limit=10),
    "context": lambda call: call.memory.context("what did we say about the weekend"),
    "tags": lambda call: call.memory.tags(),
    "clusters": lambda call: call.memory.clusters(),
    "preview": lambda call: call.memory.preview("what did we say about the weekend"),
    "related": lambda call: call.memory.related(call.id),
    "graph": lambda call: call.memory.graph(id=call.id),
    "provenance": lambda call: call.memory.provenance(call.id),
    "feedback": lambda call: call.memory.feedback(call.id, helpful=False),
    "confirm": lambda call: call.memory.confirm(call.id),
    "describe_tag": lambda call: call.memory.describe_tag(f"tag{call.number}", "a tag of the growth run"),
    "update the text": lambda call: call.memory.update(
        call.id, content=f"Reworded in the growth run, {call.number} times"
    ),
    "contradictions": lambda call: call.memory.contradictions(),
    "gaps": lambda call: call.memory.gaps(),
}


def run(data: Path, urls: tuple[str, str] | None = None, sizes: tuple[int, int] = SIZES) -> list[Figure]:
    """The cost of every verb at both sizes, on SQLite and, given two empty databases, on PostgreSQL."""
    with tempfile.TemporaryDirectory(prefix="recollect-growth-") as folder, ExitStack() as stack:
        files = [str(Path(folder) / f"{size}.db") for size in sizes]
        figures = _figures("SQLite", data, files, sizes, time.process_time, stack)
        if urls is not None:
            figures += _figures("PostgreSQL", data, list(urls), sizes, time.perf_counter, stack)
    return figures


def _figures(
    back_end: str, data: Path, places: list[str], sizes: tuple[int, int], clock: Callable[[], float], stack: ExitStack
) -> list[Figure]:
    stores = [stack.enter_context(_loaded(place, size, data)) for place, size in zip(places, sizes, strict=True)]
    figures = []
    for name, verb in VERBS.items():
        if not hasattr(recollect.Memory, name.split()[0]):
            continue
        small, large = (_cost(memory, verb, clock) for memory in stores)
        ratio, cost = large / max(small, 1e-9), f"{1e3 * small:.2f} ms, then {1e3 * large:.2f} ms"
        target = _MOST if name in FLAT else None
        figures.append(Figure(f"{back_end}: {name}", round(ratio, 2), target, "lower", "x", cost))
    return figures


def _loaded(place: str, size: int, data: Path) -> recollect.Memory:
    memory = recollect.open(place, embedder=HashingEmbedder(), refresh_clusters=0)
    texts = _texts(data, size)
    while page := list(islice(texts, _PAGE)):
        memory.remember_many(page, verbatim=True)
    build_indexes(place)
    return memory


def _texts(data: Path, size: int) -> Iterator[dict[str, Any]]:
    """So many real texts; when they run out they come again under another number, so that none is a duplicate."""
    for number, text in enumerate(islice(cycle(list(chat_texts(data))), size)):
        project = {"scope": "project", "project": "small"} if number % 500 == 0 else {}
        yield {"content": f"{text} ({number})", "tags": [f"topic{number % 40}"], **project}


def _cost(memory: recollect.Memory, verb: Verb, clock: Callable[[], float]) -> float:
    ids = [record.id for record in memory.list(limit=_CALLS)]
    spent = []
    for call in [Call(memory, wanted, number) for number, wanted in enumerate(ids, 1)]:
        started = clock()
        verb(call)
        spent.append(clock() - started)
    return statistics.median(spent)
