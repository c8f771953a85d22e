"""What a store promises to who moves an account: all of it is told, as stored, and what came from elsewhere holds here."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.errors import InvalidInput
from recollect.ports import Store
from recollect.testing.contract.samples import (
    ACCOUNT,
    DIMENSIONS,
    MODEL,
    NOW,
    alter,
    axis,
    leaning,
    purged_in,
    put,
    record,
)
from recollect.values.cluster import Cluster
from recollect.values.event import Event
from recollect.values.ids import fingerprint, new_id
from recollect.values.scope import GLOBAL, Place
from recollect.values.transfer import PurgedDigest

OTHER = "another-model"
SECRETS = ("11" * 32, "22" * 32)
PLACES: tuple[Place, Place] = (GLOBAL, ("agent", "ada", "atlas"))


class WholeContract:
    """An account as a whole."""

    def test_every_account_that_has_anything_is_named(self, store: Store) -> None:
        put(store, record())
        put(store, record(account="zeta"))
        with store.transaction("beta", "tester", NOW) as tx:
            tx.switch("beta", "atlas", on=False)
        with store.view() as reader:
            assert reader.accounts() == [ACCOUNT, "beta", "zeta"]

    def test_a_walk_tells_every_memory_once_in_the_order_it_came(self, store: Store) -> None:
        some = [record(f"number {n}") for n in range(5)]
        put(store, *some[:3])
        put(store, record(account="zeta"))
        put(store, *some[3:])
        alter(store, some[1], "forget", status="forgotten")
        found, after = [], 0
        with store.view() as reader:
            while page := reader.scan(ACCOUNT, after, 2):
                assert len(page) <= 2
                found += page
                after = page[-1].row
        assert [kept.record.id for kept in found] == [one.id for one in some]
        assert found[1].record.status == "forgotten"

    def test_a_walk_tells_memories_as_stored(self, store: Store) -> None:
        old = record("the office is in Porto")
        put(store, old, record("the office is in Braga", supersedes=old.id))
        with store.view(NOW) as reader:
            assert [kept.record.status for kept in reader.scan(ACCOUNT, 0, 10)] == ["active", "active"]

    def test_a_walk_brings_vectors_of_whatever_model_and_the_cluster(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        one, other, bare = record("one"), record("other"), record("bare")
        put(store, one, vectors=np.concatenate([axis(0), axis(1)]))
        put(store, other, bare)
        cluster = Cluster(new_id(NOW), "things", 0, np.full(4, 0.5, np.float32), 0.5, NOW)
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.keep_vectors(other, OTHER, np.eye(4, dtype=np.float32)[:1])
            tx.put_cluster(ACCOUNT, cluster, tx.rows_of(ACCOUNT, [other.id]), OTHER)
        with store.view() as reader:
            first, second, third = reader.scan(ACCOUNT, 0, 10)
            assert (first.model, second.model, third.model) == (MODEL, OTHER, None)
            assert first.vectors is not None
            assert first.vectors.tolist() == np.concatenate([axis(0), axis(1)]).tolist()
            assert second.vectors is not None
            assert second.vectors.dtype == np.float16
            assert second.vectors.tolist() == [[1, 0, 0, 0]]
            assert third.vectors is None
            assert (first.cluster, second.cluster) == (None, cluster.id)
            assert [(model, held.id) for model, held in reader.all_clusters(ACCOUNT)] == [(OTHER, cluster.id)]
            assert reader.clusters(ACCOUNT) == []
            assert reader.vectors(ACCOUNT, [other.id]) == {}

    def test_vectors_that_were_kept_are_found_by_and_no_event(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        one = record("one")
        put(store, one)
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.keep_vectors(one, MODEL, leaning(0.9).astype(np.float16))
        with store.view() as reader:
            assert list(reader.vectors(ACCOUNT, [one.id])) == [one.id]
            assert reader.unembedded(ACCOUNT, 10) == []
            assert [event.kind for event in reader.events(ACCOUNT, embeds=True)] == ["remember"]

    def test_vectors_of_the_model_in_use_must_have_its_dimensions(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        one = record("one")
        put(store, one)
        with store.transaction(ACCOUNT, "tester", NOW) as tx, pytest.raises(InvalidInput, match="dimensions"):
            tx.keep_vectors(one, MODEL, np.ones((1, DIMENSIONS + 1), np.float32))

    def test_digests_of_another_store_refuse_its_purged_texts(self, store: Store) -> None:
        put(store, record("something of its own"))
        digests = [PurgedDigest(fingerprint(f"purged {n}", bytes.fromhex(SECRETS[n])), PLACES[n]) for n in (0, 1)]
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            before = tx.digest_keys(ACCOUNT)[0]
            tx.keep_purged(ACCOUNT, SECRETS, digests)
        with store.view() as reader:
            assert reader.digest_keys(ACCOUNT)[0] == before
            assert purged_in(reader, ACCOUNT, "Purged 0.") == (GLOBAL,)
            assert purged_in(reader, ACCOUNT, "purged 1") == (PLACES[1],)
            assert not purged_in(reader, ACCOUNT, "purged 2")
            assert not purged_in(reader, "zeta", "purged 0")
            assert reader.purged_digests(ACCOUNT) == sorted(digests)
            assert reader.same_text(ACCOUNT, "something of its own")
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.allow_again(ACCOUNT, "purged 1", [GLOBAL])
            assert purged_in(tx, ACCOUNT, "purged 1")
            tx.allow_again(ACCOUNT, "purged 1", [PLACES[1]])
        with store.view() as reader:
            assert not purged_in(reader, ACCOUNT, "purged 1")
            assert reader.purged_digests(ACCOUNT) == digests[:1]

    def test_a_store_that_holds_nothing_takes_the_secret_over(self, store: Store) -> None:
        digest = PurgedDigest(fingerprint("purged", bytes.fromhex(SECRETS[1])))
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.keep_purged(ACCOUNT, SECRETS, ())
            tx.insert(record("known by its text"), None)
            tx.keep_purged(ACCOUNT, SECRETS, [digest])
        with store.view() as reader:
            assert reader.digest_keys(ACCOUNT) == SECRETS
            assert reader.same_text(ACCOUNT, "known by its text")
            assert purged_in(reader, ACCOUNT, "purged")

    def test_a_line_of_another_journal_is_kept_as_it_was(self, store: Store) -> None:
        one = record("one")
        put(store, one)
        made = Event(
            7, new_id(NOW), NOW, "ada", "update", one.id, {"importance": 0.1}, {"importance": 0.5}, "why", new_id(NOW)
        )
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            seq = tx.replay(ACCOUNT, made)
            assert tx.get(ACCOUNT, [one.id]) == [one]
        with store.view() as reader:
            *_, last = reader.events(ACCOUNT)
            assert (last.seq, last.seq > 1) == (seq, True)
            told = ("operation", "at", "actor", "kind", "memory_id", "before", "after", "reason", "undoes", "document")
            assert [getattr(last, name) for name in told] == [getattr(made, name) for name in told]
            assert reader.undone(ACCOUNT, [str(made.undoes)]) == {made.undoes}

    def test_an_id_or_a_key_that_is_taken_is_refused_and_the_rest_goes_on(self, store: Store) -> None:
        one = record("one", key="k")
        put(store, one)
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.insert(record("two"), None)
        with store.view() as reader:
            assert len(reader.scan(ACCOUNT, 0, 10)) == 2
        with pytest.raises(InvalidInput), store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.insert(one, None)
