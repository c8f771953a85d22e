"""`find`: what a list shows, under every condition, and what it must leave out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from recollect.ports import Store
from recollect.testing.contract.samples import ACCOUNT, EVERY_STATUS, IDENTITY, NOW, listed, put, recalled, record
from recollect.values.memory import Provenance, Record
from recollect.values.scope import Identity
from recollect.values.search import Filter

DAY = timedelta(days=1)
_BESIDE = record("plain and green")
_CONDITIONS: tuple[tuple[str, Record, dict[str, Any]], ...] = (
    ("type", record("a green rule", type="rule"), {"types": ("rule", "plan")}),
    ("tag", record("a green tag", tags=("x", "y")), {"tags": ("x",)}),
    ("both tags", record("two green tags", tags=("x", "y")), {"tags": ("y", "x")}),
    ("scope", record("in green atlas", scope="project", project="atlas"), {"scopes": ("project",)}),
    ("project", record("for green atlas", project="atlas"), {"project": "atlas"}),
    ("session", record("said green", session="s1"), {"session": "s1"}),
    ("source", record("a green guess", provenance=Provenance("inferred")), {"sources": ("inferred",)}),
    ("since", record("a green morrow", occurred_at=NOW + DAY), {"since": NOW + DAY}),
    ("until", record("a green past", occurred_at=NOW - DAY), {"until": NOW}),
    ("archived", record("a green archive", status="archived"), {"statuses": ("archived",)}),
    ("forgotten", record("a green tombstone", status="forgotten"), {"statuses": ("forgotten",)}),
)  # fmt: skip
_NAMES = [name for name, _, _ in _CONDITIONS]


class ListsContract:
    """Newest first, narrowed by all conditions at once, and the same conditions hold for a search."""

    @pytest.mark.parametrize(("memory", "conditions"), [case[1:] for case in _CONDITIONS], ids=_NAMES)
    def test_a_condition_lets_through_only_what_meets_it(
        self, store: Store, memory: Record, conditions: dict[str, Any]
    ) -> None:
        put(store, memory, _BESIDE)
        assert listed(store, **conditions) == [memory.content]
        assert recalled(store, **conditions) == {memory.content}

    def test_trust_is_a_floor(self, store: Store) -> None:
        put(store, record("the green hint", trust=0.3), record("the green fact", trust=0.7))
        for floor, expected in ((0.7, {"the green fact"}), (0.71, set()), (0.3, {"the green hint", "the green fact"})):
            assert set(listed(store, min_trust=floor)) == recalled(store, min_trust=floor) == expected

    def test_all_conditions_must_hold(self, store: Store) -> None:
        put(
            store,
            record("green one", type="rule", tags=("x",)),
            record("green two", type="rule"),
            record("green three", tags=("x",)),
        )
        conditions: dict[str, Any] = {"types": ("rule",), "tags": ("x",)}
        assert listed(store, **conditions) == ["green one"]
        assert recalled(store, **conditions) == {"green one"}

    def test_a_list_is_newest_first_and_comes_in_pages(self, store: Store) -> None:
        for number in range(5):
            put(store, record(f"green {number}"))
        with store.view() as reader:

            def page(limit: int, before: int | None = None) -> list[Record]:
                return reader.find(IDENTITY, Filter(), NOW, limit=limit, before=before)

            def after(shown: list[Record]) -> list[str]:
                (row,) = reader.rows_of(ACCOUNT, [shown[-1].id])
                return [m.content for m in page(2, row)]

            assert [m.content for m in page(2)] == ["green 4", "green 3"]
            assert after(page(2)) == ["green 2", "green 1"]
            assert after(page(-1)) == []
            assert len(page(-1)) == reader.count_found(IDENTITY, Filter(), NOW) == 5

    def test_every_status_lists_everything(self, store: Store) -> None:
        old = record("green old")
        put(
            store,
            old,
            record("green new", supersedes=old.id),
            record("green gone", status="forgotten"),
            record("green away", status="archived"),
            record("green over", expires_at=NOW),
        )
        assert len(listed(store, statuses=EVERY_STATUS)) == 5
        assert listed(store) == ["green new"]
        assert listed(store, statuses=("superseded",)) == ["green old"]

    def test_a_list_shows_other_rooms_to_nobody(self, store: Store) -> None:
        put(
            store,
            record("ours"),
            record("ada's", scope="agent", agent="ada"),
            record("core's", scope="team", team="core"),
            record("nobody's", scope="agent"),
            record("no team's", scope="team"),
        )
        put(store, record("foreign", account="other"))
        assert set(listed(store, statuses=EVERY_STATUS)) == {"ours", "ada's", "core's"}
        assert listed(store, Identity(ACCOUNT), statuses=EVERY_STATUS) == ["ours"]
        assert listed(store, Identity(ACCOUNT, "bob", ("other team",)), statuses=EVERY_STATUS) == ["ours"]
        assert listed(store, Identity("other", "ada", ("core",)), statuses=EVERY_STATUS) == ["foreign"]

    def test_a_list_is_not_bound_to_the_context_one_works_in(self, store: Store) -> None:
        put(
            store,
            record("atlas", scope="project", project="atlas"),
            record("session", scope="session", session="s9"),
            record("task", scope="task", task="t9"),
        )
        assert set(listed(store, Identity(ACCOUNT))) == {"atlas", "session", "task"}
