"""Lookup: from what a caller typed (an id, the beginning or end of one, a filter's words) to what is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.capture.fields import clean_id, clean_name, clean_tags, clean_time, number, one_of
from recollect.errors import AmbiguousId, InvalidInput, NotFound
from recollect.ports import Reader
from recollect.showing import shown, told_nothing, within_reach
from recollect.tiers.access import may
from recollect.values.document import Document, document_of
from recollect.values.event import Event
from recollect.values.filter import Filter
from recollect.values.memory import Record
from recollect.values.scope import GLOBAL, Identity, reaches
from recollect.values.words import MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES

_LONGEST_NUMBER = 12
_MANY_EVENTS = 10_000
# What recall and remember note by themselves: in the journal, but nothing anybody did.
UNASKED = ("miss", "answer")


def one_record(reader: Reader, identity: Identity, wanted: Any) -> Record:
    """The memory an id, or a unique beginning or end of one, names. Another's memory is simply not found."""
    part = clean_id("id", wanted)
    found = [
        record for record in reader.get(identity.account, reader.resolve(identity.account, part)) if record is not None
    ]
    mine = [record for record in found if reaches(identity, record.place)]
    if not mine:
        raise NotFound("memory", part)
    if len(mine) > 1:
        raise AmbiguousId(part, len(mine))
    return mine[0]


def own_chain(reader: Reader, identity: Identity, newest: Record) -> list[Record]:
    """A memory and what it supersedes, all within reach; one that goes on out of reach cannot be given more to replace."""
    chain = chain_of(reader, newest)
    if not all(reaches(identity, record.place) for record in chain):
        raise InvalidInput("new", "it replaces something else already", "let a new memory replace both")
    return chain


def chain_of(reader: Reader, newest: Record) -> list[Record]:
    """A memory and what it supersedes, newest first."""
    chain, seen = [newest], {newest.id}
    while (older := chain[-1].supersedes) is not None and older not in seen:
        (record,) = reader.get(newest.account, [older])
        if record is None:
            break
        chain.append(record)
        seen.add(record.id)
    return chain


def seen_events(reader: Reader, identity: Identity, *, limit: int) -> list[Event]:
    """The journal, newest first, without what happened in rooms this identity does not reach."""
    for size in (4 * limit if limit < _MANY_EVENTS else None, None):
        events = reader.events(identity.account, limit=size, newest_first=True)
        kept = [event for event in seen(reader, identity, events) if event.kind not in UNASKED]
        if len(kept) >= limit or size is None or len(events) < size:
            break
    return kept[:limit]


def seen(reader: Reader, identity: Identity, events: Sequence[Event]) -> list[Event]:
    """Those of some events that this identity may see, as far as it may."""
    near = within_reach(reader, identity, (event.memory_id for event in events if event.document is None))
    kinds = {event.document for event in events if event.document is not None}
    held = {document.id: document for kind in kinds for document in reader.documents(identity.account, kind)}
    mine = [
        event
        for event in events
        if (event.memory_id in near if event.document is None else _document_seen(reader, identity, event, held))
    ]
    cut = shown(reader, identity, mine)
    return [now for event, now in zip(mine, cut, strict=True) if not told_nothing(event, now)]


def _document_seen(reader: Reader, identity: Identity, event: Event, held: Mapping[str, Document]) -> bool:
    """Whether an identity may see what happened to a document: as it stands now, else as the event shows it."""
    image = event.after or event.before
    document = held.get(event.memory_id) or (None if image is None else document_of(image, identity.account))
    # What a purge left of one tells no place: nobody is shown it.
    if document is None or not reaches(identity, document.place):
        return False
    if document.kind == "snapshot":
        wanted = (document.body or {}).get("context")
        return any(c.id == wanted and may(identity, c, "read") for c in reader.documents(identity.account, "context"))
    body = document.body or {}
    if document.kind == "working" and document.place == GLOBAL and identity.agent is not None:
        # A run's, or nobody's in particular: an agent is shown what it persisted itself.
        return event.actor == identity.agent
    if document.kind == "pool" and body.get("run") is not None:
        # Open to all who name the run; the journal must not name it to others.
        return bool(body.get("owner") == identity.agent)
    return document.kind not in ("pool", "context") or may(identity, document, "read")


def operation_of(reader: Reader, identity: Identity, wanted: str) -> str:
    """The operation a number of the log, an id or a part of one names, if all of it may be seen."""
    account = identity.account
    if wanted.isdigit() and len(wanted) < _LONGEST_NUMBER:
        found = [event for event in reader.events(account, after=int(wanted) - 1, limit=1) if event.seq == int(wanted)]
    else:
        every = reader.events(account, newest_first=True)
        found = [event for event in every if event.operation.startswith(wanted) or event.operation.endswith(wanted)]
    operations = {event.operation for event in seen(reader, identity, found)}
    if not wanted or len(operations) != 1 or not whole(reader, identity, next(iter(operations))):
        raise NotFound("operation", wanted, "`log` shows what was done")
    return operations.pop()


def whole(reader: Reader, identity: Identity, operation: str) -> bool:
    """Whether all that an operation did is within reach; only then may it be undone."""
    done = [event for event in reader.events(identity.account, operation=operation) if event.kind not in UNASKED]
    return len(seen(reader, identity, done)) == len(done)


def narrowed(
    *,
    type: Any = None,
    tag: Any = None,
    scope: Any = None,
    project: Any = None,
    session: Any = None,
    status: Any = None,
    source: Any = None,
    since: Any = None,
    until: Any = None,
    min_trust: Any = None,
) -> Filter:
    """A filter from plain arguments: one word or several for each vocabulary, aware times, checked."""
    return Filter(
        types=_words("type", type, MEMORY_TYPES),  # type: ignore[arg-type]
        tags=clean_tags(_several(tag)),
        scopes=_words("scope", scope, SCOPES),  # type: ignore[arg-type]
        project=clean_name("project", project),
        session=clean_name("session", session),
        statuses=_statuses(status),  # type: ignore[arg-type]
        sources=_words("source", source, PROVENANCE_KINDS),  # type: ignore[arg-type]
        since=clean_time("since", since),
        until=_later(clean_time("since", since), clean_time("until", until)),
        min_trust=0.0 if min_trust is None else _share("min_trust", min_trust),
    )


def _share(field: str, value: Any) -> float:
    number(field, value, 0.0, 1.0)
    return float(value)


def _several(value: Any) -> Sequence[str]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def _words(field: str, value: Any, known: tuple[str, ...]) -> tuple[str, ...]:
    for word in _several(value):
        one_of(field, word, known)
    return tuple(_several(value))


def _statuses(value: Any) -> tuple[str, ...]:
    if value == "all":
        return STATUSES
    return _words("status", value, STATUSES) or ("active",)


def _later(since: datetime | None, until: datetime | None) -> datetime | None:
    if since is not None and until is not None and until <= since:
        raise InvalidInput("until", "is not after since", "give a later time")
    return until
