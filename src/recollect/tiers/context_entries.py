"""Entries of contexts: memories in the scope of a reserved team, one team per context.

So the rule of who sees a memory covers entries too: a viewer is in such a team only inside a verb of a context it may read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from recollect.access import entries_team, grants_of, plain_grants, require_free
from recollect.errors import InvalidInput, NotFound
from recollect.ports import Reader, Transaction
from recollect.values.document import Document
from recollect.values.enums import Status
from recollect.values.ids import new_id
from recollect.values.memory import Record
from recollect.values.scope import Identity, Place
from recollect.values.search import Filter
from recollect.values.tiers import Context, Grants

DECAY = 0.01
_DAY = 86_400.0
_EVERY_STATUS: tuple[Status, ...] = ("active", "superseded", "archived", "forgotten")


@dataclass(frozen=True, slots=True)
class NewContext:
    """The checked fields of a context to create."""

    name: str
    type: str
    place: Place
    owner: str | None
    access: Grants = field(default_factory=Grants)
    description: str | None = None


def create(tx: Transaction, identity: Identity, new: NewContext, now: datetime) -> Document:
    """Create an empty context."""
    require_free(tx, identity, "context", new.name, new.place, now)
    body = {
        "type": new.type,
        "description": new.description,
        "owner": new.owner,
        "access": plain_grants(new.access),
        "archived": False,
    }
    made = Document(new_id(now), identity.account, "context", new.name, now, now, new.place, body)
    tx.put_document(None, made, "context", "create")
    return made


def context_of(context: Document) -> Context:
    """A context as callers get it."""
    body = context.body or {}
    return Context(
        id=context.id,
        name=context.name,
        type=body["type"],
        scope=context.place[0],  # type: ignore[arg-type]
        access=grants_of(context),
        archived=body["archived"],
        created_at=context.created_at,
        updated_at=context.updated_at,
        owner=body["owner"],
        description=body["description"],
    )


def require_active(context: Document) -> None:
    """Refuse to search or write an archived context."""
    if (context.body or {})["archived"]:
        raise InvalidInput("context", f"{context.name!r} is archived", "unarchive it first")


def entries_identity(context: Document) -> Identity:
    """The identity that sees the entries of one context, and nothing of other agents, teams or users."""
    return Identity(context.account, None, (entries_team(context.id),))


def place_of_entries(context: Document) -> Place:
    """The place of the entries of a context."""
    return ("team", entries_team(context.id), "")


def entries(reader: Reader, context: Document, now: datetime, *, limit: int, every: bool = False) -> list[Record]:
    """The active entries, newest first; with `every`, superseded, archived and forgotten ones too."""
    wanted = Filter(scopes=("team",), statuses=_EVERY_STATUS if every else ("active",))
    return reader.find(entries_identity(context), wanted, now, limit=limit)


def entry(reader: Reader, context: Document, part: str) -> Record:
    """The entry an id, or a unique beginning or end of one, names."""
    place = place_of_entries(context)
    records = reader.find_by_id(context.account, part)
    mine = [record for record in records if record is not None and record.place == place]
    if not mine:
        raise NotFound("entry", part, "`contexts.entries` shows which there are")
    if len(mine) > 1:
        raise InvalidInput("id", f"{part!r} fits {len(mine)} entries", "give more characters of it")
    return mine[0]


def newest(reader: Reader, record: Record) -> Record:
    """The newest version of an entry."""
    while record.superseded_by is not None:
        (successor,) = reader.get(record.account, [record.superseded_by])
        if successor is None or successor.place != record.place:
            break
        record = successor
    return record


def versions(reader: Reader, context: Document, record: Record, now: datetime) -> list[Record]:
    """Every version of an entry, newest first, whatever its status."""
    every = {one.id: one for one in entries(reader, context, now, limit=-1, every=True)}
    root = root_of(every, record)
    family = [one for one in every.values() if root_of(every, one) == root]
    return sorted(family, key=lambda one: (one.created_at, one.id), reverse=True)


def root_of(known: Mapping[str, Record], record: Record) -> str:
    """The id of the first version of an entry."""
    seen = {record.id}
    while (older := known.get(record.supersedes or "")) is not None and older.id not in seen:
        record = older
        seen.add(record.id)
    return record.id


def version_of(old: Record, edited: Record, editor: str | None, now: datetime) -> Record:
    """A new version of an entry: same tags, importance, confidence and type, new access counters."""
    speaker = old.provenance.speaker if editor is None else editor
    return edited.with_(
        id=new_id(now),
        created_at=now,
        updated_at=now,
        accessed_at=now,
        hit_at=None,
        access_count=0,
        status="active",
        supersedes=old.id,
        superseded_by=None,
        key=None,
        breadcrumbs=(),
        links=tuple(link for link in old.links if link.relation != "contradicts"),
        speaker=speaker,
    )


def with_importance(record: Record, by: float, now: datetime) -> Record:
    """An entry with a higher or lower importance."""
    importance = round(min(1.0, max(0.0, record.importance + by)), 6)
    return record.with_(importance=importance, updated_at=now)


def effective_relevance(record: Record, now: datetime) -> float:
    """Importance, confidence and recency in one number; the profile `relevance` ranks by the same formula."""
    days = max(0.0, (now - record.accessed_at).total_seconds() / _DAY)
    return record.importance * record.confidence * math.exp(-DECAY * days)


def with_archived(context: Document, now: datetime, *, archived: bool) -> Document:
    """The context archived, or in use again."""
    if (context.body or {})["archived"] is archived:
        state = "archived already" if archived else "not archived"
        raise InvalidInput("context", f"{context.name!r} is {state}", "`contexts.list` shows which are")
    return context.with_body(now, archived=archived)
