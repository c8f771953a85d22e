"""The contract of working memory, as a suite: what `ports.Working` promises beyond its types.

A back end is held to it by one class in its tests, with a fixture `working` that gives a fresh, empty one and closes it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from recollect.errors import StoreError
from recollect.ports import Namespace, Working

NOW = 1_800_000_000.25
ROOM: Namespace = ("acme", "ada", "t1")
OTHERS: tuple[Namespace, ...] = (("other", "ada", "t1"), ("acme", "eve", "t1"), ("acme", "ada", "t2"), ("acme", "", ""))


class _Interruption(Exception):
    """Half way through."""


def _filled(working: Working, *lives: tuple[str, float]) -> None:
    for key, seconds in lives:
        working.put(ROOM, key, f"of {key}", NOW, NOW + seconds)


class WorkingContract:
    """Everything working memory must keep to."""

    def test_what_was_put_is_got_exactly(self, working: Working) -> None:
        for value in ("", "null", '{"a": "é \\u0000 😀"}', "x" * 500_000):
            working.put(ROOM, "k", value, NOW, NOW + 10)
            assert working.get(ROOM, "k", NOW) == value
        assert working.get(ROOM, "K", NOW) is None

    def test_a_second_value_takes_the_place_and_the_time_of_the_first(self, working: Working) -> None:
        _filled(working, ("k", 10))
        working.put(ROOM, "k", "two", NOW, NOW + 99)
        assert working.get(ROOM, "k", NOW + 50) == "two"
        working.put(ROOM, "k", "three", NOW, NOW + 5)
        assert working.get(ROOM, "k", NOW + 6) is None
        assert working.clear(ROOM) == 1

    def test_a_value_is_gone_at_the_very_moment_it_expires(self, working: Working) -> None:
        _filled(working, ("k", 10))
        before, at = NOW + 10 - 1e-6, NOW + 10
        assert working.get(ROOM, "k", before) == "of k"
        assert [key for key, _, _ in working.items(ROOM, before)] == ["k"]
        assert working.get(ROOM, "k", at) is None
        assert working.items(ROOM, at) == []
        seen: list[str | None] = []
        working.change(ROOM, "k", at, at + 10, lambda held: seen.append(held) or "anew")  # type: ignore[func-returns-value]
        assert (seen, working.get(ROOM, "k", at)) == ([None], "anew")

    def test_the_namespaces_of_an_agent_are_those_that_contain_something(self, working: Working) -> None:
        odd: Namespace = ("acme", "ada", "t*[é] \x1ffor\x1feve:x")
        for room in (ROOM, odd, *OTHERS):
            working.put(room, "k", "value", NOW, NOW + 10)
        assert set(working.namespaces("acme", "ada")) == {ROOM, odd, ("acme", "ada", "t2")}
        assert working.namespaces("acme", "") == [("acme", "", "")]
        working.clear(odd)
        assert set(working.namespaces("acme", "ada")) == {ROOM, ("acme", "ada", "t2")}
        assert working.namespaces("nobody", "ada") == []
        assert set(working.namespaces("acme")) == {ROOM, *(room for room in OTHERS if room[0] == "acme")}
        assert working.namespaces("nobody") == []

    def test_erasing_traces_drops_what_expired_and_keeps_the_rest(self, working: Working) -> None:
        _filled(working, ("over", 1), ("kept", 10))
        working.erase_traces(NOW + 5)
        assert [key for key, _, _ in working.items(ROOM, NOW)] == ["kept"]

    def test_removing_says_whether_it_was_there(self, working: Working) -> None:
        _filled(working, ("k", 10), ("kept", 10), ("over", 1))
        assert working.remove(ROOM, "k", NOW)
        assert not working.remove(ROOM, "k", NOW)
        assert not working.remove(ROOM, "over", NOW + 1)
        assert [key for key, _, _ in working.items(ROOM, NOW)] == ["kept"]

    def test_rooms_are_apart_in_every_verb(self, working: Working) -> None:
        _filled(working, ("k", 10))
        for room in OTHERS:
            assert working.get(room, "k", NOW) is None
            assert working.items(room, NOW) == []
            assert not working.remove(room, "k", NOW)
            assert working.clear(room) == 0
            working.change(room, "k", NOW, NOW + 10, str)
            assert working.get(room, "k", NOW) == "None"
        assert working.get(ROOM, "k", NOW) == "of k"
        assert working.clear(ROOM) == 1
        assert all(working.get(room, "k", NOW) == "None" for room in OTHERS)

    def test_items_are_sorted_by_key_with_value_and_end(self, working: Working) -> None:
        _filled(working, ("b", 20), ("é", 5), ("a", 10), ("B", 30))
        assert working.items(ROOM, NOW) == [
            ("B", "of B", NOW + 30),
            ("a", "of a", NOW + 10),
            ("b", "of b", NOW + 20),
            ("é", "of é", NOW + 5),
        ]

    def test_sweeping_drops_what_expired_and_nothing_else(self, working: Working) -> None:
        _filled(working, ("a", 1), ("b", 2), ("c", 3))
        working.put(OTHERS[0], "a", "theirs", NOW, NOW + 1)
        assert working.sweep(NOW + 2) == 3
        assert working.sweep(NOW + 2) == 0
        assert [key for key, _, _ in working.items(ROOM, NOW)] == ["c"]

    def test_a_change_that_fails_changes_nothing_and_blocks_nobody(self, working: Working) -> None:
        _filled(working, ("k", 10))

        def stop(held: str | None) -> str:
            raise _Interruption(held)

        for key in ("k", "new"):
            with pytest.raises(_Interruption):
                working.change(ROOM, key, NOW, NOW + 99, stop)
        assert working.items(ROOM, NOW) == [("k", "of k", NOW + 10)]
        assert working.change(ROOM, "k", NOW, NOW + 10, lambda held: f"{held}!") == "of k!"

    def test_a_change_is_atomic_among_threads(self, working: Working) -> None:
        def count(_: int) -> None:
            working.change(ROOM, "n", NOW, NOW + 10, lambda held: str(int(held or 0) + 1))
            working.get(ROOM, "n", NOW)

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(count, range(400)))
        assert working.get(ROOM, "n", NOW) == "400"

    def test_closing_twice_is_fine_and_closed_means_closed(self, working: Working) -> None:
        _filled(working, ("k", 10))
        working.close()
        working.close()
        with pytest.raises(StoreError, match="open it again"):
            working.get(ROOM, "k", NOW)
        with pytest.raises(StoreError, match="open it again"):
            working.sweep(NOW)
