"""Filters: from what a caller gives (keyword arguments, an object, JSON text) to a checked `Filter`.

One language for every verb and door: named conditions, which must all hold; conditions on metadata with operators; and `AND`,
`OR` and `NOT` over filters.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.validation import (
    MAX_DEPTH,
    MAX_NAME,
    check_number,
    clean_list,
    clean_name,
    clean_scalar,
    clean_tags,
    clean_text,
    clean_time,
    clean_words,
    several,
    shown,
)
from recollect.values.enums import MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES
from recollect.values.metadata import AFTER, NUMBER, PRESENT, TEXT, entry_value
from recollect.values.search import EntryTest, Filter, FilterFields

COMPOUND = ("AND", "OR", "NOT")
OPERATORS = ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists")
_NAMES = tuple(FilterFields.__annotations__)
_MOST_PARTS = 100
# SQLite takes expressions of a depth of 1000; every value may add one.
_MOST_VALUES = 500
# The smallest text after another one: no text has a NUL in it.
_NEXT = "\x01"
_ANYTHING = (PRESENT, "g")

Span = tuple[str, str]


def filter_from(fields: Mapping[str, Any]) -> Filter:
    """A checked filter from the keyword arguments of a verb. Without a status it is for active memories.

    Where a status is asked for inside `where`, the statuses named there are looked at as well as the active ones, and no others.
    """
    wanted = _filter(fields, 0)
    parts = list(wanted.inside())
    if len(parts) > _MOST_PARTS:
        raise InvalidInput("where", f"has {len(parts)} filters in it", f"use at most {_MOST_PARTS}")
    values = sum(map(_values, (wanted, *parts)))
    if values > _MOST_VALUES:
        raise InvalidInput("where", f"compares with {values:,} values", f"use at most {_MOST_VALUES}, or several calls")
    if wanted.statuses:
        return wanted
    named = {"active", *(status for part in parts for status in part.statuses)}
    return replace(wanted, statuses=tuple(status for status in STATUSES if status in named))


def _values(part: Filter) -> int:
    """How many values a filter compares with, those inside it aside."""
    entries = sum(len(test.values) or 1 for test in part.metadata)
    return len(part.tags) + len(part.any_tags) + len(part.speakers) + entries


def where_from(given: Any) -> dict[str, Any]:
    """A filter given as an object, or as the JSON text of one."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            raise InvalidInput("where", f"{shown(given)} is not JSON", 'write it like {"tags": "draft"}') from None
    if not isinstance(given, Mapping):
        raise InvalidInput("where", f"{type(given).__name__} is not a filter", 'give an object, like {"tags": "draft"}')
    return dict(given)


def _filter(fields: Mapping[str, Any], depth: int, *, inside: bool = False) -> Filter:
    known = (*_NAMES, *COMPOUND) if inside else _NAMES
    for name in fields:
        if name not in known:
            raise InvalidInput(str(name)[:80], "is not a filter", f"filters: {', '.join(known)}")
    if depth > MAX_DEPTH:
        raise InvalidInput("where", f"is nested deeper than {MAX_DEPTH}", "make it flatter")
    get = fields.get
    check_number("min_trust", get("min_trust"), 0.0, 1.0)
    since, until = _span(fields, "since", "until")
    created_since, created_until = _span(fields, "created_since", "created_until")
    updated_since, updated_until = _span(fields, "updated_since", "updated_until")
    all_of, any_of, none_of = _parts(fields, depth)
    return Filter(
        types=clean_words("type", get("type"), MEMORY_TYPES),  # type: ignore[arg-type]
        tags=clean_tags(several("tags", get("tags"))),
        any_tags=clean_tags(several("any_tags", get("any_tags"))),
        scopes=clean_words("scope", get("scope"), SCOPES),  # type: ignore[arg-type]
        project=clean_name("in_project", get("in_project")),
        session=clean_name("in_session", get("in_session")),
        speakers=tuple(clean_name("speaker", name) or "" for name in several("speaker", get("speaker"))),
        statuses=_statuses(get("status")),  # type: ignore[arg-type]
        sources=clean_words("source", get("source"), PROVENANCE_KINDS),  # type: ignore[arg-type]
        since=since,
        until=until,
        created_since=created_since,
        created_until=created_until,
        updated_since=updated_since,
        updated_until=updated_until,
        min_trust=float(get("min_trust") or 0.0),
        metadata=tuple(_entry_tests(get("metadata"))),
        all_of=all_of,
        any_of=any_of,
        none_of=none_of,
    )


