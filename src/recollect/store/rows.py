"""Rows: memories and events as columns, and back, as both databases store them; `graph` does it for what belongs to memories.

Times are whole microseconds since 1970. Two things differ from database to database, and are given as functions: how an id
stands in a column (`id_of` writes it, `id_text` reads it) and how tags are read. Where none is given, ids are text, tags a list.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from recollect.values.enums import DocumentKind, EventKind
from recollect.values.event import Event, Image, Operation, fields_from_image, to_image
from recollect.values.memory import Provenance, Record, Replacement, maker, successors
from recollect.values.purge import ERASED
from recollect.values.scope import USER_PREFIX, Place

IdOf = Callable[[str], Any]
IdText = Callable[[Any], str]
TagsOf = Callable[[Any], tuple[str, ...]]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_PLAIN = (
    "id", "content", "type", "scope", "agent", "team", "project", "session", "task", "user", "importance", "weight", "confidence",
    "trust", "score", "strength", "access_count", "delivery", "supersedes", "position", "speaker", "season", "key",
)  # fmt: skip
_TIMES = (
    "created_at", "updated_at", "accessed_at", "hit_at", "valid_from", "valid_until", "expires_at", "occurred_at",
)  # fmt: skip
# What few memories have rides in the column `more`: fields of the memory, and of its provenance.
RARE = ("links", "triggers", "labels", "breadcrumbs", "metadata")
_RARE_INSIDE = ("file_paths", "message_range", "snippet", "reason")
_WIDTH = 36  # the columns of the query `memory`
_NOTHING: dict[str, Any] = {}
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # made once: most of a short line's time
_record, _provenance = maker(Record), maker(Provenance)


def micros(time: datetime) -> int:
    """A time as whole microseconds since 1970."""
    return (time - _EPOCH) // _MICROSECOND


@lru_cache(maxsize=1024)  # most memories were stored, changed and last used at one moment
def time_of(micros: int) -> datetime:
    """The time of some microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=micros)


@lru_cache(maxsize=4096)
def place_text(place: Place) -> str:
    """A place as it is stored: a JSON list, so that no name can pass for another."""
    return json.dumps(place, ensure_ascii=False, separators=(",", ":"))


def user_names(user: str) -> dict[str, str]:
    """How rows name a user: as itself, as an actor, at the beginning of its places as text; and what stands there instead."""
    place = place_text(("user", user, "")).removesuffix('""]')
    return {"user": user, "name": f"{USER_PREFIX}{user}", "place": place, "erased": ERASED}


def place_of_text(text: str) -> Place:
    """The place that is stored so."""
    scope, key, project = json.loads(text)
    return scope, key, project


def row_of(memory: Record) -> dict[str, Any]:
    """The values of one memory by column, its ids as text; without its tags and what rides in `more`."""
    row: dict[str, Any] = {name: getattr(memory, name) for name in _PLAIN}
    row |= {name: None if (time := getattr(memory, name)) is None else micros(time) for name in _TIMES}
    row["source"] = memory.provenance.kind
    # Superseded is worked out at read time, so that an expired superseder gives its target back.
    row["status"] = "active" if memory.status == "superseded" else memory.status
    return row


def more_of(memory: Record, rare: Sequence[str] = RARE) -> str | None:
    """What few memories have, as JSON; None for all the others."""
    inside = memory.provenance
    if not any(getattr(memory, name) for name in rare) and not any(getattr(inside, name) for name in _RARE_INSIDE):
        return None
    image = to_image(memory)
    return json.dumps({name: image[name] for name in (*rare, *_RARE_INSIDE) if image[name]}, ensure_ascii=False)


def memory_of(row: Sequence[Any], account: str, id_text: IdText = str, tags_of: TagsOf = tuple) -> Record:
    """The memory of a row that begins with the columns of the query `memory`, in its order; made in that of its fields."""
    # Taken apart in one step: looking columns up by name costs more than everything else here.
    (
        _, own_id, content, kind, scope, agent, team, project, session, task, user,
        importance, weight, confidence, trust, score, strength, access_count,
        created_at, updated_at, accessed_at, hit_at, valid_from, valid_until, expires_at,
        delivery, status, supersedes, source, position, speaker, occurred_at, season, tags, more, key,
    ) = row[:_WIDTH]  # fmt: skip
    rare = fields_from_image(json.loads(more)) if more else _NOTHING
    have = rare.get
    provenance = _provenance(
        source, session, position, have("message_range"), speaker, _time_or_none(occurred_at),
        have("file_paths", ()), have("snippet"), have("reason"),
    )  # fmt: skip
    return _record(
        id_text(own_id), content, account, time_of(created_at), time_of(updated_at), time_of(accessed_at),
        kind, scope, agent, team, project, task, user, tags_of(tags),
        importance, weight, confidence, trust, score, strength, access_count,
        _time_or_none(hit_at), _time_or_none(valid_from), _time_or_none(valid_until), _time_or_none(expires_at),
        delivery, status, None if supersedes is None else id_text(supersedes), None,
        have("links", ()), have("triggers", ()), have("season", season), have("labels", ()), have("breadcrumbs", ()),
        key, have("metadata") or {}, provenance,
    )  # fmt: skip


