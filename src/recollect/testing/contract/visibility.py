"""Who sees what: every scope against every coordinate a viewer may lack. Anything missing means: not visible."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recollect.ports import Store
from recollect.testing.contract.samples import (
    ACCOUNT,
    DIMENSIONS,
    EVERY_STATUS,
    MODEL,
    NOW,
    VIEWER,
    axis,
    put,
    recalled,
    record,
)
from recollect.values.enums import SCOPES
from recollect.values.memory import Record
from recollect.values.scope import Identity, Viewer
from recollect.values.search import Filter, Search

COORDINATES = ("account", "agent", "team", "user", "project", "session", "task")
_HOME: dict[str, str | None] = {
    "agent": "ada",
    "team": "core",
    "user": "ulla",
    "project": "atlas",
    "session": "s1",
    "task": "t1",
}
_NARROW = [scope for scope in SCOPES if scope not in ("global", "project")]


def _moved(coordinate: str, value: str | None) -> Viewer:
    here = {**_HOME, coordinate: value}
    return Viewer(VIEWER.identity, here["project"], here["session"], here["task"])


def _lacking(coordinate: str) -> Viewer:
    """The viewer who has everything but one coordinate."""
    mine = VIEWER.identity
    match coordinate:
        case "account":
            return replace(VIEWER, identity=replace(mine, account="other"))
        case "agent":
            return replace(VIEWER, identity=replace(mine, agent=None))
        case "team":
            return replace(VIEWER, identity=replace(mine, teams=()))
        case "user":
            return replace(VIEWER, identity=replace(mine, user=None))
        case _:
            return _moved(coordinate, None)


def _elsewhere(coordinate: str) -> Viewer:
    """The viewer who has another value of one coordinate."""
    mine = VIEWER.identity
    match coordinate:
        case "account":
            return replace(VIEWER, identity=replace(mine, account="other"))
        case "agent":
            return replace(VIEWER, identity=replace(mine, agent="bob"))
        case "team":
            return replace(VIEWER, identity=replace(mine, teams=("sales",)))
        case "user":
            return replace(VIEWER, identity=replace(mine, user="ada"))
        case _:
            return _moved(coordinate, "another")


def _at_home(scope: str, *more: str) -> Record:
    named = {name: _HOME[name] for name in (scope, *more) if name in _HOME}
    return record("the green door", scope=scope, **named)


def _seen(store: Store, viewer: Viewer) -> bool:
    """Whether any road leads this viewer to a memory: words, vectors, row numbers; all must agree."""
    roads = (
        recalled(store, viewer, statuses=EVERY_STATUS),
        recalled(store, viewer, words=(), vector=axis(0), statuses=EVERY_STATUS),
        recalled(store, viewer, words=(), rows=tuple(range(1, 20)), statuses=EVERY_STATUS),
    )
    assert len({bool(road) for road in roads}) == 1
    return bool(roads[0])


class VisibilityContract:
    """Sight fails closed."""

    @pytest.mark.parametrize("coordinate", COORDINATES)
    @pytest.mark.parametrize("scope", SCOPES)
    def test_a_memory_is_seen_only_by_who_holds_its_coordinate(self, store: Store, scope: str, coordinate: str) -> None:
        store.use_model(MODEL, DIMENSIONS)
        put(store, _at_home(scope), vectors=axis(0))
        assert _seen(store, VIEWER)
        for viewer in (_lacking(coordinate), _elsewhere(coordinate)):
            assert _seen(store, viewer) == (coordinate not in (scope, "account"))

    @pytest.mark.parametrize("coordinate", COORDINATES)
    @pytest.mark.parametrize("scope", _NARROW)
    def test_a_narrow_memory_that_names_a_project_is_seen_only_inside_it(
        self, store: Store, scope: str, coordinate: str
    ) -> None:
        store.use_model(MODEL, DIMENSIONS)
        put(store, _at_home(scope, "project"), vectors=axis(0))
        assert _seen(store, VIEWER)
        for viewer in (_lacking(coordinate), _elsewhere(coordinate)):
            assert _seen(store, viewer) == (coordinate not in (scope, "project", "account"))

    @pytest.mark.parametrize("scope", [scope for scope in SCOPES if scope != "global"])
    def test_a_memory_that_lacks_its_own_coordinate_is_seen_by_nobody(self, store: Store, scope: str) -> None:
        store.use_model(MODEL, DIMENSIONS)
        put(store, record("the green door", scope=scope), vectors=axis(0))
        assert not _seen(store, VIEWER)
        assert not _seen(store, Viewer(Identity(ACCOUNT)))
        assert not _seen(store, Viewer(Identity(ACCOUNT, "", ("",), user=""), "", "", ""))

    def test_other_coordinates_of_a_global_memory_do_not_narrow_it(self, store: Store) -> None:
        put(
            store,
            record("the green door", agent="bob", team="sales", user="uwe", project="another", session="s9", task="t9"),
        )
        assert recalled(store, Viewer(Identity(ACCOUNT))) == {"the green door"}

    def test_a_moved_memory_is_seen_in_its_new_place_only(self, store: Store) -> None:
        memory = record("the green door", scope="project", project="atlas")
        put(store, memory)
        assert recalled(store) == {"the green door"}
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.change(memory, memory.with_(project="zephyr"), "update")
        assert recalled(store) == set()
        assert recalled(store, replace(VIEWER, project="zephyr")) == {"the green door"}

    def test_names_are_compared_exactly(self, store: Store) -> None:
        put(store, record("the green door", scope="project", project="Atlas"))
        for name in ("atlas", "Atlas ", "Atlas%", "Atl_s", "*", "", "' OR 1=1 --"):
            assert recalled(store, replace(VIEWER, project=name)) == set()

    @pytest.mark.parametrize("account", ["", "ACME", "acme ", "ac%", "' OR 1=1 --", "\u0430cme"])
    def test_an_account_is_a_wall(self, store: Store, account: str) -> None:
        memory = record("the green door", tags=("a",))
        put(store, memory)
        with store.view() as reader:
            assert reader.get(account, [memory.id]) == [None]
            assert reader.fetch(account, list(range(1, 20))) == []
            assert reader.find_by_id(account, memory.id) == []
            assert reader.same_text(account, memory.content) == []
            assert reader.find(Identity(account, "ada", ("core",)), Filter(), NOW, limit=9) == []
            assert reader.edges(account, [("tag", "a")], 9) == []
            assert reader.events(account) == []
            found = reader.candidates(Search(Viewer(Identity(account)), Filter(), NOW.timestamp(), terms=("green",)))
            assert (len(found), found.considered) == (0, 0)

    def test_leaving_out_a_project_nobody_wrote_to_leaves_everything_else(self, store: Store) -> None:
        put(store, record("green anywhere"), record("green atlas", scope="project", project="atlas"))
        assert recalled(store, without=("nowhere",)) == {"green anywhere", "green atlas"}
        assert recalled(store, without=("atlas",)) == {"green anywhere"}
        assert recalled(store, project="nowhere") == set()
