"""Expiry and validity, exactly at the boundary: a span contains its beginning and not its end."""

from __future__ import annotations

from datetime import timedelta

from recollect.ports import Store
from recollect.testing.contract.samples import EVERY_STATUS, NOW, alter, listed, put, recalled, record

SOON = NOW + timedelta(hours=1)
JUST_BEFORE = SOON - timedelta(microseconds=1)


class MomentsContract:
    """To the microsecond."""

    def test_a_memory_is_gone_from_the_moment_it_expires(self, store: Store) -> None:
        put(store, record("green", expires_at=SOON))
        assert recalled(store, now=JUST_BEFORE) == {"green"}
        assert recalled(store, now=SOON) == set()
        assert listed(store, now=JUST_BEFORE) == ["green"]
        assert listed(store, now=SOON) == []

    def test_a_memory_holds_from_valid_from_until_just_before_valid_until(self, store: Store) -> None:
        put(store, record("green", valid_from=SOON, valid_until=SOON + timedelta(hours=1)))
        moments = {
            JUST_BEFORE: set(),
            SOON: {"green"},
            JUST_BEFORE + timedelta(hours=1): {"green"},
            SOON + timedelta(hours=1): set(),
        }
        for moment, expected in moments.items():
            assert recalled(store, now=moment) == expected

    def test_time_may_run_backwards_between_two_searches(self, store: Store) -> None:
        put(store, record("green", expires_at=SOON))
        for _ in range(2):
            assert recalled(store, now=SOON) == set()
            assert recalled(store, now=JUST_BEFORE) == {"green"}

    def test_a_list_shows_what_does_not_hold_today(self, store: Store) -> None:
        put(store, record("green past", valid_until=NOW), record("green future", valid_from=SOON))
        assert listed(store) == ["green future", "green past"]
        assert recalled(store) == set()

    def test_a_longer_life_brings_an_expired_memory_back(self, store: Store) -> None:
        memory = record("green", expires_at=NOW)
        put(store, memory)
        assert recalled(store) == set()
        alter(store, memory, expires_at=SOON)
        assert recalled(store) == {"green"}
        alter(store, memory, expires_at=None)
        assert recalled(store, now=SOON) == {"green"}

    def test_an_expired_tombstone_is_still_found_among_the_forgotten(self, store: Store) -> None:
        put(store, record("green", status="forgotten", expires_at=NOW))
        assert recalled(store, statuses=("forgotten",)) == recalled(store, statuses=EVERY_STATUS) == {"green"}
        assert listed(store, statuses=("forgotten",)) == ["green"]
