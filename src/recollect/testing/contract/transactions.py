"""All or nothing, and what is left when a store is frozen or closed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recollect.errors import NotFound, ReadOnly, RecollectError, StoreError
from recollect.ports import Store, Transaction
from recollect.testing.contract.samples import (
    ACCOUNT,
    DIMENSIONS,
    IDENTITY,
    MODEL,
    NOW,
    VIEWER,
    axis,
    held,
    listed,
    purged_in,
    put,
    recalled,
    record,
)
from recollect.values.search import Filter, Search


class _Stop(Exception):
    """Half way through."""


def _stopping(store: Store, act: Callable[[Transaction], None]) -> None:
    """Act in a transaction, search in it so that the back end derives from what is about to be undone, and fail."""
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        act(tx)
        tx.candidates(Search(VIEWER, Filter(), NOW.timestamp(), axis(0).reshape(-1), ("green",)))
        raise _Stop


class TransactionsContract:
    """A transaction happens whole or not at all."""

    def test_a_transaction_sees_what_it_wrote_in_every_kind_of_read(self, store: Store) -> None:
        memory = record("the green valve leaks", tags=("plumbing",))
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.insert(memory, None)
            assert tx.get(ACCOUNT, [memory.id]) == [memory]
            assert tx.find(IDENTITY, Filter(), NOW, limit=5) == [memory]
            assert tx.same_text(ACCOUNT, "The green valve leaks.") == [memory]
            found = tx.candidates(Search(VIEWER, Filter(), NOW.timestamp(), terms=("green",)))
            assert tx.fetch(ACCOUNT, found.rows.tolist()) == [memory]
            assert len(tx.events(ACCOUNT)) == 1

    def test_what_was_left_half_way_never_was(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        kept = record("the green door is open")
        put(store, kept, vectors=axis(0))
        doomed = record("the green lamp is broken", tags=("light",), key="k1")

        def act(tx: Transaction) -> None:
            tx.insert(doomed, axis(1))
            tx.set_note("colour", "green")
            tx.switch(ACCOUNT, "atlas", on=False)
            tx.purge(kept)

        with pytest.raises(_Stop):
            _stopping(store, act)
        assert held(store, kept) == kept
        assert listed(store) == ["the green door is open"]
        assert recalled(store) == recalled(store, words=(), vector=axis(1)) == {"the green door is open"}
        with store.view() as reader:
            assert len(reader.events(ACCOUNT)) == 1
            assert reader.by_key(ACCOUNT, "k1") is None
            assert reader.note("colour") is None
            assert reader.switched_off(ACCOUNT) == frozenset()
            assert not purged_in(reader, ACCOUNT, "the green door is open")
            assert reader.count(ACCOUNT, NOW)["tags"] == {}

    def test_after_a_rollback_the_next_memory_is_found_as_itself(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        with pytest.raises(_Stop):
            _stopping(store, lambda tx: tx.insert(record("the green lamp is broken"), axis(0)))
        put(store, record("the green kettle boils"))
        assert recalled(store) == {"the green kettle boils"}
        assert recalled(store, words=("lamp",)) == set()

    def test_a_second_memory_under_one_id_or_key_is_refused_and_nothing_changes(self, store: Store) -> None:
        first = record("the green door is open", key="door")
        put(store, first)
        for twin in (record("the green lamp is broken", key="door"), record("a green twin").with_(id=first.id)):
            with pytest.raises(RecollectError):
                put(store, twin)
        assert listed(store) == ["the green door is open"]

    def test_one_key_may_be_used_by_two_accounts(self, store: Store) -> None:
        put(store, record("the green door is open", key="door"))
        put(store, record("the green lamp is broken", key="door", account="other"))
        with store.view() as reader:
            assert [reader.by_key(account, "door").content for account in (ACCOUNT, "other")] == [  # type: ignore[union-attr]
                "the green door is open",
                "the green lamp is broken",
            ]

    def test_changing_what_is_not_there_is_an_error(self, store: Store) -> None:
        missing = record()
        acts: tuple[Callable[[Transaction], None], ...] = (
            lambda tx: tx.change(missing, missing.with_(score=1), "reinforce"),
            lambda tx: tx.remove(missing),
        )
        for act in acts:
            with pytest.raises(NotFound), store.transaction(ACCOUNT, "tester", NOW) as tx:
                act(tx)

    def test_another_account_cannot_change_a_memory_by_its_id(self, store: Store) -> None:
        mine = record()
        put(store, mine)
        with pytest.raises(NotFound), store.transaction("other", "tester", NOW) as tx:
            tx.remove(mine.with_(account="other"))
        assert held(store, mine) == mine

    def test_a_frozen_store_reads_and_does_not_write(self, store: Store) -> None:
        put(store, record("the green door is open"))
        store.freeze()
        assert not store.writable
        with pytest.raises(ReadOnly):
            put(store, record("the green lamp is broken"))
        assert recalled(store) == {"the green door is open"}

    def test_closing_twice_is_fine_and_a_closed_store_says_so(self, store: Store) -> None:
        store.close()
        store.close()
        with pytest.raises(StoreError, match="open it again"), store.view():
            pass
        with pytest.raises(StoreError, match="open it again"), store.transaction(ACCOUNT, "tester", NOW):
            pass

    def test_the_check_of_a_healthy_store_finds_nothing(self, store: Store) -> None:
        put(store, record())
        found = store.check()
        assert (found["integrity"], found["orphans"], found["writable"]) == ("ok", 0, True)
