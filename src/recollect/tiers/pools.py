"""Pools: JSON objects that agents share, with versions, grants and usage counters.

A change reads and writes in one transaction, so no update is lost. The counters are a note beside the document: a read is not an
event, so it neither blocks the undo of an earlier write nor waits for the disk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Literal, Unpack

from recollect.access import expired, grants_of, may, plain_grants, require_free
from recollect.capture.screen.injection import injection_signs
from recollect.errors import InvalidInput, NotFound, StaleVersion
from recollect.log import logged
from recollect.ports import Reader, Transaction
from recollect.tiers.containers import Containers, usable_container, visible_containers
from recollect.tiers.json_values import json_text
from recollect.unit_of_work import Embed, UnitOfWork
from recollect.validation import (
    MAX_NAME,
    clean_expiry,
    clean_name,
    clean_text,
    one_of,
    require_name,
    require_one_of,
    shown,
)
from recollect.values.document import Document
from recollect.values.enums import POOL_TYPES, SCOPES, AccessLevel, PoolType, Scope
from recollect.values.ids import new_id
from recollect.values.plain import strings_in
from recollect.values.scope import Identity, Place
from recollect.values.tiers import RUN_POOLS, Grants, Pool, PoolFields, PoolRead, RunPool

RUN_PREFIX = "run:"
TYPE_OF_RUN_POOL = {"shared_memory": "workflow", "tool_cache": "tool_cache", "blackboard": "blackboard"}
SCOPE_OF_TYPE = {"agent_private": "agent", "team_shared": "team", "task_scoped": "task"}
_NO_USAGE: dict[str, Any] = {
    "reads": 0, "writes": 0, "readers": [], "writers": [], "last_read_at": None, "last_written_at": None, "highest": 0,
}  # fmt: skip
Change = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class NewPool:
    """The checked fields of a pool to create."""

    name: str
    type: str
    place: Place
    data: Mapping[str, Any]
    owner: str | None
    access: Grants = field(default_factory=Grants)
    expires_at: datetime | None = None
    run: str | None = None

    @property
    def project(self) -> str | None:
        """Its project, when its scope is the project."""
        return self.place[1] if self.place[0] == "project" else None


def create(tx: Transaction, identity: Identity, new: NewPool, now: datetime) -> Document:
    """Create a pool; an expired one of the same name in the same place is removed first."""
    for document in tx.documents(identity.account, "pool", new.name):
        if document.place == new.place and expired(document, now):
            tx.put_document(document, None, "pool", "expired")
    require_free(tx, identity, "pool", new.name, new.place, now)
    body = {
        "type": new.type,
        "data": dict(new.data),
        "version": 1,
        "owner": new.owner,
        "access": plain_grants(new.access),
        "expires_at": None if new.expires_at is None else new.expires_at.isoformat(),
        "run": new.run,
        "labels": order_labels(new.data),
    }
    made = Document(new_id(now), identity.account, "pool", new.name, now, now, new.place, body)
    tx.put_document(None, made, "pool", "create")
    return made


def change(
    tx: Transaction, document: Document, expected: int | None, how: tuple[str, Change], now: datetime
) -> Document:
    """Replace the data by what a function makes of it, if the version is the expected one; `how` is a name and the function."""
    reason, made_of = how
    body = document.body or {}
    version, data = body["version"], body["data"]
    if expected is not None and expected != version:
        raise StaleVersion(document.name, expected, version, data)
    new = made_of(dict(data))
    json_text("data", new)
    # Higher than any version before: after an undo, a version number must not be used a second time for other data.
    after = document.with_body(
        now,
        data=new,
        labels=order_labels(new),
        version=max(version, _usage(tx, document.account, document.id)["highest"]) + 1,
    )
    tx.put_document(document, after, "pool", reason)
    return after


def merged(old: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Objects are merged at every depth; any other value, lists and null included, replaces the old one."""
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
    """Remove the expired pools of the account; returns how many of them this identity could read."""
    gone = [document for document in tx.documents(identity.account, "pool") if expired(document, now)]
    for document in gone:
        tx.put_document(document, None, "pool", "expired")
    return sum(may(identity, document, "read") and (document.body or {})["run"] is None for document in gone)


