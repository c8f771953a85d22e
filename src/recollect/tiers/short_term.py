"""Short-term memory: entries of a session as documents. Never journalled: what expires must not live on in the journal.

Before it: `verbs/short_term.py`, which checks names and screens values. After it: the store, whose freed bytes are overwritten.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from recollect.errors import NotFound
from recollect.ports import Reader, Transaction
from recollect.tiers.working import JOIN
from recollect.values.document import Document
from recollect.values.entry import Entry
from recollect.values.ids import new_id
from recollect.values.scope import GLOBAL, Identity, Place
from recollect.values.words import ShortTermType

MONTH = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Written:
    """What is to be kept, under which key of which session, and for how long."""

    session: str
    key: str
    value: Any
    type: ShortTermType
    ttl: timedelta


def write(tx: Transaction, identity: Identity, given: Written, now: datetime) -> Entry:
    """Keep an entry; one that is there under the same key is replaced, and stays as well used as it was."""
    held = _held(tx, identity, given.session, given.key)
    if held is not None and _over(held, now):
        tx.put_document(held, None, None)
        held = None
    place = _place(identity)
    new = held or Document(
        new_id(now), identity.account, "short_term", _name(given.session, given.key), now, now, place
    )
    seconds = given.ttl.total_seconds()
    made = new.with_body(now, value=given.value, type=given.type, ttl=seconds, expires_at=(now + given.ttl).isoformat())
    tx.put_document(held, made, None)
    return _entry(made)


def find(reader: Reader, identity: Identity, session: str, key: str, now: datetime) -> Entry:
    """An entry that has not expired."""
    return _entry(_living(reader, identity, session, key, now))


def touch(tx: Transaction, identity: Identity, session: str, key: str, now: datetime) -> Entry:
    """Count an access of an entry; its value and its end stay."""
    held = _living(tx, identity, session, key, now)
    counted = {"access_count": _body(held).get("access_count", 0) + 1, "accessed_at": now.isoformat()}
    return _changed(tx, held, held.updated_at, counted)


def refresh(tx: Transaction, identity: Identity, session: str, key: str, ttl: timedelta | None, now: datetime) -> Entry:
    """Let an entry live on, from now, for a new time or for its own."""
    held = _living(tx, identity, session, key, now)
    lives = timedelta(seconds=_body(held)["ttl"]) if ttl is None else ttl
    longer = {"ttl": lives.total_seconds(), "expires_at": (now + lives).isoformat()}
    return _changed(tx, held, held.updated_at, longer)


def remove(tx: Transaction, identity: Identity, session: str, key: str, now: datetime) -> bool:
    """Delete an entry; whether it was there and had not expired."""
    held = _held(tx, identity, session, key)
    if held is None:
        return False
    tx.put_document(held, None, None)
    return not _over(held, now)


def entries(reader: Reader, identity: Identity, session: str | None, now: datetime) -> list[Entry]:
    """What an agent holds and has not expired, of a session or of all, the newest first."""
    prefix, place = None if session is None else _name(session, ""), _place(identity)
    found = reader.documents(identity.account, "short_term", prefix=prefix)
    living = [held for held in found if held.place == place and not _over(held, now)]
    return [_entry(held) for held in sorted(living, key=lambda held: (held.updated_at, held.id), reverse=True)]


def cleanup(tx: Transaction, identity: Identity, now: datetime) -> int:
    """Delete every entry of an account that expired, whoever wrote it; returns how many were this identity's."""
    over = [held for held in tx.documents(identity.account, "short_term") if _over(held, now)]
    for held in over:
        tx.put_document(held, None, None)
    return sum(held.place == _place(identity) for held in over)


def _changed(tx: Transaction, held: Document, at: datetime, changes: dict[str, Any]) -> Entry:
    new = held.with_body(at, **changes)
    tx.put_document(held, new, None)
    return _entry(new)


def _living(reader: Reader, identity: Identity, session: str, key: str, now: datetime) -> Document:
    held = _held(reader, identity, session, key)
    if held is None or _over(held, now):
        raise NotFound("short-term entry", f"{key!r} of session {session!r}", "`entries` shows what there is")
    return held


def _held(reader: Reader, identity: Identity, session: str, key: str) -> Document | None:
    found = reader.documents(identity.account, "short_term", _name(session, key))
    return next((held for held in found if held.place == _place(identity)), None)


def _over(document: Document, now: datetime) -> bool:
    return datetime.fromisoformat(_body(document)["expires_at"]) <= now


def _entry(document: Document) -> Entry:
    session, _, key = document.name.partition(JOIN)
    body = _body(document)
    accessed_at = body.get("accessed_at")
    return Entry(
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


def _name(session: str, key: str) -> str:
    return f"{session}{JOIN}{key}"


def _place(identity: Identity) -> Place:
    return ("agent", identity.agent, "") if identity.agent else GLOBAL


def _body(document: Document) -> dict[str, Any]:
    return dict(document.body or {})
