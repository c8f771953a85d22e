"""Promotion: entries of short-term memory become memories and are deleted, in the transaction that stores the memories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from recollect.ports import Transaction, Vectors
from recollect.tiers import short_term
from recollect.unit_of_work import Embed, UnitOfWork
from recollect.values.draft import Draft
from recollect.values.memory import Record
from recollect.values.outcome import Outcome, Refused, Stored
from recollect.values.tiers import Consolidated, ShortTermEntry

# The reason of an outcome when a memory with the key of the draft exists.
KEY_TAKEN = "already stored under this key"


@dataclass(frozen=True, slots=True)
class PreparedEntry:
    """An entry and its draft. If a memory has the key with another text: that memory, how it changes, and its new vectors."""

    entry: ShortTermEntry
    draft: Draft
    known: Record | None = None
    changed: Record | Refused | None = None
    vectors: Vectors | None = None


@dataclass(slots=True)
class Promotion:
    """The promotion of some entries. `finish` is called inside the transaction, with the outcomes of the drafts in their order."""

    uow: UnitOfWork
    prepared: Sequence[PreparedEntry]
    promoted: list[Record] = field(default_factory=list)
    known: list[Record] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    removed: set[str] = field(default_factory=set)
    _waiting: Iterator[PreparedEntry] = field(init=False)

    def __post_init__(self) -> None:
        self._waiting = iter(self.prepared)

    @property
    def drafts(self) -> list[Draft]:
        return [each.draft for each in self.prepared]

    def finish(self, tx: Transaction, outcomes: Sequence[Outcome]) -> None:
        """Bring what has a key up to date, and delete the entries that are memories now."""
        for outcome in outcomes:
            item = next(self._waiting)
            done = self._settle(tx, item, outcome)
            if done and short_term.remove_promoted(tx, self.uow.viewer.identity, item.entry):
                self.removed.add(item.entry.key)

    def result(self, entries: Sequence[ShortTermEntry]) -> Consolidated:
        """What became of the entries, of which some are still there."""
        left = sum(entry.key not in self.removed for entry in entries)
        return Consolidated(tuple(self.promoted), tuple(self.known), tuple(self.refused), left)

    def _settle(self, tx: Transaction, item: PreparedEntry, outcome: Outcome) -> bool:
        """Note what became of one entry; returns whether its value is a memory now."""
        if isinstance(outcome, Refused):
            self.refused.append((item.entry.key, outcome.reason))
            return False
        taken = isinstance(outcome, Stored) and outcome.reason == KEY_TAKEN
        if taken and outcome.memory.content != item.draft.content:
            return self._update(tx, item, outcome.memory)
        if taken or outcome.kind == "reinforced":
            known = self._with_key(tx, outcome.memory, item.draft.key)
            self.known.append(known)
            # Under another key it would not be found by this one, so the entry stays.
            return item.draft.key in (None, known.key)
        self.promoted.append(outcome.memory)
        return True

    def _update(self, tx: Transaction, item: PreparedEntry, current: Record) -> bool:
        """Give the memory that has the key the new text, unless it was changed since it was read."""
        if item.known is None or item.changed is None or current.content != item.known.content:
            return False
        if isinstance(item.changed, Refused):
            self.refused.append((item.entry.key, item.changed.reason))
            return False
        new = item.changed
        embed = Embed(self.uow.runtime)
        embed.add(new, item.vectors)
        tombstone = self.uow.tombstone(tx, new, embed)
        if tombstone is not None:
            self.refused.append((item.entry.key, tombstone.reason))
            return False
        tx.change(current, new, "update", vectors=item.vectors, reason="promoted")
        self.promoted.append(new)
        return True

    def _with_key(self, tx: Transaction, memory: Record, key: str | None) -> Record:
        """A memory that says the same as the entry; it gets the key, so that it is found by it."""
        if key is None or memory.key is not None:
            return memory
        keyed = memory.with_(key=key)
        tx.change(memory, keyed, "update", reason="promoted")
        return keyed
