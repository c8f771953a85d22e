"""Snapshots: named moments of a context, and the way back to one by walking the journal backwards from now.

A snapshot keeps the number of the last event before it, not copies: what was purged since is in no journal and stays gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from recollect.errors import InvalidInput, NotFound
from recollect.ports import Reader, Transaction, Vectors
from recollect.tiers.contexts import entries, place_of_entries, root_of
from recollect.values.container import Changed, Difference, Snapshot
from recollect.values.document import Document
from recollect.values.event import Event
from recollect.values.ids import new_id
from recollect.values.image import UNJOURNALED, difference, from_image, patched, to_image
from recollect.values.memory import Record
from recollect.values.scope import Place
from recollect.values.supersession import Replacement, heirs, in_force

Embed = Callable[[Record], Vectors | None]
State = dict[str, Record]
Dated = tuple[State, datetime]
# What every new version changes and nobody asks about.
_BOOKKEEPING = UNJOURNALED | {"id", "created_at", "updated_at", "hit_at", "supersedes", "key", "breadcrumbs", "speaker"}


@dataclass(frozen=True, slots=True)
class Moment:
    """A point of the journal: after one of its events, or a time."""

    at: datetime
    seq: int | None = None


def take(tx: Transaction, held: Document, name: str, now: datetime) -> Document:
    """Name the state of a context at this point of the journal."""
    title = f"{held.id}/{name}"
    if tx.documents(held.account, "snapshot", title):
        raise InvalidInput("name", f"{name!r} is the name of another snapshot of this context", "choose another name")
    last = tx.events(held.account, limit=1, newest_first=True, embeds=True)
    body = {
        "context": held.id,
        "name": name,
        "at": now.isoformat(),
        "seq": last[0].seq if last else 0,
        "entries": len(entries(tx, held, now, limit=-1)),
    }
    made = Document(new_id(now), held.account, "snapshot", title, now, now, held.place, body)
    tx.put_document(None, made, "snapshot", f"snapshot {name} of {held.name}")
    return made


def snapshots(reader: Reader, held: Document) -> list[Snapshot]:
    """The snapshots of a context, newest first."""
    found = [snapshot_of(each) for each in reader.documents(held.account, "snapshot", prefix=f"{held.id}/")]
    return sorted(found, key=lambda snapshot: (snapshot.at, snapshot.id), reverse=True)


def snapshot_of(document: Document) -> Snapshot:
    """A snapshot as callers see it."""
    body = document.body or {}
    at = datetime.fromisoformat(body["at"])
    return Snapshot(document.id, body["context"], body["name"], at, body["entries"])


def moment_of(reader: Reader, held: Document, wanted: str) -> Moment:
    """The point of the journal that a snapshot's name or id stands for."""
    known = reader.documents(held.account, "snapshot", prefix=f"{held.id}/")
    for each in known:
        body = each.body or {}
        if wanted in (each.id, body["name"]):
            return Moment(datetime.fromisoformat(body["at"]), body["seq"])
    raise NotFound("snapshot", wanted, "`contexts.snapshots` shows which there are")


def state_now(reader: Reader, held: Document, now: datetime) -> State:
    """Every entry as stored, whatever its status; who supersedes whom is worked out anew by whoever looks."""
    return {record.id: _stored(record) for record in entries(reader, held, now, limit=-1, every=True)}


def state_at(reader: Reader, held: Document, moment: Moment, now: datetime) -> State:
    """Every entry as it was at a moment."""
    state, place = state_now(reader, held, now), place_of_entries(held)
    after, since = (0, moment.at) if moment.seq is None else (moment.seq, None)
    for event in reader.events(held.account, after=after, since=since, newest_first=True):
        if event.document is None:
            _step_back(state, event, place)
    return state


def _step_back(state: State, event: Event, place: Place) -> None:
    if event.before is None:
        # A creation, or the skeleton of what was purged: before it there was nothing.
        state.pop(event.memory_id, None)
    elif event.after is None:
        record = from_image(event.before)
        if record.place == place:
            state[record.id] = _stored(record)
    elif event.memory_id in state:
        state[event.memory_id] = _stored(patched(state[event.memory_id], event.before))


def compared(before: Dated, after: Dated) -> Difference:
    """What was added, removed and changed for somebody who reads the context; a new version is a change of its entry."""
    old, new = _standing(*before), _standing(*after)
    changed = [_changed(old[root], new[root]) for root in new if root in old]
    return Difference(
        added=tuple(new[root] for root in new if root not in old),
        removed=tuple(old[root] for root in old if root not in new),
        changed=tuple(one for one in changed if one is not None),
    )


def bring_back(tx: Transaction, held: Document, then: State, embed: Embed, now: datetime) -> int:
    """Make the entries what they were; returns how many changed. What was purged meanwhile does not come back."""
    current = state_now(tx, held, now)
    # What came later goes first: it may hold a key that something of then is to have again.
    later = [record for record in current.values() if record.id not in then]
    for record in later:
        tx.remove(record, "restore")
    changed = 0
    for record in then.values():
        if record.id not in current:
            if tx.purged(record.account, record.content):
                continue
            tx.insert(record, embed(record), "restore")
        elif not _put_back(tx, current[record.id], record, embed):
            continue
        changed += 1
    return len(later) + changed


def _put_back(tx: Transaction, current: Record, then: Record, embed: Embed) -> bool:
    if difference(current, then) == ({}, {}):
        return False
    reworded = current.content != then.content
    if reworded and tx.purged(then.account, then.content):
        return False
    kept = then.with_(accessed_at=current.accessed_at, access_count=current.access_count)
    tx.change(current, kept, "restore", vectors=embed(kept) if reworded else None)
    return True


def _standing(state: State, at: datetime) -> dict[str, Record]:
    """The entries that stood at a time, each under the id of its first version."""
    versions = [record for record in state.values() if record.supersedes is not None]
    replaced = heirs(Replacement(new.id, new.supersedes or "", in_force(new, at)) for new in versions)
    standing: dict[str, Record] = {}
    for record in sorted(state.values(), key=lambda one: (one.created_at, one.id)):
        live = record.expires_at is None or at < record.expires_at
        if record.status == "active" and live and record.id not in replaced:
            root = root_of(state, record)
            standing[record.id if root in standing else root] = record
    return standing


def _changed(old: Record, new: Record) -> Changed | None:
    before, after = to_image(old), to_image(new)
    names = _differing(before, after)
    if not names:
        return None
    return Changed(old.id, new.id, {name: before[name] for name in names}, {name: after[name] for name in names})


def _differing(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    names: Iterable[str] = (name for name in after if name not in _BOOKKEEPING)
    return [name for name in names if before[name] != after[name]]


def _stored(record: Record) -> Record:
    return record.with_(status="active", superseded_by=None) if record.status == "superseded" else record
