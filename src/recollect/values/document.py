"""Document: a named JSON value of one kind (what a tag means, a gap in what is known), journalled like a memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from recollect.values.scope import GLOBAL, Place
from recollect.values.words import DocumentKind


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
