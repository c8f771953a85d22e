"""Leases: of several holders, one has a piece of work; it can be given back, extended, and taken over when it runs out."""

from __future__ import annotations

from recollect.ports import Store
from recollect.testing.contract.samples import ACCOUNT

_LONG = 600.0


class LeasesContract:
    """What `ports.Leases` promises."""

    def test_work_is_of_one_holder_at_a_time(self, store: Store) -> None:
        assert store.leases.take("cluster", "one", _LONG)
        assert not store.leases.take("cluster", "two", _LONG)
        assert store.leases.take("embed", "two", _LONG)

    def test_the_holder_extends_its_lease_by_taking_it_again(self, store: Store) -> None:
        assert store.leases.take("cluster", "one", 0.0)
        assert store.leases.take("cluster", "one", _LONG)
        assert not store.leases.take("cluster", "two", _LONG)

    def test_a_lease_that_ran_out_is_taken_over(self, store: Store) -> None:
        assert store.leases.take("cluster", "one", 0.0)
        assert store.leases.take("cluster", "two", _LONG)
        assert not store.leases.release("cluster", "one")
        assert not store.leases.take("cluster", "one", _LONG)

    def test_what_was_given_back_is_free(self, store: Store) -> None:
        assert store.leases.take("cluster", "one", _LONG)
        assert store.leases.release("cluster", "one")
        assert not store.leases.release("cluster", "one")
        assert store.leases.take("cluster", "two", _LONG)

    def test_a_block_gives_its_lease_back_also_when_it_fails(self, store: Store) -> None:
        try:
            with store.leases.held("cluster", "one", _LONG) as mine:
                assert mine
                with store.leases.held("cluster", "two", _LONG) as theirs:
                    assert not theirs
                raise KeyError
        except KeyError:
            pass
        assert store.leases.take("cluster", "two", _LONG)

    def test_accounts_have_leases_of_their_own(self, store: Store) -> None:
        assert store.leases.take("cluster", "one", _LONG, ACCOUNT)
        assert store.leases.take("cluster", "two", _LONG, "other")
        assert store.leases.take("cluster", "three", _LONG)
        assert not store.leases.take("cluster", "four", _LONG, ACCOUNT)
