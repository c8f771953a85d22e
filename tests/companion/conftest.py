"""A companion under test: a clock that stands still, and waiting for the worker by an event."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from recollect.companion.companion import Companion
from recollect.config import load
from recollect.embed.store_embedder import StoreEmbedder
from recollect.engine import Memory
from recollect.ports import Decider
from recollect.runtime import CompanionSlot
from recollect.store.sqlite.store import SqliteStore
from recollect.store.sqlite.working import SqliteWorking
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder
from recollect.unit_of_work import flush
from recollect.values.companion import Surfaced
from recollect.values.scope import Identity
from recollect.wiring import assemble


def turn(companion: Companion, *messages: Any) -> Surfaced:
    """One whole turn: observe, let the worker finish, and take what is pending."""
    companion.observe(list(messages))
    assert companion.wait(10)
    return companion.pending()


def said(role: str, text: str) -> dict[str, str]:
    return {"role": role, "content": text}


def contents(surfaced: Surfaced) -> list[str]:
    return [memory.content for memory in surfaced.memories]


def model_of(decider: Decider) -> Any:
    """A decider as a configured model: it has a name, and writes nothing unless it can."""
    return SimpleNamespace(
        name="a test", decide=decider.decide, write=getattr(decider, "write", lambda tasks: [None] * len(tasks))
    )


@pytest.fixture
def opened(tmp_path: Path, clock: FixedClock) -> Iterator[Callable[..., Memory]]:
    """Opens stores of the same file, with a decider or an embedder of the test's own."""
    stores: list[Memory] = []

    def make(decider: Decider | None = None, embedder: Any = None, judge_seconds: float = 5.0) -> Memory:
        path = tmp_path / "memory.db"
        loaded = load({"XDG_CONFIG_HOME": str(tmp_path)}, db=str(path), embedder="none")
        store = SqliteStore(path)
        bound = StoreEmbedder(embedder or HashingEmbedder(), store)
        working = SqliteWorking(Path(f"{path}.working"))
        runtime = assemble(
            loaded,
            store,
            bound,
            None,
            clock,
            working,
            model_judge=None if decider is None else lambda _: model_of(decider),
        )
        runtime = replace(runtime, companions=CompanionSlot(judge_seconds=judge_seconds))
        runtime.deferred.flush = lambda: flush(runtime, wait=False)
        stores.append(Memory(runtime, Identity()))
        return stores[-1]

    yield make
    for memory in stores:
        memory.close()
