"""How a new memory relates to an old one, decided by rules alone: the door of this package.

Before it: reconcile in `capture`, which proposes candidates by similarity. After it: merge, supersede, flag or
store.
"""

from __future__ import annotations

from recollect.judge.rules.analysis import Analysed
from recollect.judge.rules.change import changed, is_more_than_a_value
from recollect.judge.rules.glance import glance
from recollect.judge.rules.kept import analyse, analysed
from recollect.judge.rules.sameness import residue, same
from recollect.judge.rules.verdict import Verdict

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

    `similarity` is calibrated, never a raw cosine; `functional` tells whether the relation holds one value, if known.
    """
    after, before = analyse(new), analysed(old)
    if before is None:
        if (plain := _at_a_glance(old, after)) is not None:
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


def _at_a_glance(old: str, new: Analysed) -> Verdict | None:
    """What the words of the old text tell before they are read in their order: that most texts differ."""
    seen = glance(old) if new.gist and not new.left else None
    if seen is None:
        return None
    if new.words.isdisjoint(seen.keys):
        return _UNRELATED
    # Too much is new for a rewording or another value, and the old text says something of its own: it is not extended.
    if is_more_than_a_value(new.words - seen.keys) and seen.says_besides(new.words):
        return _DIFFERENT
    return None


def _extended(old: Analysed, new: Analysed) -> Verdict | None:
    """The new text says all of the old one, in its order, and more."""
    if old.negated != new.negated or not old.gist or len(new.bag) <= len(old.bag) or old.was != new.was:
        return None
    if not old.words <= new.words or not _in_order(old.gist, new.gist) or residue(old, new)[0]:
        return None
    return Verdict("extends", "the new one says all of the old one and more", 0.8)


def _in_order(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    rest = iter(whole)
    return all(key in rest for key in part)
