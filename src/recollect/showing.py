"""Showing: the last step of every verb that hands memories or events out. What leaves names nothing out of reach.

A memory carries the ids of others: its links, what it replaces, what replaced it. The store keeps them all, and an edit starts
from what is stored; only what is shown is cut, here, to the ids its viewer could have asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from recollect.ports import Reader
from recollect.tiers.access import with_contexts
from recollect.values.container import Changed
from recollect.values.event import Event
from recollect.values.hit import Explanation, Recalled, Trace
from recollect.values.image import from_image
from recollect.values.memory import Record
from recollect.values.outcome import Stored
from recollect.values.scope import RESERVED, Identity, Place, reaches
from recollect.values.search import Search

Shown = TypeVar("Shown")
_SINGLE = ("supersedes", "superseded_by")
# They hold no memory, and there is one in every answer.
_PLAIN = (str, int, float, Trace, Explanation)


def shown(reader: Reader, identity: Identity, value: Shown, at: Search | None = None) -> Shown:
    """A memory, an event, or anything that holds some (a list, hits, an outcome), without ids out of reach.

    `at` is where the viewer stands, if that is known: what is in sight from there is told apart without being read.
    """
    every = [held for held in _held(value) if _names_others(held)]
    named = {target for held in every for target in _named(held)}
    if not named:
        return value
    # What is handed out itself is within reach.
    named -= {held.id for held in _held(value) if isinstance(held, Record)}
    hidden = named - _in_sight(reader, at, named)
    hidden -= within_reach(reader, identity, hidden)
    return _without(value, hidden) if hidden else value


def names_others(value: Any) -> bool:
    """Whether there is anything to cut: most memories name no other."""
    return any(_names_others(held) for held in _held(value))


def within_reach(reader: Reader, identity: Identity, ids: Iterable[str]) -> frozenset[str]:
    """Those of some ids that name a memory this identity reaches, be it gone by now."""
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return frozenset()
    places = {record.id: record.place for record in reader.get(identity.account, wanted) if record is not None}
    for gone in wanted:
        if gone not in places and (place := _last_place(reader, identity.account, gone)) is not None:
            places[gone] = place
    # Entries of the contexts one may read are named too, though no verb but those of the context shows them.
    inside = any(scope == "team" and key.startswith(RESERVED) for scope, key, _ in places.values())
    wide = with_contexts(reader, identity) if inside else identity
    return frozenset(known for known, place in places.items() if reaches(wide, place))


def _in_sight(reader: Reader, at: Search | None, ids: set[str]) -> frozenset[str]:
    """Those of some ids that a search may return: cheap, and most links stay near."""
    if at is None or not ids:
        return frozenset()
    wanted = list(ids)
    rows = reader.rows_of(at.viewer.account, wanted)
    if len(rows) < len(wanted):
        return frozenset()
    near = set(reader.among(at, rows))
    return frozenset(known for known, row in zip(wanted, rows, strict=True) if row in near)


def told_nothing(event: Event, cut: Event) -> bool:
    """Whether all that an event changed is out of reach."""
    return cut != event and cut.before == cut.after


def _last_place(reader: Reader, account: str, gone: str) -> Place | None:
    """Where a memory that is no more lived: a removal keeps all of it, a purge nothing but this."""
    for event in reader.events(account, memory_id=gone, newest_first=True):
        if event.kind == "purge" and event.after:
            scope, key, project = event.after["place"]
            return (scope, key, project)
        if event.after is None and event.before:
            return from_image(event.before).place
    return None


def _held(value: Any) -> Iterator[Record | Event | Changed]:
    """Everything in a value that may name memories."""
    if isinstance(value, Recalled):
        # By far the most frequent, with what a load stored: not field by field.
        yield from (hit.memory for hit in value.hits)
    elif isinstance(value, Stored) and not value.conflicts:
        yield value.memory
    elif isinstance(value, (Record, Changed)) or (isinstance(value, Event) and value.document is None):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _held(item)
    elif is_dataclass(value) and not isinstance(value, (*_PLAIN, Event)):
        inside = [getattr(value, field.name) for field in fields(value)]
        yield from (held for part in inside if not isinstance(part, _PLAIN) for held in _held(part))


def _names_others(held: Record | Event | Changed) -> bool:
    if isinstance(held, Record):
        return bool(held.links or held.supersedes or held.superseded_by)
    return any(True for _ in _named(held))


def _named(held: Record | Event | Changed) -> Iterator[str]:
    if isinstance(held, Record):
        yield from (link.target for link in held.links)
        yield from (one for one in (held.supersedes, held.superseded_by) if one is not None)
        return
    for image in (held.before or {}, held.after or {}):
        yield from (link["target"] for link in image.get("links") or ())
        yield from image.get("contradicts") or ()
        yield from (one for name in _SINGLE if (one := image.get(name)) is not None)


def _without(value: Any, hidden: set[str]) -> Any:
    if isinstance(value, Record):
        return _cut_record(value, hidden)
    if isinstance(value, (Event, Changed)):
        cut: Any = {side: _cut_image(getattr(value, side), hidden) for side in ("before", "after")}
        return replace(value, **cut)
    if isinstance(value, (list, tuple)):
        return type(value)([_without(item, hidden) for item in value])
    if not is_dataclass(value) or isinstance(value, (type, *_PLAIN)):
        return value
    old = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
    new = {name: _without(inside, hidden) for name, inside in old.items()}
    return replace(value, **new)


def _cut_record(record: Record, hidden: set[str]) -> Record:
    single = {name: None for name in _SINGLE if getattr(record, name) in hidden}
    return record.with_(links=tuple(link for link in record.links if link.target not in hidden), **single)


def _cut_image(image: Mapping[str, Any] | None, hidden: set[str]) -> dict[str, Any] | None:
    if image is None:
        return None
    cut = {**image, **{name: None for name in _SINGLE if image.get(name) in hidden}}
    if image.get("links"):
        cut["links"] = [link for link in image["links"] if link["target"] not in hidden]
    if image.get("contradicts"):
        cut["contradicts"] = [target for target in image["contradicts"] if target not in hidden]
    return cut
