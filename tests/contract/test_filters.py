"""Filters: every operator and combination gives the same memories on every back end, by list and by search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import empty

from recollect.errors import InvalidInput
from recollect.filters import filter_from
from recollect.ports import Store
from recollect.store.postgres.options import Options
from recollect.store.postgres.store import PostgresStore
from recollect.store.sqlite.store import SqliteStore
from recollect.testing.contract.samples import DIMENSIONS, IDENTITY, MODEL, NOW, VIEWER, axis, found_by, put, record
from recollect.testing.in_memory import InMemoryStore
from recollect.values.memory import Record
from recollect.values.search import Search

Stores = dict[str, Store]

METADATA: tuple[dict[str, Any], ...] = (
    {},
    {"team": "core"},
    {"team": "Core"},
    {"team": ""},
    {"team": None},
    {"team": True},
    {"team": 1},
    {"score": 3},
    {"score": 3.0, "team": "core"},
    {"score": 2.5},
    {"score": -2.5},
    {"score": -10},
    {"score": 0},
    {"score": 1e-9},
    {"score": 2**53 + 1},
    {"score": -(2**62)},
    {"score": "3"},
    {"score": [1, 3, "x"]},
    {"score": []},
    {"score": {}},
    {"score": [[3]]},
    {"nested": {"score": 3, "team": "core"}},
    {"nested": [{"score": 1}, {"score": 7}]},
    {"nested.score": 3},
    {"team": "große Straße"},
    {"team": "核心"},
    {"team": "a" * 300},
    {"team": "a" * 300 + "b"},
    {"flag": False, "team": ["core", "web"]},
)
# Each is the value `v` of one more memory: numbers near each other, and texts in the order of many scripts.
VALUES: tuple[Any, ...] = (
    0, -1, 0.1, 0.1 + 2**-56, 0.3, 0.1 + 0.2, 1.5, 10, 9, 99, 100, -9, -10, -99, -0.1, 5e-324, -5e-324, 1e-300, 1.7e308, -1.7e308,
    2**53, 2**53 + 1, -(2**53) - 1, float(2**60), 2**60 + 1, 2**63 - 1, 1e19, 123456789.125, 0.000123,
    "", "a", "aa", "a b", "A", "Z", "z", "Ä", "ä", "é", "ß", "ss", "0", "10", "9", "-", "_", "~", "א", "ع", "я", "Я", "ก", "中",
    "あ", "한", "\uffee",
    "🦊", "🦊a", "a🦊", "x" * 200, "x" * 201, "x" * 200 + "y",
    True, False, None,
)  # fmt: skip
_PLACES: tuple[dict[str, Any], ...] = (
    {"scope": "global"},
    {"scope": "project", "project": "atlas"},
    {"scope": "user", "user": "ulla"},
    {"scope": "user", "user": "uwe"},
    {"scope": "agent", "agent": "ada"},
)


HELD = {
    **{f"green note {number}": metadata for number, metadata in enumerate(METADATA)},
    **{f"blue note {number}": {"v": value} for number, value in enumerate(VALUES)},
}


def _samples() -> list[Record]:
    made = []
    for number, metadata in enumerate(METADATA):
        made.append(
            record(
                f"green note {number}",
                created_at=NOW - timedelta(days=number),
                updated_at=NOW - timedelta(hours=number),
                metadata=metadata,
                tags=(("draft",), ("draft", "done"), ("done",), ())[number % 4],
                type=("fact", "decision", "preference")[number % 3],
                speaker=(None, "Tom", "assistant")[number % 3],
                status=("active", "active", "active", "archived", "forgotten")[number % 5],
                trust=(1.0, 0.5)[number % 2],
                occurred_at=None if number % 2 else NOW - timedelta(days=100 + number),
                expires_at=NOW - timedelta(days=1) if number % 13 == 12 else None,
                **_PLACES[number % len(_PLACES)],
            )
        )
    made += [record(f"blue note {number}", metadata={"v": value}) for number, value in enumerate(VALUES)]
    # One active memory is superseded by another.
    made[10] = made[10].with_(supersedes=made[0].id, scope="global")
    made[0] = made[0].with_(scope="global")
    return made


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory, migrated_database: str) -> Iterator[Stores]:
    """The same memories in every kind of store."""
    with ExitStack() as open_stores:
        made: Stores = {
            "in memory": InMemoryStore(),
            "sqlite": SqliteStore(tmp_path_factory.mktemp("filters") / "memory.db", durable=False),
            "postgres": PostgresStore(migrated_database, Options(connections=2)),
        }
        samples = _samples()
        for store in made.values():
            open_stores.callback(store.close)
            store.use_model(MODEL, DIMENSIONS)
            put(store, *samples, vectors=axis(0))
        yield made
    empty(migrated_database)


def listed(store: Store, fields: Mapping[str, Any]) -> list[str]:
    with store.view() as reader:
        return [one.content for one in reader.find(IDENTITY, filter_from(fields), NOW, limit=1000)]


def counted(store: Store, fields: Mapping[str, Any]) -> int:
    with store.view() as reader:
        return reader.count_found(IDENTITY, filter_from(fields), NOW)


def searched(store: Store, fields: Mapping[str, Any]) -> set[str]:
    search = Search(VIEWER, filter_from(fields), NOW.timestamp(), axis(0).reshape(-1), ("green",), depth=200)
    return set(found_by(store, search)[1])


_SCALARS = st.sampled_from(
    [
        "core",
        "Core",
        "",
        "3",
        "c",
        "große Straße",
        "核心",
        "a" * 300,
        True,
        False,
        None,
        0,
        1,
        3,
        2.5,
        -2.5,
        7,
        2**53 + 1,
        1e-9,
    ]
)
_ORDERED = st.sampled_from(["core", "b", "", "a" * 250, 0, 1, 3, 2.4, -3, -2.5, 2**53, 1e-12])
_OPERATORS = st.one_of(
    st.fixed_dictionaries({}, optional={"$eq": _SCALARS, "$ne": _SCALARS, "$exists": st.booleans()}).filter(bool),
    st.fixed_dictionaries({}, optional=dict.fromkeys(("$gt", "$gte", "$lt", "$lte"), _ORDERED)).filter(bool),
    st.sampled_from(["$in", "$nin"]).flatmap(
        lambda name: st.lists(_SCALARS, max_size=3).map(lambda values: {name: values})
    ),
)
_PATHS = st.sampled_from(["team", "score", "nested.score", "nested", "flag", "nowhere"])
_METADATA = st.dictionaries(_PATHS, st.one_of(_SCALARS, _OPERATORS), min_size=1, max_size=2)
_TIMES = st.integers(0, 130).map(lambda days: (NOW - timedelta(days=days)).isoformat())
_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from(["fact", "decision", ["fact", "preference"]]),
    "tags": st.sampled_from(["draft", ["draft", "done"], "nowhere"]),
    "any_tags": st.sampled_from([["draft", "done"], "done", ["nowhere", "draft"]]),
    "scope": st.sampled_from(["global", "user", ["agent", "project"]]),
    "in_project": st.sampled_from(["atlas", "other"]),
    "speaker": st.sampled_from(["Tom", ["Tom", "assistant"]]),
    "status": st.sampled_from(["active", "archived", "superseded", "all", ["active", "superseded"]]),
    "min_trust": st.sampled_from([0.5, 0.7]),
    "since": _TIMES,
    "created_since": _TIMES,
    "updated_until": _TIMES,
    "metadata": _METADATA,
}
_PLAIN = st.fixed_dictionaries({}, optional=_FIELDS).map(
    lambda fields: dict(list(fields.items())[:3])  # more conditions hold for nothing
)
_WHERE = st.recursive(
    _PLAIN,
    lambda inside: st.one_of(
        st.lists(inside, min_size=1, max_size=3).map(lambda parts: {"AND": parts}),
        st.lists(inside, min_size=1, max_size=3).map(lambda parts: {"OR": parts}),
        inside.map(lambda part: {"NOT": part}),
    ),
    max_leaves=4,
)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plain=_PLAIN, where=_WHERE)
def test_every_back_end_gives_the_same_memories(stores: Stores, plain: dict[str, Any], where: dict[str, Any]) -> None:
    fields = {**plain, "where": where}
    lists = {name: listed(store, fields) for name, store in stores.items()}
    assert lists["sqlite"] == lists["in memory"]
    assert lists["postgres"] == lists["in memory"]
    assert {counted(store, fields) for store in stores.values()} == {len(lists["in memory"])}
    searches = {name: searched(store, fields) for name, store in stores.items()}
    assert searches["sqlite"] == searches["in memory"]
    assert searches["postgres"] == searches["in memory"]


def _compared(value: Any, operator: str, operand: Any) -> bool:
    """What an operator means, by Python's own comparison; numbers and texts only with their kind."""
    if isinstance(value, list):
        return any(_compared(one, operator, operand) for one in value if not isinstance(one, list))
    kinds = [
        bool if isinstance(one, bool) else float if isinstance(one, int) else type(one) for one in (value, operand)
    ]
    if kinds[0] is not kinds[1]:
        return False
    match operator:
        case "$eq":
            return bool(value == operand)
        case "$gt":
            return bool(value > operand)
        case "$gte":
            return bool(value >= operand)
        case "$lt":
            return bool(value < operand)
    return bool(value <= operand)


