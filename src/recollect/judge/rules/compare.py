"""Compare two texts: how a new memory relates to an old one, why, and how sure the rules are."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from recollect.judge.rules.analysis import IGNORED, TextAnalysis, analyse, cached_analysis, is_adverb
from recollect.judge.rules.change import changed, is_more_than_a_value
from recollect.judge.rules.lexicon import PREPOSITIONS
from recollect.judge.rules.sameness import residue, same
from recollect.judge.rules.tokens import is_cjk, pieces
from recollect.judge.rules.transitions import CHANGE_WORDS
from recollect.judge.rules.words import is_always_content, key_of
from recollect.values.outcome import Verdict


class WordSummary(NamedTuple):
    """The words of a text, and every key its analysis can have. Made without the analysis, which costs much more."""

    words: tuple[str, ...]
    keys: frozenset[str]

    def says_besides(self, known: frozenset[str]) -> bool:
        """Whether the text surely has content beyond some keys."""
        return any(key_of(word) not in known and _is_surely_content(word) for word in self.words)


@lru_cache(maxsize=1024)
def summarise_words(text: str) -> WordSummary | None:
    """The summary of a text; None if its words mean something else together than one by one."""
    words = pieces(text.lower()) if text.isascii() else [piece.lower() for piece in pieces(text)]
    keys = frozenset(map(key_of, words))
    # Words that change the meaning of a sentence, contractions, and scripts without spaces.
    if not CHANGE_WORDS.isdisjoint(keys) or "cannot" in words:
        return None
    if (not text.isascii() or "'" in text) and any("'" in word or is_cjk(word) for word in words):
        return None
    return WordSummary(tuple(words), keys.union(words))


def _is_surely_content(word: str) -> bool:
    """Whether the key of a word is part of the gist at any position."""
    key = key_of(word)
    return is_always_content(word) and not (key in IGNORED or key in PREPOSITIONS or is_adverb(key))


DUPLICATE = 0.92
CONTRADICTION = 0.75

_UNRELATED = Verdict("different", "they have no content in common", 0.95)
_DIFFERENT = Verdict("different", "they say different things", 0.8)


def compare(
    old: str,
    new: str,
    similarity: float,
    *,
    functional: bool | None = None,
    duplicate: float = DUPLICATE,
    contradiction: float = CONTRADICTION,
) -> Verdict:
    """Relate `new` to `old`.

    `similarity` is calibrated, never a raw cosine. `functional` says whether the relation has only one value at a time, if
    that is known.
    """
    after, before = analyse(new), cached_analysis(old)
    if before is None:
        if (plain := _by_words_alone(old, after)) is not None:
            return plain
        before = analyse(old)
    if before.plain != after.plain and not after.left and before.words.isdisjoint(after.words):
        return _UNRELATED
    return (
        same(before, after, similarity, duplicate)
        or changed(before, after, similarity, contradiction, functional)
        or _extended(before, after)
        or _DIFFERENT
    )


def _by_words_alone(old: str, new: TextAnalysis) -> Verdict | None:
    """A quick answer from the words of the old text alone: most texts differ."""
    summary = summarise_words(old) if new.gist and not new.left else None
    if summary is None:
        return None
    if new.words.isdisjoint(summary.keys):
        return _UNRELATED
    # Too much is new for a rewording or another value, and the old text has other content too, so it is not extended.
    if is_more_than_a_value(new.words - summary.keys) and summary.says_besides(new.words):
        return _DIFFERENT
    return None


def _extended(old: TextAnalysis, new: TextAnalysis) -> Verdict | None:
    """The new text says everything the old one says, in the same order, and more."""
    if old.negated != new.negated or not old.gist or len(new.bag) <= len(old.bag) or old.was != new.was:
        return None
    if not old.words <= new.words or not _in_order(old.gist, new.gist) or residue(old, new)[0]:
        return None
    return Verdict("extends", "the new one says all of the old one and more", 0.8)


def _in_order(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    rest = iter(whole)
    return all(key in rest for key in part)
