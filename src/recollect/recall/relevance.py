"""Relevance: the probability that a memory answers the query, and from which probability on a query counts as answered.

A score only orders the hits of one query. Relevance says of one hit, whatever else was found, whether it is about what the query
asks for. It is higher, the more similar the hit is to the query, and the more of the words and the names of the query it has. A
word that no memory has counts as the rarest of all: it may be just what is asked for.

The weights are those of a logistic regression over questions that were asked of their own conversation, of another one, and of
their own without the sessions that answer them, and over small stores with and without the answer; each set of questions counts
the same (docs/benchmarks.md).
"""

from __future__ import annotations

import numpy as np

from recollect.recall.features import Features
from recollect.recall.query import Query
from recollect.values.search import Floats

# Of the questions that their own conversation answers, about one in twenty stays below this.
ANSWERED = 0.22
# The assistant answers a request for help; a memory only adds to that, often in quite other words.
_ADDS_TO_HELP = 0.1

# How similar an unrelated memory is to a query, and after how many memories their own mean says it better.
UNRELATED, _MEMORIES = 0.3, 20
# That a few memories lack a word or a name of the query says little. From so many on it says all it can.
_MANY = 100

# Weights where a query was searched by meaning and words, by meaning only, and by words only. That of words among few is chosen by
# hand: a regression learns that questions of strangers share no word with a few memories, but a first memory is often asked for so.
_BOTH = {
    "similarity": 6.7,
    "words among few": 2.0,
    "words among many": 4.6,
    "names among many": 1.7,
    "asks for names among many": -1.6,
    "in time window": 2.1,
    "many": -2.7,
    "constant": -4.4,
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
    many = np.float32(min(1.0, found.considered / _MANY))
    words = features.share_of_words(float(many))
    values = {
        "similarity": features.similarity,
        "above unrelated": features.similarity - np.float32(_unrelated(features)),
        "coverage": features.coverage,
        "words among few": (1 - many) * words,
        "words among many": many * words,
        "names among many": many * features.share_of_names(),
        "asks for names among many": many * bool(query.names) * ones,
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
