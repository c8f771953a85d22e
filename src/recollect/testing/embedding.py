"""HashingEmbedder: a test double for the real model. Texts that share words are near, nothing else is known of meaning.

Each term falls, by its hash, on one of the dimensions with a sign; a text is the sum of its terms, at unit length. The same
text has the same vector on every machine, and a thousand texts take milliseconds. Never use it to judge quality.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.embed.calibration import UNCALIBRATED, Calibration
from recollect.ports import Progress
from recollect.values.terms import terms_of


class HashingEmbedder:
    """A bag of hashed terms as a unit vector."""

    def __init__(self, dimensions: int = 128, model: str | None = None) -> None:
        self.dimensions = dimensions
        self.model = model or f"hashing-{dimensions}"
        self.calibration: Calibration = UNCALIBRATED
        self.query_calibration: Calibration = UNCALIBRATED

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        made = np.stack([self.embed_query(text) for text in texts]) if texts else np.empty((0, self.dimensions))
        if progress is not None:
            progress(len(texts), len(texts))
        return made.astype(np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector = np.zeros(self.dimensions, np.float32)
        # A text without words still gets a direction of its own.
        for term in terms_of(text) or [text]:
            place, sign = self._spot(term)
            vector[place] += sign
        length = float(np.linalg.norm(vector))
        if length == 0.0:
            vector[self._spot(text)[0]] = length = 1.0
        return vector / np.float32(length)

    def _spot(self, term: str) -> tuple[int, int]:
        digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        number = int.from_bytes(digest, "little")
        return (number >> 1) % self.dimensions, 1 if number & 1 else -1