_EVERY_STATUS = {"status": ["active", "superseded", "archived", "forgotten"]}
_OPERANDS: dict[str, tuple[Any, ...]] = {
    "$eq": ("core", "Core", "", True, False, None, 0, 1, 3, 2.5, "3", 2**53 + 1, 2**53),
    **dict.fromkeys(("$gt", "$gte", "$lt", "$lte"), ("core", "", 0, 3, -2.5, 2**53, -(2**62), 1e-10)),
}


@pytest.mark.parametrize(
    ("operator", "operand"), [(name, operand) for name, operands in _OPERANDS.items() for operand in operands]
)
@pytest.mark.parametrize("field", ["team", "score"])
def test_an_operator_means_what_python_says(stores: Stores, field: str, operator: str, operand: Any) -> None:
    shown = listed(stores["in memory"], _EVERY_STATUS)
    meant = [name for name in shown if field in HELD[name] and _compared(HELD[name][field], operator, operand)]
    for store in stores.values():
        assert listed(store, {**_EVERY_STATUS, "metadata": {field: {operator: operand}}}) == meant


@pytest.mark.parametrize("operator", ["$eq", "$gt", "$gte", "$lt", "$lte"])
def test_values_are_ordered_as_python_orders_them(stores: Stores, operator: str) -> None:
    for operand in VALUES:
        if operator != "$eq" and (operand is None or isinstance(operand, bool)):
            continue
        short = not isinstance(operand, str) or len(operand) < 200  # beyond, the order ends
        meant = {
            f"blue note {number}"
            for number, value in enumerate(VALUES)
            if (short or operator == "$eq" or not isinstance(value, str) or len(value) < 200)
            and _compared(value, operator, operand)
        }
        for store in stores.values():
            found = set(listed(store, {"metadata": {"v": {operator: operand}}}))
            assert found == meant or (not short and meant <= found), (operator, operand)


