"""The terms of a memory as numbers, and BM25 over the terms of some rows.

A term is stored as a hash of the account and the term, so that each posting list of the GIN index belongs to one account, and a
term of one account tells nothing about another. The scores are equal to those of `store/index/postings.py`, to the last operation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from recollect.store.index.columns import lexical_terms
from recollect.values.memory import Record
from recollect.values.search import Floats
from recollect.values.terms import BM25_B as B
from recollect.values.terms import BM25_K1 as K1

Words = NDArray[np.int32]


def words_of(account_id: int, memory: Record) -> Words:
    """Every term of a memory, as often as it occurs."""
    return np.array(sorted(_mark(account_id, term) for term in lexical_terms(memory)), np.int32)


def marks_of(account_id: int, terms: Sequence[str]) -> Words:
    """The numbers of some terms in one account, in the same order."""
    return np.array([_mark(account_id, term) for term in terms], np.int32)


@lru_cache(maxsize=1 << 18)
def _mark(account_id: int, term: str) -> int:
    own = account_id.to_bytes(8, "little", signed=True)
    digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=4, key=own).digest()
    return int.from_bytes(digest, "little", signed=True)


@dataclass(frozen=True, slots=True)
class Weights:
    """The terms of one query with their BM25 weights in one account."""

    marks: Words
    idf: Floats
    mean_length: float


def weights(marks: Words, memories: NDArray[np.int64], held: int, words: int) -> Weights:
    """The weights of terms, from how many of all memories have each."""
    idf = np.zeros(len(marks), np.float32)
    met = memories > 0
    idf[met] = np.log1p((held - memories[met] + 0.5) / (memories[met] + 0.5))
    return Weights(marks, idf, words / max(held, 1))


def occurrences(marks: Words, words: Words, lengths: NDArray[np.int32]) -> NDArray[np.uint8]:
    """How often each term of a query occurs in each row; `words` are those of all rows in turn, `lengths` of each."""
    table = np.zeros((len(lengths), len(marks)), np.uint8)
    ends = lengths.cumsum()
    for place, mark in enumerate(marks):
        met = (words == mark).nonzero()[0]
        if len(met):
            counts = np.bincount(ends.searchsorted(met, "right"), minlength=len(lengths))
            table[:, place] = np.minimum(counts, 255)
    return table


def bm25(asked: Weights, counts: NDArray[np.uint8], lengths: NDArray[np.int32]) -> Floats:
    """The score of each row."""
    slope = np.float32(K1 * B / max(asked.mean_length, 1.0))
    flat = lengths * slope + np.float32(K1 * (1 - B))
    often = counts.T
    total = np.zeros(len(lengths), np.float32)
    # Added term by term, as the file back end does it, with the same rounding.
    for part in often / (flat + often) * (asked.idf * np.float32(K1 + 1))[:, None]:
        total += part
    return total
