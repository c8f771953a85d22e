"""Commit, the last stage of the write path: write one draft inside the transaction, as reconcile decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from recollect.capture.intake import find_superseded
from recollect.capture.neighbours import DraftEmbedding
from recollect.capture.reconcile import Decision, Duplicate, Novel, Replaces, WasForgotten
from recollect.ports import Calibrated, Transaction
from recollect.values.draft import Draft
from recollect.values.link import MOST_LINKS, Link
from recollect.values.memory import Breadcrumb, Record
from recollect.values.outcome import Conflict, Outcome, Refused, Reinforced, Stored, Superseded
from recollect.values.scope import Identity, reaches

Decide = Callable[[Transaction, Record, DraftEmbedding], Decision]


@dataclass(frozen=True, slots=True)
class PreparedDraft:
    """A draft on the write path: what the caller gave, the memory it becomes, notes for the caller, and its vectors."""

    draft: Draft
    record: Record
    notes: tuple[str, ...] = ()
    vectors: NDArray[np.float32] | None = None
    calibration: Calibrated | None = None

    @property
    def embedding(self) -> DraftEmbedding:
        """What reconcile compares."""
        return DraftEmbedding() if self.vectors is None else DraftEmbedding(self.vectors, self.calibration)


def commit(tx: Transaction, item: PreparedDraft, identity: Identity, now: datetime, decide: Decide | None) -> Outcome:
    """Write one draft. Without `decide` it is stored as it is, without a comparison (verbatim)."""
    new = item.record
    if not reaches(identity, new.place):
        # Stored where the writer cannot read: the outcome must not reveal what is there, so nothing is looked up.
        record = new.with_(key=None, supersedes=None)
        tx.insert(record, item.vectors)
        return Stored(record, reason="kept for another", notes=item.notes)
    if new.key is not None and (existing := tx.by_key(new.account, new.key, new.place)) is not None:
        return Stored(existing, reason="already stored under this key", notes=item.notes)
    if new.supersedes is not None:
        return _supersede(tx, item, identity)
    if decide is None:
        tx.insert(new, item.vectors)
        return Stored(new, reason="verbatim", notes=item.notes)
    return _carry_out(tx, item, decide(tx, new, item.embedding), now)


def _carry_out(tx: Transaction, item: PreparedDraft, decision: Decision, now: datetime) -> Outcome:
    match decision:
        case Duplicate(existing, reason):
            return _reinforce(tx, item, existing, reason, now)
        case WasForgotten(existing, reason):
            return _revive(tx, item, existing, now) if item.draft.revive else _refuse(existing, reason)
        case Replaces(old, reason, conflicts):
            record = _with_conflict_links(item.record, conflicts).with_(supersedes=old.id)
            tx.insert(record, item.vectors)
            return Superseded(record, old, reason, conflicts, item.notes)
        case Novel(conflicts):
            return _insert(tx, item, conflicts)


def _insert(tx: Transaction, item: PreparedDraft, conflicts: tuple[Conflict, ...] = ()) -> Outcome:
    record = _with_conflict_links(item.record, conflicts)
    tx.insert(record, item.vectors)
    reason = "new, but it may contradict what is known" if conflicts else "new"
    return Stored(record, conflicts, reason, item.notes)


def _refuse(existing: Record | None, reason: str) -> Outcome:
    way = "say that it is to be revived"
    return Refused(f"{reason}; {way if existing is None else f'restore it, or {way}'}")


def _revive(tx: Transaction, item: PreparedDraft, existing: Record | None, now: datetime) -> Outcome:
    """Bring back what was forgotten; of a purged text only a hash is left, so it is stored anew."""
    if existing is None:
        tx.allow_again(item.record.account, item.record.content)
        return _insert(tx, item)
    restored = existing.with_(status="active", updated_at=now)
    tx.change(existing, restored, "restore")
    return Reinforced(restored, "brought back on request", notes=item.notes)


def _supersede(tx: Transaction, item: PreparedDraft, identity: Identity) -> Outcome:
    old = find_superseded(tx, identity, item.record.supersedes or "")
    record = item.record.with_(supersedes=old.id)
    tx.insert(record, item.vectors)
    return Superseded(record, old, "the caller said so", notes=item.notes)


def _reinforce(tx: Transaction, item: PreparedDraft, existing: Record, reason: str, now: datetime) -> Outcome:
    new = item.record
    crumb = Breadcrumb(new.provenance.session, new.provenance.position, now)
    stronger = existing.with_(
        strength=existing.strength + 1,
        hit_at=now,
        status="active",
        breadcrumbs=(*existing.breadcrumbs, crumb),
        tags=tuple(dict.fromkeys((*existing.tags, *new.tags))),
        importance=max(existing.importance, new.importance),
        expires_at=_later_expiry(existing.expires_at, new.expires_at),
        trust=max(existing.trust, new.trust),
        links=tuple(dict.fromkeys((*existing.links, *new.links)))[:MOST_LINKS],
        triggers=tuple(dict.fromkeys((*existing.triggers, *new.triggers))),
    )
    tx.change(existing, stronger, "reinforce", reason=reason)
    return Reinforced(stronger, reason, notes=item.notes)


def _with_conflict_links(new: Record, conflicts: Sequence[Conflict]) -> Record:
    """The memory with a link to each one it may contradict."""
    links = (Link(conflict.memory.id, "contradicts") for conflict in conflicts)
    return new.with_(links=(*new.links, *links)) if conflicts else new


def _later_expiry(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two expiry times; None never expires and is the latest."""
    return None if one is None or other is None else max(one, other)
