"""Whether the new text replaces the old one, contradicts it, or says something else about the same.

A wrong "changed" hides a true memory, which is the gravest error of the rules. It needs a text that announces a change of the same
statement, or a measure that has one value at a time with the same unit and the same qualifiers. All other findings only tell.
"""

from __future__ import annotations

from dataclasses import dataclass

from recollect.judge.rules.analysis import PUNCTUATION, TextAnalysis, is_adverb
from recollect.judge.rules.lexicon import Lexicon
from recollect.judge.rules.sameness import differ_both_ways, residue
from recollect.judge.rules.tokens import unit_of
from recollect.values.outcome import CONFLICTING, Verdict

Keys = tuple[str, ...]
LONGEST_VALUE = 6
# How much two texts must resemble each other to be told of each other for a shared subject alone.
_RESEMBLING = 0.4
_ONE_DIFFERENCE = 4  # words in which two texts may differ


@dataclass(frozen=True, slots=True)
class Slot:
    """The one place in which two texts differ: what comes before it, the two values, and what comes after."""

    before: Keys
    old: Keys
    new: Keys
    after: Keys
    verb: int  # the index in `before` of the verb that governs the value; -1 if none is known
    same_kind: bool
    kind: str
    is_plain: bool  # no phrase with a preposition, which would be a qualifier
    is_class: bool  # "is a doctor": something can be of many classes

    @property
    def relation(self) -> str:
        return self.before[self.verb] if self.verb >= 0 else ""

    @property
    def complement(self) -> Keys:
        """The words between the verb and the value: "allergic to"."""
        return self.before[self.verb + 1 :]


def changed(old: TextAnalysis, new: TextAnalysis, similarity: float, functional: bool | None) -> Verdict | None:
    """ "changed", "contradicts" or "related" with the reason, or None."""
    found = _change(old, new, similarity, functional)
    return None if found is None else _as_stated(found, old, new)


def _as_stated(found: Verdict, old: TextAnalysis, new: TextAnalysis) -> Verdict:
    """What a text only supposes, plans or asks, or tells of the past, changes nothing that another one states."""
    if found.relation not in CONFLICTING:
        return found
    moods = old.moods ^ new.moods
    if old.asks or new.asks or moods - old.lexicon.intended:
        return Verdict("related", "one of them asks, supposes or reports what the other one states", 0.5)
    if _tells_of_the_past(old) and not _tells_of_the_past(new):
        return Verdict("related", "the old one tells of the past", 0.5)
    if found.relation == "changed" and (moods or _agents_differ(old, new)):
        return Verdict("contradicts", found.reason, 0.6)
    return found


def _agents_differ(old: TextAnalysis, new: TextAnalysis) -> bool:
    """ "The doctor moved my appointment", "the dentist moved my appointment": perhaps another appointment."""
    return bool(old.agent and new.agent) and old.agent != new.agent


def _tells_of_the_past(text: TextAnalysis) -> bool:
    return text.was or bool(text.past) or (text.ended and not text.left)


def _change(old: TextAnalysis, new: TextAnalysis, similarity: float, functional: bool | None) -> Verdict | None:
    return (
        _negated(old, new)
        or _given_up(old, new)
        or _reversed(old, new)
        or _new_value(old, new, functional)
        or _announced(old, new, similarity)
        or _same_subject(old, new, similarity)
        or _one_difference(old, new)
    )


def _negated(old: TextAnalysis, new: TextAnalysis) -> Verdict | None:
    """The same statement with and without its negation."""
    if (old.negative == new.negative and old.ended == new.ended) or differ_both_ways(old, new):
        return None
    ours, theirs = residue(old, new)
    if (ours and theirs) or len(ours) + len(theirs) > 2:
        return None
    over = new.ended and not theirs and not new.numbers  # "no longer Postgres" ends "Postgres 17" too
    if old.numbers != new.numbers and not over:
        return None
    if not theirs and ((new.ended and not (ours and _lists(old))) or (new.changed and not ours)):
        return Verdict("changed", "the new one says that the old one is over", 0.9)
    return Verdict("contradicts", "one denies what the other states", 0.85)


