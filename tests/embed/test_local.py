"""The real model gives the vectors it always gave: golden values, stability, and texts of every kind."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from recollect.embed.calibration import measure, measure_queries
from recollect.embed.fetch import ModelFiles
from recollect.embed.local import LocalEmbedder
from recollect.embed.models import ARCTIC_EMBED_S
from recollect.errors import EmbedderError, EmbedderUnavailable

POSTGRES = "The billing service stores its data in PostgreSQL."
SAME = "PostgreSQL is where the billing service keeps its data."
OTHER = "My sister is getting married in October."
MIXED = [POSTGRES, "ok", OTHER, "a much longer text that goes on and on " * 30, "", "ünïcödé 日本語 🎉", SAME]


def test_names_itself_by_the_hash_of_its_file(local: LocalEmbedder) -> None:
    assert local.model == "snowflake-arctic-embed-s-int8@f93ff225"
    assert local.dimensions == 384


def test_golden_cosines(local: LocalEmbedder) -> None:
    one, two, three = local.embed_documents([POSTGRES, SAME, OTHER])
    assert float(one @ two) == pytest.approx(0.967, abs=1e-2)
    assert float(one @ three) == pytest.approx(0.666, abs=1e-2)
    assert float(local.embed_query("Which database does billing use?") @ one) == pytest.approx(0.759, abs=1e-2)


def test_a_query_is_a_document_with_the_prefix(local: LocalEmbedder) -> None:
    query = local.embed_query("billing database")
    np.testing.assert_array_equal(query, local.embed_documents([ARCTIC_EMBED_S.query_prefix + "billing database"])[0])
    assert float(query @ local.embed_documents(["billing database"])[0]) < 0.99


def test_every_vector_has_unit_length_and_its_own_row(local: LocalEmbedder) -> None:
    vectors = local.embed_documents(MIXED)
    assert vectors.shape == (len(MIXED), 384) and vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_a_text_has_the_same_vector_alone_and_in_company(local: LocalEmbedder) -> None:
    together = local.embed_documents(MIXED)
    for row, text in zip(together, MIXED, strict=True):
        np.testing.assert_array_equal(row, local.embed_documents([text])[0])


def test_the_number_of_threads_does_not_change_a_vector(local: LocalEmbedder, model_files: ModelFiles) -> None:
    np.testing.assert_array_equal(
        LocalEmbedder(model_files, threads=3).embed_documents(MIXED),
        LocalEmbedder(model_files, threads=1).embed_documents(MIXED),
    )


def test_an_empty_batch_is_an_empty_matrix(local: LocalEmbedder) -> None:
    assert local.embed_documents([]).shape == (0, 384)


def test_a_text_of_ten_thousand_words_is_embedded_by_its_beginning(local: LocalEmbedder) -> None:
    long = "the migration of the archive " * 2_000
    whole, beginning = local.embed_documents([long, long[:6_000]])
    np.testing.assert_array_equal(whole, beginning)


def test_half_an_emoji_does_not_stop_it(local: LocalEmbedder) -> None:
    assert np.isfinite(local.embed_documents(["cut off \ud83d"])).all()


def test_progress_reaches_the_end(local: LocalEmbedder) -> None:
    seen: list[tuple[int, int]] = []
    local.embed_documents(["a"] * 70, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (70, 70) and seen == sorted(seen)


def test_threads_may_share_an_unloaded_embedder(model_files: ModelFiles) -> None:
    fresh = LocalEmbedder(model_files)
    found: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: found.append(fresh.embed_query("hello"))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6 and all((vector == found[0]).all() for vector in found)


def test_the_calibration_constants_are_what_the_probe_measures(local: LocalEmbedder) -> None:
    entry = ARCTIC_EMBED_S
    documents = measure(local.embed_documents)
    queries = measure_queries(local.embed_documents, lambda texts: np.stack([local.embed_query(t) for t in texts]))
    for constant, found in ((entry.calibration, documents), (entry.query_calibration, queries)):
        assert constant.random == pytest.approx(found.random, abs=0.01)
        assert constant.paraphrase == pytest.approx(found.paraphrase, abs=0.01)
    assert local.calibration == entry.calibration and local.query_calibration == entry.query_calibration


def test_calibrated_paraphrases_are_near_and_unrelated_texts_far(local: LocalEmbedder) -> None:
    one, two, three = local.embed_documents([POSTGRES, SAME, OTHER])
    question = local.embed_query("Which database does billing use?")
    assert local.calibration.similarity(float(one @ two)) > 0.8
    assert local.calibration.similarity(float(one @ three)) < 0.2
    assert local.query_calibration.similarity(float(question @ one)) > 0.6
    assert local.query_calibration.similarity(float(question @ three)) < 0.2


def test_missing_files_say_what_to_do(tmp_path: Path) -> None:
    embedder = LocalEmbedder(ModelFiles(tmp_path / "model.onnx", tmp_path / "tokenizer.json"))
    with pytest.raises(EmbedderUnavailable, match="download"):
        embedder.embed_query("hello")


def test_a_broken_model_says_which_file(tmp_path: Path, model_files: ModelFiles) -> None:
    broken = tmp_path / "model.onnx"
    broken.write_bytes(b"no model")
    with pytest.raises(EmbedderError, match=r"model\.onnx"):
        LocalEmbedder(ModelFiles(broken, model_files.tokenizer)).embed_query("hello")


def test_a_cold_start_is_quiet_and_loads_nothing_early(model_files: ModelFiles) -> None:
    script = f"""
import sys
from pathlib import Path
from recollect.embed.fetch import ensure_model
from recollect.embed.local import LocalEmbedder
embedder = LocalEmbedder(ensure_model(Path({str(model_files.onnx.parent)!r}), offline=True))
early = {{"onnxruntime", "tokenizers", "urllib.request", "ssl"}} & set(sys.modules)
embedder.embed_query("where is the staging database?")
print(sorted(early))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert done.stderr == ""
