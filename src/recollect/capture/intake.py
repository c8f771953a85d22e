"""Intake, the first stage: whatever the caller gave becomes a checked draft, then a memory not yet stored.

Every problem names the field and the fix, and is found before anything is changed. Next: screen.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.errors import InvalidInput
from recollect.values.draft import Draft
from recollect.values.ids import new_id
from recollect.values.memory import Provenance, Record
from recollect.values.scope import Identity
from recollect.values.search import ASSISTANT, MACHINE, role_of
from recollect.values.words import (
    DELIVERIES,
    MEMORY_TYPES,
    PROVENANCE_KINDS,
    SCOPES,
    TRUST_OF_SOURCE,
    ProvenanceKind,
)

MAX_CONTENT = 500_000
MAX_NAME = 512
_HEX = frozenset("0123456789abcdefABCDEF-")
_SHORTEST_ID = 4
_DRAFT_FIELDS = tuple(f.name for f in fields(Draft))
_VOCABULARIES = {"type": MEMORY_TYPES, "scope": SCOPES, "delivery": DELIVERIES, "source": PROVENANCE_KINDS}
_RANGES = {"importance": (0.0, 1.0), "weight": (0.1, 1.0), "confidence": (0.0, 1.0), "trust": (0.0, 1.0)}
_NAMES = ("project", "agent", "team", "task", "session", "speaker", "key")


def draft_of(given: Draft | Mapping[str, Any] | str) -> Draft:
    """A draft from a value, a mapping or bare text; unknown names are refused with the list."""
    if isinstance(given, Draft):
        return given
    if isinstance(given, str):
        return Draft(given)
    if not isinstance(given, Mapping):
        raise InvalidInput("draft", f"{type(given).__name__} is not a draft", "give a dict, a Draft or text")
    for name in given:
        if name not in _DRAFT_FIELDS:
            raise InvalidInput(str(name), "is not a field of a draft", f"fields: {', '.join(_DRAFT_FIELDS)}")
    if "content" not in given:
        raise InvalidInput("content", "is missing", "say what to remember")
    return Draft(**given)


def record_of(
    draft: Draft, identity: Identity, project: str | None, now: datetime, *, verbatim: bool = False
) -> Record:
    """The memory a draft describes, checked, as it would be stored; verbatim, its text is kept to the last space."""
    cleaned = clean_text("content", draft.content, MAX_CONTENT)
    content = draft.content if verbatim else cleaned
    for name, words in _VOCABULARIES.items():
        one_of(name, getattr(draft, name), words)
    for name, (low, high) in _RANGES.items():
        number(name, getattr(draft, name), low, high)
    named = {name: clean_name(name, getattr(draft, name)) for name in _NAMES}
    named["project"] = named["project"] or project
    named["agent"] = named["agent"] or (identity.agent if draft.scope == "agent" else None)
    scope = draft.scope or ("project" if named["project"] else "global")
    _coordinate(scope, named)
    source = draft.source or _source_of(named["speaker"])
    return Record(
        id=new_id(now),
        content=content,
        account=identity.account,
        created_at=now,
        updated_at=now,
        accessed_at=now,
        type=draft.type or "fact",
        scope=scope,
        agent=named["agent"],
        team=named["team"],
        project=named["project"],
        task=named["task"],
        tags=clean_tags(draft.tags),
        importance=0.5 if draft.importance is None else float(draft.importance),
        weight=1.0 if draft.weight is None else float(draft.weight),
        confidence=1.0 if draft.confidence is None else float(draft.confidence),
        trust=TRUST_OF_SOURCE[source] if draft.trust is None else min(float(draft.trust), TRUST_OF_SOURCE[source]),
        valid_from=clean_time("valid_from", draft.valid_from),
        valid_until=_until(draft),
        expires_at=expiry("ttl", draft.ttl, draft.expires_at, now),
        delivery=draft.delivery or "on_demand",
        supersedes=None if draft.supersedes is None else clean_id("supersedes", draft.supersedes),
        key=named["key"],
        provenance=Provenance(
            kind=source,
            session=named["session"],
            position=_whole("position", draft.position),
            message_range=_range(draft.message_range),
            speaker=named["speaker"],
            occurred_at=clean_time("occurred_at", draft.occurred_at),
            file_paths=_paths(draft.file_paths),
            snippet=None if draft.snippet is None else clean_text("snippet", draft.snippet, MAX_CONTENT),
            reason=None if draft.reason is None else clean_text("reason", draft.reason, MAX_CONTENT),
        ),
    )


def clean_text(field: str, value: Any, limit: int) -> str:
    """Text that can be stored and found: not empty, no NUL, no lone surrogate, not endless."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"{type(value).__name__} is not text", "give a string")
    if not value.strip():
        raise InvalidInput(field, "is empty", "say what to remember")
    if len(value) > limit:
        raise InvalidInput(field, f"has {len(value):,} characters", f"split it: at most {limit:,} a memory")
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
    """A coordinate or label: absent, or real text on one line."""
    if value is None:
        return None
    text = clean_text(field, value, MAX_NAME)
    if any(ord(c) < 32 or ord(c) == 127 for c in text):
        raise InvalidInput(field, "contains a control character", "give one line of plain text")
    return text


