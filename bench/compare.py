"""Compare two checkouts of recollect, verb by verb, interleaved in one run: `python -m bench.compare --old ../before/src`.

Each checkout runs in a process of its own over a store of its own with the same texts; the two take turns, call by
call, so that whatever else the machine does falls on both. What is printed is the ratio of the medians. Judge
CPU time, which on a server that is ours includes that of its connections; wall time depends on what else the machine does.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from bench.clocks import CpuClock
from bench.sets import data_folder
from bench.verbs import VERBS, Case

SETS = ("longmemeval_oracle_pool", "hotpotqa_500", "realmem", "locomo", "beam_100K", "prefeval")
PAIRS = 40


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

    def __init__(self, source: str, where: str, server: int | None) -> None:
        environment = {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{Path(__file__).resolve().parent.parent}"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.compare", "--worker", where, str(server or "")],
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


def serve(where: str, server: str) -> None:
    """The worker: loads texts and times verbs as it is told, one JSON line each."""
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
    case, cpu = Case(memory, (), ()), CpuClock(where, int(server)) if server else time.process_time
    for line in sys.stdin:
        asked = json.loads(line)
        if "texts" in asked:
            done = memory.remember_many(asked["texts"], verbatim=True)
            case = Case(memory, asked["texts"], [outcome.memory.id for outcome in done if outcome.memory is not None])
            build_indexes(where)
            answer: Any = len(case.ids)
        else:
            try:
                answer = _timed(VERBS[asked["verb"]](case), cpu)
            except (AttributeError, TypeError, recollect.InvalidInput):
                answer = None  # this checkout has no such verb, or calls an argument of it otherwise
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    memory.close()


def _timed(call: Callable[[], object], cpu: Callable[[], float]) -> list[float]:
    """CPU and wall milliseconds of one call."""
    spent, started = cpu(), time.perf_counter()
    call()
    wall = time.perf_counter() - started
    return [1e3 * (cpu() - spent), 1e3 * wall]


def build_indexes(where: str) -> None:
    """On a server, build the vector index of a large account now, as `recollect migrate` does, and not while verbs are timed."""
    if "://" in where:
        from recollect.config import load
        from recollect.wiring import migrate_store

        migrate_store(load(db=where).settings, dry_run=False, progress=lambda _: None)


@dataclass(frozen=True, slots=True)
class Compared:
    """One verb: the medians of the old and of the new checkout, in milliseconds, CPU and wall."""

    verb: str
    cpu: tuple[float, float]
    wall: tuple[float, float]

    def cells(self) -> tuple[str, ...]:
        (old, new), (then, now) = self.cpu, self.wall
        return (
            self.verb, f"{old:.2f}", f"{new:.2f}", f"{new / old:.2f}", f"{then:.2f}", f"{now:.2f}", f"{now / then:.2f}"
        )  # fmt: skip


def compare(
    old: str,
    new: str,
    rows: int,
    folder: Path,
    server: tuple[str | None, int | None],
    verbs: Sequence[str],
    pairs: int = PAIRS,
) -> Iterator[Compared]:
    """Every verb, as it is measured; old and new take turns call by call, and who begins changes with every pair.

    `server` is the address of a PostgreSQL, and its process where it is ours; without an address, files are compared.
    """
    with ExitStack() as stack:
        wheres = []
        for name in ("old", "new"):
            if server[0] is None:
                wheres.append(str(Path(stack.enter_context(tempfile.TemporaryDirectory())) / f"{name}.db"))
            else:
                from recollect.testing.servers import fresh_database

                wheres.append(stack.enter_context(fresh_database(server[0])))
        workers = [
            stack.enter_context(Worker(source, where, server[1]))
            for source, where in zip((old, new), wheres, strict=True)
        ]
        some = texts(folder, rows)
        for worker in workers:
            worker.ask(texts=some)
        for verb in verbs:
            found: list[list[list[float]]] = [[], []]
            for turn in range(-3, pairs):
                for which in (0, 1) if turn % 2 else (1, 0):
                    times = workers[which].ask(verb=verb)
                    if turn >= 0 and times is not None:  # the first calls warm caches and prepared statements
                        found[which].append(times)
            if not all(found):
                continue
            cpu, wall = ([statistics.median(t[clock] for t in found[which]) for which in (0, 1)] for clock in (0, 1))
            yield Compared(verb, (cpu[0], cpu[1]), (wall[0], wall[1]))


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.compare", description=__doc__)
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--old", help="the src folder of the other checkout")
    parser.add_argument(
        "--new", default=str(Path(__file__).resolve().parent.parent / "src"), help="the src folder of this one"
    )
    parser.add_argument("--rows", type=int, default=10_000, help="how many memories")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="how many calls of each checkout")
    parser.add_argument("--data", help="folder of the evaluation sets (or RECOLLECT_BENCH_DATA)")
    parser.add_argument("--verbs", default=",".join(VERBS), help="only these verbs, with commas")
    parser.add_argument(
        "--server", action="store_true", help="on PostgreSQL instead of files; one is started for the run"
    )
    parser.add_argument("--url", help="with --server: a server of your own, as a user who may create databases")
    given = parser.parse_args()
    if given.worker:
        serve(*given.worker)
        return 0
    from bench.server import started  # not in a worker, whose checkout may be older than what this needs

    print(f"| verb ({given.rows:,} memories) | old ms CPU | new | ratio | old ms wall | new | ratio |\n|{7 * '---|'}")
    verbs, data = given.verbs.split(","), data_folder(given.data)
    with started(given.url) if given.server else nullcontext((None, None)) as server:
        for found in compare(given.old, given.new, given.rows, data, server, verbs, given.pairs):
            print(f"| {' | '.join(found.cells())} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
