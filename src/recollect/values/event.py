"""Event: one entry of the journal. The events of one call share an operation and are undone together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from recollect.values.enums import ChangeOrigin, DocumentKind, EventKind
from recollect.values.link import Link
from recollect.values.memory import Breadcrumb, Provenance, Record

Image = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """What the events of one call have in common."""

    id: str
    actor: str
    at: datetime
    undoes: str | None = None
    origin: ChangeOrigin = "person"


@dataclass(frozen=True, slots=True)
class Event:
    """A change of one memory: only the fields that changed, before and after.

    A creation has `before` None and an empty `after`: the memory itself is its after-image. A removal has the whole
    memory as `before` and None as `after`. A purge has neither. An event of a document names its kind, has its
    id in `memory_id`, and the whole image on both sides.
    """

    seq: int
    operation: str
    at: datetime
    actor: str
    kind: EventKind
    memory_id: str
    before: Image | None
    after: Image | None
    reason: str | None = None
    undoes: str | None = None
    document: DocumentKind | None = None
    origin: ChangeOrigin = "person"


_TIMES = frozenset(
    ("created_at", "updated_at", "accessed_at", "hit_at", "valid_from", "valid_until", "expires_at", "occurred_at")
)
_TUPLES = frozenset(("tags", "triggers", "labels", "file_paths", "message_range"))
_PROVENANCE = tuple(f.name for f in fields(Provenance) if f.name != "kind")
_OWN = tuple(f.name for f in fields(Record) if f.name != "provenance")
# Counters change without an event, and what superseded a memory is computed when it is read.
UNJOURNALED = frozenset(("accessed_at", "access_count", "superseded_by"))


def to_image(memory: Record) -> dict[str, Any]:
    """Every field by name; times as ISO text in UTC."""
    image: dict[str, Any] = {name: _plain(getattr(memory, name)) for name in _OWN}
    image |= {name: _plain(getattr(memory.provenance, name)) for name in _PROVENANCE}
    image["source"] = memory.provenance.kind
    return image


def from_image(image: Mapping[str, Any]) -> Record:
    """The memory an image describes; fields it does not name take their defaults."""
    known = fields_from_image(image)
    inside = {name: known.pop(name) for name in _PROVENANCE if name in known}
    kind = known.pop("source", "user_stated")
    return Record(**known, provenance=Provenance(kind=kind, **inside))


def fields_from_image(image: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a partial image as typed values."""
    return {name: _parse(name, value) for name, value in _current_format(image).items()}


def _current_format(image: Mapping[str, Any]) -> Mapping[str, Any]:
    """An image in the current format: contradictions were once a list of ids, before there were links."""
    if "contradicts" not in image:
        return image
    links = [{"target": target, "relation": "contradicts"} for target in image["contradicts"] or ()]
    return {"links": links, **{name: value for name, value in image.items() if name != "contradicts"}}


def difference(before: Record, after: Record) -> tuple[dict[str, Any], dict[str, Any]]:
    """The journaled fields that differ, as they were and as they are."""
    old, new = to_image(before), to_image(after)
    changed = [name for name in new if name not in UNJOURNALED and old[name] != new[name]]
    return {name: old[name] for name in changed}, {name: new[name] for name in changed}


def patched(memory: Record, image: Mapping[str, Any]) -> Record:
    """The memory with the fields of a partial image applied."""
    return from_image({**to_image(memory), **image})


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Link):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Breadcrumb):
        return {"session": value.session, "message": value.message, "at": _plain(value.at)}
    return value


def _parse(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in _TIMES:
        return datetime.fromisoformat(value)
    if name in _TUPLES:
        return tuple(value)
    if name == "breadcrumbs":
        return tuple(Breadcrumb(c["session"], c["message"], datetime.fromisoformat(c["at"])) for c in value)
    if name == "links":
        return tuple(Link(**link) for link in value)
    return value
