"""Any function becomes an embedder, and none of its faults get past it."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.embed.calibration import UNCALIBRATED, Calibration
from recollect.embed.callable import CallableEmbedder
from recollect.embed.local import LocalEmbedder
from recollect.errors import EmbedderError


def lengths(texts: list[str]) -> list[list[float]]:
    return [[len(text), 1.0, 0.0] for text in texts]


def test_rows_are_normalised() -> None:
    vectors = CallableEmbedder(lambda texts: [[3.0, 4.0]] * len(texts)).embed_documents(["a", "b"])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [[0.6, 0.8]] * 2)


def test_numbers_of_any_size_are_normalised() -> None:
    vectors = CallableEmbedder(lambda texts: [[3e300, 4e300], [3e-300, 4e-300]]).embed_documents(["a", "b"])
    np.testing.assert_allclose(vectors, [[0.6, 0.8]] * 2)


def test_a_vector_of_zeros_stays_without_direction() -> None:
    vectors = CallableEmbedder(lambda texts: np.zeros((len(texts), 4))).embed_documents(["a"])
    assert (vectors == 0).all()
    assert UNCALIBRATED.similarity(vectors @ vectors.T)[0, 0] == 0.0


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ([[1.0, 2.0]], "2 texts"),
        ([1.0, 2.0], "shape"),
        ([[1.0], [1.0, 2.0]], "equal length"),
        ([[1.0, float("nan")], [1.0, 1.0]], "text 0 of 2"),
        ([[1.0, 1.0], [1.0, float("inf")]], "text 1 of 2"),
        ([[], []], "0 numbers"),
        ("nonsense", "numbers"),
    ],
)
def test_wrong_answers_are_errors_that_say_what_is_wrong(answer: object, complaint: str) -> None:
    with pytest.raises(EmbedderError, match=complaint):
        CallableEmbedder(lambda texts: answer, "odd").embed_documents(["a", "b"])  # type: ignore[arg-type,return-value]


def test_a_change_of_dimensions_is_an_error() -> None:
    sizes = iter((3, 4))
    embedder = CallableEmbedder(lambda texts: np.ones((len(texts), next(sizes))))
    embedder.embed_query("first")
    with pytest.raises(EmbedderError, match="4 numbers per text, expected 3"):
        embedder.embed_query("second")


def test_what_the_function_raises_becomes_an_embedder_error() -> None:
    with pytest.raises(EmbedderError, match="table raised KeyError"):
        CallableEmbedder(lambda texts: [{"a": [1.0]}[text] for text in texts], "table").embed_documents(["b"])


def test_the_model_is_the_name_given_or_the_function_and_its_dimensions() -> None:
    assert CallableEmbedder(lengths, "mine-v1").model == "mine-v1"
    assert CallableEmbedder(lengths).model == f"{__name__}.lengths:3"


def test_a_callable_object_is_named_by_its_class() -> None:
    class Doubler:
        def __call__(self, texts: list[str]) -> list[list[float]]:
            return lengths(texts)

    assert CallableEmbedder(Doubler(), dimensions=3).model.endswith("Doubler:3")


def test_queries_go_to_embed_query_where_there_is_one() -> None:
    class Asymmetric:
        def __call__(self, texts: list[str]) -> list[list[float]]:
            return [[1.0, 0.0]] * len(texts)

        def embed_query(self, text: str) -> list[float]:
            return [0.0, 2.0]

    embedder = CallableEmbedder(Asymmetric())
    np.testing.assert_array_equal(embedder.embed_query("q"), [0.0, 1.0])
    np.testing.assert_array_equal(embedder.embed_documents(["d"])[0], [1.0, 0.0])


def test_an_empty_batch_is_an_empty_matrix() -> None:
    assert CallableEmbedder(lengths).embed_documents([]).shape == (0, 3)


def test_progress_reaches_the_end() -> None:
    seen: list[tuple[int, int]] = []
    CallableEmbedder(lengths).embed_documents(["a"] * 130, lambda done, total: seen.append((done, total)))
    assert seen == [(64, 130), (128, 130), (130, 130)]


def test_a_table_of_known_texts_stays_uncalibrated_and_says_why() -> None:
    embedder = CallableEmbedder(lambda texts: [{"a": [1.0]}[text] for text in texts], "table")
    assert embedder.calibration_problem is None
    assert embedder.calibration == embedder.query_calibration == UNCALIBRATED
    assert "KeyError" in (embedder.calibration_problem or "")


def test_the_calibration_is_measured_once(local: LocalEmbedder) -> None:
    calls: list[int] = []

    def counted(texts: list[str]) -> np.ndarray:
        calls.append(len(texts))
        return local.embed_documents(texts)

    embedder = CallableEmbedder(counted, "counted")
    assert embedder.calibration.paraphrase == pytest.approx(local.calibration.paraphrase, abs=0.01)
    assert embedder.calibration is embedder.calibration
    assert calls == [40, 40]


def test_a_stored_calibration_spares_the_measuring() -> None:
    stored = Calibration(0.2, 0.8)
    embedder = CallableEmbedder(lambda texts: 1 / 0, "never", calibration=stored, query_calibration=stored)
    assert embedder.calibration is stored and embedder.query_calibration is stored
