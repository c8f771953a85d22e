"""Snapshots: named moments of a context, compared and restored by reverting the journal step by step from now.

A snapshot stores the sequence number of the last event before it, not copies, so what was purged since cannot be restored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from recollect.errors import InvalidInput, NotFound
from recollect.ports import Reader, Transaction, Vectors
from recollect.tiers.context_entries import entries, place_of_entries, root_of
from recollect.values.document import Document
from recollect.values.event import UNJOURNALED, Event, difference, from_image, patched, to_image
from recollect.values.ids import new_id
from recollect.values.memory import Record, Replacement, is_current, successors
from recollect.values.scope import Place
from recollect.values.tiers import ChangedEntry, Difference, Snapshot

Embed = Callable[[Record], Vectors | None]
State = dict[str, Record]
Dated = tuple[State, datetime]
# Fields that differ in every new version; a comparison leaves them out.
_BOOKKEEPING = UNJOURNALED | {"id", "created_at", "updated_at", "hit_at", "supersedes", "key", "breadcrumbs", "speaker"}


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in the journal: right after one of its events, or a time."""

    at: datetime
    seq: int | None = None


def take(tx: Transaction, context: Document, name: str, now: datetime) -> Document:
    """Create a snapshot of a context at this point in the journal."""
    title = f"{context.id}/{name}"
    if tx.documents(context.account, "snapshot", title):
        raise InvalidInput("name", f"{name!r} is the name of another snapshot of this context", "choose another name")
    body = {
        "context": context.id,
        "name": name,
        "at": now.isoformat(),
        "seq": tx.last_event(context.account),
        "entries": len(entries(tx, context, now, limit=-1)),
    }
    made = Document(new_id(now), context.account, "snapshot", title, now, now, context.place, body)
    tx.put_document(None, made, "snapshot", f"snapshot {name} of {context.name}")
    return made


def snapshots(reader: Reader, context: Document) -> list[Snapshot]:
    """The snapshots of a context, newest first."""
    found = [snapshot_of(each) for each in reader.documents(context.account, "snapshot", prefix=f"{context.id}/")]
    return sorted(found, key=lambda snapshot: (snapshot.at, snapshot.id), reverse=True)


def snapshot_of(document: Document) -> Snapshot:
    """A snapshot as callers get it."""
    body = document.body or {}
    at = datetime.fromisoformat(body["at"])
    return Snapshot(document.id, body["context"], body["name"], at, body["entries"])


def moment_of(reader: Reader, context: Document, wanted: str) -> Moment:
    """The point in the journal that a snapshot's name or id refers to."""
    known = reader.documents(context.account, "snapshot", prefix=f"{context.id}/")
    for each in known:
        body = each.body or {}
        if wanted in (each.id, body["name"]):
            return Moment(datetime.fromisoformat(body["at"]), body["seq"])
    raise NotFound("snapshot", wanted, "`contexts.snapshots` shows which there are")


def state_now(reader: Reader, context: Document, now: datetime) -> State:
    """Every entry as stored, whatever its status; which ones are superseded is computed by the reader of the state."""
    return {record.id: _stored(record) for record in entries(reader, context, now, limit=-1, every=True)}


def state_at(reader: Reader, context: Document, moment: Moment, now: datetime) -> State:
    """Every entry as it was at a moment."""
    state, place = state_now(reader, context, now), place_of_entries(context)
    after, since = (0, moment.at) if moment.seq is None else (moment.seq, None)
    for event in reader.events(context.account, after=after, since=since, newest_first=True):
        if event.document is None:
            _step_back(state, event, place)
    return state


def _step_back(state: State, event: Event, place: Place) -> None:
    if event.before is None:
        # A creation, or what a purge left of one: before it there was no memory.
        state.pop(event.memory_id, None)
    elif event.after is None:
        record = from_image(event.before)
        if record.place == place:
            state[record.id] = _stored(record)
    elif event.memory_id in state:
        state[event.memory_id] = _stored(patched(state[event.memory_id], event.before))


def compare(before: Dated, after: Dated) -> Difference:
    """What was added, removed and changed among visible entries; a new version counts as a change of its entry."""
    old, new = _visible_entries(*before), _visible_entries(*after)
    changed = [_changed(old[root], new[root]) for root in new if root in old]
    return Difference(
        added=tuple(new[root] for root in new if root not in old),
        removed=tuple(old[root] for root in old if root not in new),
        changed=tuple(one for one in changed if one is not None),
    )


def restore(
    tx: Transaction,
    context: Document,
    then: State,
    embed: Embed,
    now: datetime,
    allowed: Callable[[Record], bool],
) -> int:
    """Restore the entries to an earlier state; returns how many changed. What may not come back is not restored."""
    current = state_now(tx, context, now)
    # Later entries are removed first: one may use a key that an earlier entry needs again. What was forgotten stays so.
    later = [record for record in current.values() if record.id not in then and record.status != "forgotten"]
    for record in later:
        tx.remove(record, "restore")
    changed = 0
    for record in then.values():
        if record.id not in current:
            if not allowed(record):
                continue
            tx.insert(record, embed(record), "restore")
        elif not _restore_entry(tx, current[record.id], record, embed, allowed):
            continue
        changed += 1
    return len(later) + changed


def _restore_entry(
    tx: Transaction, current: Record, then: Record, embed: Embed, allowed: Callable[[Record], bool]
) -> bool:
    if difference(current, then) == ({}, {}):
        return False
    reworded = current.content != then.content
    returns = reworded or (current.status == "forgotten" and then.status != "forgotten")
    if returns and not allowed(then):
        return False
    restored = then.with_(accessed_at=current.accessed_at, access_count=current.access_count)
    tx.change(current, restored, "restore", vectors=embed(restored) if reworded else None)
    return True


def _visible_entries(state: State, at: datetime) -> dict[str, Record]:
    """The visible entries of a state at a time, each under the id of its first version."""
    versions = [record for record in state.values() if record.supersedes is not None]
    replaced = successors(Replacement(new.id, new.supersedes or "", is_current(new, at)) for new in versions)
    visible: dict[str, Record] = {}
    for record in sorted(state.values(), key=lambda one: (one.created_at, one.id)):
        live = record.expires_at is None or at < record.expires_at
        if record.status == "active" and live and record.id not in replaced:
            root = root_of(state, record)
            visible[record.id if root in visible else root] = record
    return visible


def _changed(old: Record, new: Record) -> ChangedEntry | None:
    before, after = to_image(old), to_image(new)
    names = _differing(before, after)
    if not names:
        return None
    return ChangedEntry(old.id, new.id, {name: before[name] for name in names}, {name: after[name] for name in names})


def _differing(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    names: Iterable[str] = (name for name in after if name not in _BOOKKEEPING)
    return [name for name in names if before[name] != after[name]]


def _stored(record: Record) -> Record:
    return record.with_(status="active", superseded_by=None) if record.status == "superseded" else record
