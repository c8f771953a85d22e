"""Validation of arguments: `clean_*` return a checked value, `check_*` and `one_of` only check. Errors name field and fix."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput
from recollect.values.memory import Record
from recollect.values.metadata import Metadata, entries_of, is_deeper, is_scalar
from recollect.values.normalise import normalise
from recollect.values.trigger import format_trigger, parse

MAX_CONTENT = 500_000
MAX_NAME = 512
MAX_CONTEXT = 100_000
MAX_METADATA, MAX_DEPTH, MAX_PATH, MAX_PATHS, MAX_INTEGER = 32_000, 8, 256, 256, 2**63 - 1
MAX_LIMIT = 2**53  # what every back end and JSON can hold
_HEX = frozenset("0123456789abcdefABCDEF-")
_SHORTEST_ID = 4
# Stored, and yet not in use: somebody put it away.
OUT_OF_USE = ("forgotten", "archived")
_LONGEST_SHOWN = 80
_WORDS = re.compile(r"\w+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def shown(value: Any) -> str:
    """A wrong value as an error shows it: short, and without failing itself."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        return type(value).__name__
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def clean_text(field: str, value: Any, limit: int) -> str:
    """Text that can be stored and found, in its normal form: not empty, no NUL, no lone surrogate, not too long."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"{type(value).__name__} is not text", "give a string")
    _check_length(field, value, limit)
    if "\x00" in value:
        raise InvalidInput(field, "contains a NUL character", "remove it; this looks like binary data")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(
            field, f"contains a lone surrogate at character {error.start}", "decode the text properly first"
        ) from None
    text = normalise(value).strip()
    if not text:
        raise InvalidInput(field, "is empty", "say what to remember")
    _check_length(field, text, limit)  # a ligature can be longer in its usual letters
    return text


def _check_length(field: str, text: str, limit: int) -> None:
    if len(text) > limit:
        raise InvalidInput(field, f"has {len(text):,} characters", f"split it: at most {limit:,} per memory")


def clean_name(field: str, value: Any) -> str | None:
    """A name or label: absent, or text on one line."""
    if value is None:
        return None
    text = clean_text(field, value, MAX_NAME)
    if _CONTROL.search(value.strip()):
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


def require_kept(field: str, memory: Record) -> None:
    """Refuse to relate another memory to one that is out of use: nobody would see what the caller was told."""
    if memory.status in OUT_OF_USE:
        raise InvalidInput(field, f"{memory.short_id} is {memory.status}", f"`restore {memory.short_id}` first")


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
            raise InvalidInput(
                field, f"{shown(value)} is not a time", "write it like 2026-11-15T20:00:00+00:00"
            ) from None
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
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
            raise InvalidInput(field, f"{shown(ttl)} is not a time to live", "give seconds above zero, or a timedelta")
        try:
            return now + timedelta(seconds=seconds)
        except OverflowError:
            raise InvalidInput(field, f"{shown(ttl)} is too long", "leave it out for no expiry") from None
    moment = clean_time("expires_at", expires_at)
    if moment is not None and moment <= now:
        raise InvalidInput("expires_at", f"{moment.isoformat()} is in the past", "give a time in the future")
    return moment


def clean_flag(field: str, value: Any) -> bool:
    """Yes or no; anything with a truth value counts."""
    try:
        return bool(value)
    except (TypeError, ValueError):
        raise InvalidInput(field, f"{type(value).__name__} is neither true nor false", "give true or false") from None


def one_of(field: str, value: Any, words: tuple[str, ...]) -> None:
    """Refuse a value that is not one of the known words; the error lists them."""
    if value is not None and not (isinstance(value, str) and value in words):
        raise InvalidInput(field, f"{shown(value)} is unknown", f"use one of {', '.join(words)}")


def require_one_of(field: str, value: Any, words: tuple[str, ...]) -> None:
    """The same for a value that must be given."""
    if value is None:
        raise InvalidInput(field, "is missing", f"use one of {', '.join(words)}")
    one_of(field, value, words)


def check_number(field: str, value: Any, low: float, high: float) -> None:
    """Refuse a number outside its range."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise InvalidInput(field, f"{shown(value)} is out of range", f"give a number from {low} to {high}")


def require_number(field: str, value: Any, low: float, high: float) -> None:
    """The same for a number that must be given."""
    if value is None:
        raise InvalidInput(field, "is missing", f"give a number from {low} to {high}")
    check_number(field, value, low, high)