def pool_of(document: Document) -> Pool:
    """A pool as callers get it; its data is a copy."""
    body = document.body or {}
    end = body["expires_at"]
    return Pool(
        id=document.id,
        name=document.name,
        type=body["type"],
        scope=document.place[0],  # type: ignore[arg-type]
        data=json.loads(json.dumps(body["data"])),
        version=body["version"],
        access=grants_of(document),
        owner=body["owner"],
        created_at=document.created_at,
        updated_at=document.updated_at,
        expires_at=None if end is None else datetime.fromisoformat(end),
        run=body["run"],
        labels=tuple(body.get("labels") or ()),
    )


def order_labels(data: Any) -> list[str]:
    """The labels of data in which a text reads like an order to an agent."""
    return [f"injection:{sign}" for sign in injection_signs("\n".join(strings_in(data)))]


def drop(uow: UnitOfWork, tx: Transaction, name: str) -> None:
    """Delete a pool that the viewer owns."""
    document = usable_container(uow, tx, "pool", name, "own")
    tx.put_document(document, None, "pool", "drop")


def visible_pools(uow: UnitOfWork, reader: Reader, now: datetime, run: str | None = None) -> list[Pool]:
    """The pools a viewer may read, of one workflow run or of none, by name."""
    found = [document for document in visible_containers(uow, reader, "pool") if not expired(document, now)]
    pools = [pool_of(document) for document in found if (document.body or {})["run"] == run]
    return sorted(pools, key=lambda pool: (pool.name, pool.id))


def count_read(tx: Transaction, read: PoolRead) -> None:
    """Count a read; no event is written."""
    use = _usage(tx, read.account, read.pool)
    # Another process may have written a later read already.
    last = max(use["last_read_at"] or "", read.at.astimezone(UTC).isoformat())
    readers = sorted({*use["readers"], read.who})
    moved = {"reads": use["reads"] + 1, "readers": readers, "last_read_at": last}
    _store_usage(tx, read.account, read.pool, {**use, **moved})


def count_write(tx: Transaction, document: Document, who: str, at: datetime) -> None:
    """Count a write, and note the highest version used."""
    use, version = _usage(tx, document.account, document.id), (document.body or {})["version"]
    writers, highest = sorted({*use["writers"], who}), max(use["highest"], version)
    moved = {"writes": use["writes"] + 1, "writers": writers, "last_written_at": at.isoformat(), "highest": highest}
    _store_usage(tx, document.account, document.id, {**use, **moved})


def statistics(reader: Reader, document: Document) -> dict[str, Any]:
    """Size and usage of a pool; its creation counts as the first write."""
    body, use = document.body or {}, _usage(reader, document.account, document.id)
    counts = {name: use[name] for name in ("reads", "writes", "readers", "writers")}
    times = {name: use[name] and datetime.fromisoformat(use[name]) for name in ("last_read_at", "last_written_at")}
    size = len(json_text("data", body["data"]).encode())
    return {"entries": len(body["data"]), "bytes": size, "version": body["version"], **counts, **times}


def _usage(reader: Reader, account: str, pool: str) -> dict[str, Any]:
    note = reader.note(f"pool:{pool}", account)
    return {**_NO_USAGE, **(json.loads(note) if note else {})}


def _store_usage(tx: Transaction, account: str, pool: str, use: Mapping[str, Any]) -> None:
    tx.set_note(f"pool:{pool}", json.dumps(use, ensure_ascii=False), account)


# The verb `list` hides the built-in inside the class.
PoolList = list[Pool]
MISSING = object()


