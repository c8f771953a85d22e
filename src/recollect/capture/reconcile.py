"""Reconcile, the fifth stage: is a draft known already, a new value of something known, a contradiction, or new?

Similarity proposes, the judge decides: texts that say the opposite are often more similar than paraphrases, so a high cosine
alone would merge them. It runs inside the write transaction, so that two processes cannot both store the same thing as new.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recollect.capture.neighbours import DraftEmbedding, NeighbourLookup
from recollect.ports import Judge, Transaction
from recollect.values.memory import Record
from recollect.values.outcome import Conflict


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
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True)
class Novel:
    """Nothing stored says the same; some memories may contradict it."""

    conflicts: tuple[Conflict, ...] = ()


Decision = Duplicate | Replaces | Novel


@dataclass(frozen=True, slots=True)
class Reconciler:
    """The judge, and the similarity from which a memory is compared at all."""

    judge: Judge
    contradiction: float

    def with_lookup(self, lookup: NeighbourLookup) -> Callable[[Transaction, Record, DraftEmbedding], Decision]:
        """`decide` for the drafts of one batch."""
        return lambda tx, new, embedding: self.decide(tx, new, embedding, lookup)

    def decide(self, tx: Transaction, new: Record, embedding: DraftEmbedding, lookup: NeighbourLookup) -> Decision:
        """How a draft relates to what is stored."""
        return self._by_text(tx, new) or self._by_neighbours(tx, new, embedding, lookup)

    def _by_text(self, tx: Transaction, new: Record) -> Decision | None:
        here = [old for old in tx.same_text(new.account, new.content) if old.place == new.place]
        # An active copy first: an archived one beside it would become active as well.
        for old in sorted(here, key=lambda old: old.status):
            if old.status in ("active", "archived"):
                return Duplicate(old, "the same text is stored already")
        returned = next((old for old in here if old.superseded_by), None)
        if returned is not None and returned.superseded_by is not None:
            (successor,) = tx.get(new.account, [returned.superseded_by])
            if successor is not None and successor.place == new.place:
                return Replaces(successor, "an earlier value is true again")
        return None

    def _by_neighbours(
        self, tx: Transaction, new: Record, embedding: DraftEmbedding, lookup: NeighbourLookup
    ) -> Decision:
        conflicts: list[Conflict] = []
        replaced: Replaces | None = None
        for found in lookup.of(tx, new, embedding):
            similarity = found.similarity
            verdict = self.judge.compare(found.snippet.content, new.content, similarity)
            if verdict.relation == "different":
                continue  # nearly all neighbours end here, before the whole memory is read
            old = found.full_record(tx, new.account)
            here = old.place == new.place
            if verdict.relation == "same" and here:
                if old.status in ("active", "archived"):
                    return Duplicate(old, verdict.reason)
            elif old.status != "active" or verdict.relation not in ("changed", "contradicts"):
                continue
            elif verdict.relation == "changed" and here and replaced is None:
                replaced = Replaces(old, verdict.reason)
            else:
                conflicts.append(Conflict(old, round(similarity, 3), verdict.reason, new.id))
        if replaced is not None:
            return Replaces(replaced.old, replaced.reason, tuple(conflicts))
        return Novel(tuple(conflicts))
