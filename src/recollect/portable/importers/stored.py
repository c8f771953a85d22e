"""Memories as another product stores them, for importers that keep everything: scores, hits, times, chains and owners."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from recollect.capture.annotate import type_of
from recollect.errors import InvalidInput
from recollect.portable.drafts import SkippedText
from recollect.portable.importers.common import clean_tags, parse_time
from recollect.portable.importers.tables import Row
from recollect.validation import clean_name
from recollect.values.enums import MEMORY_TYPES

_TYPES = {
    "semantic": "fact", "episodic": "episode", "procedural": "procedure", "event": "episode", "reminder": "task", "note": "fact",
    "lesson": "insight", "feedback": "correction", "knowledge": "fact", "goal": "plan", "narrative": "summary",
}  # fmt: skip
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_PERIOD = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])[a-z]*")


@dataclass(frozen=True, slots=True)
class SourceMemory:
    """One memory of another product.

    `id` is its id there. `image` has fields of a memory as plain JSON, without the id. `supersedes`, `superseded_by` and
    the targets of `links` (target, relation, weight) are ids there. `owners` are the names that `only` may choose it by.
    """

    where: str
    id: str
    image: Mapping[str, Any]
    supersedes: str | None = None
    superseded_by: str | None = None
    links: tuple[tuple[str, str, float], ...] = ()
    owners: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class StoredSource:
    """All memories in one source, and what in it is none."""

    name: str
    memories: tuple[SourceMemory, ...] = ()
    skipped: tuple[SkippedText, ...] = ()


@dataclass(slots=True)
class RowReader:
    """Reads the columns of one row; what nobody read becomes metadata, so that no column is lost."""

    where: str
    row: Row
    _read: set[str] = field(default_factory=set)

    def take(self, *names: str) -> Any:
        """The first of some columns that the row has."""
        self._read.update(names)
        return next((self.row[name] for name in names if self.row.get(name) not in (None, "")), None)

    def keep(self, name: str) -> None:
        """Keep a column in the metadata too."""
        self._read.discard(name)

    def text(self, *names: str) -> str | None:
        """A column as text on one line, as names are."""
        found = self.take(*names)
        return None if found is None else clean_name(f"{self.where}.{names[0]}", str(found))

    def time(self, *names: str) -> datetime | None:
        """A column as a time."""
        found = self.take(*names)
        return parse_time(f"{self.where}.{names[0]}", found)

    def number(self, *names: str, low: float, high: float) -> float | None:
        """A column as a number; one out of range becomes the nearest in it, and stays as it was in the metadata."""
        found = self.take(*names)
        if found is None:
            return None
        try:
            number = float(found)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise InvalidInput(
                f"{self.where}.{names[0]}", f"{str(found)[:40]!r} is not a number", "repair or remove it"
            )
        if not low <= number <= high:
            self._read.difference_update(names)
        return min(max(number, low), high)

    def count(self, *names: str) -> int:
        """A column as a whole number."""
        found = self.number(*names, low=-(2.0**31) + 1, high=2.0**31 - 1)
        return 0 if found is None else round(found)

    def kind(self, *names: str, content: str) -> str:
        """The type of the memory; a word of the product that we have not stays in the metadata."""
        found = self.take(*names)
        own = str(found).strip().lower() if found is not None else ""
        if own in MEMORY_TYPES:
            return own
        if own:
            self._read.difference_update(names)
        return _TYPES.get(own) or type_of(content)

    def tags(self, *names: str) -> list[str]:
        """A column as tags: a list, or text with commas."""
        found = self.take(*names)
        several = found if isinstance(found, list) else str(found or "").split(",")
        return list(clean_tags(str(tag).strip() for tag in several if isinstance(tag, (str, int, float))))

    def expiry(self, *names: str, begun: datetime | None) -> datetime | None:
        """The end of life: a time, or a number of seconds or a period (`30d`, `12h`) since a time."""
        found = self.take(*names)
        if found is None:
            return None
        period = _PERIOD.fullmatch(str(found).strip().lower())
        if period is not None:
            seconds = float(period[1]) * _UNITS[period[2]]
        elif str(found).replace(".", "", 1).isdecimal() and float(found) < 1e9:
            seconds = float(found)
        else:
            return parse_time(f"{self.where}.{names[0]}", found)
        return None if begun is None or not seconds else begun + timedelta(seconds=seconds)

    def rest(self) -> dict[str, Any]:
        """The columns that were not read; an object called `metadata` is taken apart."""
        inner = self.take("metadata")
        found = {
            name: value for name, value in self.row.items() if name not in self._read and value not in ("", [], {})
        }
        if isinstance(inner, Mapping):
            return {**found, **inner}
        return found if inner is None else {**found, "metadata": inner}


def iso(at: datetime | None) -> str | None:
    """A time as an image has it."""
    return None if at is None else at.isoformat()


def chosen(source: StoredSource, only: str | None) -> StoredSource:
    """The memories of one owner; the others are skipped."""
    if only is None:
        return source
    left = tuple(
        SkippedText(one.where, "", f"does not belong to {only}") for one in source.memories if only not in one.owners
    )
    mine = tuple(one for one in source.memories if only in one.owners)
    return StoredSource(source.name, mine, (*source.skipped, *left))


def owners_of(*names: Iterable[str] | str | None) -> frozenset[str]:
    """The names that `only` may choose a memory by."""
    return frozenset(each for name in names if name for each in ((name,) if isinstance(name, str) else name))
