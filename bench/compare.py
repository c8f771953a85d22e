"""Compare two checkouts of recollect, verb by verb, interleaved in one run: `python -m bench.compare --old ../before/src`.

Each checkout runs in a process of its own over a store of its own with the same texts; the two take turns, a few calls at a time,
so that whatever else the machine does falls on both. What is printed is the ratio of the medians.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

SETS = ("longmemeval_oracle_pool", "hotpotqa_500", "realmem", "locomo", "beam_100K", "prefeval")
VERBS = (
    "recall", "recall explain", "search lexical", "remember", "remember known", "get", "get by short id", "list", "history", "log",
    "tag", "update a field", "update the text", "forget and restore", "undo", "stats", "reinforce", "link", "related", "context",
)  # fmt: skip
ROUNDS, CALLS = 12, 4


def texts(folder: Path, count: int) -> list[str]:
    """So many real texts; when the sets hold fewer, they come again with another number."""
    found: list[str] = []
    for name in SETS:
        with gzip.open(folder / name / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
            found += [
                str(json.loads(line).get("text") or json.loads(line).get("content") or "")[:2000] for line in lines
            ]
    found = [text for text in found if len(text.strip()) > 10]
    return [text if turn == 0 else f"{text} (no. {turn})" for turn in range(count // len(found) + 1) for text in found][
        :count
    ]


class Worker:
    """One checkout in its own process."""

    def __init__(self, source: str, where: str) -> None:
        environment = {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{Path(__file__).resolve().parent.parent}"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.compare", "--worker", where],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip

    def ask(self, **what: Any) -> Any:
        """Send one request and wait for its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the worker ended; see its messages above")
        return json.loads(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(60)


def serve(where: str) -> None:
    """The worker: loads texts and times verbs as it is told, one JSON line each."""
    import hashlib

    import numpy as np

    import recollect

    def embed(some: list[str]) -> np.ndarray:
        rows = np.zeros((len(some), 128), np.float32)
        for place, text in enumerate(some):
            for word in text.casefold().split():
                rows[place, int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "big") % 128] += 1
            rows[place, 0] += 0.1
        return rows

    memory = recollect.open(where, embedder=embed, refresh_clusters=0, infer_tags=False)
    loaded: list[str] = []
    fresh = iter(range(10**9))
    for line in sys.stdin:
        asked = json.loads(line)
        if "texts" in asked:
            loaded = asked["texts"]
            done = memory.remember_many(loaded, verbatim=True)
            ids = [outcome.memory.id for outcome in done if outcome.memory is not None]
            build_indexes(where)
            answer: Any = len(ids)
        else:
            run = _verb(memory, asked["verb"], loaded, ids, fresh)
            answer = []
            for _ in range(asked["calls"]):
                started = time.perf_counter()
                run()
                answer.append((time.perf_counter() - started) * 1000)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    memory.close()


def build_indexes(where: str) -> None:
    """On a server, build the vector index of a large account now, as `recollect migrate` does, and not while verbs are timed."""
    if "://" in where:
        from recollect.config import load
        from recollect.wiring import migrate_store

        migrate_store(load(db=where).settings, dry_run=False, progress=lambda _: None)


def _verb(memory: Any, verb: str, loaded: list[str], ids: list[str], fresh: Iterator[int]) -> Callable[[], object]:
    def number() -> int:
        return next(fresh) * 7919

    def an_id() -> str:
        return ids[number() % len(ids)]

    def query() -> str:
        return " ".join(loaded[number() % len(loaded)].split()[:9])

    def undone() -> object:
        memory.tag(an_id(), "undone")
        return memory.undo()

    def forgotten() -> object:
        one = an_id()
        memory.forget(one)
        return memory.restore(one)

    def reworded() -> object:
        return memory.update(an_id(), content=f"Reworded {number()}: the lamp in room {number() % 97} is new")

    verbs: dict[str, Callable[[], object]] = {
        "recall": lambda: memory.recall(query()),
        "recall explain": lambda: memory.recall(query(), explain=True),
        "search lexical": lambda: memory.search(query(), mode="lexical"),
        "remember": lambda: memory.remember(f"{query()} {number()} was moved to shelf {number() % 911}"),
        "remember known": lambda: memory.remember(loaded[number() % len(loaded)]),
        "get": lambda: memory.get(an_id()),
        "get by short id": lambda: memory.get(an_id()[-8:]),
        "list": lambda: memory.list(limit=20),
        "history": lambda: memory.history(an_id()),
        "log": lambda: memory.log(limit=20),
        "tag": lambda: memory.tag(an_id(), f"tag{number() % 50}"),
        "update a field": lambda: memory.update(an_id(), importance=0.3 + (number() % 60) / 100),
        "update the text": reworded,
        "forget and restore": forgotten,
        "undo": undone,
        "stats": memory.stats,
        "reinforce": lambda: memory.reinforce(an_id()),
        "link": lambda: memory.link(ids[number() % len(ids)], ids[(number() + 1) % len(ids)]),
        "related": lambda: memory.related(an_id()),
        "context": lambda: memory.context(query(), budget=4000),
    }
    return verbs[verb]


def compare(
    old: str, new: str, rows: int, folder: Path, url: str | None, verbs: Sequence[str]
) -> list[tuple[str, float, float]]:
    """The medians of every verb, old and new, in milliseconds."""
    with ExitStack() as stack:
        wheres = []
        for name in ("old", "new"):
            if url is None:
                wheres.append(str(Path(stack.enter_context(tempfile.TemporaryDirectory())) / f"{name}.db"))
            else:
                from recollect.testing.servers import fresh_database

                wheres.append(stack.enter_context(fresh_database(url)))
        workers = [stack.enter_context(Worker(source, where)) for source, where in zip((old, new), wheres, strict=True)]
        some = texts(folder, rows)
        for worker in workers:
            worker.ask(texts=some)
        times: dict[tuple[str, int], list[float]] = {}
        for verb in verbs:
            for worker in workers:
                worker.ask(verb=verb, calls=2)
            for turn in range(ROUNDS):
                for which in (0, 1) if turn % 2 else (1, 0):
                    times.setdefault((verb, which), []).extend(workers[which].ask(verb=verb, calls=CALLS))
        return [(verb, *(statistics.median(times[verb, which]) for which in (0, 1))) for verb in verbs]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.compare", description=__doc__)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--old", help="the src folder of the other checkout")
    parser.add_argument(
        "--new", default=str(Path(__file__).resolve().parent.parent / "src"), help="the src folder of this one"
    )
    parser.add_argument("--rows", type=int, default=10_000, help="how many memories")
    parser.add_argument(
        "--data", default=os.environ.get("RECOLLECT_BENCH_DATA", ""), help="folder of the evaluation sets"
    )
    parser.add_argument("--verbs", default=",".join(VERBS), help="only these verbs, with commas")
    parser.add_argument("--url", help="a PostgreSQL server instead of files, as a user who may create databases")
    given = parser.parse_args()
    if given.worker:
        serve(given.worker)
        return 0
    print(f"| verb ({given.rows:,} memories) | old ms | new ms | new / old |\n|---|---|---|---|")
    for verb, before, after in compare(
        given.old, given.new, given.rows, Path(given.data), given.url, given.verbs.split(",")
    ):
        print(f"| {verb} | {before:.2f} | {after:.2f} | {after / before:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
