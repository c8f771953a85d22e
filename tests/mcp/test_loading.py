"""While the model loads a server answers already: questions by words, which they say; what is kept waits for its vector."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest

import recollect
from recollect.embed.loading import LoadingEmbedder
from recollect.errors import EmbedderUnavailable
from recollect.testing.embedding import HashingEmbedder

# A model whose runtime is being built when the process ends.
ENDING = """
import recollect
recollect.open(":memory:", background=True).close()
"""


@pytest.fixture
def gate() -> Event:
    return Event()


def test_a_question_is_answered_by_words_until_the_model_is_there(tmp_path: Path, gate: Event) -> None:
    with recollect.open(tmp_path / "memory.db", embedder=HashingEmbedder(), project="shop") as memory:
        memory.remember("We deploy with make deploy")
    loading = LoadingEmbedder(HashingEmbedder(), gate.wait)
    with recollect.open(tmp_path / "memory.db", embedder=loading, project="shop") as memory:
        early = memory.recall("how do we deploy?")
        assert [hit.memory.content for hit in early] == ["We deploy with make deploy"]
        assert early.notes == ("recall is lexical only: the embedding model is still loading; ask again in a moment",)
        gate.set()
        memory.remember("The cat is called Miso")
        later = memory.recall("how do we deploy?")
        assert later.notes == () and later[0].similarity is not None


def test_what_is_kept_waits_for_its_vector(tmp_path: Path, gate: Event) -> None:
    loading = LoadingEmbedder(HashingEmbedder(), gate.wait)
    with recollect.open(tmp_path / "memory.db", embedder=loading) as memory:
        keeper = Thread(target=memory.remember, args=("Lunch is at noon",), kwargs={"scope": "global"})
        keeper.start()
        assert keeper.is_alive()
        gate.set()
        keeper.join(20)
        assert memory.stats()["unembedded"] == 0


def test_a_model_that_takes_too_long_keeps_nothing_from_being_stored(tmp_path: Path, gate: Event) -> None:
    loading = LoadingEmbedder(HashingEmbedder(), gate.wait, patience=0.01)
    with recollect.open(tmp_path / "memory.db", embedder=loading) as memory:
        assert memory.remember("Lunch is at noon", scope="global").kind == "stored"
        assert memory.stats()["unembedded"] == 1
        gate.set()
        assert memory.reembed() == 1


def test_a_model_that_cannot_be_had_is_said_in_every_answer(tmp_path: Path) -> None:
    def unavailable() -> None:
        raise EmbedderUnavailable("there is no way to fetch the model")

    loading = LoadingEmbedder(HashingEmbedder(), unavailable)
    with recollect.open(tmp_path / "memory.db", embedder=loading) as memory:
        memory.remember("Lunch is at noon", scope="global")
        assert memory.recall("when is lunch?").notes == ("recall is lexical only: there is no way to fetch the model",)


def test_a_process_that_ends_while_the_model_loads_ends_in_order() -> None:
    ran = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