def test_one_of_many_values_is_as_each_of_them(stores: Stores) -> None:
    for store in stores.values():
        for picked in (VALUES[::3], VALUES[::5], ()):
            each = {name for one in picked for name in listed(store, {"metadata": {"v": one}})}
            assert set(listed(store, {"metadata": {"v": {"$in": list(picked)}}})) == each
            assert not each & set(listed(store, {"metadata": {"v": {"$nin": list(picked)}}}))


def test_not_equal_and_not_in_hold_where_there_is_no_value(stores: Stores) -> None:
    for store, (one, other) in product(
        stores.values(), (({"$ne": "core"}, {"$eq": "core"}), ({"$nin": ["core", 1]}, {"$in": ["core", 1]}))
    ):
        negative, positive = (
            set(listed(store, {**_EVERY_STATUS, "metadata": {"team": each}})) for each in (one, other)
        )
        assert negative | positive == set(listed(store, _EVERY_STATUS))
        assert not negative & positive
        assert "green note 0" in negative


def test_a_dot_goes_one_object_deeper_or_is_part_of_a_name(stores: Stores) -> None:
    for store in stores.values():
        found = listed(store, {**_EVERY_STATUS, "metadata": {"nested.score": 3}})
        assert found == listed(store, {**_EVERY_STATUS, "metadata": {"nested": {"score": 3}}})
        assert set(found) == {"green note 21", "green note 23"} & set(listed(store, _EVERY_STATUS))


