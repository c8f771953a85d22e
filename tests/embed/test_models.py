"""Local models by name: what the registry promises, how a text is read, and that a file is never another than the one trusted."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import recollect
from recollect.config import load
from recollect.embed.calibration import Calibration
from recollect.embed.fetch import ensure_model, verified_files
from recollect.embed.local import LocalEmbedder
from recollect.embed.models import ARCTIC_EMBED_S, EMBEDDERS, RERANKERS, EmbeddingModel, ModelFile
from recollect.engine import Memory
from recollect.errors import EmbedderError, EmbedderUnavailable, SettingsError
from recollect.store.sqlite.store import SqliteStore
from recollect.values.scope import Identity
from recollect.wiring import assemble, local_embedder

# The words of the tiny models in `conftest`.
WIDTH, QUERY, PASSAGE, COLON, HARBOUR, STORM = 13, 3, 4, 5, 6, 7


@pytest.fixture
def entry() -> EmbeddingModel:
    """A registry entry whose hashes nobody knows yet."""
    return EmbeddingModel(
        name="tiny",
        repository="test/tiny",
        revision="cafe0123",
        licence="MIT",
        onnx=ModelFile("model.onnx", "onnx/model_quantized.onnx"),
        tokenizer=ModelFile("tokenizer.json", "tokenizer.json", text=True),
        dimensions=WIDTH,
        pooling="mean",
        query_prefix="query: ",
        document_prefix="passage: ",
    )


def direction(*places: int) -> np.ndarray:
    vector = np.zeros(WIDTH)
    vector[list(places)] = 1
    return vector / np.linalg.norm(vector)


def test_every_setting_names_an_entry_and_every_entry_can_be_set() -> None:
    for setting, known in (("embedder", EMBEDDERS), ("reranker", RERANKERS)):
        for name in known:
            assert getattr(load({}, **{setting: name}).settings, setting) == name
        with pytest.raises(SettingsError, match="is not one of") as refused:
            load({}, **{setting: "nonsense"})
        told = re.search(r"is not one of (.*);", str(refused.value))
        assert set(told.group(1).split(", ")) == {*known, "http", "none"}
    assert EMBEDDERS[load({}).settings.embedder] is EMBEDDERS["local"]


def test_every_entry_is_pinned_and_may_be_used_freely() -> None:
    for model in (*EMBEDDERS.values(), *RERANKERS.values()):
        assert model.licence in ("Apache-2.0", "MIT")
        assert all(re.fullmatch("[0-9a-f]{64}", file.sha256) and file.size for file in model.files), model.name
    ids = [model.id for model in {**EMBEDDERS, **RERANKERS}.values() if model is not EMBEDDERS["local"]]
    assert len(set(ids)) == len(ids)


def test_vectors_and_files_of_earlier_versions_keep_their_names() -> None:
    assert ARCTIC_EMBED_S.id == "snowflake-arctic-embed-s-int8@f93ff225"
    assert ARCTIC_EMBED_S.folder == "arctic-embed-s-int8"


def test_the_registry_loads_no_model_library() -> None:
    script = (
        "import sys, recollect.embed.models; print({'onnxruntime', 'tokenizers', 'urllib.request'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_mean_pooling_and_both_prefixes(tmp_path: Path, tiny_embedder, entry) -> None:
    embedder = LocalEmbedder(tiny_embedder.files(tmp_path), entry=entry)
    (document,) = embedder.embed_documents(["Harbour storm"])
    np.testing.assert_allclose(document, direction(PASSAGE, COLON, HARBOUR, STORM), atol=1e-6)
    np.testing.assert_allclose(embedder.embed_query("storm"), direction(QUERY, COLON, STORM), atol=1e-6)


def test_cls_pooling_takes_the_first_token(tmp_path: Path, tiny_embedder, entry) -> None:
    files = tiny_embedder.files(tmp_path)
    # The first token of this model is nothing; without special tokens it is the first word.
    bare = json.loads(files.tokenizer.read_text()) | {"post_processor": None}
    files.tokenizer.write_text(json.dumps(bare))
    embedder = LocalEmbedder(files, entry=replace(entry, pooling="cls", document_prefix=""))
    np.testing.assert_allclose(embedder.embed_documents(["storm harbour"])[0], direction(STORM), atol=1e-6)


def test_a_model_that_pools_by_itself_is_taken_as_it_is(tmp_path: Path, make_tiny, entry) -> None:
    pools = make_tiny(
        "int64[b,n] input_ids",
        f"float[b,{WIDTH}] sentence_embedding",
        "states = Gather(table, input_ids) sentence_embedding = ReduceSum <keepdims = 0> (states, tokens)",
    )
    embedder = LocalEmbedder(pools.files(tmp_path), entry=entry)
    np.testing.assert_allclose(embedder.embed_query("storm"), direction(QUERY, COLON, STORM), atol=1e-6)


def test_token_states_are_chosen_among_several_outputs(tmp_path: Path, make_tiny, entry) -> None:
    both = make_tiny(
        "int64[b,n] input_ids",
        f"float[b,{WIDTH}] pooled, float[b,n,{WIDTH}] token_embeddings",
        "token_embeddings = Gather(table, input_ids) pooled = ReduceMax <axes = [1], keepdims = 0> (token_embeddings)",
    )
    embedder = LocalEmbedder(both.files(tmp_path), entry=entry)
    vector = embedder.embed_documents(["storm storm"])[0]
    assert vector[STORM] == pytest.approx(2 * vector[PASSAGE])


def test_another_width_or_an_unknown_input_is_an_error_in_words(
    tmp_path: Path, make_tiny, tiny_embedder, entry
) -> None:
    with pytest.raises(EmbedderError, match="tiny returned vectors of shape"):
        LocalEmbedder(tiny_embedder.files(tmp_path), entry=replace(entry, dimensions=5)).embed_query("storm")
    odd = make_tiny("int64[b,n] input_ids, int64[b,n] pixels", "float[b,n,13] out", "out = Gather(table, input_ids)")
    with pytest.raises(EmbedderError, match="wants pixels"):
        LocalEmbedder(odd.files(tmp_path / "odd"), entry=entry).embed_query("storm")


def test_a_calibration_is_built_in_or_measured(tmp_path: Path, tiny_embedder, entry) -> None:
    files = tiny_embedder.files(tmp_path)
    built_in = Calibration(0.1, 0.8)
    assert LocalEmbedder(files, entry=replace(entry, calibration=built_in)).calibration == built_in
    measured = LocalEmbedder(files, entry=entry)
    assert isinstance(measured.calibration, Calibration) and isinstance(measured.query_calibration, Calibration)


def test_an_unknown_hash_is_recorded_in_plain_words_and_the_files_work_offline(
    tmp_path: Path, hub, tiny_embedder, entry
) -> None:
    tiny_embedder.publish(hub.folder, entry)
    cache, steps = tmp_path / "cache", []
    assert verified_files(cache, entry) is None
    files = ensure_model(cache, entry, hub=hub.url, progress=lambda *step: steps.append(step))
    assert files.onnx.read_bytes() == tiny_embedder.onnx
    digest, said = (cache / "model.onnx.sha256").read_text().splitlines()
    assert re.fullmatch("[0-9a-f]{64}", digest) and "first used" in said
    assert "downloading model.onnx, whose hash will be recorded" in {what for what, *_ in steps}
    hub.asked.clear()
    assert ensure_model(cache, entry, offline=True) == files == verified_files(cache, entry)
    assert hub.asked == []


def test_a_changed_file_is_fetched_again_if_the_hub_still_has_the_trusted_one(
    tmp_path: Path, hub, tiny_embedder, entry
) -> None:
    tiny_embedder.publish(hub.folder, entry)
    files = ensure_model(tmp_path / "cache", entry, hub=hub.url)
    files.onnx.write_bytes(b"something else")
    ensure_model(tmp_path / "cache", entry, hub=hub.url)
    assert files.onnx.read_bytes() == tiny_embedder.onnx


def test_another_file_is_refused_until_its_record_is_deleted(tmp_path: Path, hub, tiny_embedder, entry) -> None:
    tiny_embedder.publish(hub.folder, entry)
    cache = tmp_path / "cache"
    files = ensure_model(cache, entry, hub=hub.url)
    files.onnx.write_bytes(b"something else")
    with pytest.raises(EmbedderUnavailable, match=r"cache folder: model\.onnx has sha256") as offline:
        ensure_model(cache, entry, offline=True)
    assert "offline is set" in str(offline.value)
    replace(tiny_embedder, onnx=tiny_embedder.onnx + b"\0").publish(hub.folder, entry)
    with pytest.raises(EmbedderUnavailable, match=r"model hub [\w.]+: model\.onnx has sha256") as refused:
        ensure_model(cache, entry, hub=hub.url)
    assert f"and you trust the new one, delete {cache / 'model.onnx.sha256'}" in str(refused.value)
    files.onnx.unlink()
    (cache / "model.onnx.sha256").unlink()
    ensure_model(cache, entry, hub=hub.url)
    assert files.onnx.read_bytes() == tiny_embedder.onnx + b"\0"


def test_a_download_that_is_cut_off_is_never_trusted(tmp_path: Path, hub, tiny_embedder, entry) -> None:
    tiny_embedder.publish(hub.folder, entry)
    hub.cut = 100
    with pytest.raises(EmbedderUnavailable, match="closed the connection after 100 of"):
        ensure_model(tmp_path / "cache", entry, hub=hub.url)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_pinned_file_from_the_hub_must_be_the_pinned_one(tmp_path: Path, hub, tiny_embedder, entry) -> None:
    tiny_embedder.publish(hub.folder, entry)
    pinned = replace(entry, onnx=replace(entry.onnx, sha256="0" * 64))
    with pytest.raises(EmbedderUnavailable, match=r"model\.onnx has sha256 .* instead of 000000000000"):
        ensure_model(tmp_path / "cache", pinned, hub=hub.url)


def test_a_file_without_a_hash_is_only_taken_from_the_folder_of_its_model(tmp_path: Path, tiny_embedder, entry) -> None:
    tiny_embedder.files(tmp_path / "given")
    with pytest.raises(EmbedderUnavailable, match=r"no model\.onnx and no tokenizer\.json in it"):
        ensure_model(tmp_path / "cache", entry, source=tmp_path / "given", offline=True)
    tiny_embedder.files(tmp_path / "given" / "tiny")
    ensure_model(tmp_path / "cache", entry, source=tmp_path / "given", offline=True)


@pytest.mark.parametrize("background", [False, True])
def test_a_store_changes_its_model_by_the_setting_and_reembed(
    tmp_path: Path, hub, tiny_embedder, entry, clock, embedder, background
) -> None:
    tiny_embedder.publish(hub.folder, entry)
    path = tmp_path / "m.db"
    with recollect.open(path, embedder=embedder, clock=clock) as memory:
        memory.remember_many(["The ferry waits for the storm", "Lemon cake"], verbatim=True)
    loaded = load({}, db=str(path), cache=str(tmp_path / "cache"), model_hub=hub.url)
    store = SqliteStore(path)
    attached, problem = local_embedder(entry, loaded.settings, store, None, background=background)
    assert attached is not None and problem is None
    with Memory(assemble(loaded, store, attached, None, clock), Identity("default")) as memory:
        attached.embed_documents(["is"])  # waits until it is loaded
        told = "memories without a vector of tiny-int8@cafe0123: 2; run `recollect reembed`"
        assert told in memory.doctor()["problems"]
        assert memory.recall("lemon cake")[0].similarity is None
        assert memory.reembed() == 2
        assert told not in memory.doctor()["problems"]
        best = memory.search("where is the ferry", mode="semantic", limit=1)[0]
        assert best.memory.content.startswith("The ferry") and best.similarity is not None


def test_a_model_that_cannot_be_fetched_leaves_recall_by_words(tmp_path: Path, hub, entry) -> None:
    loaded = load({}, db=str(tmp_path / "m.db"), cache=str(tmp_path / "cache"), model_hub=hub.url)
    store = SqliteStore(tmp_path / "m.db")
    with_nothing, note = local_embedder(entry, loaded.settings, store, None)
    store.close()
    assert with_nothing is None and "the model tiny is not in" in note and "answered 404" in note
