"""Pools: JSON objects that agents share, with versions, grants and an end. Who may do what: `tiers/access.py`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, ClassVar, Unpack

from recollect.capture.fields import MAX_NAME, clean_name, clean_text, expiry, one_of
from recollect.errors import InvalidInput, NotFound
from recollect.tiers import pools as tier
from recollect.tiers.access import expired
from recollect.tiers.pools import HOME_OF_TYPE, RUNS, TYPE_OF_RUN, NewPool, pool_of
from recollect.values.document import Document
from recollect.values.pool import RUN_POOLS, Pool, PoolFields, PoolRead, RunPool
from recollect.values.words import POOL_TYPES, SCOPES, AccessLevel, DocumentKind, PoolType, Scope
from recollect.verbs.containers import Containers, named

# The verb `list` hides the built-in inside the class.
Listed = list[Pool]
_MISSING = object()


class Pools(Containers):
    """The pools of an account that one identity reaches."""

    _kind: ClassVar[DocumentKind] = "pool"

    def create(self, name: str, **fields: Unpack[PoolFields]) -> Pool:
        """Make a pool. The scope says where it lies (an agent's, a team's and a task's type says it too), else: the account."""
        _known(fields)
        new = self._new(named("name", name), fields)
        with self._handle.changing() as tx:
            return pool_of(self._made(tx, new))

    def get(self, name: str) -> Pool:
        """A pool with its data, version and grants, by its name or id; counted as a read."""
        return pool_of(self._read(name))

    def read(self, name: str, key: str | None = None, default: Any = _MISSING) -> Any:
        """The data of a pool, or the value of one key of it."""
        data = pool_of(self._read(name)).data
        if key is None:
            return data
        if key in data:
            return data[key]
        if default is _MISSING:
            raise NotFound("key", key, f"pool {name!r} has no such key; give a default to go on without")
        return default

    def write(self, name: str, data: Mapping[str, Any], *, expected_version: int | None = None) -> Pool:
        """Replace the data; `StaleVersion`, with what is there now, when the version is not the expected one."""
        given = self._object("data", data)
        return self._changed(name, expected_version, "write", lambda _: given)

    def write_key(self, name: str, key: str, value: Any, expected_version: int | None = None) -> Pool:
        """Put a value under one key; the other keys stay."""
        where = clean_text("key", key, MAX_NAME)
        given = self._json("value", value, where)
        return self._changed(name, expected_version, f"write {where}", lambda data: {**data, where: given})

    def merge(self, name: str, changes: Mapping[str, Any], *, expected_version: int | None = None) -> Pool:
        """Merge an object into the data at every depth; lists are replaced, and None is a value like others."""
        given = self._object("changes", changes)
        return self._changed(name, expected_version, "merge", lambda data: tier.merged(data, given))

    def remove_key(self, name: str, key: str, expected_version: int | None = None) -> Pool:
        """Take one key out of the data."""
        where = clean_text("key", key, MAX_NAME)
        return self._changed(name, expected_version, f"remove {where}", lambda data: tier.without(data, where))

    def drop(self, name: str) -> None:
        """Take a pool away; its owner may, and `undo` brings it back."""
        with self._handle.changing() as tx:
            tx.put_document(self._held(tx, name, "own"), None, "pool", "drop")

    def list(self, type: PoolType | None = None, scope: Scope | None = None, run: str | None = None) -> Listed:
        """The pools within reach, by name; those of a workflow's run only when the run is named."""
        one_of("type", type, POOL_TYPES)
        one_of("scope", scope, SCOPES)
        of_run, now = clean_name("run", run), self._parts.clock()
        with self._handle.reading() as reader:
            there = [held for held in self._within_reach(reader) if not expired(held, now)]
        pools = [pool_of(held) for held in there if (held.body or {})["run"] == of_run]
        kept = [pool for pool in pools if type in (None, pool.type) and scope in (None, pool.scope)]
        return sorted(kept, key=lambda pool: (pool.name, pool.id))

    def grant(self, name: str, agent: str, level: AccessLevel) -> Pool:
        """Let another agent read, or read and write."""
        return pool_of(self._granted(name, agent, level))

    def revoke(self, name: str, agent: str, level: AccessLevel | None = None) -> Pool:
        """Take a grant back: `write` leaves reading if that was granted too, `read` and None leave nothing."""
        return pool_of(self._revoked(name, agent, level))

    def extend(self, name: str, ttl: float | timedelta) -> Pool:
        """Let a pool live for a while from now on, longer or shorter than it would."""
        now = self._parts.clock()
        end = expiry("ttl", ttl, None, now)
        if end is None:
            raise InvalidInput("ttl", "is missing", "give seconds above zero, or a timedelta")
        with self._handle.changing() as tx:
            held = self._held(tx, name, "write")
            after = held.with_body(now, expires_at=end.isoformat())
            tx.put_document(held, after, "pool", "extend")
        return pool_of(after)

    def statistics(self, name: str) -> dict[str, Any]:
        """Entries, bytes, version, and who read and wrote it, how often and when last."""
        self._handle.settle()
        with self._handle.reading() as reader:
            return tier.statistics(reader, self._held(reader, name))

    def workflow(self, run_id: str, kind: RunPool = "shared_memory") -> Pool:
        """A pool of one run of a workflow, made when first asked for, open to every agent of the account that names the run."""
        run = named("run_id", run_id)
        one_of("kind", kind, RUN_POOLS)
        name = f"{RUNS}{run}:{kind}"
        self._screened("run_id", run)
        with self._handle.reading() as reader:
            known = reader.documents(self._viewer.account, "pool", name)
        if known and not expired(known[0], self._parts.clock()):
            return self.get(name)
        place = ("task", run, "")
        new = NewPool(name, TYPE_OF_RUN[kind], place, {}, self._viewer.identity.agent, run=run)
        with self._handle.changing() as tx:
            now = self._parts.clock()
            there = [held for held in tx.documents(self._viewer.account, "pool", name) if not expired(held, now)]
            return pool_of(there[0] if there else self._made(tx, new))

    def sweep(self) -> int:
        """Take away the pools of the account that expired; returns how many of those within reach, without those of runs."""
        with self._handle.changing() as tx:
            return tier.drop_expired(tx, self._viewer.identity, self._parts.clock())

    def _new(self, name: str, fields: PoolFields) -> NewPool:
        kind = fields.get("type", "shared")
        one_of("type", kind, POOL_TYPES)
        if kind == "workflow" or name.startswith(RUNS):
            raise InvalidInput("type" if kind == "workflow" else "name", "is a run's", "use pools.workflow(run_id)")
        home = HOME_OF_TYPE.get(kind)
        scope = fields.get("scope") or home or "global"
        if home is not None and scope != home:
            raise InvalidInput(
                "scope", f"{scope!r} does not fit a pool of type {kind}", f"use {home!r}, or leave it out"
            )
        place = self._place(scope, fields)
        if place[0] == "project":
            self._handle.awake(place[1])
        self._screened("name", name)
        data, ends = fields.get("data"), (fields.get("ttl"), fields.get("expires_at"))
        return NewPool(
            name,
            kind,
            place,
            {} if data is None else self._object("data", data),
            self._viewer.identity.agent,
            self._grants(fields.get("access"), place),
            expiry("ttl", *ends, self._parts.clock()),
        )

    def _made(self, tx: Any, new: NewPool) -> Document:
        now = self._parts.clock()
        made = tier.create(tx, self._viewer.identity, new, now)
        tier.count_write(tx, made, self._handle.actor, now)
        return made

    def _read(self, name: str) -> Document:
        with self._handle.reading() as reader:
            held = self._held(reader, name)
        if self._parts.store.writable:
            read = PoolRead(held.account, held.id, self._handle.actor, self._parts.clock())
            self._parts.waiting.read(read)
            self._handle.settle_soon()
        return held

    def _changed(self, name: str, expected: int | None, reason: str, change: tier.Change) -> Pool:
        if expected is not None and (isinstance(expected, bool) or not isinstance(expected, int)):
            raise InvalidInput("expected_version", f"{expected!r} is not a version", "give the version you read")
        now = self._parts.clock()
        with self._handle.changing() as tx:
            held = self._held(tx, name, "write")
            after = tier.change(tx, held, expected, (reason, change), now)
            tier.count_write(tx, after, self._handle.actor, now)
        return pool_of(after)

    def _object(self, field: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise InvalidInput(field, f"{type(value).__name__} is not an object", 'give a dict, like {"key": "value"}')
        made = self._json(field, dict(value))
        assert isinstance(made, dict)
        return made


def _known(fields: Mapping[str, Any]) -> None:
    for name in fields:
        if name not in PoolFields.__annotations__:
            raise InvalidInput(name, "is not a field of a pool", f"fields: {', '.join(PoolFields.__annotations__)}")
