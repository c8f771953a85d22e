"""From raw cosine to similarity: one scale for every model, on which thresholds mean what they say.

Models squeeze their cosines differently: two unrelated chat turns have about 0.8 in one model and 0.05 in another. Each
embedder has two calibrations, one for pairs of stored texts and one for a query and a text. Every cosine passes through the
right one before it is compared with a threshold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from recollect.embed.probe import PROBE
from recollect.errors import InvalidInput

AT_RANDOM = 0.05
"""The similarity of two texts that have nothing to do with each other."""
AT_PARAPHRASE = 0.92
"""The similarity of two texts that say the same thing in other words."""

_NARROWEST = 0.01
_USELESS_SPAN = 0.02


@dataclass(frozen=True, slots=True)
class Calibration:
    """The cosine a model typically gives to unrelated texts, and to texts that say (or ask and answer) the same."""

    random: float
    paraphrase: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.random) and math.isfinite(self.paraphrase)):
            raise InvalidInput("calibration", f"{self} is not made of numbers", "leave it out to have it measured")

    @overload
    def similarity(self, cosine: float) -> float: ...
    @overload
    def similarity(self, cosine: NDArray[np.floating]) -> NDArray[np.float64]: ...
    def similarity(self, cosine: float | NDArray[np.floating]) -> float | NDArray[np.float64]:
        """Piecewise linear, continuous and rising: random to 0.05, paraphrase to 0.92, 1 to 1; never outside 0 to 1."""
        points = np.interp(cosine, self._cosines(), (0.0, AT_RANDOM, AT_PARAPHRASE, 1.0))
        return points if isinstance(cosine, np.ndarray) else float(points)

    def _cosines(self) -> tuple[float, float, float, float]:
        """The cosines at which the line bends, always increasing whatever was measured.

        Similarity 0 lies at cosine 0 or below. So a zero vector, whose cosine with everything is 0, has similarity 0, and
        two weak cosines still differ, which ranking needs.
        """
        random = min(max(self.random, -1 + _NARROWEST), 1 - 3 * _NARROWEST)
        paraphrase = min(max(self.paraphrase, random + _NARROWEST), 1 - _NARROWEST)
        slope = (AT_PARAPHRASE - AT_RANDOM) / (paraphrase - random)
        return min(0.0, random - AT_RANDOM / slope), random, paraphrase, 1.0


UNCALIBRATED = Calibration(random=AT_RANDOM, paraphrase=AT_PARAPHRASE)
"""Similarity is the cosine itself: for an embedder about which nothing is known."""


def measure(embed_documents: Callable[[Sequence[str]], NDArray[np.float32]]) -> Calibration:
    """The calibration of a model for two stored texts, measured on a probe of paraphrases."""
    texts = embed_documents([entry.text for entry in PROBE])
    paraphrases = embed_documents([entry.paraphrase for entry in PROBE])
    return _from_pairs(texts, paraphrases)


def measure_queries(
    embed_documents: Callable[[Sequence[str]], NDArray[np.float32]],
    embed_queries: Callable[[Sequence[str]], NDArray[np.float32]],
) -> Calibration:
    """The calibration for a query and a stored text, measured on questions and their answers.

    Separate, because a model that encodes queries differently also places them elsewhere: with the local model a question
    has cosine 0.72 with its answer, hardly more than two unrelated texts have (0.71), and 0.47 with other texts.
    """
    answers = embed_documents([entry.text for entry in PROBE])
    questions = embed_queries([entry.question for entry in PROBE])
    return _from_pairs(questions, answers)


def _from_pairs(left: NDArray[np.float32], right: NDArray[np.float32]) -> Calibration:
    """A calibration from two matrices whose rows i belong together and other rows do not.

    UNCALIBRATED if the model hardly separates the two: a line through noise would be worse than none.
    """
    cosines = np.asarray(left, dtype=np.float64) @ np.asarray(right, dtype=np.float64).T
    unrelated = ~np.eye(len(cosines), dtype=bool)
    random = float(cosines[unrelated].mean())
    paraphrase = float(np.median(cosines.diagonal()))
    if paraphrase - random < _USELESS_SPAN:
        return UNCALIBRATED
    return Calibration(random=random, paraphrase=paraphrase)