def _given_up(old: TextAnalysis, new: TextAnalysis) -> Verdict | None:
    """The new text names the value that was given up, and the old one states that value of the same, and nothing beyond it."""
    left = [k for k in new.left if k not in new.lexicon.ignored and k not in new.lexicon.prepositions]
    if not left or not set(left) <= set(old.bag) or old.negative:
        return None
    lexicon = old.lexicon
    common = (lexicon.generic - lexicon.many) | lexicon.keys("change", "holding")
    rest = [k for k in old.gist if k not in left and k not in new.bag and k not in common]
    others = _persons(old) != _persons(new) and bool(_persons(old))
    unsaid = new.frame[:1] == ("use",)  # "x was replaced by y" does not say whose x
    reason = f"the new one gives up {_spelled(tuple(left), new)!r}"
    if new.negative and not new.ended:
        return Verdict("related", "the new one says that nothing is given up", 0.5)
    if not rest and not others and not _lists(old) and _says_one_new_thing(old, new):
        return Verdict("changed", reason, 0.88)
    return Verdict("contradicts", reason, 0.6) if (unsaid or not others) and len(rest) <= 2 else None


def _lists(text: TextAnalysis) -> bool:
    """ "supports XML and JSON": it may state more than what is over."""
    return (
        not text.lexicon.keys("words", "conjunctions").isdisjoint(text.frame) or "," in text.frame or "." in text.frame
    )


def _says_one_new_thing(old: TextAnalysis, new: TextAnalysis) -> bool:
    """Whether what only the new text has stands together: no other holder ("Tom's brother uses x") or purpose ("x for y")."""
    lexicon = old.lexicon
    novel = [i for i, k in enumerate(new.frame) if k not in old.frame and k not in lexicon.ignored and not is_adverb(k)]
    between = new.frame[novel[0] : novel[-1]] if novel else ()
    return not any(k == "be" or k in lexicon.prepositions or k in lexicon.verbs for k in between)


def _persons(text: TextAnalysis) -> set[str]:
    return {k for k in text.frame[:1] if k in text.lexicon.listed("words", "pronouns")}


def _reversed(old: TextAnalysis, new: TextAnalysis) -> Verdict | None:
    """ "prefers x over y" and "prefers y over x"."""
    if old.bag != new.bag or old.gist == new.gist or old.negated != new.negated:
        return None
    if old.lexicon.keys("relations", "prefer").isdisjoint(old.gist) or not {"over", "to", "than"} & set(old.gist):
        return None
    at = _common(old.frame, new.frame)
    if old.lexicon.keys("relations", "prefer").isdisjoint(old.frame[:at]):
        return None  # somebody else prefers it
    return Verdict("changed", "the order of preference is reversed", 0.8)


def _new_value(old: TextAnalysis, new: TextAnalysis, functional: bool | None) -> Verdict | None:
    if old.negated != new.negated or old.indefinite or new.indefinite:
        return None
    slot = find_slot(old, new)
    if slot is None or slot.verb < 0:
        return None
    value = f"{_spelled(slot.old, old)!r} became {_spelled(slot.new, new)!r}"
    if functional is not None and not new.adds:
        return Verdict("changed", value, 0.9) if functional else None
    if new.adds or _holds_many(slot, old.lexicon) or _is_event(slot, old, new) or _has_other_qualifier(slot, old, new):
        return Verdict("related", "another value of something that can have several", 0.6)
    if _are_opposites(slot, old.lexicon):
        known = new.changed and slot.relation == "be" and not slot.complement and not slot.after
        return Verdict("changed" if known else "contradicts", f"opposites: {value}", 0.8)
    once = not (old.was or new.was or old.plural or new.plural)
    if (once and _has_one_value(slot, old.lexicon)) or (new.changed and _may_change(slot, old.lexicon)):
        return Verdict("changed", value, 0.9)
    if new.changed or new.announces or (slot.same_kind and slot.kind != "word") or _name_one_thing(slot, old, new):
        return Verdict("contradicts", f"perhaps {value}", 0.5)
    return Verdict("related", "something else about the same subject", 0.6)


