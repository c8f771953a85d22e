"""Redaction: return values never contain ids of memories that the viewer cannot see. The last step of a verb.

A memory has the ids of others: its links, what it supersedes, what superseded it. The store keeps all of them, and an edit starts
from the stored memory; only the returned copy is redacted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from recollect.access import may, with_contexts
from recollect.ports import Reader
from recollect.values.document import Document, document_of
from recollect.values.event import Event
from recollect.values.gap import asked_here
from recollect.values.memory import Record
from recollect.values.outcome import Stored
from recollect.values.recalled import Explanation, Recalled, Trace
from recollect.values.scope import GLOBAL, RESERVED, Identity, Place, Viewer, reaches, shares
from recollect.values.tiers import ChangedEntry

Value = TypeVar("Value")
_SINGLE = ("supersedes", "superseded_by")
# They contain no memory, and every answer has one.
_PLAIN = (str, int, float, Trace, Explanation)


def redact(reader: Reader, viewer: Viewer, value: Value) -> Value:
    """A memory, an event, or anything that contains some (a list, hits, an outcome), without ids the viewer is not shown.

    Ids of a session or a task are shown to those who name it, and beside memories of the same one.
    """
    named = {target for holder in _holders(value) for target in _named_ids(holder)}
    records = [holder for holder in _holders(value) if isinstance(holder, Record)]
    # What is returned itself is visible.
    named -= {record.id for record in records}
    if not named:
        return value
    rooms = {record.place for record in records}
    reached = _reachable_places(reader, viewer.identity, named)
    shown = {known for known, place in reached.items() if place in rooms or _is_shown(viewer, place)}
    hidden = named - shown
    return _without(value, hidden) if hidden else value


def needs_redaction(value: Any) -> bool:
    """Whether a value contains the id of another memory: most do not."""
    return any(True for holder in _holders(value) for _ in _named_ids(holder))


def reachable_ids(reader: Reader, identity: Identity, ids: Iterable[str]) -> frozenset[str]:
    """Those of some ids that name a memory visible to this identity, even if it was removed since."""
    return frozenset(_reachable_places(reader, identity, ids))


def _reachable_places(reader: Reader, identity: Identity, ids: Iterable[str]) -> dict[str, Place]:
    """The same with the place of each memory."""
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return {}
    places = reader.places_of(identity.account, wanted)
    # Entries of contexts that the identity may read count as visible, though only the verbs of a context return them.
    in_context = any(scope == "team" and key.startswith(RESERVED) for scope, key, _ in places.values())
    wide = with_contexts(reader, identity) if in_context else identity
    return {known: place for known, place in places.items() if reaches(wide, place)}


def shown_events(reader: Reader, viewer: Viewer, events: Sequence[Event]) -> list[Event]:
    """Those of some events that a viewer is shown unasked: those of other sessions and tasks are left out."""
    found, places = _visible_with_places(reader, viewer.identity, events)
    visible = [event for event in found if _is_asked_here(viewer, event)]
    hidden = frozenset(each for each, place in places.items() if not _is_shown(viewer, place))
    if not hidden:
        return visible
    kept = [(event, _without(event, hidden)) for event in visible if event.memory_id not in hidden]
    # An event that changed only hidden ids is left out.
    return [cut for event, cut in kept if cut == event or cut.before != cut.after]


def _is_asked_here(viewer: Viewer, event: Event) -> bool:
    images = (event.before, event.after) if event.document == "gap" else ()
    return all(asked_here(viewer, image.get("body") or {}) for image in images if image is not None)


def beside(viewer: Viewer, place: Place) -> Viewer:
    """The viewer, in the session or task of a place."""
    scope, key, _ = place
    if scope == "session":
        return replace(viewer, session=key)
    return replace(viewer, task=key) if scope == "task" else viewer


def _is_shown(viewer: Viewer, place: Place | None) -> bool:
    return place is None or place[0] not in ("session", "task") or shares(viewer, place)


def visible_events(reader: Reader, identity: Identity, events: Sequence[Event]) -> list[Event]:
    """Those of some events that this identity may see, each without hidden ids."""
    return _visible_with_places(reader, identity, events)[0]


def _visible_with_places(
    reader: Reader, identity: Identity, events: Sequence[Event]
) -> tuple[list[Event], dict[str, Place]]:
    """The same, with the places of the memories they are about or name."""
    about = {event.memory_id for event in events if event.document is None}
    named = {target for event in events for target in _named_ids(event)}
    reached = _reachable_places(reader, identity, about | named)
    hidden = named - reached.keys()
    documents = _documents_of(reader, identity, events)
    found = []
    for event in events:
        known = event.memory_id in reached if event.document is None else _may_see(identity, event, documents)
        cut = _without(event, hidden) if known and hidden else event
        # An event that changed only hidden ids is left out.
        if known and not (cut != event and cut.before == cut.after):
            found.append(cut)
    return found, reached


def _documents_of(reader: Reader, identity: Identity, events: Sequence[Event]) -> dict[str, Document]:
    """The current documents that some events are about, and the contexts of snapshots among them."""
    about = {event.memory_id for event in events if event.document is not None}
    about |= {context for event in events if (context := _context_of(event)) is not None}
    found = {document.id: document for document in reader.get_documents(identity.account, list(about))} if about else {}
    for gone in about - found.keys():
        # Of one that was deleted, the last state counts: a grant that was revoked before stays so.
        last = reader.events(identity.account, memory_id=gone, limit=1, newest_first=True)
        image = last[0].after or last[0].before if last else None
        if image is not None:
            found[gone] = document_of(image, identity.account)
    return found


def _context_of(event: Event) -> str | None:
    if event.document != "snapshot":
        return None
    context = ((event.after or event.before or {}).get("body") or {}).get("context")
    return context if isinstance(context, str) else None


def _may_see(identity: Identity, event: Event, documents: Mapping[str, Document]) -> bool:
    """Whether an identity may see an event of a document: by its current state, else by the image in the event."""
    image = event.after or event.before
    document = documents.get(event.memory_id) or (None if image is None else document_of(image, identity.account))
    # The place of a purged document is unknown, so its events are hidden from everyone.
    if document is None or not reaches(identity, document.place):
        return False
    body = document.body or {}
    if document.kind == "snapshot":
        context = documents.get(body.get("context", ""))
        return context is not None and context.kind == "context" and may(identity, context, "read")
    if document.kind in ("working", "short_term") and document.place != GLOBAL:
        return document.place == identity.private_place()
    if document.kind == "working" and identity.name is not None:
        # Of a workflow run, or without an agent: an agent sees what it persisted itself.
        return event.actor == identity.name
    if document.kind == "pool" and body.get("run") is not None:
        # Open to everyone who knows the name of the run; the journal must not reveal it to others.
        return bool(body.get("owner") == identity.name)
    return document.kind not in ("pool", "context") or may(identity, document, "read")


def _holders(value: Any) -> Iterator[Record | Event | ChangedEntry]:
    """Everything in a value that may contain ids of memories."""
    if isinstance(value, Recalled):
        # By far the most frequent types: skip the walk over all fields.
        yield from (hit.memory for hit in value.hits)
    elif isinstance(value, Stored) and not value.related:
        yield value.memory
    elif isinstance(value, (Record, ChangedEntry)) or (isinstance(value, Event) and value.document is None):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _holders(item)
    elif is_dataclass(value) and not isinstance(value, (*_PLAIN, Event)):
        inside = [getattr(value, field.name) for field in fields(value)]
        yield from (holder for part in inside if not isinstance(part, _PLAIN) for holder in _holders(part))


def _named_ids(holder: Record | Event | ChangedEntry) -> Iterator[str]:
    if isinstance(holder, Record):
        yield from (link.target for link in holder.links)
        yield from (one for one in (holder.supersedes, holder.superseded_by) if one is not None)
        return
    if isinstance(holder, Event) and holder.document is not None:
        return
    for image in (holder.before or {}, holder.after or {}):
        yield from (link["target"] for link in image.get("links") or ())
        yield from image.get("contradicts") or ()
        yield from (one for name in _SINGLE if (one := image.get(name)) is not None)


def _without(value: Any, hidden: set[str] | frozenset[str]) -> Any:
    if isinstance(value, Record):
        return _redact_record(value, hidden)
    if isinstance(value, (Event, ChangedEntry)):
        cut: Any = {side: _redact_image(getattr(value, side), hidden) for side in ("before", "after")}
        return replace(value, **cut)
    if isinstance(value, (list, tuple)):
        return type(value)([_without(item, hidden) for item in value])
    if not is_dataclass(value) or isinstance(value, (type, *_PLAIN)):
        return value
    old = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
    new = {name: _without(inside, hidden) for name, inside in old.items()}
    return replace(value, **new)


def _redact_record(record: Record, hidden: set[str] | frozenset[str]) -> Record:
    single = {name: None for name in _SINGLE if getattr(record, name) in hidden}
    return record.with_(links=tuple(link for link in record.links if link.target not in hidden), **single)


def _redact_image(image: Mapping[str, Any] | None, hidden: set[str] | frozenset[str]) -> dict[str, Any] | None:
    if image is None:
        return None
    cut = {**image, **{name: None for name in _SINGLE if image.get(name) in hidden}}
    if image.get("links"):
        cut["links"] = [link for link in image["links"] if link["target"] not in hidden]
    if image.get("contradicts"):
        cut["contradicts"] = [target for target in image["contradicts"] if target not in hidden]
    return cut
