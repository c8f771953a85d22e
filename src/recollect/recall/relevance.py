"""Relevance: the probability that a memory answers the query, and from which probability on a query counts as answered.

A score only orders the hits of one query. Relevance says of one hit, whatever else was found, whether it is about what the query
asks for. It is higher, the more similar the hit is to the query, the more that exceeds the similarity of an unrelated memory, and
the more of the query's words it has; it is lower, the more of these words no memory has: they may be just what is asked for.

The weights are those of a logistic regression over questions that were asked of their own conversation and of another one, each
set of questions counting the same (docs/benchmarks.md).
"""

from __future__ import annotations

import numpy as np

from recollect.recall.features import Features
from recollect.recall.query import Query
from recollect.values.search import Floats

# Of the questions that their own conversation answers, about one in twenty stays below this.
ANSWERED = 0.25
# The assistant answers a request for help; a memory only adds to that, often in quite other words.
_ADDS_TO_HELP = 0.05

# How similar an unrelated memory is to a query, and after how many memories their own mean says it better.
UNRELATED, _MEMORIES = 0.3, 20
# With few memories, words say little: that no memory has a word of the query means nothing. So many memories say half of it.
_MANY = 50

# Weights where a query was searched by meaning and words, by meaning only, and by words only.
_BOTH = {
    "similarity": 5.6,
    "above unrelated": 4.0,
    "coverage": 2.2,
    "coverage among many": 4.6,
    "in time window": 2.6,
    "unknown among many": -9.4,
    "many": -3.9,
    "constant": -4.0,
}
_MEANING = {"similarity": 8.8, "above unrelated": 5.1, "many": -3.3, "constant": -5.8}
_WORDS = {"coverage": 5.0, "in time window": 1.0, "unknown among many": -8.9, "constant": -2.3}


def relevance(features: Features) -> Floats:
    """The relevance of every candidate, 0 to 1."""
    query, found = features.query, features.candidates
    by_meaning = _BOTH if len(found.idf) else _MEANING
    weights = by_meaning if features.embedded else _WORDS
    ones = np.ones(len(found), np.float32)
    if features.all_asked_for:
        return ones  # of a #tag, what has it is the answer
    many = found.considered / (found.considered + _MANY)
    values = {
        "similarity": features.similarity,
        "above unrelated": features.similarity - np.float32(_unrelated(features)),
        "coverage": features.coverage,
        "coverage among many": many * features.coverage,
        "in time window": features.in_window() if query.windows else 0 * ones,
        "unknown among many": many * features.unknown_words() * ones,
        "many": many * ones,
        "constant": ones,
    }
    logit = sum((weight * values[name] for name, weight in weights.items()), 0 * ones)
    probability: Floats = (1 / (1 + np.exp(-logit))).astype(np.float32)
    return probability


def enough(query: Query) -> float:
    """The relevance from which a hit answers a query."""
    return _ADDS_TO_HELP if query.intent.asks_for_help else ANSWERED


def _unrelated(features: Features) -> float:
    """The similarity of an unrelated memory: that of the mean of all memories, as far as they are enough for a mean."""
    if features.unrelated is None:
        return UNRELATED
    held = features.candidates.considered
    return (held * features.unrelated + _MEMORIES * UNRELATED) / (held + _MEMORIES)
