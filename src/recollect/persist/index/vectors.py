"""Vectors: nearest rows by cosine, exact for few, two-stage for many.

Up to `EXACT` vectors one matrix product answers. Above, the sign bits of the centred vectors are compared first, laid
out in planes (one 64-bit word of every vector side by side, so a scan streams through memory), and the best few hundred
are re-ranked by exact cosine. Centring matters: embeddings of this kind share a large common direction, and without
taking it out most sign bits are equal. A memory may own several vectors; its cosine is its best one's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recollect.persist.index.growing import Array
from recollect.values.search import Floats

EXACT = 20_000
GATHER = 4_000
_CHUNK = 1 << 15


class VectorIndex:
    """Half-precision vectors with the row that owns each, and what is derived from them for speed."""

    def __init__(
        self, dimensions: int, halves: NDArray[np.float16] | None = None, owners: NDArray[np.int32] | None = None
    ) -> None:
        self.dimensions = dimensions
        self._halves = np.empty((0, dimensions), np.float16) if halves is None else halves
        self._owners = np.empty(0, np.int32) if owners is None else owners
        self.size = len(self._owners)
        self._full: Floats | None = None
        self._planes: NDArray[np.uint64] | None = None
        self._centre: Floats | None = None
        self._packed = 0
        self.single = bool((self.owners == np.arange(self.size)).all())

    @property
    def halves(self) -> NDArray[np.float16]:
        return self._halves[: self.size]

    @property
    def owners(self) -> NDArray[np.int32]:
        return self._owners[: self.size]

    def append(self, vectors: NDArray[np.float16], owners: NDArray[np.int32]) -> int:
        """Add vectors, each with the row that owns it; returns the place of the first."""
        first, self.size = self.size, self.size + len(owners)
        if self.size > len(self._owners) or not self._owners.flags.writeable:
            room = max(self.size, len(self._owners) * 3 // 2, 64)
            self._halves = _moved(self._halves, (room, self.dimensions), first)
            self._owners = _moved(self._owners, (room,), first)
        self._halves[first : self.size] = vectors
        self._owners[first : self.size] = owners
        self.single = self.single and bool((owners == np.arange(first, self.size)).all())
        return first

    def replace(self, first: int, vectors: NDArray[np.float16]) -> None:
        """Overwrite vectors in place: a memory was embedded anew."""
        if not self._halves.flags.writeable:
            self._halves = np.array(self._halves)
        part = slice(first, first + len(vectors))
        self._halves[part] = vectors
        if self._full is not None and part.stop <= len(self._full):
            self._full[part] = vectors
        if self._planes is not None and self._centre is not None and part.stop <= self._packed:
            self._planes[:, part] = _packed_signs(vectors.astype(np.float32) - self._centre)

    def cosines(self, query: Floats, starts: NDArray[np.int32], counts: NDArray[np.int32]) -> Floats:
        """The exact best cosine of rows whose vectors begin at `starts`; NaN for rows that own none."""
        found = np.full(len(starts), np.nan, np.float32)
        if not counts.any():
            return found
        spots = np.repeat(starts + counts - np.cumsum(counts), counts) + np.arange(counts.sum())
        values = self._exact(query, spots)
        held = counts > 0
        found[held] = np.maximum.reduceat(values, np.concatenate(([0], np.cumsum(counts[held])[:-1])))
        return found

    def nearest(self, query: Floats, allowed: NDArray[np.bool_] | None, count: int) -> NDArray[np.int64]:
        """The rows with the highest cosine among the allowed ones, in no order, about `count` of them."""
        if self.size == 0:
            return np.empty(0, np.int64)
        if allowed is not None:
            inside = np.flatnonzero(allowed if self.single and len(allowed) == self.size else allowed[self.owners])
            if len(inside) <= GATHER or self.size <= EXACT:
                return self._best(self._exact(query, inside), inside, count)
            if len(inside) < self.size // 8:
                return self._by_bits(query, inside, count)
            return self._by_bits(query, None, count, allowed)
        if self.size <= EXACT:
            return self._best(self._exact(query, None), None, count)
        return self._by_bits(query, None, count)

    def _best(self, values: Floats, spots: NDArray[np.int64] | None, count: int) -> NDArray[np.int64]:
        top = top_of(values, count if self.single else count * 2)
        return np.unique(self.owners[top if spots is None else spots[top]]).astype(np.int64)

    def _exact(self, query: Floats, spots: NDArray[np.int64] | None) -> Floats:
        if self.size <= EXACT:
            full = self._as_full()
            if spots is None or len(spots) > self.size // 2:
                values = full @ query
                return values if spots is None else values[spots]
            return np.asarray(full[spots] @ query, np.float32)
        return np.asarray(self._halves[spots].astype(np.float32) @ query, np.float32)

    def _as_full(self) -> Floats:
        done = 0 if self._full is None else len(self._full)
        if self._full is None or done < self.size:
            # Converted in steps: appending one row at a time must not convert the rest again.
            room = np.empty((max(self.size + self.size // 8, 64), self.dimensions), np.float32)
            if self._full is not None and self._full.base is not None and len(self._full.base) >= self.size:
                room = self._full.base
            elif self._full is not None:
                room[:done] = self._full
            room[done : self.size] = self.halves[done:]
            self._full = room[: self.size]
        return self._full

    def _by_bits(
        self, query: Floats, spots: NDArray[np.int64] | None, count: int, allowed: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        planes = self._as_planes()
        assert self._centre is not None
        signs = _packed_signs((query - self._centre)[None, :])[:, 0]
        distance = (
            _hamming(planes, signs, self.size) if spots is None else _hamming(planes[:, spots], signs, len(spots))
        )
        if allowed is not None:
            distance[~allowed[self.owners]] = np.iinfo(distance.dtype).max
        # 500 of 100k and 2,000 of 1M keep recall@10 of the exact scan at or above 0.997 (bench/index.py).
        wanted = min(len(distance), max(500, self.size // 500, count))
        near = np.argpartition(distance, wanted - 1)[:wanted] if wanted < len(distance) else np.arange(len(distance))
        near = np.sort(near if spots is None else spots[near])
        if allowed is not None:
            near = near[allowed[self.owners[near]]]
        return self._best(self._exact(query, near), near, count)

    def _as_planes(self) -> NDArray[np.uint64]:
        if self._planes is None or self._centre is None:
            sample = self.halves[:: max(1, self.size // 20_000)].astype(np.float32)
            self._centre, self._packed = sample.mean(axis=0), 0
            self._planes = np.empty((-(-self.dimensions // 64), 0), np.uint64)
        if self._planes.shape[1] < self.size:
            room = np.empty((len(self._planes), self.size + self.size // 8), np.uint64)
            room[:, : self._packed] = self._planes[:, : self._packed]
            self._planes = room
        for first in range(self._packed, self.size, _CHUNK):
            last = min(first + _CHUNK, self.size)
            self._planes[:, first:last] = _packed_signs(self._halves[first:last].astype(np.float32) - self._centre)
        self._packed = self.size
        return self._planes


def top_of(values: Floats, count: int) -> NDArray[np.intp]:
    """The places of the largest values, in no order."""
    if count >= len(values):
        return np.arange(len(values))
    return np.argpartition(values, len(values) - count)[len(values) - count :]


def _packed_signs(vectors: Floats) -> NDArray[np.uint64]:
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)


def _hamming(planes: NDArray[np.uint64], signs: NDArray[np.uint64], size: int) -> NDArray[np.uint16]:
    distance = np.empty(size, np.uint16)
    for first in range(0, size, _CHUNK):
        last = min(first + _CHUNK, size)
        total = np.zeros(last - first, np.uint16)
        for plane, sign in zip(planes, signs, strict=True):
            total += np.bitwise_count(plane[first:last] ^ sign)
        distance[first:last] = total
    return distance


def _moved(array: Array, shape: tuple[int, ...], keep: int) -> Array:
    room = np.empty(shape, array.dtype)
    room[:keep] = array[:keep]
    return room
