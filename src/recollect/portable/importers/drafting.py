"""Drafting: what the importers share: metadata as tags, a product's own kinds as ours, a draft with its key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from recollect.portable.incoming import Incoming, digest
from recollect.values.words import MEMORY_TYPES

_TAG_FIELDS = ("tags", "categories", "category", "keywords", "labels", "topics")
_LONGEST_TAG = 60
_MOST_TAGS = 16


def incoming(
    product: str,
    identifier: str,
    where: str,
    text: str,
    *,
    tags: Iterable[str] = (),
    metadata: Mapping[str, Any] | None = None,
    kind: str | None = None,
    at: datetime | None = None,
    **fields: Any,
) -> Incoming:
    """One memory of a product as a draft: found again by its id there, replaced when its text is another."""
    told, rest = _labelled(metadata or {})
    own = kind.strip().lower() if kind else ""
    if own and own not in MEMORY_TYPES:
        told = (*told, own)
    draft: dict[str, Any] = {
        "content": text,
        "source": "migrated",
        "reason": origin_of(product),
        "tags": _clean((*tags, *told)),
        "occurred_at": at,
        "key": f"{product}:{digest(identifier)}:{digest(text)}",
        **{name: value for name, value in fields.items() if value is not None},
    }
    if own in MEMORY_TYPES:
        draft["type"] = own
    if rest:
        draft["snippet"] = json.dumps(rest, ensure_ascii=False, default=str)
    return Incoming(where, draft)


def origin_of(product: str) -> str:
    """What memories of a product are marked with."""
    return f"imported from {product}"


def listed(value: Any) -> tuple[str, ...]:
    """Tags in any of the usual spellings: a list, or text with commas."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, (list, tuple)):
        return tuple(str(part).strip() for part in value if isinstance(part, (str, int, float)) and str(part).strip())
    return ()


def _labelled(metadata: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Metadata as tags (short values as name:value), and what is too long or deep to be one."""
    tags: list[str] = []
    rest: dict[str, Any] = {}
    for name, value in metadata.items():
        tag = f"{name}:{value}"
        if name in _TAG_FIELDS and (found := listed(value)):
            tags += found
        elif (
            isinstance(value, (str, int, float)) and str(value).strip() and len(tag) <= _LONGEST_TAG and "\n" not in tag
        ):
            tags.append(tag)
        elif value not in (None, "", [], {}):
            rest[name] = value
    return tuple(tags), rest


def _clean(tags: Iterable[str]) -> tuple[str, ...]:
    one_line = (" ".join("".join(c if c.isprintable() else " " for c in tag).split()) for tag in tags)
    kept = (tag.lstrip("#").strip()[:200] for tag in one_line)
    return tuple(dict.fromkeys(tag for tag in kept if tag))[:_MOST_TAGS]
