"""Growth: what each verb costs with 1,000 and with 100,000 memories, and the ratio; a verb that reads the whole store shows.

Real chat texts, a cheap embedder (vectors are not what is measured), on a file and on PostgreSQL. The small and the large store
take turns, call by call, after a few calls that warm caches. Times are medians of CPU time: of this process for a file,
of this process and its connections for a server; wall time where the server is not ours.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import recollect
from bench.clocks import Clock, CpuClock
from bench.compare import build_indexes
from bench.sets import chat_texts
from bench.tables import Figure
from bench.verbs import VERBS, Case
from recollect.testing.embedding import HashingEmbedder

SIZES = (1_000, 100_000)
# What these verbs do is in proportion to what they return, however large the store is.
FLAT = ("get", "get by ending", "list", "history", "log", "undo", "stats", "tag", "untag", "forget", "restore")
_MOST = 2.0
_PAGE = 5_000
_WARM, _CALLS = 3, 21


def run(
    data: Path,
    databases: Sequence[str],
    server: int | None = None,
    sizes: Sequence[int] = SIZES,
    calls: int = _CALLS,
) -> list[Figure]:
    """The cost of every verb at both sizes, on SQLite and on PostgreSQL, given an empty database for each size.

    `server` is the process of the server, where it is ours; `calls` is how often each verb is timed.
    """
    with tempfile.TemporaryDirectory(prefix="recollect-growth-") as folder:
        files = [str(Path(folder) / f"{size}.db") for size in sizes]
        figures = _figures("SQLite", data, files, sizes, [time.process_time] * len(sizes), calls)
    clocks: list[Clock] = [time.perf_counter if server is None else CpuClock(url, server) for url in databases]
    return figures + _figures("PostgreSQL", data, databases, sizes, clocks, calls)


def _figures(
    back_end: str, data: Path, places: Sequence[str], sizes: Sequence[int], clocks: Sequence[Clock], calls: int
) -> list[Figure]:
    figures = []
    with ExitStack() as stack:
        cases = [_loaded(place, size, data, stack) for place, size in zip(places, sizes, strict=True)]
        for name in VERBS:
            small, large = _costs(cases, name, clocks, calls)
            cost = f"{1e3 * small:.2f} ms, then {1e3 * large:.2f} ms"
            target = _MOST if name in FLAT else None
            figures.append(Figure(f"{back_end}: {name}", round(large / small, 2), target, "lower", "×", cost))
    return figures


def _loaded(place: str, size: int, data: Path, stack: ExitStack) -> Case:
    memory = stack.enter_context(recollect.open(place, embedder=HashingEmbedder(), refresh_clusters=0))
    drafts, ids, texts = _drafts(data, size), [], []
    while page := list(islice(drafts, _PAGE)):
        outcomes = memory.remember_many(page, verbatim=True)
        ids += [outcome.memory.id for outcome in outcomes if outcome.memory is not None]
        texts += [str(draft["content"]) for draft in page]
    build_indexes(place)
    return Case(memory, texts, ids)


def _drafts(data: Path, size: int) -> Iterator[dict[str, Any]]:
    """So many real texts; when they run out they come again under another number, so that none is a duplicate."""
    for number, text in enumerate(islice(cycle(list(chat_texts(data))), size)):
        project = {"scope": "project", "project": "small"} if number % 500 == 0 else {}
        yield {"content": f"{text} ({number})", "tags": [f"topic{number % 40}"], **project}


def _costs(cases: Sequence[Case], verb: str, clocks: Sequence[Clock], calls: int) -> list[float]:
    """The median seconds of a verb in each store; they take turns, and who begins changes."""
    spent: list[list[float]] = [[] for _ in cases]
    for turn in range(_WARM + calls):
        order = range(len(cases)) if turn % 2 else reversed(range(len(cases)))
        for place in order:
            call = VERBS[verb](cases[place])
            started = clocks[place]()
            call()
            spent[place].append(clocks[place]() - started)
    return [statistics.median(times[_WARM:]) for times in spent]
