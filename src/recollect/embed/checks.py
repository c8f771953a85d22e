"""The check of what a foreign embedder returned: one finite row per text, scaled to unit length.

`http` and `callable` pass every result through it; what comes out can be stored.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recollect.errors import EmbedderError


def unit_rows(answer: ArrayLike, *, count: int, dimensions: int | None, model: str) -> NDArray[np.float32]:
    """`answer` as (count, dimensions) rows of unit length; EmbedderError says which text went wrong.

    A row of zeros is allowed: an embedder that knows none of a text's words returns one. Its cosine with everything is 0, so
    the text is never found by meaning but still by words.
    """
    rows = _numbers(answer, model)
    if rows.ndim != 2 or rows.shape[0] != count:
        raise EmbedderError(f"{model} answered an array of shape {rows.shape} to {count} texts; expected ({count}, d)")
    if count and (rows.shape[1] == 0 or (dimensions is not None and rows.shape[1] != dimensions)):
        expected = "at least 1" if dimensions is None else str(dimensions)
        raise EmbedderError(
            f"{model} answered {rows.shape[1]} numbers per text, expected {expected};"
            " a changed model needs its own name, and `recollect reembed`"
        )
    broken = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if broken.size:
        raise EmbedderError(f"{model} answered a number that is not finite for text {broken[0]} of {count}")
    return _normalised(rows)


def _numbers(answer: ArrayLike, model: str) -> NDArray[np.float64]:
    try:
        return np.asarray(answer, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise EmbedderError(f"{model} did not answer rows of numbers of equal length: {error}") from error


def _normalised(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    # Divided by the largest number first: squares of very large or very small numbers would overflow or underflow.
    peak = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    scaled: NDArray[np.float64] = np.divide(rows, peak, out=np.zeros_like(rows), where=peak > 0)
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    np.divide(scaled, length, out=scaled, where=length > 0)
    return scaled.astype(np.float32)
