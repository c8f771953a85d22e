"""Contest: recollect and the plain yardstick, each in a process of its own on the same core, take turns at the same work.

`python -m bench.contest ours PREPARED DATA ROWS FILE` is one side: it reads commands from standard input and answers each with a
line of JSON. Times are wall time without what the prepared embedder takes, which reads the same file for both.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

import psutil

import recollect
from bench.metrics import quantile
from bench.plain import PlainMemory
from bench.tables import Figure
from bench.turns import EXTRA, NOW, PROJECT, PreparedEmbedder, made_turns, questions, real_turns

OURS, PLAIN = "ours", "plain"
_PAGE, _RECALLS, _WRITES = 5_000, 200, 100
Call = Callable[[Any], object]


@dataclass
class Measured:
    """What one side took: milliseconds, and megabytes of resident memory."""

    load: float = 0.0
    first: float = 0.0
    recalls: list[float] = field(default_factory=list)
    remembers: list[float] = field(default_factory=list)
    inserts: list[float] = field(default_factory=list)
    resident: float = 0.0

    def rate(self, rows: int) -> float:
        """Memories loaded per second, the index included."""
        return 1e3 * rows / (self.load + self.first)


class Side:
    """The other end of a process that runs one side."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def __call__(self, command: str, number: int = 0) -> float:
        """The milliseconds that a command took, or the megabytes it asked for."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(command, number, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process of one side ended at {command!r}")
        return float(json.loads(answer))


def run(prepared: Path, data: Path, rows: int, folder: Path, model: str = "bench") -> dict[str, Measured]:
    """Let both sides do the same work in turn; the file of ours stays in the folder."""
    found = {which: Measured() for which in (OURS, PLAIN)}
    with ExitStack() as stack:
        given = (str(prepared), str(data), str(rows))
        sides = {
            which: stack.enter_context(_side(which, *given, str(folder / f"{which}.db"), model)) for which in found
        }
        for first in range(0, rows, _PAGE):
            for which, side in sides.items():
                found[which].load += side("load", min(_PAGE, rows - first))
        for which, side in sides.items():
            found[which].first = side("recall")
        for number in range(1, _RECALLS + 1):
            for which, side in sides.items():
                found[which].recalls.append(side("recall", number))
        for which, side in sides.items():
            found[which].resident = side("resident")
        for _ in range(_WRITES):
            for which, side in sides.items():
                found[which].remembers.append(side("remember", 1))
            found[PLAIN].inserts.append(sides[PLAIN]("insert", 1))
        for side in sides.values():
            side("close")
    return found


def figures(found: dict[str, Measured], rows: int) -> list[Figure]:
    """The ratios that count, with what both sides took as a note."""
    ours, plain, at = found[OURS], found[PLAIN], f"at {rows // 1000}k"
    p50, plain_p50 = quantile(ours.recalls, 0.5), quantile(plain.recalls, 0.5)
    p95, plain_p95 = quantile(ours.recalls, 0.95), quantile(plain.recalls, 0.95)
    remember, insert = quantile(ours.remembers, 0.5), quantile(plain.inserts, 0.5)
    return [
        Figure(
            f"first recall after the load {at}", ours.first / 1e3, 2.0, "lower", "s", f"plain {plain.first / 1e3:.2f} s"
        ),
        Figure(
            f"bulk load {at}, index included",
            ours.rate(rows),
            6_000,
            "higher",
            "memories/s",
            f"plain {plain.rate(rows):,.0f}",
        ),
        Figure(
            f"recall p50 {at} / plain", p50 / plain_p50, 0.2, "lower", "×", f"{p50:.1f} ms, plain {plain_p50:.1f} ms"
        ),
        Figure(
            f"recall p95 {at} / its p50",
            p95 / p50,
            4.0,
            "lower",
            "×",
            f"{p95:.1f} ms, at worst {max(ours.recalls):.0f} ms; plain {plain_p95:.1f} ms, at worst {max(plain.recalls):.0f} ms",
        ),
        Figure(
            f"durable remember p50 {at} / a bare durable INSERT",
            remember / insert,
            8.0,
            "lower",
            "×",
            f"{remember:.2f} ms, INSERT {insert:.2f} ms, plain {quantile(plain.remembers, 0.5):.2f} ms",
        ),
        Figure(
            f"resident memory after {_RECALLS} recalls {at} / plain",
            ours.resident / plain.resident,
            1.0,
            "lower",
            "×",
            f"{ours.resident:.0f} MB, plain {plain.resident:.0f} MB",
        ),
    ]


@contextmanager
def _side(*arguments: str) -> Iterator[Side]:
    """A process that runs one side; it ends with the block."""
    command = [sys.executable, "-m", "bench.contest", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Side(process)
        finally:
            process.kill()


def main(which: str, prepared: Path, data: Path, rows: int, path: Path, model: str) -> None:
    """One side: do what standard input says."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    embedder = PreparedEmbedder(prepared, model)
    real = real_turns(data)
    drafts = (turn.draft for turn in chain(made_turns(real, rows), made_turns(real, EXTRA, seed=3)))
    asked = questions(data)
    with calls_of(which, path, embedder) as calls:
        for line in sys.stdin:
            command, number = line.split()
            if command == "close":
                break
            if command == "resident":
                answer = psutil.Process().memory_info().rss / 1e6
            elif command == "recall":
                answer = timed(embedder, calls[command], asked[int(number) % len(asked)])
            else:
                answer = timed(embedder, calls[command], list(islice(drafts, int(number))))
            print(json.dumps(answer), flush=True)
    print(0, flush=True)


@contextmanager
def calls_of(which: str, path: Path, embedder: PreparedEmbedder) -> Iterator[dict[str, Call]]:
    """What a side can do, by the name of the command."""
    if which == PLAIN:
        plain = PlainMemory(path, embedder)
        yield {
            "load": plain.remember_many,
            "recall": plain.recall,
            "remember": plain.remember_many,
            "insert": plain.insert,
        }
        return
    with recollect.open(path, embedder=embedder, clock=lambda: NOW) as memory:
        yield {
            "load": lambda drafts: memory.remember_many(drafts, verbatim=True),
            "recall": lambda question: memory.recall(question, limit=10, project=PROJECT),
            "remember": memory.remember_many,
        }


def timed(embedder: PreparedEmbedder, call: Call, given: Any) -> float:
    """Milliseconds of one call."""
    before, started = embedder.seconds, time.perf_counter()
    call(given)
    return 1e3 * (time.perf_counter() - started - (embedder.seconds - before))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5]), sys.argv[6])
