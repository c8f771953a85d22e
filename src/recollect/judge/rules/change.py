"""Whether the new text replaces the old one, or cannot be true beside it.

Third step of `compare`, after `sameness`. Superseding a memory wrongly loses it, so "changed" needs a frame that
holds one value (`frames`) or a text that says that something changed; what merely clashes is "contradicts", which
loses nothing.
"""

from __future__ import annotations

from recollect.judge.rules import lexicon
from recollect.judge.rules.analysis import IGNORED, Analysed
from recollect.judge.rules.frames import LONGEST_VALUE, Holds, Slot, find_slot, holds
from recollect.judge.rules.sameness import differ_both_ways, residue
from recollect.judge.rules.synonyms import key
from recollect.judge.rules.verdict import Verdict

# who has the value, and how
_GENERIC = lexicon.keys("use we i our my have as for in with run on to project team database")


def changed(
    old: Analysed, new: Analysed, similarity: float, contradiction: float, functional: bool | None
) -> Verdict | None:
    """ "changed" or "contradicts" with the reason, or nothing."""
    if not new.left and (is_more_than_a_value(old.words - new.words) or is_more_than_a_value(new.words - old.words)):
        return None  # as for most pairs: every rule below but the one about what was left would find the same
    return (
        _negated(old, new)
        or _left(old, new, similarity, contradiction)
        or _reversed(old, new)
        or _new_value(old, new, similarity, contradiction, functional)
    )


def is_more_than_a_value(own: frozenset[str]) -> bool:
    """Whether what one text says and the other does not is so much that no two values tell them apart."""
    return len(own) > LONGEST_VALUE and len(own - lexicon.PREPOSITIONS) > LONGEST_VALUE


def _negated(old: Analysed, new: Analysed) -> Verdict | None:
    """The same statement with and without its negation."""
    if old.negative == new.negative and old.ended == new.ended:
        return None
    if differ_both_ways(old, new):
        return None
    ours, theirs = residue(old, new)
    if (ours and theirs) or len(ours) + len(theirs) > 2:
        return None
    over = new.ended and not theirs and not new.numbers  # "no longer Postgres" ends "Postgres 17" too
    if old.numbers != new.numbers and not over:
        return None
    if (new.ended and not theirs) or (new.changed and not ours):
        return Verdict("changed", "the new one says that the old one is over", 0.9)
    return Verdict("contradicts", "one denies what the other states", 0.85)


def _left(old: Analysed, new: Analysed, similarity: float, contradiction: float) -> Verdict | None:
    """The new text names the value it gave up, and the old one states that value."""
    left = [k for k in new.left if k not in IGNORED]
    if not left or not set(left) <= set(old.bag):
        return None
    rest = [k for k in old.gist if k not in left and k not in new.bag and k not in _GENERIC]
    if not rest or (len(rest) == 1 and similarity >= contradiction):
        return Verdict("changed", f"the new one gives up {_spelled(tuple(left), new)!r}", 0.88)
    return None


def _reversed(old: Analysed, new: Analysed) -> Verdict | None:
    """ "prefers x over y" and "prefers y over x"."""
    if old.bag != new.bag or old.gist == new.gist or old.negated != new.negated:
        return None
    if lexicon.EXCLUSIVE.isdisjoint(old.gist) or not {"over", "to", "than"} & set(old.gist):
        return None
    return Verdict("changed", "the order of preference is reversed", 0.8)


def _new_value(
    old: Analysed, new: Analysed, similarity: float, contradiction: float, functional: bool | None
) -> Verdict | None:
    if old.negated != new.negated:
        return None
    slot = find_slot(old, new)
    if slot is None:
        return None
    if slot.is_bare_number:
        return Verdict("contradicts", "one number differs", 0.5) if similarity >= contradiction else None
    held = _held(slot, old, new, functional)
    value = f"{_spelled(slot.old, old)!r} became {_spelled(slot.new, new)!r}"
    if held == "one":
        return Verdict("changed", value, 0.9 if slot.kind != "word" or new.changed else 0.75)
    if _opposite(slot) and not slot.past:
        known = not old.indefinite and slot.verb >= 0 and slot.before[slot.verb] == "be" and not slot.progressive
        return Verdict("changed" if known else "contradicts", f"opposites: {value}", 0.8)
    if held == "unclear" and similarity >= contradiction:
        return Verdict("contradicts", value, 0.5)
    return None


def _spelled(keys: tuple[str, ...], text: Analysed) -> str:
    """Keys as the words they came from: a reason is read by people."""
    words = {key(word): word for word in (piece.strip(".,;:!?'\"()") for piece in reversed(text.plain.split()))}
    return " ".join(words.get(one, one) for one in keys)


def _held(slot: Slot, old: Analysed, new: Analysed, functional: bool | None) -> Holds:
    """What the caller knows of the relation wins, then what the new text says, then the frame."""
    if new.adds or old.indefinite or new.indefinite:
        return "many"
    held = holds(slot)
    if slot.verb < 0 and held == "many":
        return "many"  # the subjects differ: no knowledge of the relation makes them one
    if functional is not None:
        return "one" if functional else "many"
    return "one" if new.changed and not slot.past else held


def _opposite(slot: Slot) -> bool:
    return len(slot.old) == len(slot.new) == 1 and slot.new[0] in lexicon.ANTONYMS.get(slot.old[0], ())
