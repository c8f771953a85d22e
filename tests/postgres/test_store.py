"""What the server back end adds to the contract: many processes, leases, loads in one go, traces, health."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import psycopg
import pytest
from psycopg import sql

import recollect
from recollect.errors import InvalidInput, StoreError
from recollect.store.postgres.options import Options
from recollect.store.postgres.rows import account_number
from recollect.store.postgres.store import PostgresStore
from recollect.store.sqlite.store import SqliteStore
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
    put,
    recalled,
    record,
)
from recollect.values.search import Filter, Search


def test_each_process_sees_what_others_committed_at_its_next_call(empty_database: str) -> None:
    one, other = (PostgresStore(empty_database, Options(connections=2)) for _ in range(2))
    old = record("the green door is open", tags=("door",), triggers=("knock",))
    put(one, old)
    with other.view() as reader:
        assert (reader.tag_names(ACCOUNT), len(reader.triggers(ACCOUNT))) == (["door"], 1)
    put(one, record("the green door is shut", supersedes=old.id, tags=("shut",), triggers=("ring",)))
    with other.view() as reader:
        assert (reader.tag_names(ACCOUNT), len(reader.triggers(ACCOUNT))) == (["door", "shut"], 2)
    assert recalled(other) == {"the green door is shut"}
    for store in (one, other):
        store.close()


def test_a_view_does_not_move_while_others_write(store: PostgresStore) -> None:
    put(store, record("the green door is open"))
    with store.view() as reader:
        before = reader.find(IDENTITY, Filter(), NOW, limit=10)
        writing = threading.Thread(target=put, args=(store, record("the green lamp is broken")))
        writing.start()
        writing.join()
        assert reader.find(IDENTITY, Filter(), NOW, limit=10) == before
    assert len(listed(store)) == 2


def test_a_view_inside_a_change_sees_it_and_a_change_inside_a_change_is_refused(store: PostgresStore) -> None:
    memory = record()
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.insert(memory, None)
        with store.view() as reader:
            assert reader.get(ACCOUNT, [memory.id]) == [memory]
        with pytest.raises(StoreError, match="inside another"), store.transaction(ACCOUNT, "tester", NOW):
            pass
    assert held(store, memory) == memory


def test_a_change_is_of_one_account(store: PostgresStore) -> None:
    with pytest.raises(InvalidInput, match="one at a time"), store.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.insert(record(account="other"), None)


def test_a_load_and_single_writes_leave_the_same(store: PostgresStore, tmp_path: Path) -> None:
    """Rows sent together and rows sent one by one, with reads between: the same memories, counts and answers."""
    store.use_model(MODEL, DIMENSIONS)
    made = [
        record(
            f"green thing {n} of kind {'three' if n % 7 == 3 else 'other'}",
            tags=(f"t{n % 5}",),
            key=f"k{n}",
            scope="project",
            project="atlas",
        )
        for n in range(600)
    ]
    vectors = np.eye(DIMENSIONS, dtype=np.float32)
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        for number, memory in enumerate(made):
            tx.insert(memory, vectors[number % DIMENSIONS][None])
    file = SqliteStore(tmp_path / "m.db", durable=False)
    file.use_model(MODEL, DIMENSIONS)
    for number, memory in enumerate(made):
        with file.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.insert(memory, vectors[number % DIMENSIONS][None])
    search = Search(VIEWER, Filter(), NOW.timestamp(), axis(3).reshape(-1), ("kind", "three"), depth=1000)
    answers = []
    for each in (store, file):
        with each.view() as reader:
            found = reader.candidates(search)
            ids = [memory.id for memory in reader.fetch(ACCOUNT, found.rows.tolist())]
            scores = dict(
                zip(ids, zip(found.cosine.round(3).tolist(), found.bm25.round(4).tolist(), strict=True), strict=True)
            )
            events = [event.memory_id for event in reader.events(ACCOUNT)]
            answers.append((scores, events, reader.count(ACCOUNT, NOW), reader.tag_names(ACCOUNT)))
    file.close()
    assert answers[0] == answers[1]
    assert len(answers[0][1]) == 600


def test_counting_accesses_leaves_what_others_know_of_the_account_alone(
    store: PostgresStore, superuser: psycopg.Connection
) -> None:
    memory = record()
    put(store, memory)
    seq = superuser.execute("SELECT seq FROM accounts").fetchall()
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.touch(ACCOUNT, dict.fromkeys(tx.rows_of(ACCOUNT, [memory.id]), (3, NOW)))
    found = held(store, memory)
    assert found is not None and found.access_count == 3
    assert superuser.execute("SELECT seq FROM accounts").fetchall() == seq


def test_of_many_one_holds_a_lease_until_it_lets_go_or_its_time_is_over(empty_database: str) -> None:
    one, other = (PostgresStore(empty_database, Options(connections=2)).leases for _ in range(2))
    assert one.take("garden", "one", 60)
    assert one.take("garden", "one", 60)
    assert not other.take("garden", "other", 60)
    assert other.take("garden", "other", 60, account="acme")
    assert not other.release("garden", "other")
    assert one.release("garden", "one")
    assert other.take("garden", "other", -1)
    assert one.take("garden", "one", 60), "what is over may be taken over"
    with one.held("weeds", "one", 60) as mine, other.held("weeds", "other", 60) as theirs:
        assert (mine, theirs) == (True, False)
    with other.held("weeds", "other", 60) as theirs:
        assert theirs


def test_the_doctor_tells_of_the_server(empty_database: str, superuser: psycopg.Connection) -> None:
    database = sql.Identifier(superuser.info.dbname)
    superuser.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(database))
    with recollect.open(empty_database, embedder="none") as memory:
        memory.remember("The vault is in Bern")
        found = memory.doctor()
    assert (found["integrity"], found["orphans"], found["writable"], found["memories"]) == ("ok", 0, True, 1)
    assert found["server"]["server"].startswith("PostgreSQL ")
    assert found["server"]["vector indexes"] == "0 of 0"
    assert found["bytes"] > 0 and found["index_bytes"] > 0
    assert "findings" not in found and any("does not wait" in problem for problem in found["problems"])


def test_a_broken_index_is_found(store: PostgresStore, superuser: psycopg.Connection) -> None:
    superuser.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'tags_p000_pkey'::regclass")
    try:
        assert any("tags_p000_pkey was never finished" in finding for finding in store.check()["findings"])
    finally:
        superuser.execute("UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'tags_p000_pkey'::regclass")


def test_the_number_of_an_account_is_a_hash_of_its_name() -> None:
    numbers = {account_number(name) for name in ("", "default", "a", "A", "ä", "b" * 500)}
    assert len(numbers) == 6 and 0 not in numbers
    assert account_number("default") == account_number("default")
    assert all(-(2**63) <= number < 2**63 for number in numbers)


def test_the_past_is_told_of_a_server_too(empty_database: str, clock) -> None:
    with recollect.open(empty_database, embedder="none", clock=clock) as memory:
        kept = memory.remember("The vault is in Bern").memory
        before = clock()
        clock.advance(3600)
        memory.forget(kept.id)
        with memory.as_of(before) as then:
            assert [hit.memory.id for hit in then.recall("vault")] == [kept.id]
        assert not memory.recall("vault").hits


def test_working_memory_is_shared_by_the_processes_of_a_machine(empty_database) -> None:
    with (
        recollect.open(empty_database, embedder="none") as one,
        recollect.open(empty_database, embedder="none") as other,
    ):
        one.working.store("plan", {"step": 1})
        assert other.working.retrieve("plan") == {"step": 1}
    with recollect.open(empty_database, embedder="none") as later:
        assert later.working.retrieve("plan") == {"step": 1}


def test_a_change_that_failed_in_the_middle_is_never_acknowledged(
    store: PostgresStore, superuser: psycopg.Connection
) -> None:
    def change_something() -> None:
        with store.transaction(ACCOUNT, "test", NOW) as change:
            change.set_note("kept", "yes")
            superuser.execute("ALTER TABLE triggers RENAME TO elsewhere")
            with pytest.raises(psycopg.errors.UndefinedTable):  # and whoever caught it went on
                change.triggers(ACCOUNT)

    try:
        with pytest.raises(StoreError, match="nothing was stored"):
            change_something()
    finally:
        superuser.execute("ALTER TABLE elsewhere RENAME TO triggers")
    with store.view() as reader:
        assert reader.note("kept") is None
