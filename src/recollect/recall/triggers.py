"""Triggers: memories whose trigger patterns match what the caller asks or works on come first, whatever their similarity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from recollect.ports import Reader
from recollect.recall.features import extract_features
from recollect.values.search import Search
from recollect.values.trigger import PatternMatcher

if TYPE_CHECKING:
    from recollect.recall.state import RecallState

_MOST_ACCOUNTS = 64


@dataclass(frozen=True, slots=True)
class TriggerMatches:
    """By row, the pattern that matched; and a note for each pattern that is broken or was too slow."""

    patterns: Mapping[int, str]
    notes: tuple[str, ...] = ()


def match_triggers(state: RecallState) -> None:
    """Stage: match the triggers, and add the memories they belong to to the candidates."""
    text = f"{state.request.text}\n{state.request.working_on}"
    state.triggered = state.trigger_matcher.match(state.reader, state.search, text)
    rows = tuple(state.triggered.patterns)
    if rows:
        state.search = replace(state.search, rows=(*state.search.rows, *rows))
        found = state.features.candidates.joined(state.reader.candidates(state.search.for_rows(state.search.rows)))
        found = replace(found, selected=found.selected | np.isin(found.rows, rows))
        state.features = extract_features(state.prepared.query, found, state.prepared.calibration)


@dataclass(slots=True)
class TriggerMatcher:
    """The compiled patterns of each account, cached until they change."""

    _compiled: dict[str, tuple[object, PatternMatcher]] = field(default_factory=dict)

    def match(self, reader: Reader, search: Search, text: str) -> TriggerMatches:
        """The triggers that match a text, of the memories the viewer may recall."""
        account = search.viewer.account
        patterns = reader.triggers(account)
        if not patterns:
            return TriggerMatches({})
        known = self._compiled.get(account)
        if known is None or known[0] is not patterns:
            if len(self._compiled) >= _MOST_ACCOUNTS:
                self._compiled.clear()
            known = self._compiled[account] = (patterns, PatternMatcher(patterns))
        matched = known[1].matches(text)
        failed = {**dict.fromkeys(matched.slow, "took too long"), **dict.fromkeys(matched.broken, "is broken")}
        visible = set(reader.filter_visible(search, [*matched.keys, *failed]))
        rows = [row for row in failed if row in visible]
        notes = tuple(
            f"a trigger of {record.short_id} {failed[row]} and was not tried; fix it with `update`"
            for row, record in zip(rows, reader.fetch(account, rows), strict=True)
        )
        return TriggerMatches({row: pattern for row, pattern in matched.keys.items() if row in visible}, notes)
