"""`candidates`: each way of looking brings its best, and nothing that may not be seen."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np

from recollect.ports import Store
from recollect.testing.contract.samples import (
    DIMENSIONS,
    EVERY_STATUS,
    MODEL,
    NOW,
    SEARCH,
    VIEWER,
    alter,
    axis,
    found_by,
    leaning,
    put,
    recalled,
    record,
    row_of,
)
from recollect.values.memory import Record
from recollect.values.search import Filter, Search


def _said(content: str, position: int, **fields: Any) -> Record:
    """One turn of a session."""
    return record(content, position=position, **{"session": "s1", "speaker": "Zoë", **fields})


class LegsContract:
    """By meaning, by words, by number, by time, by standing, by what stands beside."""

    def test_each_leg_brings_its_best(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        for number in range(20):
            put(store, record(f"green {'and ' * number}{number}"), vectors=leaning(number / 20))
        search = replace(SEARCH, vector=axis(0).reshape(-1), depth=3)
        found, _ = found_by(store, search)
        cosines, bm25 = found_by(store, replace(search, depth=50))[0], found.bm25
        assert set(np.sort(cosines.cosine)[-3:].tolist()) <= set(found.cosine.tolist())
        assert set(np.sort(cosines.bm25)[-3:].tolist()) <= set(bm25.tolist())
        assert found.visible == 20
        assert len(found) < 20

    def test_every_visible_row_is_a_candidate_where_they_are_few_enough(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        for number in range(12):
            put(store, record(f"green {number}"), vectors=leaning(number / 12))
        put(store, record("nothing in common"), record("green but hidden", scope="agent", agent="bob"))
        search = replace(SEARCH, vector=axis(0).reshape(-1), depth=2)
        for every, complete in ((13, True), (12, False), (0, False)):
            found, contents = found_by(store, replace(search, every=every))
            assert ("nothing in common" in contents) is complete
            assert (len(found) == 13) is complete
            assert "green but hidden" not in contents
            assert found.selected.all()

    def test_rows_may_be_asked_for_by_number_and_stay_under_the_filter(self, store: Store) -> None:
        plain, hidden, forgotten = (
            record("blue one"),
            record("blue two", scope="agent", agent="bob"),
            record("blue three", status="forgotten"),
        )
        put(store, plain, hidden, forgotten)
        with store.view() as reader:
            everywhere = replace(VIEWER, identity=replace(VIEWER.identity, agent="bob"))
            search = Search(everywhere, Filter(statuses=EVERY_STATUS), NOW.timestamp(), terms=("blue",))
            rows = tuple(reader.candidates(search).rows.tolist())
        assert len(rows) == 3
        assert recalled(store, words=(), rows=(*rows, 99_999)) == {"blue one"}

    def test_neighbours_are_what_people_said_beside_in_the_same_session(self, store: Store) -> None:
        for position in range(7):
            put(store, _said("green" if position == 3 else f"turn {position}", position))
            put(store, _said(f"elsewhere {position}", position, session="s2"))
            put(store, _said(f"for atlas {position}", position, scope="project", project="atlas"))
        put(store, _said("another account", 4, account="other"))
        put(store, _said("at length", 4, speaker="assistant"), _said("no session", 4, session=None))
        assert recalled(store) == {"green"}
        assert recalled(store, neighbours=2) == {"turn 1", "turn 2", "green", "turn 4", "turn 5"}
        found, contents = found_by(store, replace(SEARCH, neighbours=1))
        assert {c for c, chosen in zip(contents, found.selected, strict=True) if chosen} == {"green"}

    def test_a_neighbour_that_may_not_be_seen_stays_away(self, store: Store) -> None:
        put(store, _said("green", 1), _said("forgotten", 0, status="forgotten"), _said("over", 2, expires_at=NOW))
        assert recalled(store, neighbours=2) == {"green"}

    def test_neighbours_follow_a_change(self, store: Store) -> None:
        moved = _said("turn 9", 9)
        put(store, _said("green", 1), _said("turn 2", 2), moved)
        assert recalled(store, neighbours=1) == {"green", "turn 2"}
        alter(store, moved, position=0)
        assert recalled(store, neighbours=1) == {"turn 9", "green", "turn 2"}
        alter(store, moved, session="s2")
        assert recalled(store, neighbours=1) == {"green", "turn 2"}

    def test_the_time_asked_about_is_a_leg_of_its_own(self, store: Store) -> None:
        for hours in range(4):
            put(store, record(f"hour {hours}", occurred_at=NOW + timedelta(hours=hours)))
        put(store, record("told then", created_at=NOW + timedelta(hours=2)))
        put(store, record("gone then", created_at=NOW + timedelta(hours=2), status="forgotten"))
        start = NOW.timestamp()
        search = replace(SEARCH, windows=((start, start + 3600), (start + 7200, start + 10_800)))
        found, contents = found_by(store, search)
        assert set(contents) == {"hour 0", "hour 2", "told then"}
        assert found.in_window == 3
        assert found_by(store)[0].in_window == 0

    def test_standing_instructions_are_a_leg_of_their_own(self, store: Store) -> None:
        put(
            store,
            record("reply in verse", type="rule"),
            record("never shout at me when i sleep"),
            record("a plain fact"),
            record("a private rule", type="rule", scope="agent", agent="bob"),
        )
        found, contents = found_by(store, replace(SEARCH, standing=True))
        assert set(contents) == {"reply in verse", "never shout at me when i sleep"}
        assert found.selected.all()
        assert found_by(store)[1] == []

    def test_phrases_find_the_visible_rows_that_hold_all_their_words(self, store: Store) -> None:
        one, two = record("green door handle"), record("green door")
        put(store, one, two, record("green private door", scope="agent", agent="bob"), record("a door"))
        rows = {row_of(store, one), row_of(store, two)}
        with store.view() as reader:
            both, none, one_only, nothing = reader.rows_with_terms(
                SEARCH, [("green", "door"), ("green", "roof"), ("handl",), ()], most=3
            )
            assert (set(both), none, one_only, nothing) == (rows, [], [row_of(store, one)], [])
            assert reader.rows_with_terms(SEARCH, [("green", "door")], most=2) == [[]]

    def test_a_search_counts_the_visible_rows_with_each_term(self, store: Store) -> None:
        put(
            store,
            record("green door handle"),
            record("green door"),
            record("green private door", scope="agent", agent="bob"),
            record("a door"),
        )
        search = replace(SEARCH, terms=("green", "door", "roof", "handl"))
        with store.view() as reader:
            assert reader.candidates(replace(search, holders=3)).holders.tolist() == [2, 0, 0, 1]
            assert reader.candidates(replace(search, holders=9)).holders.tolist() == [2, 3, 0, 1]
            assert reader.candidates(search).holders.tolist() == []
            assert reader.candidates(replace(search, terms=(), holders=9)).holders.tolist() == []

    def test_phrases_stay_under_the_filter(self, store: Store) -> None:
        tagged = record("green door", tags=("house",), type="rule")
        put(store, tagged, record("green door too"))
        with store.view() as reader:
            for narrow in (Filter(types=("rule",)), Filter(tags=("house",))):
                assert reader.rows_with_terms(replace(SEARCH, filter=narrow), [("green",)], most=9) == [
                    [row_of(store, tagged)]
                ]
