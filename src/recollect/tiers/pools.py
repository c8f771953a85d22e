"""Pools: shared JSON objects as documents. Making, changing and merging them, and counting who reads and writes them.

A change reads and writes inside one transaction, so that no two lose each other's. Counters live in a note beside the
document: a read is no event, and must not stand in the way of undoing the write before it, nor wait for the disk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from recollect.errors import NotFound, StaleVersion
from recollect.ports import Reader, Transaction
from recollect.tiers.access import expired, grants_of, may, plain_grants, require_free
from recollect.tiers.jsonable import json_text
from recollect.values.container import Grants
from recollect.values.document import Document
from recollect.values.ids import new_id
from recollect.values.pool import Pool, PoolRead
from recollect.values.scope import Identity, Place

RUNS = "run:"
TYPE_OF_RUN = {"shared_memory": "workflow", "tool_cache": "tool_cache", "blackboard": "blackboard"}
HOME_OF_TYPE = {"agent_private": "agent", "team_shared": "team", "task_scoped": "task"}
_UNUSED: dict[str, Any] = {
    "reads": 0, "writes": 0, "readers": [], "writers": [], "last_read_at": None, "last_written_at": None, "highest": 0,
}  # fmt: skip
Change = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class NewPool:
    """What a pool is made of, checked."""

    name: str
    type: str
    place: Place
    data: Mapping[str, Any]
    owner: str | None
    access: Grants = field(default_factory=Grants)
    expires_at: datetime | None = None
    run: str | None = None


def create(tx: Transaction, identity: Identity, new: NewPool, now: datetime) -> Document:
    """Make a pool; an expired one of the same name in the same place makes way for it."""
    for held in tx.documents(identity.account, "pool", new.name):
        if held.place == new.place and expired(held, now):
            tx.put_document(held, None, "pool", "expired")
    require_free(tx, identity, "pool", new.name, new.place, now)
    body = {
        "type": new.type,
        "data": dict(new.data),
        "version": 1,
        "owner": new.owner,
        "access": plain_grants(new.access),
        "expires_at": None if new.expires_at is None else new.expires_at.isoformat(),
        "run": new.run,
    }
    made = Document(new_id(now), identity.account, "pool", new.name, now, now, new.place, body)
    tx.put_document(None, made, "pool", "create")
    return made


def change(tx: Transaction, held: Document, expected: int | None, how: tuple[str, Change], now: datetime) -> Document:
    """Put something made of the data in its place, unless the caller expected another version; `how` names the change."""
    reason, made_of = how
    body = held.body or {}
    version, data = body["version"], body["data"]
    if expected is not None and expected != version:
        raise StaleVersion(held.name, expected, version, data)
    new = made_of(dict(data))
    json_text("data", new)
    # Above every version there ever was: an undo goes back to an older one, and what follows it is another third.
    after = held.with_body(now, data=new, version=max(version, _use(tx, held.id)["highest"]) + 1)
    tx.put_document(held, after, "pool", reason)
    return after


def merged(old: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Objects are merged at every depth; anything else, lists and null too, replaces what was there."""
    result = dict(old)
    for key, value in changes.items():
        before = result.get(key)
        result[key] = merged(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return result


def without(old: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The data without one key."""
    if key not in old:
        raise NotFound("key", key, "read the pool to see which it has")
    return {name: value for name, value in old.items() if name != key}


def drop_expired(tx: Transaction, identity: Identity, now: datetime) -> int:
    """Take away what expired in the account; returns how many pools this identity could have read."""
    gone = [held for held in tx.documents(identity.account, "pool") if expired(held, now)]
    for held in gone:
        tx.put_document(held, None, "pool", "expired")
    return sum(may(identity, held, "read") and (held.body or {})["run"] is None for held in gone)


def pool_of(held: Document) -> Pool:
    """A pool as callers see it; its data is theirs to change."""
    body = held.body or {}
    end = body["expires_at"]
    return Pool(
        id=held.id,
        name=held.name,
        type=body["type"],
        scope=held.place[0],  # type: ignore[arg-type]
        data=json.loads(json.dumps(body["data"])),
        version=body["version"],
        access=grants_of(held),
        owner=body["owner"],
        created_at=held.created_at,
        updated_at=held.updated_at,
        expires_at=None if end is None else datetime.fromisoformat(end),
        run=body["run"],
    )


def count_reads(tx: Transaction, reads: Sequence[PoolRead]) -> None:
    """Some more reads; no events."""
    for pool in dict.fromkeys(read.pool for read in reads):
        use, mine = _use(tx, pool), [read for read in reads if read.pool == pool]
        readers = sorted({*use["readers"], *(read.who for read in mine)})
        # Another process may have written later reads first.
        last = max(use["last_read_at"] or "", mine[-1].at.astimezone(UTC).isoformat())
        _keep(tx, pool, {**use, "reads": use["reads"] + len(mine), "readers": readers, "last_read_at": last})


def count_write(tx: Transaction, held: Document, who: str, at: datetime) -> None:
    """One more write; the version it reached is never given again."""
    use, version = _use(tx, held.id), (held.body or {})["version"]
    writers, highest = sorted({*use["writers"], who}), max(use["highest"], version)
    moved = {"writes": use["writes"] + 1, "writers": writers, "last_written_at": at.isoformat(), "highest": highest}
    _keep(tx, held.id, {**use, **moved})


def statistics(reader: Reader, held: Document) -> dict[str, Any]:
    """How large a pool is, and who used it how often; its making counts as the first write."""
    body, use = held.body or {}, _use(reader, held.id)
    told = {name: use[name] for name in ("reads", "writes", "readers", "writers")}
    times = {name: use[name] and datetime.fromisoformat(use[name]) for name in ("last_read_at", "last_written_at")}
    size = len(json_text("data", body["data"]).encode())
    return {"entries": len(body["data"]), "bytes": size, "version": body["version"], **told, **times}


def _use(reader: Reader, pool: str) -> dict[str, Any]:
    kept = reader.note(f"pool:{pool}")
    return {**_UNUSED, **(json.loads(kept) if kept else {})}


def _keep(tx: Transaction, pool: str, use: Mapping[str, Any]) -> None:
    tx.set_note(f"pool:{pool}", json.dumps(use, ensure_ascii=False))
