"""Triggered: memories whose trigger patterns the context matches. They are surfaced first, whatever their similarity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from recollect.ports import Reader
from recollect.values.matching import Matcher
from recollect.values.search import Search

_MANY_ACCOUNTS = 64


@dataclass(frozen=True, slots=True)
class Fired:
    """By row, the pattern that matched; and what is to be said about patterns that could not be tried in time."""

    patterns: Mapping[int, str]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Triggers:
    """The patterns of each account, made ready once for as long as they stay the same."""

    _ready: dict[str, tuple[object, Matcher]] = field(default_factory=dict)

    def fired(self, reader: Reader, search: Search, context: str) -> Fired:
        """The memories this context calls up, of those the viewer may recall."""
        account = search.viewer.account
        patterns = reader.triggers(account)
        if not patterns:
            return Fired({})
        known = self._ready.get(account)
        if known is None or known[0] is not patterns:
            if len(self._ready) >= _MANY_ACCOUNTS:
                self._ready.clear()
            known = self._ready[account] = (patterns, Matcher(patterns))
        matched = known[1].matches(context)
        failed = {**dict.fromkeys(matched.slow, "took too long"), **dict.fromkeys(matched.broken, "is broken")}
        seen = set(reader.among(search, [*matched.keys, *failed]))
        rows = [row for row in failed if row in seen]
        notes = tuple(
            f"a trigger of {record.short_id} {failed[row]} and was not tried; mend it with `update`"
            for row, record in zip(rows, reader.fetch(account, rows), strict=True)
        )
        return Fired({row: pattern for row, pattern in matched.keys.items() if row in seen}, notes)
