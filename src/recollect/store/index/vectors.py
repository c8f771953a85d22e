"""Vectors: how near each memory is to a query, exact for few, two-stage for many.

A memory owns a vector of its whole text and, when a person said something long, one of each sentence; its nearness is the
mean of the whole's cosine and the best sentence's. Up to `EXACT` vectors one matrix product answers. Above, sign bits are
compared first, laid out in planes (one 64-bit word of every vector side by side, so that a scan streams through memory),
and the best few per cent are ranked by the vectors themselves. The bits are those of the centred vectors, because
embeddings share a large common direction (bench/speed.py measures the recall).

Products are `np.vecdot`, row by row: a matrix product would wake the threads of the linear algebra library, which then spin
and burn a second core for as long as the search takes.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.store.index.columns import Array
from recollect.values.search import Floats

EXACT = 4_000
_CENTRE_SAMPLE = 20_000
_CHUNK = 1 << 16
_BLOCK = 256
_WORDS = 3  # have at most 192 bits, so what agrees in them is added in bytes before it is widened
_SAMPLED = 8192
_COMMON = 0.6
_LARGEST = np.float32(32767)

Spots = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Spans:
    """Where the vectors of some rows are: which rows own any, every vector's place, and which of these begin a row."""

    owning: NDArray[np.bool_]
    places: Spots
    firsts: Spots | None  # none when every row owns one at most

    @classmethod
    def of(cls, starts: NDArray[np.int32], counts: NDArray[np.int32]) -> Spans:
        """Of rows whose vectors begin at `starts`."""
        owning = counts > 0
        begin, many = starts[owning].astype(np.int64), counts[owning].astype(np.int64)
        if many.max(initial=1) == 1:
            return cls(owning, begin, None)
        firsts = np.concatenate(([0], np.cumsum(many)[:-1]))
        return cls(owning, np.repeat(begin - firsts, many) + np.arange(int(many.sum())), firsts)