def _may_change(slot: Slot, lexicon: Lexicon) -> bool:
    """Whether a new value of this relation, announced as new, takes the place of the old one.

    "The tool now runs on Windows" announces an addition: a relation that can have several values is not enough.
    """
    if not slot.same_kind or not slot.is_plain:
        return False
    if slot.complement and slot.kind.startswith("number") and slot.complement[-1] in lexicon.measures:
        return True  # "runs on port 80"
    return slot.relation in lexicon.one or (slot.relation == "be" and slot.kind != "word")


def _are_opposites(slot: Slot, lexicon: Lexicon) -> bool:
    return len(slot.old) == len(slot.new) == 1 and slot.new[0] in lexicon.opposites.get(slot.old[0], ())


def _is_event(slot: Slot, old: TextAnalysis, new: TextAnalysis) -> bool:
    """ "We met on Monday", "studied in Rome", "I am reading Dune": another day, place or book is another event."""
    happened = bool(old.past and new.past) and slot.relation not in old.lexicon.keys("relations", "prefer")
    return happened or bool(old.progressive and new.progressive)


def _has_other_qualifier(slot: Slot, old: TextAnalysis, new: TextAnalysis) -> bool:
    """ "3 minutes on linux", "11 minutes on windows": two values, each of something else."""
    one, other = _qualifier(slot.old, old), _qualifier(slot.new, new)
    return bool(one and other) and one != other[: len(one)] and other != one[: len(other)]


def _qualifier(value: Keys, text: TextAnalysis) -> Keys:
    """What follows a number or a name of a value, from the preposition on."""
    start = next((i for i, k in enumerate(value) if i and k in text.lexicon.prepositions), len(value))
    return () if (text.numbers | text.proper).isdisjoint(value[:start]) else value[start:]


def _name_one_thing(slot: Slot, old: TextAnalysis, new: TextAnalysis) -> bool:
    """ "The linter is flake8", "is ruff"; "is written in go", "in rust": two nouns, neither of which describes the subject."""
    if slot.relation != "be" or slot.after or old.was or new.was:
        return False
    lexicon = old.lexicon
    return all(
        len(value) <= 2
        and not kind.startswith("number")
        and not any(k in lexicon.prepositions or lexicon.describes(k) for k in value)
        for value, kind in ((slot.old, _kind(slot.old, old)), (slot.new, _kind(slot.new, new)))
    )


def _holds_many(slot: Slot, lexicon: Lexicon) -> bool:
    complement = slot.complement
    if slot.is_class or (slot.relation, *complement) in lexicon.many_phrases:
        return True
    return slot.relation in lexicon.many or not lexicon.many_complements.isdisjoint((*complement, *slot.after))


def _has_one_value(slot: Slot, lexicon: Lexicon) -> bool:
    """Whether another value replaces the first one although no change is announced."""
    if not slot.same_kind or not slot.is_plain or slot.kind == "word":
        return False
    if not lexicon.many_complements.isdisjoint(slot.before):
        return False  # "the supported version"
    heads = {slot.before[slot.verb - 1] if slot.verb else ""}  # "the upload limit"
    links = lexicon.prepositions | lexicon.ignored
    if slot.verb and (slot.before[1] in links or lexicon.capital_nouns):
        heads.add(slot.before[0])  # "the limit of uploads"
    if slot.complement or slot.relation != "be":  # "listens on port 80"
        return slot.kind.startswith("number") and slot.complement[-1:] != () and slot.complement[-1] in lexicon.measures
    if slot.kind == "name" and _is_other_version(slot):
        return True
    if slot.kind == "name":
        return not slot.after and not heads.isdisjoint(lexicon.unique)
    if not slot.kind.startswith("number"):
        return False
    return not lexicon.measures.isdisjoint(_last_part(one, lexicon) for one in heads)


def _is_other_version(slot: Slot) -> bool:
    """ "The database is PostgreSQL 16" and "17": the same name with another number."""
    differing = [pair for pair in zip(slot.old, slot.new, strict=False) if pair[0] != pair[1]]
    if len(slot.old) != len(slot.new) or len(slot.old) < 2 or len(differing) != 1:
        return False
    numbers = all(one[:1].isdigit() for one in differing[0])
    return numbers and not slot.after


def _last_part(noun: str, lexicon: Lexicon) -> str:
    """In a script without spaces a measure is the end of its run."""
    return noun if lexicon.spaced else next((one for one in lexicon.measures if noun.endswith(one)), noun)


