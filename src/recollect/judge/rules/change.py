"""Whether the new text replaces the old one or contradicts it.

Third step of `compare`, after `sameness`. A wrong "changed" hides a true memory, so it needs a statement that has one value at
a time (`frames`) or a text that says that something changed. Anything else that cannot be true together is "contradicts",
which hides nothing.
"""

from __future__ import annotations

from recollect.judge.rules import lexicon
from recollect.judge.rules.analysis import IGNORED, TextAnalysis
from recollect.judge.rules.frames import LONGEST_VALUE, Slot, ValueCount, count_values, find_slot
from recollect.judge.rules.sameness import differ_both_ways, residue
from recollect.judge.rules.word_keys import key
from recollect.values.outcome import Verdict

# Words that only say who has a value, and how.
_GENERIC = lexicon.keys("use we i our my have as for in with run on to project team database")


def changed(
    old: TextAnalysis, new: TextAnalysis, similarity: float, contradiction: float, functional: bool | None
) -> Verdict | None:
    """ "changed" or "contradicts" with the reason, or None."""
    if not new.left and (is_more_than_a_value(old.words - new.words) or is_more_than_a_value(new.words - old.words)):
        return None  # most pairs end here; apart from `_left`, the rules below would return None too
    return (
        _negated(old, new)
        or _left(old, new, similarity, contradiction)
        or _reversed(old, new)
        or _new_value(old, new, similarity, contradiction, functional)
    )


def is_more_than_a_value(own: frozenset[str]) -> bool:
    """Whether one text says so much more than the other that they cannot differ in one value only."""
    return len(own) > LONGEST_VALUE and len(own - lexicon.PREPOSITIONS) > LONGEST_VALUE


def _negated(old: TextAnalysis, new: TextAnalysis) -> Verdict | None:
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


def _left(old: TextAnalysis, new: TextAnalysis, similarity: float, contradiction: float) -> Verdict | None:
    """The new text names the value that was abandoned, and the old one states that value."""
    left = [k for k in new.left if k not in IGNORED]
    if not left or not set(left) <= set(old.bag):
        return None
    rest = [k for k in old.gist if k not in left and k not in new.bag and k not in _GENERIC]
    if not rest or (len(rest) == 1 and similarity >= contradiction):
        return Verdict("changed", f"the new one gives up {_spelled(tuple(left), new)!r}", 0.88)
    return None


def _reversed(old: TextAnalysis, new: TextAnalysis) -> Verdict | None:
    """ "prefers x over y" and "prefers y over x"."""
    if old.bag != new.bag or old.gist == new.gist or old.negated != new.negated:
        return None
    if lexicon.EXCLUSIVE.isdisjoint(old.gist) or not {"over", "to", "than"} & set(old.gist):
        return None
    return Verdict("changed", "the order of preference is reversed", 0.8)


def _new_value(
    old: TextAnalysis, new: TextAnalysis, similarity: float, contradiction: float, functional: bool | None
) -> Verdict | None:
    if old.negated != new.negated:
        return None
    slot = find_slot(old, new)
    if slot is None:
        return None
    if slot.is_bare_number:
        return Verdict("contradicts", "one number differs", 0.5) if similarity >= contradiction else None
    values = _value_count(slot, old, new, functional)
    value = f"{_spelled(slot.old, old)!r} became {_spelled(slot.new, new)!r}"
    if values == "one":
        return Verdict("changed", value, 0.9 if slot.kind != "word" or new.changed else 0.75)
    if _opposite(slot) and not slot.past:
        known = not old.indefinite and slot.verb >= 0 and slot.before[slot.verb] == "be" and not slot.progressive
        return Verdict("changed" if known else "contradicts", f"opposites: {value}", 0.8)
    if values == "unclear" and similarity >= contradiction:
        return Verdict("contradicts", value, 0.5)
    return None


def _spelled(keys: tuple[str, ...], text: TextAnalysis) -> str:
    """Keys as the words they came from, because people read the reason."""
    words = {key(word): word for word in (piece.strip(".,;:!?'\"()") for piece in reversed(text.plain.split()))}
    return " ".join(words.get(one, one) for one in keys)


def _value_count(slot: Slot, old: TextAnalysis, new: TextAnalysis, functional: bool | None) -> ValueCount:
    """How many values there can be: as the caller knows, else as the new text says, else by the frame."""
    if new.adds or old.indefinite or new.indefinite:
        return "many"
    values = count_values(slot)
    if slot.verb < 0 and values == "many":
        return "many"  # the subjects differ, whatever the relation
    if functional is not None:
        return "one" if functional else "many"
    return "one" if new.changed and not slot.past else values


def _opposite(slot: Slot) -> bool:
    return len(slot.old) == len(slot.new) == 1 and slot.new[0] in lexicon.ANTONYMS.get(slot.old[0], ())
