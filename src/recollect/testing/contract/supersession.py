"""Supersession holds in every read path: a memory is replaced exactly while something in force, for this viewer, replaces it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from recollect.ports import Store
from recollect.testing.contract.samples import (
    ACCOUNT,
    EVERY_STATUS,
    IDENTITY,
    NOW,
    VIEWER,
    alter,
    held,
    listed,
    put,
    recalled,
    record,
)
from recollect.values.enums import STATUSES
from recollect.values.memory import Record
from recollect.values.scope import Identity, Viewer
from recollect.values.search import Filter, Search

SOON = NOW + timedelta(hours=1)
JUST_BEFORE = SOON - timedelta(microseconds=1)


def _chain(store: Store, **last: object) -> tuple[Record, Record, Record]:
    """Three memories, each replacing the one before."""
    one = record("green one")
    two = record("green two", supersedes=one.id)
    three = record("green three", supersedes=two.id).with_(**last)
    put(store, one, two, three)
    return one, two, three


def _shown(store: Store, now: datetime = NOW) -> set[str]:
    """What both a search and a list show, which must be the same."""
    found = recalled(store, now=now)
    assert set(listed(store, now=now)) == found
    return found


class SupersessionContract:
    """The newest belief in force, and only that one."""

    def test_only_the_end_of_a_chain_is_shown(self, store: Store) -> None:
        one, two, three = _chain(store)
        assert _shown(store) == {"green three"}
        assert recalled(store, statuses=("superseded",)) == {"green one", "green two"}
        assert set(listed(store, statuses=("superseded",))) == {"green one", "green two"}
        states = [held(store, memory) for memory in (one, two, three)]
        assert [m.status for m in states if m] == ["superseded", "superseded", "active"]
        assert [m.superseded_by for m in states if m] == [two.id, three.id, None]
        with store.view() as reader:
            assert reader.count(ACCOUNT, NOW)["statuses"] == {"superseded": 2, "active": 1}

    def test_a_replaced_memory_is_marked_in_the_columns(self, store: Store) -> None:
        _chain(store)
        with store.view() as reader:
            search = Search(VIEWER, Filter(statuses=EVERY_STATUS), NOW.timestamp(), terms=("green",))
            codes = reader.candidates(search).columns.status.tolist()
            assert [STATUSES[code] for code in codes] == ["superseded", "superseded", "active"]
            shown = reader.find(IDENTITY, Filter(statuses=("superseded",)), NOW, limit=9)
            assert {m.status for m in shown} == {"superseded"}

    def test_the_replacement_hides_its_target_even_when_only_the_target_matches(self, store: Store) -> None:
        old = record("green old")
        put(store, old, record("blue new", supersedes=old.id))
        assert recalled(store) == set()
        assert recalled(store, words=("blue",)) == {"blue new"}

    def test_an_expired_replacement_gives_its_target_back(self, store: Store) -> None:
        old = record("green old")
        put(store, old, record("green new", supersedes=old.id, expires_at=SOON))
        assert _shown(store, JUST_BEFORE) == {"green new"}
        assert _shown(store, SOON) == {"green old"}

    def test_a_forgotten_or_archived_replacement_gives_its_target_back(self, store: Store) -> None:
        old = record("green old")
        new = record("green new", supersedes=old.id)
        put(store, old, new)
        for status in ("forgotten", "archived"):
            alter(store, new, "forget", status=status)
            assert _shown(store) == {"green old"}
        alter(store, new, "restore", status="active")
        assert _shown(store) == {"green new"}

    def test_a_removed_replacement_gives_its_target_back(self, store: Store) -> None:
        old = record("green old")
        new = record("green new", supersedes=old.id)
        put(store, old, new)
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.remove(new)
        assert _shown(store) == {"green old"}
        assert held(store, old) == old

    def test_the_end_of_a_chain_still_counts_when_its_middle_is_forgotten(self, store: Store) -> None:
        _, two, _ = _chain(store)
        alter(store, two, "forget", status="forgotten")
        assert _shown(store) == {"green three"}

    def test_the_end_of_a_chain_still_counts_when_its_middle_has_expired(self, store: Store) -> None:
        one = record("green one")
        two = record("green two", supersedes=one.id, expires_at=SOON)
        put(store, one, two, record("green three", supersedes=two.id))
        assert _shown(store, SOON) == {"green three"}

    def test_a_forgotten_end_gives_back_the_middle_and_not_the_beginning(self, store: Store) -> None:
        _, _, three = _chain(store)
        alter(store, three, "forget", status="forgotten")
        assert _shown(store) == {"green two"}

    def test_an_expired_end_gives_back_the_middle_and_not_the_beginning(self, store: Store) -> None:
        _chain(store, expires_at=SOON)
        assert _shown(store, SOON) == {"green two"}

    def test_a_removed_middle_gives_back_the_beginning(self, store: Store) -> None:
        _, two, _ = _chain(store)
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.remove(two)
        assert _shown(store) == {"green one", "green three"}

    def test_a_replacement_not_yet_valid_leaves_its_target(self, store: Store) -> None:
        old = record("green old")
        put(store, old, record("green new", supersedes=old.id, valid_from=SOON))
        assert recalled(store, now=JUST_BEFORE) == {"green old"}
        assert recalled(store, now=SOON) == {"green new"}
        assert "green old" in listed(store, now=JUST_BEFORE)
        assert "green old" not in listed(store, now=SOON)

    def test_a_replacement_the_viewer_cannot_see_leaves_its_target(self, store: Store) -> None:
        rule = record("green rule")
        put(store, rule, record("green override", supersedes=rule.id, scope="project", project="atlas"))
        assert recalled(store) == {"green override"}
        assert recalled(store, replace(VIEWER, project="zephyr")) == {"green rule"}
        assert recalled(store, Viewer(IDENTITY)) == {"green rule"}

    def test_a_replacement_in_another_room_leaves_its_target_in_lists_too(self, store: Store) -> None:
        rule = record("green rule")
        put(store, rule, record("green secret", supersedes=rule.id, scope="agent", agent="bob"))
        assert _shown(store) == {"green rule"}
        assert set(listed(store, Identity(ACCOUNT, "bob"))) == {"green secret", "green rule"}

    def test_a_chain_through_an_invisible_middle_is_broken(self, store: Store) -> None:
        one = record("green one")
        two = record("green two", supersedes=one.id, scope="agent", agent="bob")
        put(store, one, two, record("green three", supersedes=two.id))
        assert recalled(store) == {"green one", "green three"}

    def test_two_replacements_of_one_memory_both_stand(self, store: Store) -> None:
        old = record("green old")
        put(store, old, record("green left", supersedes=old.id), record("green right", supersedes=old.id))
        assert _shown(store) == {"green left", "green right"}

    def test_a_replacement_that_names_nothing_here_is_an_ordinary_memory(self, store: Store) -> None:
        foreign = record("green foreign", account="other")
        put(store, foreign)
        put(store, record("green new", supersedes=foreign.id), record("green newer", supersedes=record().id))
        assert _shown(store) == {"green new", "green newer"}
        assert recalled(store, Viewer(Identity("other"))) == {"green foreign"}

    def test_a_target_that_comes_later_is_replaced_at_once(self, store: Store) -> None:
        old = record("green old")
        put(store, record("green new", supersedes=old.id))
        assert recalled(store) == {"green new"}
        put(store, old)
        assert _shown(store) == {"green new"}

    def test_a_forgotten_memory_stays_forgotten_when_something_replaces_it(self, store: Store) -> None:
        old = record("green old")
        put(store, old, record("green new", supersedes=old.id))
        alter(store, old, "forget", status="forgotten")
        assert recalled(store, statuses=("active", "superseded")) == {"green new"}
        assert recalled(store, statuses=("superseded",)) == set()
        assert recalled(store, statuses=("forgotten",)) == {"green old"}
        assert listed(store, statuses=("superseded",)) == []
        found = held(store, old)
        assert found is not None
        assert found.status == "forgotten"

    def test_a_circle_does_not_hang(self, store: Store) -> None:
        one, two, three = _chain(store)
        alter(store, one, "supersede", supersedes=three.id)
        assert recalled(store) == set()
        assert held(store, two) is not None
        assert listed(store) == []
