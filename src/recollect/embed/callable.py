"""Any function from texts to vectors as an embedder: a model the user already has loaded, or a table in a test.

The function is foreign code: whatever it raises becomes an EmbedderError, and what it returns is checked (`checks`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recollect.embed.calibration import UNCALIBRATED, Calibration, measure, measure_queries
from recollect.embed.checks import unit_rows
from recollect.errors import EmbedderError

_BATCH = 64


class CallableEmbedder:
    """Embeds by calling `function(list of texts)`; by `function.embed_query(text)` for queries where that exists.

    The calibrations are measured when first needed; a function that knows only certain texts cannot be measured, stays
    UNCALIBRATED, and `calibration_problem` says why.
    """

    def __init__(
        self,
        function: Callable[[list[str]], ArrayLike],
        name: str | None = None,
        *,
        dimensions: int | None = None,
        calibration: Calibration | None = None,
        query_calibration: Calibration | None = None,
    ) -> None:
        self._function = function
        self._embed_one: Callable[[str], ArrayLike] | None = getattr(function, "embed_query", None)
        self._name = name
        self._dimensions = dimensions
        self._calibration, self._query_calibration = calibration, query_calibration
        self._problem: str | None = None

    @property
    def model(self) -> str:
        """The given name, or the function's own name with its dimensions, because a name like "embed" says little."""
        return self._name or f"{self._function_name()}:{self.dimensions}"

    @property
    def label(self) -> str:
        """What is known of the name without a call of the function."""
        return self._name or self._function_name()

    @property
    def dimensions(self) -> int:
        """As given, or learned from the first result (which costs a call if there is none yet)."""
        if self._dimensions is None:
            self._call(["dimensions"])
        assert self._dimensions is not None
        return self._dimensions

    @property
    def calibration(self) -> Calibration:
        """For the cosine of two stored texts."""
        if self._calibration is None:
            self._calibration = self._measured(lambda: measure(self.embed_documents))
        return self._calibration

    @property
    def query_calibration(self) -> Calibration:
        """For the cosine of a query and a stored text."""
        if self._query_calibration is None:
            self._query_calibration = self._measured(lambda: measure_queries(self.embed_documents, self._embed_queries))
        return self._query_calibration

    @property
    def calibration_problem(self) -> str | None:
        """Why there is no calibration; None if there is one or none was needed yet."""
        return self._problem

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> NDArray[np.float32]:
        """One row of unit length per text; `progress` is called with (done, all) after each call of the function."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        parts = []
        for start in range(0, len(texts), _BATCH):
            parts.append(self._call(list(texts[start : start + _BATCH])))
            if progress is not None:
                progress(min(start + _BATCH, len(texts)), len(texts))
        return np.concatenate(parts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._embed_queries([text])[0]
        return vector

    def _embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        single = self._embed_one
        if single is None:
            return self.embed_documents(texts)
        return self._checked(lambda: [np.asarray(single(text)) for text in texts], len(texts))

    def _call(self, texts: list[str]) -> NDArray[np.float32]:
        return self._checked(lambda: self._function(texts), len(texts))

    def _checked(self, call: Callable[[], ArrayLike], count: int) -> NDArray[np.float32]:
        name = self.label
        try:
            answer = call()
        except Exception as error:  # a user's function may raise anything; on EmbedderError recall falls back to words
            raise EmbedderError(f"{name} raised {type(error).__name__}: {error}") from error
        rows = unit_rows(answer, count=count, dimensions=self._dimensions, model=name)
        self._dimensions = rows.shape[1]
        return rows

    def _measured(self, measurement: Callable[[], Calibration]) -> Calibration:
        try:
            return measurement()
        except EmbedderError as error:
            self._problem = f"not calibrated, because the probe failed: {error}"
            return UNCALIBRATED

    def _function_name(self) -> str:
        named = self._function if hasattr(self._function, "__qualname__") else type(self._function)
        return f"{named.__module__}.{named.__qualname__}"
