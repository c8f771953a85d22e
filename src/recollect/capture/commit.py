"""Commit, the last stage of the write path: write one draft inside the transaction, as reconcile decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from recollect.access import with_contexts
from recollect.capture.duplicates import active_duplicate, let_supersede
from recollect.capture.intake import find_superseded
from recollect.capture.neighbours import DraftEmbedding
from recollect.capture.reconcile import Decision, Duplicate, Novel, Replaces
from recollect.capture.tombstones import Tombstone
from recollect.ports import Calibrated, Transaction
from recollect.unit_of_work import chain_of
from recollect.validation import problem_of_metadata
from recollect.values.draft import Draft
from recollect.values.enums import EventKind
from recollect.values.ids import normalised
from recollect.values.link import MOST_LINKS, Link
from recollect.values.memory import Breadcrumb, Record
from recollect.values.metadata import merged
from recollect.values.outcome import CONFLICTING, Conflict, Outcome, Refused, Reinforced, Stored, Superseded
from recollect.values.scope import Identity, reaches
from recollect.values.terms import query_terms

# So many content words beyond those of a forgotten memory say something of their own.
_FEWEST_TERMS = 3
Decide = Callable[[Transaction, Record, DraftEmbedding], Decision]


@dataclass(frozen=True, slots=True)
class PreparedDraft:
    """A draft on the write path: what the caller gave, the memory it becomes, notes for the caller, and its vectors.

    `kind` is the event of its creation.
    """

    draft: Draft
    record: Record
    notes: tuple[str, ...] = ()
    vectors: NDArray[np.float32] | None = None
    calibration: Calibrated | None = None
    kind: EventKind = "remember"

    @property
    def embedding(self) -> DraftEmbedding:
        """What reconcile compares."""
        return DraftEmbedding() if self.vectors is None else DraftEmbedding(self.vectors, self.calibration)


def commit(
    tx: Transaction,
    item: PreparedDraft,
    identity: Identity,
    now: datetime,
    decide: Decide | None,
    tombstone: Tombstone | None = None,
) -> Outcome:
    """Write one draft. Without `decide` it is stored as it is, without a comparison (verbatim)."""
    new = item.record
    existing = None if new.key is None else tx.by_key(new.account, new.key, new.place)
    if existing is not None and existing.status != "forgotten":
        return _already_stored(item, existing)
    if tombstone is not None:
        if not item.draft.revive:
            return _refuse(tombstone)
        if (restored := _revive(tx, item, tombstone, identity, now)) is not None:
            return restored
        if tombstone.memory is None:
            item = replace(item, kind="revive")
    if existing is not None:
        tx.change(existing, existing.with_(key=None), "update", reason="its key is used for another text")
    if new.supersedes is not None:
        return _supersede(tx, item, identity, now, verbatim=decide is None)
    if decide is None:
        tx.insert(new, item.vectors, item.kind)
        return Stored(new, reason="verbatim", notes=item.notes)
    return _carry_out(tx, item, decide(tx, new, item.embedding), now)


def _already_stored(item: PreparedDraft, existing: Record) -> Stored:
    """The memory under the key of a draft; the draft is not stored, which is said if it has another text."""
    other = normalised(existing.content) != normalised(item.record.content)
    note = f"the key {existing.key!r} has another text already, so this one is not stored"
    notes = (*item.notes, note) if other else item.notes
    return Stored(existing, reason="already stored under this key", notes=notes)


def _carry_out(tx: Transaction, item: PreparedDraft, decision: Decision, now: datetime) -> Outcome:
    match decision:
        case Duplicate(existing, reason):
            return _reinforce(tx, item, existing, reason, now)
        case Replaces(old, reason, related):
            record = _with_conflict_links(item.record, related).with_(supersedes=old.id)
            tx.insert(record, item.vectors, item.kind)
            return Superseded(record, old, reason, related, item.notes)
        case Novel(related):
            return _insert(tx, item, related)


def _insert(tx: Transaction, item: PreparedDraft, related: tuple[Conflict, ...] = ()) -> Outcome:
    record = _with_conflict_links(item.record, related)
    tx.insert(record, item.vectors, item.kind)
    outcome = Stored(record, related, notes=item.notes)
    return replace(outcome, reason="new, but it may contradict what is known") if outcome.conflicts else outcome


def _refuse(tombstone: Tombstone) -> Outcome:
    memory = tombstone.memory
    return Refused(tombstone.reason, forgotten=None if memory is None else memory.id, revivable=True)


def _revive(
    tx: Transaction, item: PreparedDraft, tombstone: Tombstone, identity: Identity, now: datetime
) -> Outcome | None:
    """Lift a tombstone. What was forgotten in the same place is restored; None when the draft is to be stored.

    A memory that was forgotten elsewhere, or that is only a part of the draft, becomes archived: not recalled, and no tombstone
    any more.
    """
    old, new = tombstone.memory, item.record
    if old is None:
        wide = with_contexts(tx, identity)
        purged = tx.texts_of(new.account, [new.content])[new.content].purged
        places = [place for place in purged if reaches(wide, place)]
        tx.allow_again(new.account, new.content, places)
        return None
    if old.place == new.place and new.supersedes is None and not _says_more(new.content, old.content):
        restored = old.with_(status="active", updated_at=now)
        tx.change(old, restored, "restore")
        return Reinforced(restored, "brought back on request", notes=item.notes)
    tx.change(old, old.with_(status="archived"), "restore", reason="revived elsewhere")
    return None


def _says_more(new: str, old: str) -> bool:
    return len(set(query_terms(new)) - set(query_terms(old))) >= _FEWEST_TERMS


def _supersede(tx: Transaction, item: PreparedDraft, identity: Identity, now: datetime, *, verbatim: bool) -> Outcome:
    old = find_superseded(tx, identity, item.record.supersedes or "")
    known = None if verbatim else _extendable(tx, item.record, identity)
    if known is not None and known.id != old.id:
        # The text is stored already, beside what it contradicts: stored again, it would be recalled twice.
        stored = _reinforce(tx, item, known, "the same text is stored already", now).memory
        changed = let_supersede(tx, stored, old)
        latest = next((record for record in changed if record.id == known.id), stored)
        return Superseded(latest, old, "the caller said so", notes=item.notes)
    record = item.record.with_(supersedes=old.id)
    tx.insert(record, item.vectors, item.kind)
    return Superseded(record, old, "the caller said so", notes=item.notes)


def _extendable(tx: Transaction, new: Record, identity: Identity) -> Record | None:
    """An active memory with the same text in the same place, whose history the writer sees in full."""
    known = active_duplicate(tx, new)
    if known is None or known.place != new.place:
        return None
    return known if all(reaches(identity, one.place) for one in chain_of(tx, known)) else None


def _reinforce(tx: Transaction, item: PreparedDraft, existing: Record, reason: str, now: datetime) -> Reinforced:
    stronger, notes = reinforced(existing, item.record, now)
    tx.change(existing, stronger, "reinforce", reason=reason)
    return Reinforced(stronger, reason, notes=(*item.notes, *notes))


def reinforced(existing: Record, new: Record, now: datetime) -> tuple[Record, tuple[str, ...]]:
    """A memory after the same was said again, with what the other one has and it lacks; and notes for the caller."""
    notes: tuple[str, ...] = ()
    metadata = merged(existing.metadata, new.metadata, removing=False)
    if metadata != existing.metadata and (problem := problem_of_metadata(metadata)) is not None:
        metadata, notes = dict(existing.metadata), (f"its metadata is not added: together it {problem}",)
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
        metadata=metadata,
    )
    return stronger, notes


def _with_conflict_links(new: Record, related: Sequence[Conflict]) -> Record:
    """The memory with a link to each one it may contradict."""
    links = tuple(Link(one.memory.id, "contradicts") for one in related if one.relation in CONFLICTING)
    return new.with_(links=(*new.links, *links)) if links else new


def _later_expiry(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two expiry times; None never expires and is the latest."""
    return None if one is None or other is None else max(one, other)