class VectorArrays:
    """Vectors with the row that owns each, and what is derived from them for speed.

    A vector is kept as 16-bit whole numbers and one factor: as exact as the half precision it is stored in, as small, and numpy
    turns it into single precision in an eighth of the time. Nothing is ever converted as a whole.
    """

    def __init__(
        self,
        dimensions: int,
        codes: NDArray[np.int16] | None = None,
        factors: Floats | None = None,
        owners: NDArray[np.int32] | None = None,
    ) -> None:
        self.dimensions = dimensions
        self._codes = np.empty((0, dimensions), np.int16) if codes is None else codes
        self._factors = np.empty(0, np.float32) if factors is None else factors
        self._owners = np.empty(0, np.int32) if owners is None else owners
        self.size = len(self._owners)
        self._planes: NDArray[np.uint64] | None = None
        self._centre: Floats | None = None
        self._common = np.empty(0, np.float32)
        self._packed = 0
        self._aligned = bool((self.owners == np.arange(self.size)).all())
        # One question asks several times: what was worked out for all vectors is remembered with its query and their number.
        self._cosines: tuple[Floats, int, Floats] | None = None
        self._agreed: tuple[Floats, int, NDArray[np.int16]] | None = None
        self._room = 0  # how many vectors fit before the arrays must be copied
        self._shared = False

    def fork(self) -> VectorArrays:
        """The same vectors, to be changed on their own; arrays are shared until they change, see `ColumnTable.fork`."""
        # Cut to what is filled in, so that whichever grows first copies it.
        self._planes = None if self._planes is None else self._planes[:, : self._packed]
        self._shared = True
        made = copy(self)
        self._room = 0
        return made

    @property
    def codes(self) -> NDArray[np.int16]:
        """The vectors as whole numbers, for a snapshot."""
        return self._codes[: self.size]

    @property
    def factors(self) -> Floats:
        """What the numbers of each vector are multiplied by."""
        return self._factors[: self.size]

    @property
    def owners(self) -> NDArray[np.int32]:
        """The row of each vector."""
        return self._owners[: self.size]

    def append(self, vectors: NDArray[np.float16], owners: NDArray[np.int32]) -> int:
        """Add vectors, each with the row that owns it; returns the place of the first."""
        first, self.size = self.size, self.size + len(owners)
        if self.size > self._room:
            self._room = max(self.size, first * 3 // 2, 64)
            self._codes = _moved(self._codes, (self._room, self.dimensions), first)
            self._factors = _moved(self._factors, (self._room,), first)
            self._owners = _moved(self._owners, (self._room,), first)
        self._put(first, vectors)
        self._owners[first : self.size] = owners
        # While every row owns exactly the vector of its own number, a mask of rows is a mask of vectors.
        self._aligned = self._aligned and not np.count_nonzero(owners != np.arange(first, self.size))
        return first

    def replace(self, first: int, vectors: NDArray[np.float16]) -> None:
        """Overwrite vectors in place: a memory was embedded anew."""
        if self._shared or not self._codes.flags.writeable:
            self._codes, self._factors = np.array(self._codes), np.array(self._factors)
            self._planes = None if self._planes is None else np.array(self._planes)
            self._shared = False
        self._put(first, vectors)
        self._packed = min(self._packed, first)
        self._cosines = self._agreed = None

    def vectors_at(self, places: Array | slice) -> Floats:
        """Some vectors in single precision."""
        found: Floats = self._codes[places] * self._factors[places, None]
        return found

    def nearness(self, query: Floats, spans: Spans) -> Floats:
        """The nearness of some rows; NaN for those that own no vector."""
        found = np.full(len(spans.owning), np.nan, np.float32)
        if len(spans.places) == 0:
            return found
        values = self._cosines_of(query, spans.places)
        if spans.firsts is None:
            found[spans.owning] = values
        else:
            # The best of whole and sentences: a sentence that lies further off than its text cannot pull it away.
            found[spans.owning] = (values[spans.firsts] + np.maximum.reduceat(values, spans.firsts)) / 2
        return found

    def likely(self, query: Floats, allowed: NDArray[np.bool_], count: int) -> tuple[Spots, Floats | None]:
        """Rows that are among the nearest, in their order: the best few per cent by sign bits, ranked by their vectors.

        Where every row owns one vector, also how near they are.
        """
        agreement = self._agreement(query)
        single = self._aligned and len(allowed) == self.size
        # On real vectors the top 1.5 % by bits hold 0.98 of the true ten at 50k rows; the share needed falls as rows grow.
        most = max(EXACT, 8 * count, min(self.size // 64, 64 * count))
        near = top_of(agreement, most, allowed if single else allowed[self.owners])
        near.sort()
        values = self._cosines_of(query, near)
        best = top_of(values, 2 * count)
        if single:
            best = np.sort(best[allowed[near[best]]])
            return near[best], values[best]
        rows = distinct(self.owners[near[best]]).astype(np.int64)
        return rows[allowed[rows]], None

    def mean_of(self, starts: NDArray[np.int32]) -> Floats:
        """The mean vector of some rows' whole texts, from a sample when they are many."""
        mean: Floats = self.vectors_at(starts[:: max(1, len(starts) // 4096)]).mean(axis=0)
        return mean

    def _put(self, first: int, vectors: NDArray[np.float16]) -> None:
        for start in range(0, len(vectors), _BLOCK):
            full = vectors[start : start + _BLOCK].astype(np.float32)
            peaks = np.abs(full).max(axis=1)
            if not np.isfinite(peaks).all():  # of a damaged file: near to nothing
                full[~np.isfinite(peaks)] = 0
                peaks = np.abs(full).max(axis=1)
            part = slice(first + start, first + start + len(full))
            self._factors[part] = factors = np.maximum(peaks, 1e-6) / _LARGEST
            self._codes[part] = np.rint(full / factors[:, None])

    def _cosines_of(self, query: Floats, places: Spots) -> Floats:
        if self.size > EXACT:
            return self._products(query, places)
        # Few enough to multiply all at once.
        if self._cosines is None or self._cosines[0] is not query or self._cosines[1] != self.size:
            self._cosines = (query, self.size, self._products(query, np.arange(self.size)))
        return self._cosines[2][places]

    def _products(self, query: Floats, places: Spots) -> Floats:
        values = np.empty(len(places), np.float32)
        room = np.empty((min(_BLOCK, len(places)), self.dimensions), np.float32)
        for first in range(0, len(places), _BLOCK):  # a block at a time stays in the cache
            part = places[first : first + _BLOCK]
            room[: len(part)] = self._codes.take(part, axis=0)
            np.vecdot(room[: len(part)], query, out=values[first : first + _BLOCK])
        values *= self._factors[places]
        return values

    def _agreement(self, query: Floats) -> NDArray[np.int16]:
        """How many sign bits of each vector agree with the query's."""
        if self._agreed is None or self._agreed[0] is not query or self._agreed[1] != self.size:
            planes = self._bits()
            self._agreed = (query, self.size, _agreement(planes, self._signs_of(query), self.size))
        return self._agreed[2]

    def _signs_of(self, query: Floats) -> NDArray[np.uint64]:
        """The query's sign bits, with part of the common direction taken out.

        Measured at 50k real vectors, top 1 % by bits: 0.93 of the true ten with the query as it is, 0.85 with the mean
        subtracted, 0.97 with 0.6 of its share of the common direction removed; stored texts as queries behave alike.
        """
        common = self._common
        return _packed_signs((query - np.float32(_COMMON) * (query @ common) * common > 0)[None, :])[:, 0]

    def _bits(self) -> NDArray[np.uint64]:
        """The bit planes of all vectors, brought up to date."""
        if self._planes is None or self._centre is None:
            sample = self.vectors_at(slice(0, self.size, max(1, self.size // _CENTRE_SAMPLE)))
            self._centre, self._packed = sample.mean(axis=0), 0
            self._common = self._centre / max(float(np.linalg.norm(self._centre)), 1e-6)
            self._planes = np.empty((-(-self.dimensions // 64), 0), np.uint64)
        if self._planes.shape[1] < self.size:
            planes = np.empty((len(self._planes), self.size + self.size // 8), np.uint64)
            planes[:, : self._packed] = self._planes[:, : self._packed]
            self._planes = planes
        for first in range(self._packed, self.size, 2 * _BLOCK):
            part = slice(first, min(first + 2 * _BLOCK, self.size))
            self._planes[:, part] = _packed_signs(self.vectors_at(part) > self._centre)
        self._packed = self.size
        return self._planes


def distinct(values: Array) -> Array:
    """Sorted, each once. By sorting: `np.unique` hashes, is slower on thousands of numbers, and loads masked arrays."""
    ordered = np.sort(values)
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def top_of(values: Array, count: int, among: NDArray[np.bool_] | None = None) -> NDArray[np.intp]:
    """The places of the largest values, in no order; given a mask, the values it leaves out count as nothing."""
    if count >= len(values) or count == 0:
        return np.arange(min(count, len(values)))
    if len(values) > _SAMPLED:
        # A sample's quantile throws most rows out in one comparison; partitioning them all costs ten times that.
        some = slice(None, None, len(values) // 1024)
        sample = values[some].copy() if among is None else values[some] * among[some]
        rank = len(sample) - 1 - min(len(sample) - 1, 2 * count * len(sample) // len(values) + 8)
        sample.partition(rank)
        high = values >= sample[rank]
        if among is not None:
            high &= among
        likely: NDArray[np.intp] = high.nonzero()[0]
        if count <= len(likely) < len(values) // 2:
            return likely[top_of(values[likely], count)]
    values = values if among is None else values * among
    order: NDArray[np.intp] = values.argpartition(len(values) - count)
    return order[len(values) - count :]


def _packed_signs(positive: NDArray[np.bool_]) -> NDArray[np.uint64]:
    bits = np.packbits(positive, axis=1)
    if missing := -bits.shape[1] % 8:
        bits = np.pad(bits, ((0, 0), (0, missing)))
    return np.ascontiguousarray(bits.view(np.uint64).T)


def _agreement(planes: NDArray[np.uint64], signs: NDArray[np.uint64], size: int) -> NDArray[np.int16]:
    """How many sign bits of each vector agree with the query's."""
    agreement = np.empty(size, np.int16)
    for first in range(0, size, _CHUNK):
        part = slice(first, min(first + _CHUNK, size))
        for word in range(0, len(planes), _WORDS):
            alike = np.bitwise_count(planes[word, part] ^ ~signs[word])
            for other in range(word + 1, min(word + _WORDS, len(planes))):
                alike += np.bitwise_count(planes[other, part] ^ ~signs[other])
            if word:
                agreement[part] += alike
            else:
                agreement[part] = alike
    return agreement


def _moved(array: Array, shape: tuple[int, ...], keep: int) -> Array:
    room = np.empty(shape, array.dtype)
    room[:keep] = array[:keep]
    return room
