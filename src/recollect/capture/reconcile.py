"""Reconcile, the fifth stage: is a draft known already, a new value of something known, a contradiction, or new?

Similarity proposes, the judge decides: texts that say the opposite are often more similar than paraphrases, so a high cosine
alone would merge them. It runs inside the write transaction, so that two processes cannot both store the same thing as new.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.capture.neighbours import DraftEmbedding, Neighbour, NeighbourLookup, read_records
from recollect.ports import Judge, Transaction
from recollect.values.ids import normalised
from recollect.values.memory import Record, StoredText
from recollect.values.outcome import CONFLICTING, Conflict, Outcome, Superseded, Verdict


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The same is stored already."""

    existing: Record
    reason: str


@dataclass(frozen=True, slots=True)
class Replaces:
    """A new value of something stored."""

    old: Record
    reason: str
    related: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True)
class Novel:
    """Nothing stored says the same; some memories may contradict it or bear on it."""

    related: tuple[Conflict, ...] = ()


Decision = Duplicate | Replaces | Novel

# The similarity from which texts are compared: updates of the same statement are often not more similar than this.
_COMPARED = 0.4
_MOST_TOLD = 5


class BatchTexts:
    """The memories with the texts of a batch's drafts, looked up together before the first draft is stored.

    A draft sees what the drafts before it wrote: a text is looked up again once the batch may have changed what there is of it.
    """

    def __init__(self, stored: Mapping[str, StoredText]) -> None:
        self._known = {normalised(text): found.memories for text, found in stored.items()}

    def of(self, tx: Transaction, new: Record) -> Sequence[Record]:
        """The memories with the text of a draft, as of now."""
        text = normalised(new.content)
        if text not in self._known:
            self._known[text] = tuple(tx.same_text(new.account, new.content))
        return self._known[text]

    def note_outcome(self, outcome: Outcome, tombstone: Record | None = None) -> None:
        """Record what became of a draft, and of the forgotten memory that stood in its way."""
        changed = [one for one in (outcome.memory, tombstone) if one is not None]
        if isinstance(outcome, Superseded) or any(one.supersedes is not None for one in changed):
            self._known.clear()  # a memory that supersedes others changes their status, and they have other texts
        for one in changed:
            self._known.pop(normalised(one.content), None)


@dataclass(frozen=True, slots=True)
class Reconciler:
    """The judge, and the similarity from which a memory is told of even if the judge sees no relation.

    With `keyed`, drafts are values that belong to their keys: none is merged with, or replaces, the value of another key.
    """

    judge: Judge
    contradiction: float
    keyed: bool = False

    def lookup(self, now: datetime, excluded: frozenset[str]) -> NeighbourLookup:
        """Where the memories come from with which the drafts of a batch are compared."""
        floor = min(_COMPARED, self.contradiction)
        return NeighbourLookup(now, floor, excluded, by_words=True, matters=self._matters)

    def for_batch(
        self, texts: BatchTexts, lookup: NeighbourLookup
    ) -> Callable[[Transaction, Record, DraftEmbedding], Decision]:
        """How each draft of one batch relates to what is stored."""
        return lambda tx, new, embedding: (
            self._by_text(tx, new, texts.of(tx, new)) or self._by_neighbours(tx, new, embedding, lookup)
        )

    def _by_text(self, tx: Transaction, new: Record, same: Sequence[Record]) -> Decision | None:
        here = [old for old in same if old.place == new.place]
        # An active copy first: an archived one beside it would become active as well.
        for old in sorted(here, key=lambda old: old.status):
            if old.status in ("active", "archived"):
                return Duplicate(old, "the same text is stored already")
        returned = next((old for old in here if old.superseded_by), None)
        if returned is not None and returned.superseded_by is not None:
            (successor,) = tx.get(new.account, [returned.superseded_by])
            if successor is not None and successor.place == new.place and not self._has_other_key(successor, new):
                return Replaces(successor, "an earlier value is true again")
        return None

    def _by_neighbours(
        self, tx: Transaction, new: Record, embedding: DraftEmbedding, lookup: NeighbourLookup
    ) -> Decision:
        told: list[Conflict] = []
        replaced: Replaces | None = None
        near = [one for one in lookup.of(tx, new, embedding) if self._matters(one, new)]
        for found, old in zip(near, read_records(tx, new.account, near), strict=True):
            if self._has_other_key(old, new):
                continue
            similarity, verdict = found.similarity, self._compare(found, new)
            here = old.place == new.place
            if verdict.relation == "same" and here:
                if old.status in ("active", "archived"):
                    return Duplicate(old, verdict.reason)
            elif old.status != "active" or verdict.relation == "same":
                continue
            elif verdict.relation == "changed" and here and replaced is None:
                replaced = Replaces(old, verdict.reason)
            else:
                told.append(_told(old, new, similarity, verdict))
        related = _most_relevant(told)
        return Novel(related) if replaced is None else Replaces(replaced.old, replaced.reason, related)

    def _compare(self, found: Neighbour, new: Record) -> Verdict:
        return self.judge.compare(found.snippet.content, new.content, found.similarity)

    def _matters(self, found: Neighbour, new: Record) -> bool:
        """Whether the judge sees a relation, or the two are so similar that a person should."""
        return found.similarity >= self.contradiction or self._compare(found, new).relation != "different"

    def _has_other_key(self, old: Record, new: Record) -> bool:
        return self.keyed and old.key not in (None, new.key)


def _told(old: Record, new: Record, similarity: float, verdict: Verdict) -> Conflict:
    if verdict.relation == "different":
        return Conflict(old, round(similarity, 3), "similar; the rules cannot tell more", new.id, "related")
    return Conflict(old, round(similarity, 3), verdict.reason, new.id, verdict.relation)


def _most_relevant(told: Sequence[Conflict]) -> tuple[Conflict, ...]:
    """Every contradiction, and then the most similar of the others."""
    conflicts = [one for one in told if one.relation in CONFLICTING]
    others = sorted((one for one in told if one.relation not in CONFLICTING), key=lambda one: -one.similarity)
    return (*conflicts, *others[: max(0, _MOST_TOLD - len(conflicts))])
