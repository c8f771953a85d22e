"""Kept: everything a store holds of one memory, as an export needs it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.values.memory import Record


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory as stored, its row, its vectors (one a passage, in half precision) with their model, and its cluster."""

    row: int
    record: Record
    model: str | None = None
    vectors: NDArray[np.float16] | None = None
    cluster: str | None = None
