"""Every test starts from the same world: no settings of whoever runs it, a clock that stands still, a quick embedder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder

pytest.register_assert_rewrite("recollect.testing.contract")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The user's own settings and memories never leak in; the model cache stays, so that it is fetched only once."""
    for name in list(os.environ):
        if name.startswith("RECOLLECT_"):
            monkeypatch.delenv(name)
    home = tmp_path_factory.getbasetemp() / "home"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(Path.home() / ".cache"))


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock, embedder: HashingEmbedder) -> Iterator[recollect.Memory]:
    """A fresh store in a temporary file."""
    with recollect.open(tmp_path / "memory.db", embedder=embedder, clock=clock) as opened:
        yield opened