def clean_position(field: str, value: Any) -> int | None:
    """A position: absent, or a whole number from 0."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise InvalidInput(field, f"{shown(value)} is not a position", "give a whole number from 0")
    return value


def clean_range(value: Any) -> tuple[int, int] | None:
    """A range of messages, first and last."""
    if value is None:
        return None
    pair = tuple(value) if isinstance(value, (tuple, list)) else ()
    if len(pair) != 2 or not all(isinstance(n, int) and n >= 0 for n in pair) or pair[0] > pair[1]:
        raise InvalidInput("message_range", f"{shown(value)} is not a range", "give two whole numbers, first and last")
    return pair[0], pair[1]


def clean_paths(value: Any) -> tuple[str, ...]:
    """A list of file paths."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInput("file_paths", "is not a list of paths", 'give a list, like ["src/app.py"]')
    found = tuple(value)
    if not all(isinstance(path, str | os.PathLike) for path in found):
        raise InvalidInput("file_paths", "has an item that is not a path", 'give a list, like ["src/app.py"]')
    return tuple(clean_name("file_paths", str(path)) or "" for path in found)


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
    plain = (normalise(pattern) if isinstance(pattern, str) else pattern for pattern in value)
    return tuple(dict.fromkeys(format_trigger(parse(pattern)) for pattern in plain))


def clean_working_on(value: Any) -> str:
    """What the caller works on; any text, cut to the length that triggers are matched against."""
    if not isinstance(value, str):
        raise InvalidInput("working_on", f"{type(value).__name__} is not text", "give a string")
    return normalise(value[:MAX_CONTEXT].encode("utf-8", "replace").decode("utf-8"))


def clean_limit(value: Any, default: int, most: int | None = None) -> int:
    """How many results at most: the default when nothing is given, else a whole number from 1."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= (most or MAX_LIMIT):
        fix = "give a whole number from 1" if most is None else f"give a whole number from 1 to {most}"
        raise InvalidInput("limit", f"{shown(value)} is out of range", fix)
    return value


def clean_metadata(value: Any) -> dict[str, Any]:
    """Metadata: a JSON object of bounded size, a copy, its texts in normal form."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput("metadata", f"{type(value).__name__} is not an object", 'give one, like {"ticket": 7}')
    if is_deeper(value, MAX_DEPTH):
        raise InvalidInput("metadata", f"is nested deeper than {MAX_DEPTH}", "make it flatter")
    made: dict[str, Any] = clean_json("metadata", value)
    if (problem := problem_of_metadata(made)) is not None:
        raise InvalidInput("metadata", problem, "a long text is a memory of its own; leave out what no filter asks for")
    return made


def problem_of_metadata(metadata: Metadata) -> str | None:
    """What is too large in metadata, if anything is."""
    size, paths = len(json.dumps(metadata, ensure_ascii=False)), {path for path, _ in entries_of(metadata)}
    if size > MAX_METADATA:
        return f"has {size:,} characters; the most is {MAX_METADATA:,}"
    if len(paths) > MAX_PATHS:
        return f"has {len(paths)} fields; the most is {MAX_PATHS}"
    longest = max(map(len, paths), default=0)
    if longest > MAX_PATH:
        return f"has a name of {longest} characters with those it is inside of; the most is {MAX_PATH}"
    return None


def clean_json(field: str, value: Any) -> Any:
    """A JSON value as a copy: text, finite numbers, true, false, null, lists and objects."""
    if isinstance(value, Mapping):
        names = [require_name(field, name) for name in value]
        if len(set(names)) < len(names):
            raise InvalidInput(field, "has two fields with one name", "characters that look alike are one character")
        if wrong := next((name for name in names if name.startswith("$")), None):
            raise InvalidInput(field, f"{wrong!r} begins with $, as conditions of filters do", "use another name")
        return {name: clean_json(field, held) for name, held in zip(names, value.values(), strict=True)}
    if isinstance(value, list | tuple):
        return [clean_json(field, held) for held in value]
    return clean_scalar(field, value)


def clean_scalar(field: str, value: Any) -> Any:
    """Text, a finite number, true, false or null."""
    if not is_scalar(value):
        raise InvalidInput(
            field, f"{shown(value)} is not a JSON value", "use text, finite numbers, true, false or null"
        )
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > MAX_INTEGER:
        raise InvalidInput(field, f"{shown(value)} is too large a number", "give it as text")
    if isinstance(value, str):
        return clean_text(field, value, MAX_CONTENT) if value.strip() else ""
    return value


def clean_list(field: str, value: Any) -> tuple[Any, ...]:
    """Several values; a single text or a table is not a list of them."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidInput(field, f"{type(value).__name__} is not a list", "give a list, even of one")
    return tuple(value)


def check_progress(value: Any) -> None:
    """Refuse a callback that cannot be called, before anything is done."""
    if value is not None and not callable(value):
        raise InvalidInput("progress", f"{type(value).__name__} cannot be called", "give a function of (done, all)")


def clean_path(field: str, value: Any) -> Path:
    """The path of a file or folder that the system can name; it need not exist."""
    try:
        path = Path(value)
        path.stat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return path
    except (TypeError, ValueError, OSError) as error:
        raise InvalidInput(field, f"is not a path ({error})"[:200], "give the path of a file or folder") from None
    return path


def several(field: str, value: Any) -> tuple[Any, ...]:
    """None, one or several values, as a tuple."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else clean_list(field, value)


def clean_words(field: str, value: Any, known: tuple[str, ...]) -> tuple[str, ...]:
    """Words of a closed list."""
    words = several(field, value)
    for word in words:
        require_one_of(field, word, known)
    return words
