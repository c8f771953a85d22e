"""Waiting: how long `observe` and `pending` of a companion hold up the agent, in a large store, whatever the worker is stuck in.

Wall time of single calls, because that is what an agent feels.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import recollect
from bench.metrics import quantile
from bench.tables import Figure
from recollect.companion.companion import Companion
from recollect.engine import Memory
from recollect.runtime import CompanionSlot
from recollect.values.judging import Decision, Question

_CALLS = 1000


class _HangingJudge:
    """A judge that answers nothing until it is let go."""

    def __init__(self) -> None:
        self.reached, self.let_go = threading.Event(), threading.Event()

    def decide(self, questions: Sequence[Question]) -> list[Decision | None]:
        self.reached.set()
        self.let_go.wait(60)
        return [None] * len(questions)


def waiting_figures(memory: recollect.Memory, path: Path, asked: Sequence[str], size: str) -> list[Figure]:
    """Median and 99th percentile of one call: beside a busy worker, a judge that hangs, and locked files."""
    situations: dict[str, Callable[[Memory, ExitStack], Companion]] = {
        "a busy worker": _busy,
        "a judge that hangs": _judged,
        "a locked store and working memory": lambda memory, stack: _locked(memory, path, stack),
    }
    figures = []
    for name, make in situations.items():
        with ExitStack() as stack:
            times = list(_times(make(memory, stack), asked))
        label, note = f"observe and pending at {size}, beside {name}", f"{len(times)} calls, wall time"
        figures += [
            Figure(f"{label}: p50", quantile(times, 0.5), 0.1, "lower", "ms", note),
            Figure(f"{label}: p99", quantile(times, 0.99), 10.0, "lower", "ms", note),
        ]
    return figures


def _busy(memory: Memory, _: ExitStack) -> Companion:
    return memory.companion(session="busy")


def _judged(memory: Memory, stack: ExitStack) -> Companion:
    judge = _HangingJudge()
    runtime = replace(memory._runtime, model_judge=lambda _: judge, companions=CompanionSlot(judge_seconds=60))
    companion = Memory(runtime, memory._viewer.identity, memory._viewer.project).companion(session="judged")
    stack.callback(runtime.companions.close)
    stack.callback(judge.let_go.set)
    companion.observe("What did we say about the release?")
    companion.wait(1)
    return companion


def _locked(memory: Memory, path: Path, stack: ExitStack) -> Companion:
    memory.working.store("k", 1)
    companion = memory.companion(session="locked")
    for name in (path, Path(f"{path}.working")):
        stack.enter_context(_write_lock(name))
    return companion


@contextmanager
def _write_lock(path: Path) -> Iterator[None]:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def _times(companion: Companion, asked: Sequence[str]) -> Iterator[float]:
    """Milliseconds of each call; now and then the worker is left to catch up, so that there is something to hand out."""
    for number in range(_CALLS // 2):
        message = {"role": "user", "content": f"{asked[number % len(asked)]} ({number})"}
        for call in (lambda message=message: companion.observe(message), companion.pending):
            started = perf_counter()
            call()
            yield (perf_counter() - started) * 1e3
        if not number % 10:
            companion.wait(0.05)