@logged
class Pools(Containers):
    """The pools of an account that one identity may use."""

    _kind: ClassVar[Literal["pool", "context"]] = "pool"

    def create(self, name: str, **fields: Unpack[PoolFields]) -> Pool:
        """Create a pool. Its scope is the given one, else what its type implies, else that of the user, else the account."""
        _check_fields(fields)
        new = self._new(require_name("name", name), fields)

        def write(tx: Transaction, embed: Embed) -> Pool:
            made = pool_of(self._create(tx, new))
            self._uow.require_no_tombstones(tx, "data", (new.name, *strings_in(new.data)), embed)
            self._uow.require_no_tombstones_in_names(tx, "access", [*new.place, *new.access.read, *new.access.write])
            return made

        return self._uow.transact(write, new.project)

    def get(self, name: str) -> Pool:
        """A pool with its data, version and grants, by its name or id; counted as a read."""
        return pool_of(self._read(name))

    def read(self, name: str, key: str | None = None, default: Any = MISSING) -> Any:
        """The data of a pool, or the value of one key of it."""
        if key is not None and not isinstance(key, str):
            raise InvalidInput("key", f"{type(key).__name__} is not text", "give the name of a key")
        data = pool_of(self._read(name)).data
        if key is None:
            return data
        if key in data:
            return data[key]
        if default is MISSING:
            raise NotFound("key", key, f"pool {name!r} has no such key; give a default to avoid this error")
        return default

    def write(self, name: str, data: Mapping[str, Any], *, expected_version: int | None = None) -> Pool:
        """Replace the data; raises `StaleVersion`, with the current data, when the version is not the expected one."""
        given = self._object("data", data)
        return self._change(name, expected_version, "write", lambda _: given, given)

    def write_key(self, name: str, key: str, value: Any, expected_version: int | None = None) -> Pool:
        """Set one key; the other keys do not change."""
        where = clean_text("key", key, MAX_NAME)
        given = self._json("value", value, where)
        return self._change(
            name, expected_version, f"write {where}", lambda data: {**data, where: given}, {where: given}
        )

    def merge(self, name: str, changes: Mapping[str, Any], *, expected_version: int | None = None) -> Pool:
        """Merge an object into the data at every depth; lists are replaced, and None is stored as a value."""
        given = self._object("changes", changes)
        return self._change(name, expected_version, "merge", lambda data: merged(data, given), given)

    def remove_key(self, name: str, key: str, expected_version: int | None = None) -> Pool:
        """Remove one key from the data."""
        where = clean_text("key", key, MAX_NAME)
        return self._change(name, expected_version, f"remove {where}", lambda data: without(data, where))

    def drop(self, name: str) -> None:
        """Delete a pool; only its owner may, and `undo` restores it."""
        with self._uow.transaction() as tx:
            drop(self._uow, tx, name)

    def list(self, type: PoolType | None = None, scope: Scope | None = None, run: str | None = None) -> PoolList:
        """The visible pools by name; those of a workflow run only when the run is named."""
        one_of("type", type, POOL_TYPES)
        one_of("scope", scope, SCOPES)
        of_run, now = clean_name("run", run), self._runtime.clock()
        with self._uow.view() as reader:
            pools = visible_pools(self._uow, reader, now, of_run)
        return [pool for pool in pools if type in (None, pool.type) and scope in (None, pool.scope)]

    def grant(self, name: str, agent: str, level: AccessLevel) -> Pool:
        """Let another agent read, or read and write."""
        return pool_of(self._grant(name, agent, level))

    def revoke(self, name: str, agent: str, level: AccessLevel | None = None) -> Pool:
        """Revoke a grant: `write` keeps a grant to read, `read` and None revoke both."""
        return pool_of(self._revoke(name, agent, level))

    def extend(self, name: str, ttl: float | timedelta) -> Pool:
        """Set the TTL of a pool, counted from now; it may be shorter than before."""
        now = self._runtime.clock()
        end = clean_expiry("ttl", ttl, None, now)
        if end is None:
            raise InvalidInput("ttl", "is missing", "give seconds above zero, or a timedelta")
        with self._uow.transaction() as tx:
            document = self._find(tx, name, "write")
            after = document.with_body(now, expires_at=end.isoformat())
            tx.put_document(document, after, "pool", "extend")
        return pool_of(after)

    def statistics(self, name: str) -> dict[str, Any]:
        """Entries, bytes, version, and who read and wrote the pool, how often and when last."""
        self._uow.try_flush()
        with self._uow.view() as reader:
            return statistics(reader, self._find(reader, name))

    def workflow(self, run_id: str, kind: RunPool = "shared_memory") -> Pool:
        """A pool of one workflow run, created on first use, open to every agent of the account that names the run."""
        run = self._uow.require_name("run_id", run_id)
        require_one_of("kind", kind, RUN_POOLS)
        name = f"{RUN_PREFIX}{run}:{kind}"
        self._screened("run_id", run)
        with self._uow.view() as reader:
            known = reader.documents(self._viewer.account, "pool", name)
            if known and not expired(known[0], self._runtime.clock()):
                return pool_of(self._count_read(self._find(reader, name)))
        place = ("task", run, "")
        new = NewPool(name, TYPE_OF_RUN_POOL[kind], place, {}, self._viewer.identity.name, run=run)
        with self._uow.transaction() as tx:
            self._uow.require_no_tombstones_in_names(tx, "run_id", [run])
            now = self._runtime.clock()
            existing = [
                document for document in tx.documents(self._viewer.account, "pool", name) if not expired(document, now)
            ]
            return pool_of(existing[0] if existing else self._create(tx, new))

    def sweep(self) -> int:
        """Delete the expired pools of the account; returns how many of them were visible, those of runs not counted."""
        with self._uow.transaction() as tx:
            return drop_expired(tx, self._viewer.identity, self._runtime.clock())

    def _new(self, name: str, fields: PoolFields) -> NewPool:
        kind = fields.get("type", "shared")
        one_of("type", kind, POOL_TYPES)
        if kind == "workflow" or name.startswith(RUN_PREFIX):
            raise InvalidInput(
                "type" if kind == "workflow" else "name", "is reserved for workflow runs", "use pools.workflow(run_id)"
            )
        implied = SCOPE_OF_TYPE.get(kind)
        one_of("scope", fields.get("scope"), SCOPES)
        scope = fields.get("scope") or implied
        if implied is not None and scope != implied:
            raise InvalidInput(
                "scope",
                f"{shown(scope)} is not the scope of a pool of type {kind}",
                f"use {implied!r}, or leave it out",
            )
        place = self._place(scope, fields)
        self._screened("name", name)
        data, ends = fields.get("data"), (fields.get("ttl"), fields.get("expires_at"))
        return NewPool(
            name,
            kind,
            place,
            {} if data is None else self._object("data", data, name),
            self._viewer.identity.name,
            self._grants(fields.get("access"), place),
            clean_expiry("ttl", *ends, self._runtime.clock()),
        )

    def _create(self, tx: Transaction, new: NewPool) -> Document:
        now = self._runtime.clock()
        made = create(tx, self._viewer.identity, new, now)
        count_write(tx, made, self._uow.actor, now)
        return made

    def _read(self, name: str) -> Document:
        with self._uow.view() as reader:
            return self._count_read(self._find(reader, name))

    def _count_read(self, document: Document) -> Document:
        if self._runtime.store.writable:
            read = PoolRead(document.account, document.id, self._uow.actor, self._runtime.clock())
            self._runtime.deferred.defer(
                document.account, read.at, ("pool", document.id), lambda tx: count_read(tx, read)
            )
        return document

    def _change(self, name: str, expected: int | None, reason: str, make: Change, given: Any = None) -> Pool:
        """Change the data of a pool; `given` is what is new in it, which the name of the pool may say is a credential."""
        if expected is not None and (isinstance(expected, bool) or not isinstance(expected, int)):
            raise InvalidInput("expected_version", f"{shown(expected)} is not a version", "give the version you read")
        now = self._runtime.clock()

        def write(tx: Transaction, embed: Embed) -> Pool:
            document = self._find(tx, name, "write")
            self._runtime.gate.require_value("data", given, around=document.name)
            after = change(tx, document, expected, (reason, make), now)
            before, new = (set(strings_in((each.body or {})["data"])) for each in (document, after))
            self._uow.require_no_tombstones(tx, "data", sorted(new - before), embed)
            count_write(tx, after, self._uow.actor, now)
            return pool_of(after)

        return self._uow.transact(write)

    def _object(self, field: str, value: Any, pool: str | None = None) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise InvalidInput(field, f"{type(value).__name__} is not an object", 'give a dict, like {"key": "value"}')
        made = self._json(field, dict(value), around=pool)
        assert isinstance(made, dict)
        return made


def _check_fields(fields: Mapping[str, Any]) -> None:
    for name in fields:
        if name not in PoolFields.__annotations__:
            raise InvalidInput(name, "is not a field of a pool", f"fields: {', '.join(PoolFields.__annotations__)}")