def event_row(
    operation: Operation,
    kind: EventKind,
    memory_id: str,
    before: Image | None,
    after: Image | None,
    reason: str | None,
    document: DocumentKind | None,
    id_of: IdOf = str,
) -> dict[str, Any]:
    """The values of one line of the journal by column, all but its number and the row it is about."""
    return {
        "operation": id_of(operation.id),
        "at": micros(operation.at),
        "actor": operation.actor,
        "kind": kind,
        "memory": id_of(memory_id),
        "before": dumped(before),
        "after": dumped(after),
        "reason": reason,
        "undoes": None if operation.undoes is None else id_of(operation.undoes),
        "document": document,
        "origin": operation.origin,
    }


def replayed_row(event: Event, id_of: IdOf = str) -> dict[str, Any]:
    """The same for an event that happened elsewhere."""
    made = Operation(event.operation, event.actor, event.at, event.undoes, event.origin)
    said = (event.kind, event.memory_id, event.before, event.after, event.reason, event.document)
    return event_row(made, *said, id_of)


def event_of(row: Sequence[Any], id_text: IdText = str) -> Event:
    """The event of a row of the journal, its columns in the order of the values of an event."""
    seq, operation, at, actor, kind, memory, before, after, reason, undoes, document, origin = row
    return Event(
        seq=seq,
        operation=id_text(operation),
        at=time_of(at),
        actor=actor,
        kind=kind,
        memory_id=id_text(memory),
        before=None if before is None else json.loads(before),
        after=None if after is None else json.loads(after),
        reason=reason,
        undoes=None if undoes is None else id_text(undoes),
        document=document,
        origin=origin,
    )


def _time_or_none(value: int | None) -> datetime | None:
    return None if value is None else time_of(value)


def dumped(image: Mapping[str, Any] | None) -> str | None:
    """An image as compact JSON."""
    return None if image is None else _compact(image)


# Who supersedes some memories, by their ids.
Replacing = Callable[[Sequence[str]], Iterable[Replacement]]


def settled(memories: Sequence[Record], replacing: Replacing) -> list[Record]:
    """Memories with their standing; chains are followed to their end."""
    links: dict[str, Replacement] = {}
    above = [memory.id for memory in memories]
    while above:
        fresh = [link for link in replacing(above) if link.new not in links]
        links |= {link.new: link for link in fresh}
        above = [link.new for link in fresh]
    replaced = successors(links.values()) if links else {}
    return [with_standing(memory, replaced) for memory in memories]


def with_standing(memory: Record, replaced: Mapping[str, str]) -> Record:
    """A memory as superseded, when it is among the replaced."""
    if memory.status != "active" or memory.id not in replaced:
        return memory
    return memory.with_(status="superseded", superseded_by=replaced[memory.id])


def counts(ask: Callable[[str], Sequence[Any]]) -> dict[str, Any]:
    """Everything; `ask` answers the queries that count, in each of which stands what is reached."""
    # What each row stands as, its stored status, type, scope, project, and how many there are of it.
    kinds = ask("count_kinds")
    active = [row for row in kinds if row[1] == "active"]
    projects = _summed((row for row in active if row[4] is not None), 4)
    return {
        "statuses": _summed(kinds, 0),
        "types": _summed(active, 2),
        "scopes": _summed(active, 3),
        "projects": dict(sorted(projects.items(), key=lambda pair: (-pair[1], pair[0]))),
        "tags": dict(ask("count_most_tags")),
        "models": dict(ask("count_models")),
        "events": ask("count_events")[0][0],
        "unembedded": ask("count_unembedded")[0][0],
    }


def _summed(rows: Iterable[Sequence[Any]], column: int) -> dict[str, int]:
    totals: Counter[str] = Counter()
    for row in rows:
        totals[row[column]] += row[5]
    return dict(totals)
