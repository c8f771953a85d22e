"""Similarity rises with cosine, means the same for every model, and survives nonsense."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from recollect.embed.calibration import UNCALIBRATED, Calibration, measure, measure_queries
from recollect.embed.probe import PROBE
from recollect.errors import InvalidInput

SQUEEZED = Calibration(random=0.709, paraphrase=0.956)


def test_the_measured_points_get_their_meaning() -> None:
    assert SQUEEZED.similarity(0.709) == pytest.approx(0.05)
    assert SQUEEZED.similarity(0.956) == pytest.approx(0.92)
    assert SQUEEZED.similarity(1.0) == pytest.approx(1.0)


def test_no_direction_means_no_similarity() -> None:
    assert SQUEEZED.similarity(0.0) == 0.0
    assert SQUEEZED.similarity(-1.0) == 0.0


def test_a_float_gives_a_float_and_an_array_an_array_of_its_shape() -> None:
    assert isinstance(SQUEEZED.similarity(0.8), float)
    assert SQUEEZED.similarity(np.zeros((3, 2), dtype=np.float32)).shape == (3, 2)


def test_uncalibrated_is_the_cosine_itself() -> None:
    cosines = np.linspace(0, 1, 101)
    np.testing.assert_allclose(UNCALIBRATED.similarity(cosines), cosines, atol=1e-12)


@given(random=st.floats(-2, 2), paraphrase=st.floats(-2, 2))
def test_any_calibration_rises_without_jumps_between_0_and_1(random: float, paraphrase: float) -> None:
    values = Calibration(random, paraphrase).similarity(np.linspace(-1.2, 1.2, 24_001))
    steps = np.diff(values)
    assert values.min() >= 0 and values.max() == 1.0
    assert (steps >= 0).all()
    assert steps.max() < 0.01  # over a step of 0.0001: the steepest line there is rises by 0.87 over 0.01


@given(low=st.floats(0, 1), high=st.floats(0, 1))
def test_similarity_keeps_the_order_of_cosines(low: float, high: float) -> None:
    low, high = min(low, high), max(low, high)
    assert SQUEEZED.similarity(low) <= SQUEEZED.similarity(high)
    if high - low > 1e-9:
        assert SQUEEZED.similarity(low) < SQUEEZED.similarity(high)


def test_a_calibration_that_is_no_number_is_refused() -> None:
    with pytest.raises(InvalidInput):
        Calibration(float("nan"), 0.9)


def test_measure_finds_the_cosines_a_model_gives() -> None:
    rng = np.random.default_rng(7)
    shared = rng.normal(size=64)
    own = {entry: rng.normal(size=64) for entry in PROBE}
    by_text = {text: entry for entry in PROBE for text in (entry.text, entry.paraphrase, entry.question)}

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        rows: NDArray[np.float64] = np.array([2 * shared + own[by_text[text]] for text in texts])
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows.astype(np.float32)

    found = measure(embed)
    assert found.paraphrase == pytest.approx(1.0, abs=1e-4)
    assert found.random == pytest.approx(0.8, abs=0.05)
    assert measure_queries(embed, embed).random == pytest.approx(found.random, abs=0.01)


def test_a_model_that_tells_nothing_apart_stays_uncalibrated() -> None:
    assert measure(lambda texts: np.full((len(texts), 4), 0.5, dtype=np.float32)) == UNCALIBRATED


def test_the_probe_says_nothing_twice() -> None:
    texts = [text for entry in PROBE for text in (entry.text, entry.paraphrase, entry.question)]
    assert len(set(texts)) == 3 * len(PROBE) == 120
