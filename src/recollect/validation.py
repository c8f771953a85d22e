"""Validation of arguments: `clean_*` return a checked value, `check_*` and `one_of` only check. Errors name field and fix."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.errors import InvalidInput
from recollect.values.enums import MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES
from recollect.values.search import Filter, FilterFields
from recollect.values.trigger import format_trigger, parse

MAX_CONTENT = 500_000
MAX_NAME = 512
MAX_CONTEXT = 100_000
_HEX = frozenset("0123456789abcdefABCDEF-")
_SHORTEST_ID = 4
_WORDS = re.compile(r"\w+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def clean_text(field: str, value: Any, limit: int) -> str:
    """Text that can be stored and found: not empty, no NUL, no lone surrogate, not too long."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"{type(value).__name__} is not text", "give a string")
    if not value.strip():
        raise InvalidInput(field, "is empty", "say what to remember")
    if len(value) > limit:
        raise InvalidInput(field, f"has {len(value):,} characters", f"split it: at most {limit:,} per memory")
    if "\x00" in value:
        raise InvalidInput(field, "contains a NUL character", "remove it; this looks like binary data")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(
            field, f"contains a lone surrogate at character {error.start}", "decode the text properly first"
        ) from None
    return unicodedata.normalize("NFC", value.strip())


def clean_name(field: str, value: Any) -> str | None:
    """A name or label: absent, or text on one line."""
    if value is None:
        return None
    text = clean_text(field, value, MAX_NAME)
    if _CONTROL.search(text):
        raise InvalidInput(field, "contains a control character", "give one line of plain text")
    return text


def require_name(field: str, value: Any) -> str:
    """A name that must be given: text on one line."""
    name = clean_name(field, value)
    if name is None:
        raise InvalidInput(field, "is missing", "give a name")
    return name


def clean_id(field: str, value: Any) -> str:
    """An id, or enough of its beginning or end."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(field, "is missing", "give the id of a memory, as `list` shows it")
    part = value.strip()
    if not set(part) <= _HEX or not _SHORTEST_ID <= len(part.replace("-", "")) <= 32:
        raise InvalidInput(field, f"{part[:40]!r} is not an id", "give an id, or at least 4 characters of one")
    return part


def clean_tags(tags: Any) -> tuple[str, ...]:
    """Tags without hash sign, in lower case, without duplicates, in order."""
    if isinstance(tags, str) or not isinstance(tags, Iterable):
        raise InvalidInput("tags", f"{type(tags).__name__} is not a list of tags", 'give a list, like ["deploy"]')
    found = [clean_name("tags", tag) or "" for tag in tags]
    cleaned = [tag.lstrip("#").strip().casefold() for tag in found]
    if not all(cleaned):
        raise InvalidInput("tags", "one of them is empty", "leave it out")
    return tuple(dict.fromkeys(cleaned))


def clean_time(field: str, value: Any) -> datetime | None:
    """An aware time, in UTC; ISO text is read too."""
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            raise InvalidInput(field, f"{value!r} is not a time", "write it like 2026-11-15T20:00:00+00:00") from None
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"{type(value).__name__} is not a time", "give a datetime with a time zone")
    if value.tzinfo is None:
        raise InvalidInput(
            field, f"{value.isoformat()} has no time zone", "add one, for example +00:00 or datetime.UTC"
        )
    try:
        return value.astimezone(UTC)
    except (OverflowError, ValueError):
        raise InvalidInput(field, f"{value.isoformat()} is out of range", "give a time that exists in UTC") from None


def clean_expiry(field: str, ttl: Any, expires_at: Any, now: datetime) -> datetime | None:
    """When something expires, from a TTL in seconds or a time; the past is refused."""
    if ttl is not None and expires_at is not None:
        raise InvalidInput("ttl", "and expires_at are both given", "give one of them")
    if ttl is not None:
        seconds = ttl.total_seconds() if isinstance(ttl, timedelta) else ttl
        if (
            isinstance(seconds, bool)
            or not isinstance(seconds, (int, float))
            or not math.isfinite(seconds)
            or seconds <= 0
        ):
            raise InvalidInput(field, f"{ttl!r} is not a time to live", "give seconds above zero, or a timedelta")
        try:
            return now + timedelta(seconds=seconds)
        except OverflowError:
            raise InvalidInput(field, f"{ttl!r} is too long", "leave it out for no expiry") from None
    moment = clean_time("expires_at", expires_at)
    if moment is not None and moment <= now:
        raise InvalidInput("expires_at", f"{moment.isoformat()} is in the past", "give a time in the future")
    return moment


def one_of(field: str, value: Any, words: tuple[str, ...]) -> None:
    """Refuse a value that is not one of the known words; the error lists them."""
    if value is not None and value not in words:
        raise InvalidInput(field, f"{value!r} is unknown", f"use one of {', '.join(words)}")


def check_number(field: str, value: Any, low: float, high: float) -> None:
    """Refuse a number outside its range."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise InvalidInput(field, f"{value!r} is out of range", f"give a number from {low} to {high}")


