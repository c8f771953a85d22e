"""Counting accesses is no event, and yet every process knows of every count: at its next call, or from a snapshot on."""

from contextlib import suppress
from datetime import timedelta

import numpy as np

from recollect.store.sqlite.store import SqliteStore
from recollect.testing.contract.samples import ACCOUNT, NOW, SEARCH, axis, put, record


def count(store: SqliteStore, times: dict[str, int], days: float = 0.0, account: str = ACCOUNT) -> None:
    """Count accesses to memories by their text."""
    with store.transaction(account, "tester", NOW) as tx:
        rows = {memory.content: row for row, memory in _stored(tx, account).items()}
        tx.touch(account, {rows[text]: (often, NOW + timedelta(days=days)) for text, often in times.items()})


def counted(store: SqliteStore) -> dict[str, tuple[float, float]]:
    """How often and when each memory was accessed, as a search scores it."""
    with store.view() as reader:
        found = reader.candidates(SEARCH)
        texts = [memory.content for memory in reader.fetch(ACCOUNT, found.rows.tolist())]
    days = (found.columns.accessed - NOW.timestamp()) / 86_400
    return dict(zip(texts, zip(found.columns.access_count.tolist(), days.tolist(), strict=True), strict=True))


def _stored(reader, account):
    found = [memory for text in ("green one", "green two") for memory in reader.same_text(account, text)]
    return dict(zip(reader.rows_of(account, [memory.id for memory in found]), found, strict=True))


def test_what_another_process_counted_is_seen_at_the_next_call(opened) -> None:
    one, other = opened(), opened()
    put(one, record("green one"), record("green two"))
    assert counted(one) == counted(other) == {"green one": (0, 0), "green two": (0, 0)}
    count(one, {"green one": 2}, days=3)
    assert counted(other) == counted(one) == {"green one": (2, 3), "green two": (0, 0)}
    # Written late: of an earlier time than what is known already.
    count(other, {"green two": 1}, days=1)
    count(other, {"green one": 1}, days=2)
    count(one, {"green two": 4}, days=5)
    count(other, {}, days=9)
    assert counted(one) == counted(other) == counted(opened()) == {"green one": (3, 3), "green two": (5, 5)}


def test_what_is_counted_in_one_account_leaves_another_as_it_is(opened) -> None:
    one, other = opened(), opened()
    put(one, record("green one"))
    put(one, record("green one", account="elsewhere"))
    counted(other)
    count(one, {"green one": 2}, days=3, account="elsewhere")
    assert counted(other) == counted(one) == {"green one": (0, 0)}
    count(one, {"green one": 1}, days=1)
    assert counted(other) == counted(one) == {"green one": (1, 1)}


def test_a_snapshot_is_brought_up_to_what_was_counted_since(opened, tmp_path) -> None:
    first = opened()
    put(first, record("green one"), record("green two"), *(record(f"red {n}") for n in range(600)), vectors=axis(0))
    count(first, {"green one": 2}, days=9)
    counted(first)
    first.close()
    (snapshot,) = tmp_path.rglob("*.index/*.index")
    written = snapshot.read_bytes()
    later = opened()
    count(later, {"green two": 1}, days=1)
    later.close()
    snapshot.write_bytes(written)
    assert counted(opened()) == {"green one": (2, 9), "green two": (1, 1)}
    assert np.frombuffer(snapshot.read_bytes(), np.uint8).size == len(written)


def test_what_was_not_committed_was_not_counted(opened) -> None:
    one, other = opened(), opened()
    put(one, record("green one"))
    counted(one), counted(other)
    with suppress(ZeroDivisionError), one.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.touch(ACCOUNT, dict.fromkeys(_stored(tx, ACCOUNT), (5, NOW + timedelta(days=2))))
        raise ZeroDivisionError
    assert counted(one) == counted(other) == {"green one": (0, 0)}
    count(other, {"green one": 1}, days=1)
    assert counted(one) == counted(other) == {"green one": (1, 1)}
