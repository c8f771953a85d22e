"""Document: a named JSON value of one kind (a pool, a context, a gap, the description of a tag), journalled like a memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from recollect.values.enums import DocumentKind
from recollect.values.scope import GLOBAL, Place


@dataclass(frozen=True, slots=True)
class Document:
    """One document; its name is unique among those of its kind in its place."""

    id: str
    account: str
    kind: DocumentKind
    name: str
    created_at: datetime
    updated_at: datetime
    place: Place = GLOBAL
    body: Mapping[str, Any] | None = None

    def with_body(self, at: datetime, **changes: Any) -> Document:
        """The document with some keys of its body changed."""
        return replace(self, body={**(self.body or {}), **changes}, updated_at=at)


def document_image(document: Document) -> dict[str, Any]:
    """Every field as plain JSON, for the journal."""
    return {
        "id": document.id,
        "kind": document.kind,
        "name": document.name,
        "place": list(document.place),
        "body": dict(document.body or {}),
        "created_at": document.created_at.astimezone(UTC).isoformat(),
        "updated_at": document.updated_at.astimezone(UTC).isoformat(),
    }


def document_of(image: Mapping[str, Any], account: str) -> Document:
    """The document an image describes."""
    scope, key, project = image["place"]
    return Document(
        id=image["id"],
        account=account,
        kind=image["kind"],
        name=image["name"],
        created_at=datetime.fromisoformat(image["created_at"]),
        updated_at=datetime.fromisoformat(image["updated_at"]),
        place=(scope, key, project),
        body=image["body"],
    )


def journal_sides(
    before: Document | None, after: Document | None
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The images of one change for the journal; of the data of a pool, only the keys that differ."""
    old, new = (None if document is None else document_image(document) for document in (before, after))
    if old is None or new is None or not all(isinstance(side["body"].get("data"), dict) for side in (old, new)):
        return old, new
    was, now = old["body"]["data"], new["body"]["data"]
    changed = {key for key in {*was, *now} if key not in was or key not in now or not _same(was[key], now[key])}
    return _partial(old, changed), _partial(new, changed)


def matches_event(document: Document | None, after: Mapping[str, Any] | None, before: Mapping[str, Any] | None) -> bool:
    """Whether a document is still as an event left it, by the two images of that event."""
    image = None if document is None else document_image(document)
    if image is None or after is None or not after.get("partial"):
        return image == after
    changed = {*after["body"]["data"], *((before or {}).get("body") or {}).get("data", {})}
    return _partial(image, changed) == after


def before_event(
    document: Document | None, after: Mapping[str, Any] | None, before: Mapping[str, Any] | None, account: str
) -> Document | None:
    """The document before an event, from its state after it."""
    if before is None:
        return None
    if not before.get("partial"):
        return document_of(before, account)
    changed = {*before["body"]["data"], *((after or {}).get("body") or {}).get("data", {})}
    current = ((document.body if document else None) or {}).get("data") or {}
    data = {key: value for key, value in current.items() if key not in changed} | before["body"]["data"]
    return document_of({**before, "body": {**before["body"], "data": data}}, account)


def _partial(image: dict[str, Any], keys: set[str]) -> dict[str, Any]:
    data = {key: value for key, value in image["body"]["data"].items() if key in keys}
    return {**image, "partial": True, "body": {**image["body"], "data": data}}


def _same(one: Any, other: Any) -> bool:
    # As JSON: to Python, 1 and 1.0 and True are equal.
    return one is other or json.dumps(one) == json.dumps(other)


@dataclass(frozen=True, slots=True)
class Access:
    """One access of a container: when, by which agent, which action, and on which memory if on one."""

    at: datetime
    agent: str | None
    action: str
    memory_id: str | None = None