def clean_id(field: str, value: Any) -> str:
    """An id, or enough of its beginning or end."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(field, "is missing", "give the id of a memory, as `list` shows it")
    part = value.strip()
    if not set(part) <= _HEX or not _SHORTEST_ID <= len(part.replace("-", "")) <= 32:
        raise InvalidInput(field, f"{part[:40]!r} is not an id", "give an id, or at least 4 characters of one")
    return part


def clean_tags(tags: Any) -> tuple[str, ...]:
    """Tags without their hash sign, lower case, each once, in order."""
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


def expiry(field: str, ttl: Any, expires_at: Any, now: datetime) -> datetime | None:
    """When a memory ends, from a lifetime in seconds or a moment; the past is refused."""
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
            raise InvalidInput(field, f"{ttl!r} is too long", "leave it out to keep the memory for good") from None
    moment = clean_time("expires_at", expires_at)
    if moment is not None and moment <= now:
        raise InvalidInput("expires_at", f"{moment.isoformat()} is in the past", "give a time still to come")
    return moment


def one_of(field: str, value: Any, words: tuple[str, ...]) -> None:
    """Refuse a word that is not in its vocabulary, with the list."""
    if value is not None and value not in words:
        raise InvalidInput(field, f"{value!r} is unknown", f"use one of {', '.join(words)}")


def number(field: str, value: Any, low: float, high: float) -> None:
    """Refuse a number outside its range."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise InvalidInput(field, f"{value!r} is out of range", f"give a number from {low} to {high}")


def _source_of(speaker: str | None) -> ProvenanceKind:
    by_role: dict[int, ProvenanceKind] = {ASSISTANT: "inferred", MACHINE: "tool"}
    return by_role.get(role_of(speaker), "user_stated")


def _coordinate(scope: str, named: Mapping[str, str | None]) -> None:
    if scope != "global" and not named[scope]:
        raise InvalidInput(
            scope, f"is missing, but the scope is {scope!r}", f"name the {scope}, or choose another scope"
        )


def _until(draft: Draft) -> datetime | None:
    until, since = clean_time("valid_until", draft.valid_until), clean_time("valid_from", draft.valid_from)
    if until is not None and since is not None and until <= since:
        raise InvalidInput("valid_until", "is not after valid_from", "give a later time")
    return until


def _whole(field: str, value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise InvalidInput(field, f"{value!r} is not a position", "give a whole number from 0")
    return value


def _range(value: Any) -> tuple[int, int] | None:
    if value is None:
        return None
    pair = tuple(value) if isinstance(value, (tuple, list)) else ()
    if len(pair) != 2 or not all(isinstance(n, int) and n >= 0 for n in pair) or pair[0] > pair[1]:
        raise InvalidInput("message_range", f"{value!r} is not a range", "give two whole numbers, first and last")
    return pair[0], pair[1]


def _paths(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInput("file_paths", "is not a list of paths", 'give a list, like ["src/app.py"]')
    return tuple(clean_name("file_paths", str(path)) or "" for path in value)
