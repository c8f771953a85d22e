"""While the model loads, a server answers by words and says so; a new memory waits for its vector."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest

import recollect
from recollect.embed.background import BackgroundEmbedder
from recollect.errors import EmbedderUnavailable
from recollect.testing.embedding import HashingEmbedder

# The process ends while the runtime of the model is being built.
ENDING = """
import recollect
recollect.open(":memory:", background=True).close()
"""


@pytest.fixture
def gate() -> Event:
    return Event()


def test_recall_is_lexical_until_the_model_is_loaded(tmp_path: Path, gate: Event) -> None:
    with recollect.open(tmp_path / "memory.db", embedder=HashingEmbedder(), project="shop") as memory:
        memory.remember("We deploy with make deploy")
    loading = BackgroundEmbedder(HashingEmbedder(), gate.wait)
    with recollect.open(tmp_path / "memory.db", embedder=loading, project="shop") as memory:
        early = memory.recall("how do we deploy?")
        assert [hit.memory.content for hit in early] == ["We deploy with make deploy"]
        assert early.notes == ("recall is lexical only: the embedding model is still loading; ask again in a moment",)
        gate.set()
        memory.remember("The cat is called Miso")
        later = memory.recall("how do we deploy?")
        assert later.notes == () and later[0].similarity is not None


def test_a_new_memory_waits_for_its_vector(tmp_path: Path, gate: Event) -> None:
    loading = BackgroundEmbedder(HashingEmbedder(), gate.wait)
    with recollect.open(tmp_path / "memory.db", embedder=loading) as memory:
        keeper = Thread(target=memory.remember, args=("Lunch is at noon",), kwargs={"scope": "global"})
        keeper.start()
        assert keeper.is_alive()
        gate.set()
        keeper.join(20)
        assert memory.stats()["unembedded"] == 0


def test_a_slow_model_does_not_prevent_storing(tmp_path: Path, gate: Event) -> None:
    loading = BackgroundEmbedder(HashingEmbedder(), gate.wait, timeout=0.01)
    with recollect.open(tmp_path / "memory.db", embedder=loading) as memory:
        assert memory.remember("Lunch is at noon", scope="global").kind == "stored"
        assert memory.stats()["unembedded"] == 1
        gate.set()
        assert memory.reembed() == 1


def test_every_answer_says_that_the_model_is_unavailable(tmp_path: Path) -> None:
    def unavailable() -> None:
        raise EmbedderUnavailable("there is no way to fetch the model")

    loading = BackgroundEmbedder(HashingEmbedder(), unavailable)
    with recollect.open(tmp_path / "memory.db", embedder=loading) as memory:
        memory.remember("Lunch is at noon", scope="global")
        assert memory.recall("when is lunch?").notes == ("recall is lexical only: there is no way to fetch the model",)


def test_a_process_that_ends_while_the_model_loads_ends_cleanly() -> None:
    ran = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
