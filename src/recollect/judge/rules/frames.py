"""Which statements have one value at a time, and where in them the value is.

Used by `change`. Two texts that differ in one place are split into what comes before, the two values, and what comes after. A
new value replaces an old one only if that place is a value (not the subject, not a condition) and the statement has one value
at a time: "the capital of x is …" has, "x speaks …" has not, "x speaks the language of …" has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recollect.judge.rules import lexicon
from recollect.judge.rules.analysis import PUNCTUATION, TextAnalysis
from recollect.judge.rules.transitions import CALENDAR

ValueCount = Literal["one", "many", "unclear"]
Kind = Literal["number", "name", "word"]
Keys = tuple[str, ...]

LONGEST_VALUE = 6
_VERBS = lexicon.SINGLE | lexicon.COUNTED | lexicon.MANY | lexicon.EXCLUSIVE
_DESCRIBING = frozenset({"of", "wher", "that", "who", "which"})
_MEANS = frozenset({"with", "via", "as", "to"})
_LINKED = _MEANS | {"at", "on", "in", "by", "from"}
_DOING = lexicon.keys(
    "run start end build deploy format lint ship release log"
)  # their object says what is done, not how


@dataclass(frozen=True, slots=True)
class Slot:
    """One place in which two texts differ. `verb` is the index in `before` of the verb that governs it, -1 if none."""

    before: Keys
    old: Keys
    new: Keys
    after: Keys
    verb: int
    kind: Kind
    definite: bool  # "the <noun> of" comes right before the value
    past: bool
    progressive: bool
    described: bool  # "the <noun> that …", "the <noun> of …": a description fits one thing at a time
    label: bool  # the number that differs is a name: "service 2"

    @property
    def subject(self) -> Keys:
        return self.before[: self.verb]

    @property
    def is_bare_number(self) -> bool:
        """Texts without a known verb that end in two different numbers, in any language."""
        single = len(self.old) == len(self.new) == 1 and self.kind == "number" and not self.label
        return single and self.verb < 0 and bool(self.before) and not self.after

    @property
    def complement(self) -> Keys:
        """The words between the verb and the value: "married to", "citizen of"."""
        return self.before[self.verb + 1 :]


def find_slot(old: TextAnalysis, new: TextAnalysis) -> Slot | None:
    """The one place where two texts differ; None if one of them only says more, or if the values are too long."""
    ours, theirs = old.frame, new.frame
    head = _common(ours, theirs)
    tail = min(_common(ours[::-1], theirs[::-1]), len(ours) - head, len(theirs) - head)
    if _say_too_much(ours[head : len(ours) - tail], theirs[head : len(theirs) - tail]):
        return None  # most pairs end here; the values below start at the same place or earlier
    start = max((i + 1 for i in range(head) if ours[i] == "."), default=0)
    verb = _verb(ours[:head], start, old)
    label = head > start and ours[head - 1] in lexicon.LABELLED - old.names
    if verb >= 0:
        head = _value_start(ours, head, verb + 1)
    mine, yours = ours[head : len(ours) - tail], theirs[head : len(theirs) - tail]
    if not _are_values(mine, yours):
        return None
    first = head == start and len(mine) + 1 in old.definite and len(yours) + 1 in new.definite
    return Slot(
        before=ours[start:head], old=mine, new=yours, after=ours[len(ours) - tail :],
        verb=-1 if verb < 0 else verb - start, kind=_kind(mine, yours, old, new), label=label,
        described=start in old.definite and not _DESCRIBING.isdisjoint(ours[start:head]),
        definite=first or (head - start > 2 and ours[head - 1] == "of" and head - 2 in old.definite),
        past=verb in old.past and verb in new.past, progressive=bool(old.progressive),
    )  # fmt: skip


def _are_values(mine: Keys, yours: Keys) -> bool:
    """Whether both are short, contain no verb, and neither is a part of the other ("Berlin", "Berlin Mitte")."""
    if not mine or not yours or _say_too_much(mine, yours):
        return False
    return not (set(mine) <= set(yours) or set(yours) <= set(mine))


def _say_too_much(mine: Keys, yours: Keys) -> bool:
    return "be" in mine or "be" in yours or _length(mine) > LONGEST_VALUE or _length(yours) > LONGEST_VALUE


def _length(value: Keys) -> int:
    return sum(key not in lexicon.PREPOSITIONS and key not in PUNCTUATION for key in value)


def _verb(before: Keys, start: int, text: TextAnalysis) -> int:
    """The last copula, else the first known verb, else the first past form; it separates the subject from the value."""
    copula = next((i for i in range(len(before) - 1, start, -1) if _is_copula(before, i)), -1)
    if copula > 0:
        return copula
    known = next((i for i in range(start, len(before)) if before[i] in _VERBS), -1)
    return known if known >= 0 else min((i for i in text.past if start < i < len(before)), default=-1)


def _is_copula(frame: Keys, at: int) -> bool:
    return frame[at] == "be" and frame[at - 1] not in lexicon.PREPOSITIONS  # "the state of being …" states nothing


def _value_start(frame: Keys, head: int, floor: int) -> int:
    """Two values may start with the same word ("Charles Darwin", "Charles Dickens"): go back to the link before them."""
    while head > floor and frame[head - 1] not in lexicon.PREPOSITIONS and frame[head - 1] not in PUNCTUATION:
        head -= 1
    return head


def count_values(slot: Slot) -> ValueCount:
    """How many values the statement has at a time."""
    if slot.verb < 0:
        return _count_leading(slot)
    verb = slot.before[slot.verb]
    if _is_context(slot) or (slot.label and slot.kind == "number"):
        return "many"
    if verb == "be":
        return _count_copula(slot)
    if slot.definite and verb not in ("visit", "see", "meet"):
        return "one"
    return _count_verb(slot, verb)


def _count_copula(slot: Slot) -> ValueCount:
    complement = slot.complement
    if not lexicon.MANY_COMPLEMENTS.isdisjoint(complement):
        return "many"
    if slot.progressive and not (complement and complement[0] in lexicon.SINGLE and slot.kind != "word"):
        return "many"
    if slot.definite or (slot.kind == "number" and not slot.past):
        return "one"
    if complement:
        linked = complement[-1] in lexicon.PREPOSITIONS
        return "one" if linked and slot.kind == "name" else "unclear" if linked else "many"
    if slot.described and slot.kind == "name":
        return "one"
    if not _is_attribute(slot.subject) or slot.after[:1] == ("by",):
        return "many"
    conditional = bool(slot.after) and slot.after[0] in lexicon.PREPOSITIONS
    return "unclear" if slot.kind == "word" and conditional else "one"


def _count_verb(slot: Slot, verb: str) -> ValueCount:
    if slot.past:
        return "many"
    if slot.kind == "number" and (verb in lexicon.COUNTED or verb in lexicon.SINGLE):
        return "one"
    if verb in lexicon.SINGLE:
        return "one" if _is_direct(slot) else "many"
    if verb == "use" and slot.after[:1] in (("for",), ("as",)) and not slot.complement:
        return "one"
    if verb in lexicon.EXCLUSIVE and not slot.complement:
        return "unclear"
    return "many"


def _count_leading(slot: Slot) -> ValueCount:
    """The value may come first ("Bonn is the capital of x"); otherwise what differs is the subject."""
    if not slot.before and slot.after and slot.after[0] in lexicon.SOLE:
        return "unclear"
    if slot.before or slot.after[:1] != ("be",) or not slot.definite:
        return "many"
    if not lexicon.PRONOUNS.isdisjoint(slot.old + slot.new):
        return "many"
    named = slot.after[1:]
    link = next((i for i, k in enumerate(named) if k in lexicon.PREPOSITIONS), len(named))
    return "one" if 0 < link < 4 and named[link - 1] in lexicon.ATTRIBUTES else "many"


def _is_direct(slot: Slot) -> bool:
    """The value is the first complement of the verb, or its instrument: "deploy with x", "run tests with x"."""
    complement = slot.complement
    if not complement:
        return slot.before[slot.verb] not in _DOING
    return complement[-1] in (_LINKED if len(complement) == 1 else _MEANS)


def _is_context(slot: Slot) -> bool:
    """Staging and production are two subjects; so are two conditions after the value."""
    contexts = lexicon.CONTEXTS
    if contexts.isdisjoint(slot.old) or contexts.isdisjoint(slot.new):
        return False
    return slot.before[slot.verb] != "be" or bool(slot.complement)


def _is_attribute(subject: Keys) -> bool:
    return not lexicon.ATTRIBUTES.isdisjoint(subject)


def _kind(one: Keys, other: Keys, old: TextAnalysis, new: TextAnalysis) -> Kind:
    mine, yours = set(one) - set(other), set(other) - set(one)
    if not old.numbers.isdisjoint(mine) and not new.numbers.isdisjoint(yours):
        # "is 37 years old" and "is reviewed every 5 years" are not two values of one thing
        return "number" if max(len(mine - old.numbers), len(yours - new.numbers)) < 2 else "word"
    ours = not old.names.isdisjoint(mine) or not old.numbers.isdisjoint(mine) or not CALENDAR.isdisjoint(mine)
    theirs = not new.names.isdisjoint(yours) or not new.numbers.isdisjoint(yours) or not CALENDAR.isdisjoint(yours)
    return "name" if ours and theirs else "word"


def _common(one: Keys, other: Keys) -> int:
    for at, (ours, theirs) in enumerate(zip(one, other, strict=False)):
        if ours != theirs:
            return at
    return min(len(one), len(other))
