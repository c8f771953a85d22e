"""Contexts: containers of memories as documents. An entry is a memory of the team that stands for its context.

So the one rule of who sees a memory holds for entries too: nobody is in such a team but while working on a context they
may read. `verbs/contexts.py` offers them to callers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from recollect.errors import InvalidInput, NotFound
from recollect.ports import Reader, Transaction
from recollect.tiers.access import entries_team, grants_of, plain_grants, require_free
from recollect.values.container import Context, Grants
from recollect.values.document import Document
from recollect.values.filter import Filter
from recollect.values.ids import new_id
from recollect.values.memory import Record
from recollect.values.scope import Identity, Place
from recollect.values.words import Status

DECAY = 0.01
_DAY = 86_400.0
_EVERY_STATUS: tuple[Status, ...] = ("active", "superseded", "archived", "forgotten")


@dataclass(frozen=True, slots=True)
class NewContext:
    """What a context is made of, checked."""

    name: str
    type: str
    place: Place
    owner: str | None
    access: Grants = field(default_factory=Grants)
    description: str | None = None


def create(tx: Transaction, identity: Identity, new: NewContext, now: datetime) -> Document:
    """Make an empty context."""
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


def context_of(held: Document) -> Context:
    """A context as callers see it."""
    body = held.body or {}
    return Context(
        id=held.id,
        name=held.name,
        type=body["type"],
        scope=held.place[0],  # type: ignore[arg-type]
        access=grants_of(held),
        archived=body["archived"],
        created_at=held.created_at,
        updated_at=held.updated_at,
        owner=body["owner"],
        description=body["description"],
    )


def in_use(held: Document) -> None:
    """Refuse to search or write what was put away."""
    if (held.body or {})["archived"]:
        raise InvalidInput("context", f"{held.name!r} is archived", "unarchive it first")


def inside(held: Document) -> Identity:
    """Who reaches the entries of one context, and of rooms nothing else."""
    return Identity(held.account, None, (entries_team(held.id),))


def place_of_entries(held: Document) -> Place:
    """Where the entries of a context lie."""
    return ("team", entries_team(held.id), "")


def entries(reader: Reader, held: Document, now: datetime, *, limit: int, every: bool = False) -> list[Record]:
    """The entries that stand, newest first; with `every`, also what was superseded, archived and forgotten."""
    wanted = Filter(scopes=("team",), statuses=_EVERY_STATUS if every else ("active",))
    return reader.find(inside(held), wanted, now, limit=limit)


def entry(reader: Reader, held: Document, part: str) -> Record:
    """The entry an id, or a unique beginning or end of one, names."""
    place = place_of_entries(held)
    records = reader.get(held.account, reader.resolve(held.account, part))
    mine = [record for record in records if record is not None and record.place == place]
    if not mine:
        raise NotFound("entry", part, "`contexts.entries` shows which there are")
    if len(mine) > 1:
        raise InvalidInput("id", f"{part!r} fits {len(mine)} entries", "give more characters of it")
    return mine[0]


def newest(reader: Reader, record: Record) -> Record:
    """The version that stands in an entry's place by now."""
    while record.superseded_by is not None:
        (heir,) = reader.get(record.account, [record.superseded_by])
        if heir is None or heir.place != record.place:
            break
        record = heir
    return record


def versions(reader: Reader, held: Document, record: Record, now: datetime) -> list[Record]:
    """Every version of an entry, newest first, whatever became of it."""
    every = {one.id: one for one in entries(reader, held, now, limit=-1, every=True)}
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
    """A new version of an entry: its tags, importance, confidence and type, but accesses of its own."""
    who = old.provenance.speaker if editor is None else editor
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
        speaker=who,
    )


def moved(record: Record, by: float, now: datetime) -> Record:
    """An entry that matters more, or less."""
    importance = round(min(1.0, max(0.0, record.importance + by)), 6)
    return record.with_(importance=importance, updated_at=now)


def effective_relevance(record: Record, now: datetime) -> float:
    """What matters, is believed, and was used lately; the profile `relevance` ranks by the same."""
    days = max(0.0, (now - record.accessed_at).total_seconds() / _DAY)
    return record.importance * record.confidence * math.exp(-DECAY * days)


def archived(held: Document, now: datetime, *, away: bool) -> Document:
    """The context put away, or taken out again."""
    if (held.body or {})["archived"] is away:
        state = "archived already" if away else "not archived"
        raise InvalidInput("context", f"{held.name!r} is {state}", "`contexts.list` shows which are")
    return held.with_body(now, archived=away)
