"""An embedder over HTTP: any server with the OpenAI embeddings API."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.embed.calibration import Calibration, measure, measure_queries
from recollect.embed.checks import unit_rows
from recollect.endpoint import Endpoint
from recollect.errors import EmbedderError


class HttpEmbedder:
    """Embeds by POST {url}/embeddings. Nothing is sent before the first text; safe to share between threads.

    The calibrations are measured when first needed, two requests each; pass stored ones to avoid that.
    """

    def __init__(
        self,
        url: str,
        model: str,
        api_key: str | None = None,
        dimensions: int | None = None,
        *,
        query_prefix: str = "",
        document_prefix: str = "",
        batch: int = 64,
        timeout: float = 30.0,
        retries: int = 2,
        calibration: Calibration | None = None,
        query_calibration: Calibration | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._endpoint = Endpoint(url.rstrip("/") + "/embeddings", api_key, timeout, retries, sleep)
        self._model = model
        self._dimensions = dimensions
        self._query_prefix, self._document_prefix = query_prefix, document_prefix
        self._batch = max(1, batch)
        self._calibration, self._query_calibration = calibration, query_calibration

    @property
    def model(self) -> str:
        """The model name on the server, with a hash of the document prefix: another prefix gives other vectors."""
        if not self._document_prefix:
            return self._model
        return f"{self._model}+{hashlib.sha256(self._document_prefix.encode()).hexdigest()[:8]}"

    @property
    def dimensions(self) -> int:
        """As given, or learned from the first response (which costs a request if there is none yet)."""
        if self._dimensions is None:
            self._dimensions = self._request(["dimensions"]).shape[1]
        return self._dimensions

    @property
    def calibration(self) -> Calibration:
        """For the cosine of two stored texts."""
        if self._calibration is None:
            self._calibration = measure(self.embed_documents)
        return self._calibration

    @property
    def query_calibration(self) -> Calibration:
        """For the cosine of a query and a stored text."""
        if self._query_calibration is None:
            self._query_calibration = measure_queries(self.embed_documents, self._embed_queries)
        return self._query_calibration

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> NDArray[np.float32]:
        """One row of unit length per text; `progress` is called with (done, all) after each request."""
        return self._embed([self._document_prefix + text for text in texts], progress)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._embed_queries([text])[0]
        return vector

    def _embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed([self._query_prefix + text for text in texts], None)

    def _embed(self, texts: Sequence[str], progress: Callable[[int, int], None] | None) -> NDArray[np.float32]:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        parts = []
        for start in range(0, len(texts), self._batch):
            parts.append(self._request(texts[start : start + self._batch]))
            if progress is not None:
                progress(min(start + self._batch, len(texts)), len(texts))
        return np.concatenate(parts)

    def _request(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # Servers answer 400 to the whole request if one text has a lone surrogate.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        answer = self._endpoint.post({"model": self._model, "input": clean, "encoding_format": "float"})
        who = f"{self._model} at {self._endpoint.shown}"
        rows = unit_rows(_in_order(answer, who), count=len(texts), dimensions=self._dimensions, model=who)
        self._dimensions = rows.shape[1]
        return rows


def _in_order(answer: object, who: str) -> list[Any]:
    """The vectors in the order of the texts; the API allows any order in the response."""
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) and "embedding" in item for item in items):
        raise EmbedderError(f"{who} did not answer a list of embeddings: {str(answer)[:200]}")
    if all(item.get("index") is None for item in items):
        return [item["embedding"] for item in items]
    by_position = {str(item.get("index")): item["embedding"] for item in items}
    try:
        return [by_position[str(position)] for position in range(len(items))]
    except KeyError as error:
        raise EmbedderError(f"{who} answered {len(items)} embeddings, none of them numbered {error}") from error
