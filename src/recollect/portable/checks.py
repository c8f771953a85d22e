"""Checks: a memory, a document, an event as a file tells them, before they become values. Each problem names the field.

A file may come from anywhere. Whatever passes here can be stored, searched and exported again; nothing else gets in.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NoReturn, get_args

from recollect.errors import InvalidInput
from recollect.values.expression import Unfit, ready
from recollect.values.link import MOST_LINKS
from recollect.values.trigger import parse, spelled, split
from recollect.values.words import (
    DELIVERIES,
    LINK_RELATIONS,
    MEMORY_TYPES,
    PROVENANCE_KINDS,
    SCOPES,
    STATUSES,
    DocumentKind,
    EventKind,
)

MAX_CONTENT = 500_000
_MAX_TEXT = 100_000
_MANY = 10_000
_LARGE = 2**31
_ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DOCUMENT_KINDS: tuple[str, ...] = get_args(DocumentKind)
EVENT_KINDS: tuple[str, ...] = get_args(EventKind)
# Superseded is worked out when read, so nothing is stored as such.
_STATUSES = ("active", "archived", "forgotten")

Check = Callable[[str, Any], Any]


def wrong(field: str, problem: str, fix: str = "export it again, or take it out") -> NoReturn:
    """Refuse a field."""
    raise InvalidInput(field, problem, fix)


def text(field: str, value: Any, most: int = _MAX_TEXT) -> str:
    """Text that every store can hold."""
    if not isinstance(value, str):
        wrong(field, f"{type(value).__name__} is not text")
    if len(value) > most:
        wrong(field, f"has {len(value):,} characters, more than {most:,}")
    if not value.isascii() or "\x00" in value:
        if "\x00" in value:
            wrong(field, "contains a NUL character")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            wrong(field, "contains a lone surrogate")
    return value


def content(field: str, value: Any) -> str:
    """The text of a memory."""
    found = text(field, value, MAX_CONTENT)
    if not found.strip():
        wrong(field, "is empty")
    return found


def uuid(field: str, value: Any) -> str:
    """An id, in its usual form."""
    if not isinstance(value, str) or _ID.fullmatch(value) is None:
        wrong(field, f"{str(value)[:40]!r} is not an id")
    return value


def time(field: str, value: Any) -> str:
    """A time with its zone, as ISO text; kept as text, in UTC."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
        if found is not None and found.tzinfo is not None:
            return value if value.endswith("+00:00") else found.astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        pass
    wrong(field, f"{str(value)[:40]!r} is not a time with its zone")


def one_of(words: tuple[str, ...]) -> Check:
    """A word of a vocabulary."""

    def check(field: str, value: Any) -> str:
        if value not in words:
            wrong(field, f"{str(value)[:40]!r} is unknown", f"use one of {', '.join(words)}")
        return str(value)

    return check


