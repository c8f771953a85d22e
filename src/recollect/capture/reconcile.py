"""Reconcile, the fifth stage: is this known, a new value of something known, against something known, or new?

Similarity proposes, a second look decides: high cosine alone would merge opposites, which are worded more alike than
paraphrases. It runs inside the write transaction, so two processes cannot both believe they were first. Next: commit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from recollect.capture.alike import Lookup, Meaning
from recollect.ports import Judge, Relation, Transaction
from recollect.values.memory import Record
from recollect.values.outcome import Conflict
from recollect.values.terms import query_terms

_RESTATED, _SHARED = 0.85, 0.55
_NAMES = re.compile(r"\d+|(?<=\s)[A-Z]\w+")


@dataclass(frozen=True, slots=True)
class Known:
    """The same thing is stored already."""

    existing: Record
    reason: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """It was forgotten or purged on purpose; only a person's explicit wish brings it back."""

    existing: Record | None
    reason: str


@dataclass(frozen=True, slots=True)
class Replaces:
    """A new value of the same thing."""

    old: Record
    reason: str
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True)
class New:
    """Nothing says the same; some memories may contradict it."""

    conflicts: tuple[Conflict, ...] = ()


Decision = Known | Forgotten | Replaces | New


@dataclass(frozen=True, slots=True)
class Reconciler:
    """The rules and thresholds of this stage."""

    judge: Judge
    contradiction: float

    def decide(self, tx: Transaction, new: Record, meaning: Meaning, lookup: Lookup) -> Decision:
        """What the store already holds about this."""
        return self._exact(tx, new) or self._near(tx, new, meaning, lookup)

    def _exact(self, tx: Transaction, new: Record) -> Decision | None:
        if tx.purged(new.account, new.content):
            return Forgotten(None, "purged: this text was erased for good")
        here = [old for old in tx.same_text(new.account, new.content) if old.place == new.place]
        for old in here:
            if old.status == "forgotten":
                return Forgotten(old, "forgotten: this was forgotten on purpose")
        for old in here:
            if old.status in ("active", "archived"):
                return Known(old, "the same text is stored already")
        returned = next((old for old in here if old.superseded_by), None)
        if returned is not None and returned.superseded_by is not None:
            (heir,) = tx.get(new.account, [returned.superseded_by])
            if heir is not None and heir.place == new.place:
                return Replaces(heir, "an earlier value is true again")
        return None

    def _near(self, tx: Transaction, new: Record, meaning: Meaning, lookup: Lookup) -> Decision:
        conflicts: list[Conflict] = []
        replaced: Replaces | None = None
        for found in lookup.of(tx, new, meaning):
            similarity = found.likeness
            verdict = self.judge.compare(found.seen.content, new.content, similarity)
            if verdict.relation == "different" and found.status != "forgotten":
                continue  # as nearly all are
            old = found.whole(tx, new.account)
            here = old.place == new.place
            if here and old.status == "forgotten" and restates(old.content, new.content, similarity, verdict.relation):
                return Forgotten(old, "forgotten: the same was forgotten on purpose, in other words")
            if verdict.relation == "same" and here:
                if old.status in ("active", "archived"):
                    return Known(old, verdict.reason)
            elif old.status != "active" or verdict.relation not in ("changed", "contradicts"):
                continue
            elif verdict.relation == "changed" and here and replaced is None:
                replaced = Replaces(old, verdict.reason)
            else:
                conflicts.append(Conflict(old, round(similarity, 3), verdict.reason, new.id))
        if replaced is not None:
            return Replaces(replaced.old, replaced.reason, tuple(conflicts))
        return New(tuple(conflicts))


def restates(old: str, new: str, similarity: float, relation: Relation) -> bool:
    """Whether a new text would bring back what was forgotten.

    Wider than "same": a tombstone that stops one text too many can be lifted by its owner, one that lets the value back in
    has failed. Names and numbers still have to be the same ones.
    """
    if relation in ("same", "extends"):
        return True
    if relation != "different" or similarity < _RESTATED:
        return False
    before, after = set(query_terms(old)), set(query_terms(new))
    names = [set(_NAMES.findall(text)) for text in (old, new)]
    return names[0] == names[1] and len(before & after) >= _SHARED * len(before | after)
