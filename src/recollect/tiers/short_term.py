"""Short-term memory: typed entries of a session that expire after at most 30 days, unless the router promotes them.

Entries are documents without journal events: what expires must not live on in the journal. Only the promotion of an entry is
journalled, so that undoing it puts the entry back.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from recollect.errors import NotFound
from recollect.log import logged
from recollect.ports import Reader, Transaction
from recollect.tiers.json_values import screened_json
from recollect.tiers.working import HOUR, SEPARATOR, Lifetime, lifetime
from recollect.unit_of_work import Embed, UnitOfWork, Verbs
from recollect.validation import one_of, require_name
from recollect.values.document import Document
from recollect.values.enums import SHORT_TERM_TYPES, ShortTermType
from recollect.values.ids import new_id
from recollect.values.plain import strings_in
from recollect.values.scope import Identity
from recollect.values.tiers import ShortTermEntry

MONTH = timedelta(days=30)


@logged
class ShortTerm(Verbs):
    """The entries of one agent, or of one agent for a user; without either, those of the account."""

    def write(
        self, key: str, value: Any, *, session: str, type: ShortTermType = "general", ttl: Lifetime = HOUR
    ) -> ShortTermEntry:
        """Store a value under a key of a session for `ttl` seconds, at most 30 days; replacing keeps the access count."""
        where, name = self._uow.require_name("session", session), self._uow.require_name("key", key)
        one_of("type", require_name("type", type), SHORT_TERM_TYPES)
        lives = lifetime(ttl, MONTH)
        text = screened_json(self._runtime.gate.policy, "value", value, name, where)
        new = NewEntry(where, name, json.loads(text), type, lives)

        def store(tx: Transaction, embed: Embed) -> ShortTermEntry:
            made = write(tx, self._viewer.identity, new, self._runtime.clock())
            self._uow.require_no_tombstones(tx, "value", (where, name, *strings_in(new.value)), embed)
            return made

        return self._uow.transact(store)

    def read(self, key: str, session: str) -> ShortTermEntry:
        """An entry, counted as accessed; in a read-only store nothing is counted."""
        where, name = require_name("session", session), require_name("key", key)
        with self._uow.view() as reader:
            return read(self._uow, reader, where, name)

    def peek(self, key: str, session: str) -> ShortTermEntry:
        """An entry, without counting an access."""
        where, name = require_name("session", session), require_name("key", key)
        with self._uow.view() as reader:
            return _counted(self._uow, find(reader, self._viewer.identity, where, name, self._runtime.clock()))

    def exists(self, key: str, session: str) -> bool:
        """Whether a key of a session has an entry now."""
        try:
            self.peek(key, session)
        except NotFound:
            return False
        return True

    def touch(self, key: str, session: str) -> ShortTermEntry:
        """Count an access of an entry."""
        where, name = require_name("session", session), require_name("key", key)
        with self._uow.transaction() as tx:
            return touch(tx, self._viewer.identity, where, name, self._runtime.clock())

    def refresh_ttl(self, key: str, session: str, ttl: Lifetime | None = None) -> ShortTermEntry:
        """Start the TTL of an entry again from now: a new one, or the same as before."""
        where, name = require_name("session", session), require_name("key", key)
        lives: timedelta | None = None if ttl is None else lifetime(ttl, MONTH)
        with self._uow.transaction() as tx:
            return refresh(tx, self._viewer.identity, where, name, lives, self._runtime.clock())

    def remove(self, key: str, session: str) -> bool:
        """Delete an entry for good; returns whether it existed."""
        where, name = require_name("session", session), require_name("key", key)
        with self._uow.transaction() as tx:
            return remove(tx, self._viewer.identity, where, name, self._runtime.clock())

    def entries(self, session: str | None = None, type: ShortTermType | None = None) -> list[ShortTermEntry]:
        """The entries of a session or of all, of a type or of all, newest first."""
        one_of("type", type, SHORT_TERM_TYPES)
        where = None if session is None else require_name("session", session)
        with self._uow.view() as reader:
            found = entries(self._uow, reader, where)
        return [entry for entry in found if type is None or entry.type == type]

    def sessions(self) -> list[str]:
        """The names of the sessions that have entries, sorted."""
        return sorted({entry.session for entry in self.entries()})

    def cleanup_expired(self) -> int:
        """Delete every expired entry of the account for good; returns how many of them were this agent's."""
        with self._uow.transaction() as tx:
            return cleanup(tx, self._viewer.identity, self._runtime.clock())


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A checked value to store: under which key of which session, and for how long."""

    session: str
    key: str
    value: Any
    type: ShortTermType
    ttl: timedelta


def write(tx: Transaction, identity: Identity, new: NewEntry, now: datetime) -> ShortTermEntry:
    """Store an entry; one with the same key is replaced and its access count kept."""
    old = _find(tx, identity, new.session, new.key)
    if old is not None and _expired(old, now):
        tx.put_document(old, None, None)
        old = None
    name = _name(new.session, new.key)
    made = old or Document(new_id(now), identity.account, "short_term", name, now, now, identity.private_place())
    seconds, end = new.ttl.total_seconds(), (now + new.ttl).isoformat()
    after = made.with_body(now, value=new.value, type=new.type, ttl=seconds, expires_at=end)
    tx.put_document(old, after, None)
    return _entry(after)


def read(uow: UnitOfWork, reader: Reader, session: str, key: str) -> ShortTermEntry:
    """An entry that has not expired; its access is counted in the background."""
    identity, now = uow.viewer.identity, uow.runtime.clock()
    entry = find(reader, identity, session, key, now)
    if uow.runtime.store.writable:
        count = partial(_count_access, identity, session, key, now)
        reads = uow.runtime.deferred.defer(identity.account, now, _counter(identity, session, key), count)
        return replace(entry, access_count=entry.access_count + reads, accessed_at=now)
    return entry


def find(reader: Reader, identity: Identity, session: str, key: str, now: datetime) -> ShortTermEntry:
    """An entry that has not expired."""
    return _entry(_require(reader, identity, session, key, now))


def touch(tx: Transaction, identity: Identity, session: str, key: str, now: datetime) -> ShortTermEntry:
    """Count an access of an entry; its value and expiry do not change."""
    return _count(tx, _require(tx, identity, session, key, now), now)


def _count(tx: Transaction, document: Document, now: datetime) -> ShortTermEntry:
    counted = {"access_count": _body(document).get("access_count", 0) + 1, "accessed_at": now.isoformat()}
    return _update(tx, document, document.updated_at, counted)


def refresh(
    tx: Transaction, identity: Identity, session: str, key: str, ttl: timedelta | None, now: datetime
) -> ShortTermEntry:
    """Start the TTL of an entry again from now: a new one, or the same as before."""
    document = _require(tx, identity, session, key, now)
    lives = timedelta(seconds=_body(document)["ttl"]) if ttl is None else ttl
    longer = {"ttl": lives.total_seconds(), "expires_at": (now + lives).isoformat()}
    return _update(tx, document, document.updated_at, longer)


def remove(tx: Transaction, identity: Identity, session: str, key: str, now: datetime) -> bool:
    """Delete an entry; returns whether it existed and had not expired."""
    document = _find(tx, identity, session, key)
    if document is None:
        return False
    tx.put_document(document, None, None)
    return not _expired(document, now)


def entries(uow: UnitOfWork, reader: Reader, session: str | None) -> list[ShortTermEntry]:
    """The entries of a session or of all that have not expired, newest first."""
    now = uow.runtime.clock()
    return [entry for entry in all_entries(uow, reader, session) if entry.expires_at > now]


def all_entries(uow: UnitOfWork, reader: Reader, session: str | None) -> list[ShortTermEntry]:
    """The same with those that have expired and are not deleted yet."""
    identity = uow.viewer.identity
    prefix = None if session is None else _name(session, "")
    found = reader.documents(identity.account, "short_term", prefix=prefix)
    own = [document for document in found if document.place == identity.private_place()]
    newest_first = sorted(own, key=lambda document: (document.updated_at, document.id), reverse=True)
    return [_counted(uow, _entry(document)) for document in newest_first]


def remove_promoted(tx: Transaction, identity: Identity, entry: ShortTermEntry) -> bool:
    """Delete an entry that became a memory, if it still is the version that was read; returns whether it was."""
    document = _find(tx, identity, entry.session, entry.key)
    if document is None or _version(_entry(document)) != _version(entry):
        return False
    tx.put_document(document, None, "persist", "promoted")
    return True


def _version(entry: ShortTermEntry) -> tuple[Any, ...]:
    """What tells an entry from one that was written over it; being read changes none of it."""
    return entry.created_at, entry.updated_at, entry.value, entry.type


def cleanup(tx: Transaction, identity: Identity, now: datetime) -> int:
    """Delete every expired entry of an account, whoever wrote it; returns how many were this identity's."""
    over = [document for document in tx.documents(identity.account, "short_term") if _expired(document, now)]
    for document in over:
        tx.put_document(document, None, None)
    return sum(document.place == identity.private_place() for document in over)


