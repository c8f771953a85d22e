"""`standing`: rows by how they stand, and nothing that may not be seen."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from recollect.ports import Store
from recollect.testing.contract.samples import NOW, SEARCH, VIEWER, alter, put, record
from recollect.values.search import DeliveryQuery, Filter, Search


def _shown(store: Store, search: Search = SEARCH, *, limit: int = 50, **wanted: Any) -> list[str]:
    """The contents of what stands so, in order."""
    with store.view() as reader:
        (rows,) = reader.list_by_delivery(search, [DeliveryQuery(limit, **wanted)])
        return [memory.content for memory in reader.fetch(search.viewer.account, rows)]


class StandingContract:
    """By delivery, by type, by time: the most important or the latest first."""

    def test_what_stands_is_ordered_by_importance_then_newness(self, store: Store) -> None:
        for number in range(12):
            created = NOW + timedelta(hours=number // 2)
            put(store, record(f"{number}", importance=0.9 if number % 4 == 1 else 0.5, created_at=created))
        wanted = ["9", "5", "1", "11", "10", "8", "7", "6", "4", "3", "2", "0"]
        assert [_shown(store, limit=count) for count in (12, 7, 3, 2, 1)] == [wanted[:n] for n in (12, 7, 3, 2, 1)]

    def test_delivery_and_type_narrow_it(self, store: Store) -> None:
        put(
            store,
            record("always", delivery="pinned"),
            record("at the start", delivery="bootstrap", type="rule"),
            record("on request", type="rule"),
            record("plain"),
        )
        assert set(_shown(store, deliveries=("pinned", "bootstrap"))) == {"always", "at the start"}
        assert set(_shown(store, types=("rule", "negative"))) == {"at the start", "on request"}
        assert _shown(store, types=("rule",), deliveries=("on_demand",)) == ["on request"]
        assert _shown(store, types=("plan",)) == []

    def test_since_a_time_what_was_stored_or_confirmed_is_shown_latest_first(self, store: Store) -> None:
        old, new = record("old", importance=1.0, created_at=NOW - timedelta(days=9)), record("new")
        put(store, old, new, record("older", created_at=NOW - timedelta(days=10)))
        start = (NOW - timedelta(days=1)).timestamp()
        assert _shown(store, since=start) == ["new"]
        alter(store, old, "reinforce", hit_at=NOW + timedelta(hours=1))
        assert _shown(store, since=start) == ["old", "new"]
        assert _shown(store, since=start, limit=1) == ["old"]
        assert _shown(store, since=(NOW + timedelta(hours=1)).timestamp()) == ["old"]

    def test_named_rows_are_listed_as_far_as_they_are_visible(self, store: Store) -> None:
        low, high = record("low", importance=0.1), record("high", importance=0.9)
        hidden = record("hidden", scope="agent", agent="bob")
        put(store, low, hidden, high, record("not named"))
        with store.view() as reader:
            rows = tuple(reader.rows_of("acme", [low.id, hidden.id, high.id]))
        assert _shown(store, rows=(*rows, 999)) == ["high", "low"]
        assert _shown(store, rows=rows, limit=1) == ["high"]
        assert _shown(store, rows=()) == []

    def test_several_lists_are_answered_in_their_order(self, store: Store) -> None:
        put(store, record("a", delivery="pinned"), record("b", type="rule"))
        lists = [DeliveryQuery(9, types=("rule",)), DeliveryQuery(9, rows=()), DeliveryQuery(9, deliveries=("pinned",))]
        with store.view() as reader:
            found = reader.list_by_delivery(SEARCH, lists)
            assert [[one.content for one in reader.fetch("acme", rows)] for rows in found] == [["b"], [], ["a"]]
            assert reader.list_by_delivery(SEARCH, []) == []
            memories = reader.fetch_by_delivery(SEARCH, lists)
            assert [list(one) for one in memories] == found
            assert [[one.content for one in some.values()] for some in memories] == [["b"], [], ["a"]]

    def test_counting_accesses_moves_nothing(self, store: Store) -> None:
        put(store, record("one"), record("two", created_at=NOW + timedelta(hours=1)))
        with store.transaction("acme", "tester", NOW) as tx:
            (rows,) = tx.list_by_delivery(SEARCH, [DeliveryQuery(9)])
            tx.touch("acme", dict.fromkeys(rows[1:], (50, NOW + timedelta(days=1))))
        assert _shown(store) == _shown(store, since=0.0) == ["two", "one"]

    def test_what_may_not_be_seen_does_not_stand(self, store: Store) -> None:
        pinned: dict[str, Any] = {"delivery": "pinned", "type": "rule"}
        first = record("superseded", **pinned)
        put(store, first, record("in force", supersedes=first.id, **pinned))
        put(
            store,
            record("forgotten", status="forgotten", **pinned),
            record("expired", expires_at=NOW, **pinned),
            record("not yet", valid_from=NOW + timedelta(days=1), **pinned),
            record("another's", scope="agent", agent="bob", **pinned),
            record("another team's", scope="team", team="ops", **pinned),
            record("elsewhere", scope="project", project="zephyr", **pinned),
        )
        put(store, record("another account's", account="other", **pinned))
        for wanted in ({"deliveries": ("pinned",)}, {"types": ("rule",)}, {"since": 0.0}, {}):
            assert _shown(store, **wanted) == ["in force"]

    def test_what_stands_stays_under_the_filter_of_the_search(self, store: Store) -> None:
        put(store, record("a", tags=("x",)), record("b"), record("c", tags=("x",), project="shop"))
        assert set(_shown(store, replace(SEARCH, filter=Filter(tags=("x",))))) == {"a", "c"}
        assert set(_shown(store, replace(SEARCH, filter=Filter(without=("shop",))))) == {"a", "b"}

    def test_what_was_just_written_stands_in_the_same_transaction(self, store: Store) -> None:
        with store.transaction("acme", "tester", NOW) as tx:
            tx.insert(record("fresh", delivery="pinned"), None)
            search = Search(VIEWER, Filter(), NOW.timestamp())
            (rows,) = tx.list_by_delivery(search, [DeliveryQuery(5, deliveries=("pinned",))])
            assert [memory.content for memory in tx.fetch("acme", rows)] == ["fresh"]
