"""A local cross-encoder: fetched and loaded like a local embedder, it scores a question and a text that are read together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import recollect
from recollect.config import load
from recollect.embed.cross_encoder import LocalReranker
from recollect.embed.models import HubModel, ModelFile
from recollect.engine import Memory
from recollect.errors import RerankerError
from recollect.store.sqlite.store import SqliteStore
from recollect.values.scope import Identity
from recollect.wiring import assemble, local_reranker

TEXTS = ["lemon cake", "the storm", "harbour storm", "where is the ferry: harbour storm"]


@pytest.fixture
def entry() -> HubModel:
    return HubModel(
        name="tiny-cross",
        repository="test/tiny-cross",
        revision="cafe0123",
        licence="MIT",
        onnx=ModelFile("model.onnx", "onnx/model_quantized.onnx"),
        tokenizer=ModelFile("tokenizer.json", "tokenizer.json", text=True),
    )


def test_question_and_text_are_read_together(tmp_path: Path, tiny_cross_encoder, entry) -> None:
    reranker = LocalReranker(tiny_cross_encoder.files(tmp_path), entry, threads=2)
    none, one, two, also_two = reranker("Harbour storm", TEXTS)
    assert none == pytest.approx(0.1192, abs=1e-3)  # the logistic function of -2
    assert one == pytest.approx(0.2689, abs=1e-3)
    assert two == also_two == pytest.approx(0.5)


def test_a_long_text_is_cut_and_half_an_emoji_is_read(tmp_path: Path, tiny_cross_encoder, entry) -> None:
    reranker = LocalReranker(tiny_cross_encoder.files(tmp_path), entry)
    scores = reranker("storm \ud83d", ["cake " * 20_000, "storm"])
    assert scores[1] > scores[0]


def test_it_stops_when_its_time_is_up(tmp_path: Path, tiny_cross_encoder, entry) -> None:
    reranker = LocalReranker(tiny_cross_encoder.files(tmp_path), entry, seconds=-1.0)
    with pytest.raises(RerankerError, match="lower rerank_candidates or raise rerank_seconds"):
        reranker("storm", TEXTS)


def test_a_model_that_is_no_cross_encoder_is_an_error_in_words(tmp_path: Path, tiny_embedder, entry) -> None:
    with pytest.raises(RerankerError, match="numbers for a pair of texts, not one"):
        LocalReranker(tiny_embedder.files(tmp_path), entry)("storm", TEXTS)


@pytest.mark.parametrize("background", [False, True])
def test_recall_fetches_it_once_and_is_reranked(
    tmp_path: Path, hub, tiny_cross_encoder, entry, clock, embedder, background
) -> None:
    tiny_cross_encoder.publish(hub.folder, entry)
    path = tmp_path / "m.db"
    loaded = load({}, db=str(path), cache=str(tmp_path / "cache"), model_hub=hub.url)
    with recollect.open(path, embedder=embedder, clock=clock) as memory:
        memory.remember_many(["storm, and much more about it", "harbour is where storm is"], verbatim=True)
    for _ in range(2):
        reranker = local_reranker(entry, loaded.settings, None, background=background)
        store = SqliteStore(path)
        with Memory(assemble(loaded, store, None, None, clock, reranker=reranker), Identity("default")) as memory:
            while background and any("still loading" in note for note in memory.recall("storm").notes):
                pass
            found = memory.recall("where is harbour storm", explain=True)
            assert found.trace.reranked == 2 and found[0].memory.content.startswith("harbour")
            assert found[0].explain.signal("reranker") > found[1].explain.signal("reranker")
            assert memory.doctor()["reranker"] == "tiny-cross-int8@cafe0123"
    assert len(hub.asked) == 2, "the model and its tokenizer, once"


def test_one_that_cannot_be_fetched_is_a_note(tmp_path: Path, hub, entry, clock) -> None:
    loaded = load({}, db=str(tmp_path / "m.db"), cache=str(tmp_path / "cache"), model_hub=hub.url)
    reranker = local_reranker(entry, loaded.settings, None)
    store = SqliteStore(tmp_path / "m.db")
    with Memory(assemble(loaded, store, None, None, clock, reranker=reranker), Identity("default")) as memory:
        memory.remember_many(["harbour storm", "storm"], verbatim=True)
        found = memory.recall("storm")
        assert len(found) == 2
        assert any(note.startswith("not reranked: the model tiny-cross is not in") for note in found.notes)
        assert any("the reranker does not answer" in problem for problem in memory.doctor()["problems"])


def test_a_wrong_hash_is_refused(tmp_path: Path, hub, tiny_cross_encoder, entry) -> None:
    tiny_cross_encoder.publish(hub.folder, entry)
    pinned = replace(entry, onnx=replace(entry.onnx, sha256="0" * 64))
    loaded = load({}, cache=str(tmp_path / "cache"), model_hub=hub.url)
    with pytest.raises(RerankerError, match="instead of 000000000000"):
        local_reranker(pinned, loaded.settings, None)("storm", TEXTS)