def test_what_is_forgotten_is_shown_only_to_who_asks_for_it(stores: Stores) -> None:
    gone = {f"green note {number}" for number in range(len(METADATA)) if number % 5 == 4}
    for store in stores.values():
        for where in (
            {"NOT": {"status": "archived"}},
            {"OR": [{"status": "archived"}, {"tags": "draft"}]},
            {"NOT": {"tags": "x"}},
        ):
            assert not gone & set(listed(store, {"where": where}))
            assert not gone & searched(store, {"where": where})
        assert gone & set(listed(store, {"where": {"status": "forgotten"}}))


def test_metadata_changes_with_its_memory(stores: Stores) -> None:
    for store in stores.values():
        memory = record("green and new", metadata={"step": 1})
        put(store, memory, vectors=axis(0))
        assert searched(store, {"metadata": {"step": 1}}) == {"green and new"}
        with store.transaction(memory.account, "tester", NOW) as tx:
            after = memory.with_(metadata={"step": 2})
            tx.change(memory, after, "update")
        assert searched(store, {"metadata": {"step": 1}}) == set()
        assert searched(store, {"metadata": {"step": 2}}) == {"green and new"}
        with store.transaction(memory.account, "tester", NOW) as tx:
            tx.remove(after)
        assert searched(store, {"metadata": {"step": {"$exists": True}}}) == set()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"metadata": {"a": {"$above": 1}}}, "'$above' is not an operator; use one of $eq, $ne, $gt,"),
        ({"metadata": {"a": {}}}, "is an empty condition; use one of $eq"),
        ({"metadata": {"$gt": 3}}, "has no field"),
        ({"metadata": "a=1"}, "str is not an object"),
        ({"metadata": {"a": [1, 2]}}, "cannot be compared with a list"),
        ({"metadata": {"a": {"$eq": {"b": 1}}}}, "cannot be compared with a list or an object"),
        ({"metadata": {"a": {"$gt": True}}}, "has no order"),
        ({"metadata": {"a": {"$gt": None}}}, "has no order"),
        ({"metadata": {"a": {"$lt": float("nan")}}}, "is not a JSON value"),
        ({"metadata": {"a": {"$lt": 10**30}}}, "too large"),
        ({"metadata": {"a": {"$in": "abc"}}}, "is not a list"),
        ({"metadata": {"a": {"$in": [[1]]}}}, "cannot be compared with a list"),
        ({"metadata": {"a": {"$in": list(range(501))}}}, "compares with 501 values; use at most 500"),
        ({"metadata": {"a": {"$exists": 1}}}, "neither true nor false"),
        ({"metadata": {"": 1}}, "is empty"),
        ({"metadata": {"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": {"i": {"j": 1}}}}}}}}}}}, "nested deeper"),
        ({"any_tags": [f"t{number}" for number in range(501)]}, "compares with 501 values"),
        ({"where": "tags"}, "is not JSON"),
        ({"where": "[1]"}, "list is not a filter"),
        ({"where": "[" * 100_000}, "is not JSON"),
        ({"where": {"colour": "red"}}, "is not a filter; filters: type, tags"),
        ({"where": {"OR": []}}, "is empty"),
        ({"where": {"AND": {"tags": "a"}}}, "is not a list"),
        ({"where": {"OR": [{"tags": "a"}] * 101}}, "has 102 filters in it; use at most 100"),
        ({"OR": [{"tags": "a"}]}, "is not a filter"),
        ({"type": "colour"}, "use one of"),
        ({"created_since": "2026-02-01T00:00Z", "created_until": "2026-01-01T00:00Z"}, "is not after created_since"),
    ],
    ids=lambda value: repr(value)[:40] if isinstance(value, dict) else None,
)
def test_what_is_no_filter_is_told_with_what_is(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        filter_from(fields)
    assert told in str(refused.value)


def test_the_largest_filters_are_answered(stores: Stores) -> None:
    nested: dict[str, Any] = {"tags": "draft"}
    for _ in range(7):
        nested = {"NOT": nested}
    large = (
        {"metadata": {"a": {"$nin": list(range(500))}}},
        {"any_tags": [f"t{number}" for number in range(499)] + ["draft"]},
        {"tags": [f"t{number}" for number in range(500)]},
        {"metadata": {f"f{number}": {"$exists": False} for number in range(500)}},
        {"where": {"OR": [{"metadata": {"team": f"t{number}"}} for number in range(99)]}},
        {"where": nested},
    )
    for fields in large:
        found = {name: (listed(store, fields), searched(store, fields)) for name, store in stores.items()}
        assert found["sqlite"] == found["postgres"] == found["in memory"]
