"""Compare two texts: how a new memory relates to an old one, why, and how sure the rules are."""

from __future__ import annotations

from functools import lru_cache

from recollect.judge.rules.analysis import TextAnalysis, analyse, plain_text
from recollect.judge.rules.change import changed
from recollect.judge.rules.lexicon import Lexicon, language_of
from recollect.judge.rules.sameness import residue, same
from recollect.values.outcome import Verdict

DUPLICATE = 0.92
# A longer text is a conversation or a document, not a statement: it is compared with texts that have most of its words only.
_STATEMENT = 300
_MOST_WORDS = 0.8

_UNRELATED = Verdict("different", "they have no content in common", 0.95)
_DIFFERENT = Verdict("different", "they say different things", 0.8)
_FOREIGN = Verdict("different", "the rules do not know the language", 0.0)


def compare(
    old: str, new: str, similarity: float, *, functional: bool | None = None, duplicate: float = DUPLICATE
) -> Verdict:
    """Relate `new` to `old`.

    `similarity` is calibrated, never a raw cosine. `functional` says whether the relation has only one value at a time, if
    that is known. In a language that no file describes, only identical texts are related.
    """
    return _compared(old, new, similarity, functional, duplicate)


# A memory is compared with a draft when the batch is looked up, when it is decided whether to read it, and to decide.
@lru_cache(maxsize=2048)
def _compared(old: str, new: str, similarity: float, functional: bool | None, duplicate: float) -> Verdict:
    if plain_text(old) == plain_text(new):
        return Verdict("same", "the same text", 1.0)
    if max(len(old), len(new)) > _STATEMENT and not _has_most_words(old, new):
        return _DIFFERENT
    lexicon = _common_language(old, new)
    if lexicon is None:
        return _FOREIGN
    before, after = analyse(old, lexicon), analyse(new, lexicon)
    if not after.left and before.words.isdisjoint(after.words):
        return _UNRELATED
    alike = same(before, after, similarity, duplicate)
    if alike is not None:
        return _with_other_symbols(before, after) or alike
    return _extended(before, after) or changed(before, after, similarity, functional) or _DIFFERENT


@lru_cache(maxsize=4096)
def _language(text: str) -> Lexicon | None:
    return language_of(text)


def _common_language(old: str, new: str) -> Lexicon | None:
    """The language of two texts. If only one of them shows its language, both together must show the same."""
    one, other = _language(old), _language(new)
    if one is other:
        return one
    return None if one is not None and other is not None else _whole(f"{old} {new}", one or other)


def _whole(both: str, known: Lexicon | None) -> Lexicon | None:
    return known if language_of(both) is known else None


def _has_most_words(old: str, new: str) -> bool:
    one, other = set(old.casefold().split()), set(new.casefold().split())
    return len(one & other) >= _MOST_WORDS * min(len(one), len(other))


def _extended(old: TextAnalysis, new: TextAnalysis) -> Verdict | None:
    """The new text says everything the old one says, in the same order, and more."""
    if old.negated != new.negated or not old.gist or len(new.bag) <= len(old.bag) or old.was != new.was:
        return None
    if new.changed or new.ended or (new.announces and not old.announces):
        return None
    if not old.words <= new.words or not _in_order(old.gist, new.gist) or residue(old, new)[0]:
        return None
    return Verdict("extends", "the new one says all of the old one and more", 0.8)


def _with_other_symbols(old: TextAnalysis, new: TextAnalysis) -> Verdict | None:
    """The words say the same, and yet one asks, or has another operator or emoji: "a && b" and "a || b"."""
    before, after = old.symbols, new.symbols
    if before == after or (old.gist != new.gist and sorted(before) == sorted(after)):
        return None
    if set(before) < set(after):
        return Verdict("extends", "the same words and a symbol more", 0.7)
    return Verdict("related", "the same words with other symbols", 0.7)


def _in_order(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    rest = iter(whole)
    return all(key in rest for key in part)
