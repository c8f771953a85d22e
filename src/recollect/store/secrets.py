"""What a store decides when the whole of another account arrives: whether its vectors fit, and which secrets to know texts by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.errors import InvalidInput


def checked(model: str, vectors: NDArray[np.float32], dimensions: int) -> NDArray[np.float32]:
    """Vectors of the model in use, if they can be: what has other dimensions could be compared with nothing."""
    if np.atleast_2d(vectors).shape[1] != dimensions:
        raise InvalidInput(
            "vectors", f"{model} has {dimensions} dimensions, not so many", "leave them out and re-embed"
        )
    return vectors


def joined_secrets(own: Sequence[str], brought: Sequence[str], *, empty: bool) -> list[str]:
    """The secrets of a store with those brought to it, the one in use first; a store that holds nothing takes that over too."""
    known = [] if empty else list(own)
    return [*known, *(secret for secret in brought if secret not in known)]