def _announced(old: TextAnalysis, new: TextAnalysis, similarity: float) -> Verdict | None:
    """The new text announces a change, and shares more with the old one than its subject."""
    if not (new.announces or new.changed or new.ended):
        return None
    if (old.announces or old.changed or old.ended) and new.names <= old.names and new.numbers <= old.numbers:
        return None  # the same announcement in other words
    lexicon = old.lexicon
    shared = (old.words & new.words) - lexicon.generic
    if _is_about_another(old, new) or not shared or not (new.words - old.words - lexicon.generic):
        return None
    enough = len(shared) * 3 >= min(len(old.words - lexicon.generic), len(new.words - lexicon.generic))
    if not enough and similarity < _RESEMBLING:
        return None
    more = not (shared <= old.subject & new.subject) or bool(old.words & new.words & lexicon.verbs)
    if more or (old.subject == new.subject and not old.announces):
        return Verdict("contradicts", "it announces a change of what the old one says", 0.5)
    return Verdict("related", "it announces a change about the same subject", 0.5)


def _is_about_another(old: TextAnalysis, new: TextAnalysis) -> bool:
    """Whether neither text speaks of the subject of the other, nor of the whole of what is said about it.

    "The kitchen is painted green" and "the hall is now painted white"; not "Rosa owns billing" and "Jan took over billing".
    """
    lexicon = old.lexicon
    ours, theirs = old.subject - lexicon.generic, new.subject - lexicon.generic
    if not ours or not theirs or ours <= new.words or theirs <= old.words:
        return False
    said = old.words - ours - lexicon.verbs - lexicon.generic - lexicon.labelled
    return len(said & new.words) * 2 < max(len(said), 1)


def _same_subject(old: TextAnalysis, new: TextAnalysis, similarity: float) -> Verdict | None:
    subject = old.subject - old.lexicon.generic
    if not subject or similarity < _RESEMBLING:
        return None
    if old.subject == new.subject:
        return Verdict("related", "something else about the same subject", 0.5)
    return Verdict("related", "it speaks of the subject of the old one", 0.4) if subject <= new.words else None


def _one_difference(old: TextAnalysis, new: TextAnalysis) -> Verdict | None:
    """The same words but for one place: the same about something else, or a statement without a verb."""
    ours, theirs = (_without_speaker(text) for text in (old, new))  # "we use x", "use y"
    head = _common(ours, theirs)
    tail = min(_common(ours[::-1], theirs[::-1]), len(ours) - head, len(theirs) - head)
    one, other = ours[head : len(ours) - tail], theirs[head : len(theirs) - tail]
    if old.negated != new.negated or not one or not other or len(one) + len(other) > _ONE_DIFFERENCE:
        return None
    if len(one) == len(other) == 1 and other[0] in old.lexicon.opposites.get(one[0], ()):
        return Verdict("contradicts", f"opposites: {_spelled(one, old)!r}, {_spelled(other, new)!r}", 0.7)
    if not head and _has_one_holder(ours, len(ours) - tail, old) and not (old.indefinite or new.indefinite):
        return Verdict("contradicts", f"perhaps {_spelled(other, new)!r} instead of {_spelled(one, old)!r}", 0.5)
    return Verdict("related", "the same but for one part", 0.5)


def _without_speaker(text: TextAnalysis) -> Keys:
    return text.frame[1:] if _persons(text) else text.frame


def _has_one_holder(frame: Keys, at: int, text: TextAnalysis) -> bool:
    """ "owns x", "is the owner of x", "is the capital of x", "is the team lead": mostly one at a time."""
    lexicon = text.lexicon
    verb, rest = frame[at : at + 1], frame[at + 1 :]
    if verb == ("be",):
        plain = rest and lexicon.prepositions.isdisjoint(rest)
        noun = rest[0] if rest[1:2] == ("of",) else rest[-1] if plain else ""
        known = rest[1:2] == ("of",) or (at + 1 in text.definite and not text.plural)
        return known and (noun in lexicon.agents or noun in lexicon.unique or noun in lexicon.measures)
    return bool(rest) and verb[:1] != () and verb[0] in lexicon.agents.values()