def number(low: float, high: float) -> Check:
    """A finite number in a range."""

    def check(field: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            wrong(field, f"{str(value)[:40]!r} is not a number")
        if not low <= value <= high:
            wrong(field, f"{value!r} is out of range", f"give a number from {low} to {high}")
        return value

    return check


def whole(field: str, value: Any) -> int:
    """A whole number no column overflows at."""
    if isinstance(value, bool) or not isinstance(value, int) or not -_LARGE < value < _LARGE:
        wrong(field, f"{str(value)[:40]!r} is not a whole number")
    return value


def several(each: Check) -> Check:
    """A list of values."""

    def check(field: str, value: Any) -> list[Any]:
        if not isinstance(value, list) or len(value) > _MANY:
            wrong(field, "is not a list of reasonable length")
        return [each(field, item) for item in value]

    return check


def pair(field: str, value: Any) -> list[int]:
    """A first and a last message."""
    if not isinstance(value, list) or len(value) != 2:
        wrong(field, "is not a pair of numbers")
    return [whole(field, item) for item in value]


def shape(required: Mapping[str, Check], optional: Mapping[str, Check]) -> Check:
    """An object with some fields and no others; what is null is left out."""
    known = {**required, **optional}

    def check(field: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            wrong(field, f"{type(value).__name__} is not an object")
        made: dict[str, Any] = {}
        for name, inside in value.items():
            if name not in known:
                wrong(field, f"{str(name)[:40]!r} is not a field of it", "a newer recollect may have written it")
            if inside is not None:
                made[name] = known[name](name, inside)
        for name in required:
            if name not in made:
                wrong(field, f"has no {name}")
        return made

    return check


def plain(field: str, value: Any) -> Any:
    """Any JSON, if every text in it can be stored."""
    if isinstance(value, str):
        return text(field, value, MAX_CONTENT)
    if isinstance(value, float) and not math.isfinite(value):
        wrong(field, "holds a number that is not finite")
    if isinstance(value, list):
        return [plain(field, item) for item in value]
    if isinstance(value, dict):
        return {text(field, name): plain(field, item) for name, item in value.items()}
    return value


def mapping(field: str, value: Any) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        wrong(field, f"{type(value).__name__} is not an object")
    return dict(plain(field, value))


def flag(field: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        wrong(field, f"{str(value)[:40]!r} is neither true nor false")
    return value


def trigger(field: str, value: Any) -> str:
    """A trigger pattern that can be tried; how long it takes is watched whenever it is."""
    found = split(text(field, value))
    if found.kind != "re":
        return spelled(parse(value))
    if isinstance(unfit := ready(found.pattern), Unfit):
        wrong(field, unfit.problem, unfit.fix)
    return spelled(found)


def links(field: str, value: Any) -> list[Any]:
    """The links of a memory, each once."""
    found: list[Any] = several(_LINK)(field, value)
    if len({(link["target"], link["relation"]) for link in found}) < len(found) or len(found) > MOST_LINKS:
        wrong(field, f"names one twice, or more than {MOST_LINKS}")
    return found


_SHARE = number(0.0, 1.0)
_LINK = shape({"target": uuid, "relation": one_of(LINK_RELATIONS)}, {"weight": _SHARE, "settled": flag})
_CRUMB = shape({"at": time}, {"session": text, "message": whole})


def crumb(field: str, value: Any) -> dict[str, Any]:
    """One time a memory was said again."""
    return {"session": None, "message": None, **_CRUMB(field, value)}


_NAMES = ("agent", "team", "project", "task", "session", "speaker", "season", "key", "snippet", "reason")
_REQUIRED: dict[str, Check] = {
    "id": uuid,
    "content": content,
    **dict.fromkeys(("created_at", "updated_at", "accessed_at"), time),
}
_OPTIONAL: dict[str, Check] = {
    **dict.fromkeys(_NAMES, text),
    **dict.fromkeys(("hit_at", "valid_from", "valid_until", "expires_at", "occurred_at"), time),
    **dict.fromkeys(("importance", "weight", "confidence", "trust"), _SHARE),
    **dict.fromkeys(("score", "strength", "access_count", "position"), whole),
    **dict.fromkeys(("tags", "labels", "file_paths"), several(text)),
    "triggers": several(trigger),
    "type": one_of(MEMORY_TYPES),
    "scope": one_of(SCOPES),
    "delivery": one_of(DELIVERIES),
    "status": one_of(_STATUSES),
    "source": one_of(PROVENANCE_KINDS),
    "supersedes": uuid,
    "links": links,
    "breadcrumbs": several(crumb),
    "message_range": pair,
}
MEMORY = shape(_REQUIRED, _OPTIONAL)
# A journal image may also hold what was worked out when it was taken, an older word for links, and where a purged one lived.
ONLY_IN_IMAGES = ("account", "superseded_by", "contradicts", "place", "status")
_IMAGE: dict[str, Check] = {
    **_REQUIRED,
    **_OPTIONAL,
    "account": text,
    "superseded_by": uuid,
    "contradicts": several(uuid),
    "place": several(text),
    "status": one_of(STATUSES),
}


def image(field: str, value: Any) -> dict[str, Any]:
    """Some fields of a memory, as the journal keeps them; null is a value here."""
    if not isinstance(value, dict) or not value.keys() <= _IMAGE.keys():
        wrong(field, "is not the image of a memory", "a newer recollect may have written it")
    return {name: None if inside is None else _IMAGE[name](name, inside) for name, inside in value.items()}
