"""A server for a judge to ask, and a ledger that only counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.judge.model_servers import ModelServer, QuietServer, Script, started

import recollect
from recollect.errors import JudgeError
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder


@dataclass
class CountingLedger:
    """Counts tokens and calls, and refuses when `left` is used up."""

    left: int = 1_000_000
    calls: int = 0
    asked: int = 0
    kept: int = 0
    tokens: int = 0
    questions: list[str] = field(default_factory=list)

    def require(self, tokens: int) -> None:
        if tokens > self.left - self.tokens:
            raise JudgeError("the budget is used up")

    def add(self, question: str, *, calls: int, asked: int, kept: int, tokens_in: int, tokens_out: int) -> None:
        self.calls, self.asked, self.kept = self.calls + calls, self.asked + asked, self.kept + kept
        self.tokens += tokens_in + tokens_out
        self.questions.append(question)


@pytest.fixture
def ledger() -> CountingLedger:
    return CountingLedger()


@pytest.fixture
def serve() -> Iterator[Callable[[Script], ModelServer]]:
    running: list[tuple[ModelServer, QuietServer]] = []

    def start(script: Script) -> ModelServer:
        running.append(started(script))
        return running[-1][0]

    yield start
    for state, server in running:
        state.go_on.set()
        server.shutdown()
        server.server_close()


Opening = Callable[..., recollect.Memory]


@pytest.fixture(params=["file", "postgres"])
def opened(request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock) -> Iterator[Opening]:
    """Opens the same store with a judge, again and again; on a file and on a server."""
    where = tmp_path / "memory.db" if request.param == "file" else request.getfixturevalue("empty_database")
    held: list[recollect.Memory] = []

    def open_with(judge: object = None, **settings: object) -> recollect.Memory:
        held.append(recollect.open(where, embedder=HashingEmbedder(), clock=clock, judge=judge, **settings))
        return held[-1]

    yield open_with
    for memory in held:
        memory.close()