def _update(tx: Transaction, document: Document, at: datetime, changes: dict[str, Any]) -> ShortTermEntry:
    new = document.with_body(at, **changes)
    tx.put_document(document, new, None)
    return _entry(new)


def _require(reader: Reader, identity: Identity, session: str, key: str, now: datetime) -> Document:
    document = _find(reader, identity, session, key)
    if document is None or _expired(document, now):
        raise NotFound("short-term entry", f"{key!r} of session {session!r}", "`entries` shows what there is")
    return document


def _find(reader: Reader, identity: Identity, session: str, key: str) -> Document | None:
    found = reader.documents(identity.account, "short_term", _name(session, key))
    return next((document for document in found if document.place == identity.private_place()), None)


def _expired(document: Document, now: datetime) -> bool:
    return datetime.fromisoformat(_body(document)["expires_at"]) <= now


def _entry(document: Document) -> ShortTermEntry:
    session, _, key = document.name.partition(SEPARATOR)
    body = _body(document)
    accessed_at = body.get("accessed_at")
    return ShortTermEntry(
        session=session,
        key=key,
        value=body["value"],
        type=body["type"],
        ttl=body["ttl"],
        created_at=document.created_at,
        updated_at=document.updated_at,
        expires_at=datetime.fromisoformat(body["expires_at"]),
        access_count=body.get("access_count", 0),
        accessed_at=None if accessed_at is None else datetime.fromisoformat(accessed_at),
    )


def _counted(uow: UnitOfWork, entry: ShortTermEntry) -> ShortTermEntry:
    """An entry with the reads of this process that are not written yet."""
    identity = uow.viewer.identity
    reads = uow.runtime.deferred.pending(identity.account, _counter(identity, entry.session, entry.key))
    if not reads:
        return entry
    return replace(entry, access_count=entry.access_count + reads, accessed_at=uow.runtime.clock())


def _counter(identity: Identity, session: str, key: str) -> object:
    return ("short_term", identity.private_place(), session, key)


def _count_access(identity: Identity, session: str, key: str, now: datetime, tx: Transaction) -> None:
    """Count a read that happened a moment ago, also if the entry has expired since; there may be none by now."""
    document = _find(tx, identity, session, key)
    if document is not None:
        _count(tx, document, now)


def _name(session: str, key: str) -> str:
    return f"{session}{SEPARATOR}{key}"


def _body(document: Document) -> dict[str, Any]:
    return dict(document.body or {})