def _span(fields: Mapping[str, Any], since: str, until: str) -> tuple[datetime | None, datetime | None]:
    first, last = clean_time(since, fields.get(since)), clean_time(until, fields.get(until))
    if first is not None and last is not None and last <= first:
        raise InvalidInput(until, f"is not after {since}", "give a later time")
    return first, last


def _statuses(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) and value == "all":
        return STATUSES
    return clean_words("status", value, STATUSES)


def _parts(
    fields: Mapping[str, Any], depth: int
) -> tuple[tuple[Filter, ...], tuple[tuple[Filter, ...], ...], tuple[Filter, ...]]:
    """The filters inside: of those all must pass, of each group one, of those none."""
    every = [] if fields.get("where") is None else [fields["where"]]
    every += _listed("AND", fields.get("AND"))
    either, none = _listed("OR", fields.get("OR")), fields.get("NOT")

    def part(given: Any) -> Filter:
        return _filter(where_from(given), depth + 1, inside=True)

    groups = (tuple(map(part, either)),) if either else ()
    return tuple(map(part, every)), groups, () if none is None else (part(none),)


def _listed(name: str, value: Any) -> list[Any]:
    if value is None:
        return []
    found = clean_list(name, value)
    if not found:
        raise InvalidInput(name, "is empty", "give a list of filters, or leave it out")
    return list(found)


def _entry_tests(given: Any) -> Iterator[EntryTest]:
    """The conditions on metadata, each about one path."""
    if given is None:
        return
    if not isinstance(given, Mapping):
        raise InvalidInput(
            "metadata",
            f"{type(given).__name__} is not an object",
            'give one, like {"team": "core", "score": {"$gte": 3}}',
        )
    yield from _tests_of("", given, 0)


def _tests_of(path: str, given: Mapping[str, Any], depth: int) -> Iterator[EntryTest]:
    if depth > MAX_DEPTH:
        raise InvalidInput("metadata", f"is nested deeper than {MAX_DEPTH}", "make it flatter")
    for name, wanted in given.items():
        part = clean_text("metadata", name, MAX_NAME)
        own = f"{path}.{part}" if path else part
        if part.startswith("$"):
            raise InvalidInput(
                "metadata", f"the condition {part!r} has no field", f'write {{"field": {{"{part}": …}}}}'
            )
        if not isinstance(wanted, Mapping):
            yield _test(own, "$eq", wanted)
        elif any(str(key).startswith("$") for key in wanted):
            yield from (_test(own, str(operator), operand) for operator, operand in wanted.items())
        elif wanted:
            yield from _tests_of(own, wanted, depth + 1)
        else:
            raise InvalidInput(f"metadata.{own}", "is an empty condition", f"use one of {', '.join(OPERATORS)}")


def _test(path: str, operator: str, operand: Any) -> EntryTest:
    field = f"metadata.{path}"
    match operator:
        case "$eq" | "$ne":
            return EntryTest(path, (_equal(field, operand),), absent=operator == "$ne")
        case "$in" | "$nin":
            values = (_equal(field, one) for one in clean_list(f"{field} {operator}", operand))
            return EntryTest(path, tuple(dict.fromkeys(values)), absent=operator == "$nin")
        case "$exists":
            if not isinstance(operand, bool):
                raise InvalidInput(
                    f"{field} $exists", f"{shown(operand)} is neither true nor false", "give one of them"
                )
            return EntryTest(path, span=_ANYTHING, absent=not operand)
        case "$gt" | "$gte" | "$lt" | "$lte":
            return EntryTest(path, span=_range(f"{field} {operator}", operator, operand))
    raise InvalidInput(field, f"{operator!r} is not an operator", f"use one of {', '.join(OPERATORS)}")


def _equal(field: str, operand: Any) -> str:
    if isinstance(operand, Mapping | list | tuple):
        raise InvalidInput(field, "cannot be compared with a list or an object", "compare its fields, or use $in")
    return entry_value(clean_scalar(field, operand))


def _range(field: str, operator: str, operand: Any) -> Span:
    if isinstance(operand, bool) or not isinstance(operand, str | int | float):
        raise InvalidInput(field, f"{shown(operand)} has no order", "compare with a number or a text")
    value = entry_value(clean_scalar(field, operand))
    kind = TEXT if isinstance(operand, str) else NUMBER
    match operator:
        case "$gt":
            return value + _NEXT, AFTER[kind]
        case "$gte":
            return value, AFTER[kind]
        case "$lt":
            return kind, value
    return kind, value + _NEXT
