"""Validates the fields of memories, documents and events that are read from a file; each error names the field.

A file may come from anywhere. Whatever passes can be stored, searched and exported again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NoReturn, get_args

from recollect.errors import InvalidInput
from recollect.validation import clean_metadata
from recollect.values.enums import (
    CONTEXT_TYPES,
    DELIVERIES,
    LINK_RELATIONS,
    MEMORY_TYPES,
    POOL_TYPES,
    PROVENANCE_KINDS,
    SCOPES,
    SHORT_TERM_TYPES,
    STATUSES,
    DocumentKind,
    EventKind,
)
from recollect.values.link import MOST_LINKS
from recollect.values.trigger import InvalidExpression, compile_expression, format_trigger, parse, split_prefix

MAX_CONTENT = 500_000
_MAX_TEXT = 100_000
_MOST_ITEMS = 10_000
_INTEGER_LIMIT = 2**31
_ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DOCUMENT_KINDS: tuple[str, ...] = get_args(DocumentKind)
EVENT_KINDS: tuple[str, ...] = get_args(EventKind)
# "superseded" is derived when read, so nothing is stored with that status.
_STATUSES = ("active", "archived", "forgotten")

Check = Callable[[str, Any], Any]


def reject(field: str, problem: str, fix: str = "export it again, or remove it") -> NoReturn:
    """Raise an error about a field."""
    raise InvalidInput(field, problem, fix)


def text(field: str, value: Any, most: int = _MAX_TEXT) -> str:
    """Text that every back end can store."""
    if not isinstance(value, str):
        reject(field, f"{type(value).__name__} is not text")
    if len(value) > most:
        reject(field, f"has {len(value):,} characters, more than {most:,}")
    if not value.isascii() or "\x00" in value:
        if "\x00" in value:
            reject(field, "contains a NUL character")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            reject(field, "contains a lone surrogate")
    return value


def content(field: str, value: Any) -> str:
    """The text of a memory."""
    found = text(field, value, MAX_CONTENT)
    if not found.strip():
        reject(field, "is empty")
    return found


def uuid(field: str, value: Any) -> str:
    """An id in its canonical form."""
    if not isinstance(value, str) or _ID.fullmatch(value) is None:
        reject(field, f"{str(value)[:40]!r} is not an id")
    return value


def timestamp(field: str, value: Any) -> str:
    """An ISO 8601 time with a time zone, converted to UTC."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
        if found is not None and found.tzinfo is not None:
            return value if value.endswith("+00:00") else found.astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        pass
    reject(field, f"{str(value)[:40]!r} is not a time with a time zone")


def one_of(words: tuple[str, ...]) -> Check:
    """One of some words."""

    def check(field: str, value: Any) -> str:
        if value not in words:
            reject(field, f"{str(value)[:40]!r} is unknown", f"use one of {', '.join(words)}")
        return str(value)

    return check