def clean_position(field: str, value: Any) -> int | None:
    """A position: absent, or a whole number from 0."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise InvalidInput(field, f"{value!r} is not a position", "give a whole number from 0")
    return value


def clean_range(value: Any) -> tuple[int, int] | None:
    """A range of messages, first and last."""
    if value is None:
        return None
    pair = tuple(value) if isinstance(value, (tuple, list)) else ()
    if len(pair) != 2 or not all(isinstance(n, int) and n >= 0 for n in pair) or pair[0] > pair[1]:
        raise InvalidInput("message_range", f"{value!r} is not a range", "give two whole numbers, first and last")
    return pair[0], pair[1]


def clean_paths(value: Any) -> tuple[str, ...]:
    """A list of file paths."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInput("file_paths", "is not a list of paths", 'give a list, like ["src/app.py"]')
    return tuple(clean_name("file_paths", str(path)) or "" for path in value)


def clean_season(value: Any) -> str | None:
    """A season's label: lower case, its words joined by hyphens, however it was spelled."""
    text = clean_name("season", value)
    if text is None:
        return None
    label = "-".join(_WORDS.findall(text.casefold()))
    if not label:
        raise InvalidInput("season", f"{text!r} has no word in it", 'give a label, like "release-week"')
    return label


def clean_triggers(value: Any) -> tuple[str, ...]:
    """Trigger patterns, each checked, each once."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInput("triggers", "is not a list of patterns", 'give a list, like ["println!", "glob:*.env"]')
    return tuple(dict.fromkeys(format_trigger(parse(pattern)) for pattern in value))


def clean_working_on(value: Any) -> str:
    """What the caller works on; any text, cut to the length that triggers are matched against."""
    if not isinstance(value, str):
        raise InvalidInput("working_on", f"{type(value).__name__} is not text", "give a string")
    return value[:MAX_CONTEXT].encode("utf-8", "replace").decode("utf-8")


def clean_limit(value: Any, default: int, most: int | None = None) -> int:
    """How many results at most: the default when nothing is given, else a whole number from 1."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or value < 1 or (most is not None and value > most):
        fix = "give a whole number from 1" if most is None else f"give a whole number from 1 to {most}"
        raise InvalidInput("limit", f"{value!r} is out of range", fix)
    return value


def filter_from(fields: Mapping[str, Any]) -> Filter:
    """A checked filter from the keyword arguments of a verb."""
    for name in fields:
        if name not in FilterFields.__annotations__:
            raise InvalidInput(name, "is not a filter", f"filters: {', '.join(FilterFields.__annotations__)}")
    since, until = clean_time("since", fields.get("since")), clean_time("until", fields.get("until"))
    if since is not None and until is not None and until <= since:
        raise InvalidInput("until", "is not after since", "give a later time")
    min_trust = fields.get("min_trust")
    check_number("min_trust", min_trust, 0.0, 1.0)
    return Filter(
        types=_words("type", fields.get("type"), MEMORY_TYPES),  # type: ignore[arg-type]
        tags=clean_tags(_several(fields.get("tags"))),
        scopes=_words("scope", fields.get("scope"), SCOPES),  # type: ignore[arg-type]
        project=clean_name("in_project", fields.get("in_project")),
        session=clean_name("in_session", fields.get("in_session")),
        statuses=_statuses(fields.get("status")),  # type: ignore[arg-type]
        sources=_words("source", fields.get("source"), PROVENANCE_KINDS),  # type: ignore[arg-type]
        since=since,
        until=until,
        min_trust=0.0 if min_trust is None else float(min_trust),
    )


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
