"""Embeddings: every vector of an account at once, for clustering; read in pages, because a large account has many."""

from __future__ import annotations

import numpy as np

from recollect.persist.postgres.link import Link
from recollect.persist.postgres.places import place_of_text
from recollect.values.scope import Place
from recollect.values.search import Embedded

_PAGE = 10_000


def embedded(link: Link) -> Embedded:
    """Every active memory with a vector of the model in use."""
    rows = [np.empty(0, np.int64)]
    vectors = [np.empty((0, link.dimensions), np.float16)]
    places: list[Place] = []
    known: dict[str, Place] = {}
    while True:
        after = int(rows[-1][-1]) if len(rows[-1]) else 0
        found, texts, raw = link.row("embedded", {"model": link.model, "after": after, "limit": _PAGE})
        if found is None:
            return Embedded(np.concatenate(rows), np.concatenate(vectors), tuple(places))
        rows.append(found)
        vectors.append(np.frombuffer(raw, ">f2").astype(np.float16).reshape(len(found), -1))
        places += [known.get(text) or known.setdefault(text, place_of_text(text)) for text in texts]


def how_many_embedded(link: Link) -> int:
    """As many as `embedded` would read."""
    (count,) = link.row("how_many_embedded", {"model": link.model})
    return int(count)
