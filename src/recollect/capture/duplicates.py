"""Duplicates: what superseding and forgetting do when the same text is stored more than once."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.access import with_contexts
from recollect.ports import Reader, Transaction
from recollect.unit_of_work import UnitOfWork
from recollect.validation import MAX_CONTENT, clean_text
from recollect.values.memory import Record, covers
from recollect.values.scope import Identity, reaches

COPY = "a copy of what was forgotten"


def active_duplicate(reader: Reader, record: Record) -> Record | None:
    """Another active memory with the same text that everyone who sees this one sees too; one in the same place if there is."""
    same = reader.same_text(record.account, record.content)
    others = [one for one in same if one.id != record.id and one.status == "active" and covers(one.place, record.place)]
    return min(others, key=lambda one: one.place != record.place, default=None)


def as_forgotten(reader: Reader, record: Record) -> Record:
    """One memory, forgotten. Of two copies in a place, it is archived: forgotten, it would bury a text that is kept."""
    copy = None if record.status == "forgotten" else active_duplicate(reader, record)
    return _out_of_use(record, copy is not None and copy.place == record.place)


def forget(uow: UnitOfWork, id: str, reason: str | None) -> Record:
    """Hide a memory, with its copies in the same place, and refuse to store the same again."""
    reason = checked_reason(uow, reason)
    with uow.transaction() as tx:
        old = uow.find(tx, id)
        if reason is not None:
            uow.require_no_tombstones(tx, "reason", [reason])
        gone, copies = forgotten(old, tx.same_text(old.account, old.content), with_contexts(tx, uow.viewer.identity))
        tx.change(old, gone, "forget", reason=reason)
        for copy in copies:
            tx.change(copy, copy.with_(status="forgotten"), "forget", reason=COPY)
        return uow.redact(tx, gone)


def checked_reason(uow: UnitOfWork, reason: str | None) -> str | None:
    """The reason of a change as it may be stored."""
    if reason is not None:
        reason = clean_text("reason", reason, MAX_CONTENT)
        uow.runtime.gate.require_text("reason", reason)
    return reason


def forgotten(old: Record, same: Iterable[Record], identity: Identity) -> tuple[Record, list[Record]]:
    """A memory as it is when it is forgotten, and those with the same text that are forgotten with it.

    These are its copies in the same place, and what was superseded: when what superseded it goes, it would hold again.
    """
    others = [one for one in same if one.id != old.id]
    copies = [one for one in others if one.status == "active" and one.place == old.place]
    superseded = [one for one in others if one.status == "superseded" and reaches(identity, one.place)]
    if any(_contradict(old, copy) for copy in copies):
        # One of the two was given the text of the other: the text is wanted, and this memory is superfluous.
        return _out_of_use(old, old.status != "forgotten"), superseded
    return old.with_(status="forgotten"), [*copies, *superseded]


def _out_of_use(record: Record, kept: bool) -> Record:
    """A memory that is hidden: archived when a copy in the same place is kept, else forgotten."""
    return record.with_(status="archived" if kept else "forgotten")


def bury_superseded(tx: Transaction, identity: Identity, gone: Record) -> None:
    """Forget the superseded copies of a text too: when what superseded them goes, they would hold again."""
    copies = [one for one in tx.same_text(gone.account, gone.content) if one.id != gone.id]
    wide = with_contexts(tx, identity) if copies else identity
    for copy in copies:
        if copy.status == "superseded" and reaches(wide, copy.place):
            tx.change(copy, copy.with_(status="forgotten"), "forget", reason=COPY)


def _contradict(one: Record, other: Record) -> bool:
    pairs = ((one, other.id), (other, one.id))
    return any(x.relation == "contradicts" and x.target == target for record, target in pairs for x in record.links)


def let_supersede(tx: Transaction, newer: Record, older: Record) -> list[Record]:
    """Let one stored memory supersede another; returns what changed. A contradiction between the two is settled by it.

    If the newer one supersedes another already, the older is appended at the end of that chain.
    """
    last, changed = _without_contradiction(newer, older), []
    if last != newer:
        tx.change(newer, last, "resolve", reason="supersede")
        changed.append(last)
    seen = {last.id}
    while last.supersedes is not None and last.supersedes not in seen:
        (below,) = tx.get(newer.account, [last.supersedes])
        if below is None:
            break
        last = below
        seen.add(last.id)
    if older.id not in seen:
        after = last.with_(supersedes=older.id)
        tx.change(last, after, "resolve", reason="supersede")
        changed = [record for record in changed if record.id != after.id] + [after]
    return changed


def _without_contradiction(newer: Record, older: Record) -> Record:
    return newer.with_(links=tuple(x for x in newer.links if (x.relation, x.target) != ("contradicts", older.id)))
