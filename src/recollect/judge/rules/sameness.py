"""Whether two texts say the same: the same content, in an order that allows it, with no value or negation changed.

Second step of `compare`. Similarity cannot decide here: opposites are about as similar as paraphrases (SICK: median cosine
0.967 against 0.978, nearly one distribution). It only confirms that a different spelling is a typing error.
"""

from __future__ import annotations

from recollect.judge.rules.analysis import TextAnalysis
from recollect.judge.rules.rewording import content, readings
from recollect.judge.rules.word_keys import stem
from recollect.values.outcome import Verdict

_LINKS = ("and", "by")
_MOST_LINKS = 4  # a rewording adds or drops at most this many links
_MOST_PARTS = 6  # one word is written in at most this many parts
_LONG = 60  # keys; a longer text must have the same order, because rewordings of a long text prove nothing


def same(old: TextAnalysis, new: TextAnalysis, similarity: float, duplicate: float) -> Verdict | None:
    """The verdict "same" with its reason, or None."""
    if old.plain == new.plain:
        return Verdict("same", "the same text", 1.0)
    if not old.bag or old.negated != new.negated or old.numbers != new.numbers or _tenses_differ(old, new):
        return None
    if old.frame == new.frame and old.negations != new.negations:
        return None
    if old.ended != new.ended or old.adds != new.adds:
        return None
    if _names_differ(old, new):
        return None
    if old.gist == new.gist and old.bag == new.bag:
        return Verdict("same", "the same words in the same order", 0.97)
    if abs(len(old.bag) - len(new.bag)) > _MOST_LINKS:
        return None
    ours, theirs = residue(old, new)
    if not ours and not theirs:
        return _reordered(old, new)
    if len(old.gist) > _LONG or not _is_spelling(ours, theirs, old.names | new.names, similarity, duplicate):
        return None
    return Verdict("same", "the same words but for the spelling", 0.85)


def _tenses_differ(old: TextAnalysis, new: TextAnalysis) -> bool:
    """ "was" is not "is", but "was started by" may be the passive of "started"."""
    return old.was != new.was and not (old.past if new.was else new.past)


def _names_differ(old: TextAnalysis, new: TextAnalysis) -> bool:
    """ "Adam" and "Adams" have the same stem but are different people."""
    if old.spelled == new.spelled:
        return False
    ours, theirs = old.spelled - new.spelled, new.spelled - old.spelled
    return bool(ours) and bool(theirs) and not {stem(name) for name in ours}.isdisjoint(map(stem, theirs))


def differ_both_ways(old: TextAnalysis, new: TextAnalysis) -> bool:
    """Whether each text surely says something the other does not: a quick check for texts that only share a topic."""
    ours, theirs = set(old.bag), set(new.bag)
    return not (ours - theirs).issubset(_LINKS) and not (theirs - ours).issubset(_LINKS)


def residue(old: TextAnalysis, new: TextAnalysis) -> tuple[list[str], list[str]]:
    """What each text says and the other does not, without the links that a rewording adds or drops."""
    ours, theirs = list(old.bag), []
    for key in new.bag:
        if key in ours:
            ours.remove(key)
        else:
            theirs.append(key)
    return [k for k in ours if k not in _LINKS], [k for k in theirs if k not in _LINKS]


def _reordered(old: TextAnalysis, new: TextAnalysis) -> Verdict | None:
    if len(old.gist) > _LONG:
        return None
    plain_old, plain_new = content(old.frame), content(new.frame)
    if plain_old == plain_new and "by" not in plain_old:
        return Verdict("same", "the same words in the same order", 0.95)
    if readings(old) & readings(new):
        return Verdict("same", "the same statement, reworded", 0.93)
    return None


def _is_spelling(
    ours: list[str], theirs: list[str], names: frozenset[str], similarity: float, duplicate: float
) -> bool:
    """ "backyard" and "back yard", or one typing error in a long word that is not a name."""
    if "".join(ours) == "".join(theirs):
        return max(len(ours), len(theirs)) <= _MOST_PARTS
    if len(ours) != 1 or len(theirs) != 1 or similarity < duplicate:
        return False
    one, other = ours[0], theirs[0]
    return not names.intersection((one, other)) and min(len(one), len(other)) > 5 and one_edit(one, other)


def one_edit(one: str, other: str) -> bool:
    """Whether two words differ by one letter added, missing or replaced, or by two letters swapped."""
    if one[0] != other[0] or abs(len(one) - len(other)) > 1 or any(map(str.isdigit, one + other)):
        return False
    at = next((i for i, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), min(len(one), len(other)))
    if one[at + 1 :] == other[at + 1 :] or one[at + 1 :] == other[at:] or one[at:] == other[at + 1 :]:
        return True
    return one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