def find_slot(old: TextAnalysis, new: TextAnalysis) -> Slot | None:
    """The one place where two texts differ; None if one of them only says more, or if the values are too long."""
    ours, theirs = old.frame, new.frame
    head = _common(ours, theirs)
    tail = min(_common(ours[::-1], theirs[::-1]), len(ours) - head, len(theirs) - head)
    if _say_too_much(ours[head : len(ours) - tail], theirs[head : len(theirs) - tail]):
        return None
    start = max((i + 1 for i in range(head) if ours[i] == "."), default=0)
    verb = _verb(ours[:head], start, old)
    if verb >= 0:
        head = _value_start(ours, head, verb + 1, old.lexicon)
    if head > start and ours[head - 1] in old.lexicon.labelled - old.names:
        verb = -1  # "service 1" and "service 2" are two subjects
    mine, yours = ours[head : len(ours) - tail], theirs[head : len(theirs) - tail]
    if not _are_values(mine, yours):
        return None
    kinds = [_kind(value, text) for value, text in ((mine, old), (yours, new))]
    return Slot(
        ours[start:head], mine, yours, ours[len(ours) - tail :], -1 if verb < 0 else verb - start,
        same_kind=kinds[0] == kinds[1], kind=kinds[0],
        is_plain=old.lexicon.prepositions.isdisjoint((*mine, *yours)),
        is_class=not new.changed and (head in old.classes or head in new.classes),
    )  # fmt: skip


def _are_values(mine: Keys, yours: Keys) -> bool:
    """Whether both are short, contain no verb, and neither is a part of the other ("Berlin", "Berlin Mitte")."""
    if not mine or not yours or _say_too_much(mine, yours):
        return False
    return not (set(mine) <= set(yours) or set(yours) <= set(mine))


def _say_too_much(mine: Keys, yours: Keys) -> bool:
    return "be" in mine or "be" in yours or len(mine) > LONGEST_VALUE or len(yours) > LONGEST_VALUE


def _verb(before: Keys, start: int, text: TextAnalysis) -> int:
    """The last copula, else the first known verb; it separates the subject from the value."""
    prepositions = text.lexicon.prepositions
    copula = next(
        (i for i in range(len(before) - 1, start, -1) if before[i] == "be" and before[i - 1] not in prepositions), -1
    )
    if copula > 0:
        return copula
    return next((i for i in range(start + 1, len(before)) if before[i] in text.lexicon.verbs), -1)


def _value_start(frame: Keys, head: int, floor: int, lexicon: Lexicon) -> int:
    """Two values may start with the same word ("Charles Darwin", "Charles Dickens"): go back to the link before them."""
    while head > floor and frame[head - 1] not in lexicon.prepositions and frame[head - 1] not in PUNCTUATION:
        if frame[head - 1] in lexicon.measures or frame[head - 1] in lexicon.labelled:
            break
        head -= 1
    return head


def _kind(value: Keys, text: TextAnalysis) -> str:
    """What sort of value it is: a number of some unit, a day, a name, or any other words."""
    lexicon = text.lexicon
    rest = tuple(k for k in value if k not in text.numbers and k not in lexicon.ignored)
    numbers = [k for k in value if k in text.numbers]
    if numbers and text.proper.isdisjoint(rest):
        return f"number {unit_of(numbers[0])} {' '.join(rest)}"
    if any(k in lexicon.calendar for k in value):
        return "day"
    if any(k in lexicon.months for k in value):
        return "month"
    preposition = " ".join(k for k in value if k in lexicon.prepositions)
    return "name" + preposition if not text.proper.isdisjoint(value) else "word"


def _spelled(keys: Keys, text: TextAnalysis) -> str:
    """Keys as the words they came from, because people read the reason."""
    key = text.lexicon.key
    words = {key(word): word for word in (piece.strip(".,;:!?'\"()") for piece in reversed(text.plain.split()))}
    return " ".join(words.get(one, one) for one in keys)


def _common(one: Keys, other: Keys) -> int:
    for at, (ours, theirs) in enumerate(zip(one, other, strict=False)):
        if ours != theirs:
            return at
    return min(len(one), len(other))