def number_between(low: float, high: float) -> Check:
    """A finite number in a range."""

    def check(field: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not -math.inf < value < math.inf:
            reject(field, f"{str(value)[:40]!r} is not a number")
        if not low <= value <= high:
            reject(field, f"{value!r} is out of range", f"give a number from {low} to {high}")
        return value

    return check


def integer(field: str, value: Any) -> int:
    """An integer that fits in every column."""
    if isinstance(value, bool) or not isinstance(value, int) or not -_INTEGER_LIMIT < value < _INTEGER_LIMIT:
        reject(field, f"{str(value)[:40]!r} is not an integer")
    return value


def list_of(each: Check) -> Check:
    """A list of values."""

    def check(field: str, value: Any) -> list[Any]:
        if not isinstance(value, list) or len(value) > _MOST_ITEMS:
            reject(field, "is not a list of reasonable length")
        return [each(field, item) for item in value]

    return check


def integer_pair(field: str, value: Any) -> list[int]:
    """The numbers of a first and a last message."""
    if not isinstance(value, list) or len(value) != 2:
        reject(field, "is not a pair of numbers")
    return [integer(field, item) for item in value]


def object_of(required: Mapping[str, Check], optional: Mapping[str, Check]) -> Check:
    """An object with known fields only; null values are dropped."""
    known = {**required, **optional}

    def check(field: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            reject(field, f"{type(value).__name__} is not an object")
        made: dict[str, Any] = {}
        for name, inside in value.items():
            if name not in known:
                reject(field, f"{str(name)[:40]!r} is not a known field", "a newer recollect may have written it")
            if inside is not None:
                made[name] = known[name](name, inside)
        for name in required:
            if name not in made:
                reject(field, f"has no {name}")
        return made

    return check


def json_value(field: str, value: Any) -> Any:
    """Any JSON value whose texts can all be stored."""
    if isinstance(value, str):
        return text(field, value, MAX_CONTENT)
    if isinstance(value, float) and not math.isfinite(value):
        reject(field, "contains a number that is not finite")
    if isinstance(value, list):
        return [json_value(field, item) for item in value]
    if isinstance(value, dict):
        return {text(field, name): json_value(field, item) for name, item in value.items()}
    return value


def json_object(field: str, value: Any) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        reject(field, f"{type(value).__name__} is not an object")
    return dict(json_value(field, value))


def boolean(field: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        reject(field, f"{str(value)[:40]!r} is neither true nor false")
    return value


def trigger(field: str, value: Any) -> str:
    """A trigger pattern that compiles; its running time is limited whenever it is matched."""
    found = split_prefix(text(field, value))
    if found.kind != "re":
        return format_trigger(parse(value))
    if isinstance(unfit := compile_expression(found.pattern), InvalidExpression):
        reject(field, unfit.problem, unfit.fix)
    return format_trigger(found)


def links(field: str, value: Any) -> list[Any]:
    """The links of a memory, without duplicates."""
    found: list[Any] = list_of(_LINK)(field, value)
    if len({(link["target"], link["relation"]) for link in found}) < len(found) or len(found) > MOST_LINKS:
        reject(field, f"contains a link twice, or more than {MOST_LINKS} links")
    return found


def metadata(field: str, value: Any) -> dict[str, Any]:
    """The metadata of a memory."""
    return clean_metadata(json_object(field, value))


_FRACTION = number_between(0.0, 1.0)
_LINK = object_of({"target": uuid, "relation": one_of(LINK_RELATIONS)}, {"weight": _FRACTION, "settled": boolean})
_BREADCRUMB = object_of({"at": timestamp}, {"session": text, "message": integer})


def breadcrumb(field: str, value: Any) -> dict[str, Any]:
    """One repetition of a memory: when, and in which message."""
    return {"session": None, "message": None, **_BREADCRUMB(field, value)}


_NAMES = ("agent", "team", "user", "project", "task", "session", "speaker", "season", "key", "snippet", "reason")
_REQUIRED: dict[str, Check] = {
    "id": uuid,
    "content": content,
    **dict.fromkeys(("created_at", "updated_at", "accessed_at"), timestamp),
}
_OPTIONAL: dict[str, Check] = {
    **dict.fromkeys(_NAMES, text),
    **dict.fromkeys(("hit_at", "valid_from", "valid_until", "expires_at", "occurred_at"), timestamp),
    **dict.fromkeys(("importance", "weight", "confidence", "trust"), _FRACTION),
    **dict.fromkeys(("score", "strength", "access_count", "position"), integer),
    **dict.fromkeys(("tags", "labels", "file_paths"), list_of(text)),
    "triggers": list_of(trigger),
    "type": one_of(MEMORY_TYPES),
    "scope": one_of(SCOPES),
    "delivery": one_of(DELIVERIES),
    "status": one_of(_STATUSES),
    "source": one_of(PROVENANCE_KINDS),
    "supersedes": uuid,
    "links": links,
    "breadcrumbs": list_of(breadcrumb),
    "message_range": integer_pair,
    "metadata": metadata,
}
MEMORY = object_of(_REQUIRED, _OPTIONAL)
# A journal image may also contain derived fields, an older name of links, and the place of a purged memory.
ONLY_IN_IMAGES = ("account", "superseded_by", "contradicts", "place", "status")
_IMAGE: dict[str, Check] = {
    **_REQUIRED,
    **_OPTIONAL,
    "account": text,
    "superseded_by": uuid,
    "contradicts": list_of(uuid),
    "place": list_of(text),
    "status": one_of(STATUSES),
}


def memory_image(field: str, value: Any) -> dict[str, Any]:
    """Some fields of a memory, as the journal keeps them; here null is a value."""
    if not isinstance(value, dict) or not value.keys() <= _IMAGE.keys():
        reject(field, "is not the image of a memory", "a newer recollect may have written it")
    return {name: None if inside is None else _IMAGE[name](name, inside) for name, inside in value.items()}


def nullable(check: Check) -> Check:
    """The same check, also accepting null."""
    return lambda field, value: None if value is None else check(field, value)


def _access(field: str, value: Any) -> Any:
    found = json_object(field, value)
    boolean("public_read", found.get("public_read"))
    for level in ("read", "write"):
        list_of(text)(level, found.get(level))
    return found


_OWNED: dict[str, Check] = {"owner": nullable(text), "access": _access}
_BODIES: Mapping[DocumentKind, Mapping[str, Check]] = {
    "tag": {"text": text},
    "gap": {
        "question": text,
        "terms": list_of(text),
        "vector": nullable(text),
        "count": integer,
        "last_at": timestamp,
        "session": nullable(text),
        "answered_by": nullable(uuid),
    },
    "working": {"task": text, "key": text, "value": json_value, "expires_at": number_between(0, 1e12)},
    "short_term": {
        "value": json_value,
        "type": one_of(SHORT_TERM_TYPES),
        "ttl": number_between(0, 1e12),
        "expires_at": timestamp,
    },
    "pool": {
        **_OWNED,
        "type": one_of(POOL_TYPES),
        "data": json_object,
        "version": integer,
        "expires_at": nullable(timestamp),
        "run": nullable(text),
    },
    "context": {
        **_OWNED,
        "type": one_of(CONTEXT_TYPES),
        "archived": boolean,
        "description": nullable(text),
    },
    "snapshot": {
        "context": uuid,
        "name": text,
        "at": timestamp,
        "seq": integer,
        "entries": integer,
    },
}


def validate_body(kind: DocumentKind, body: Mapping[str, Any]) -> None:
    """Check that the body of a document has the fields that its kind needs."""
    for name, check in _BODIES[kind].items():
        if name not in body:
            reject(kind, f"has no {name}")
        check(name, body[name])
