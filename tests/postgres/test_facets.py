"""What the scorer looks at is packed beside the columns it is made of: never anything else than they say, and always readable."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import psycopg

from recollect.store.postgres.rows import FACETS, facets_of, row_of, scoring_columns, words_in
from recollect.store.postgres.sql import queries
from recollect.store.postgres.store import PostgresStore
from recollect.store.rows import memory_of
from recollect.testing.contract.samples import ACCOUNT, NOW, SEARCH, alter, put, record
from recollect.values.enums import MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES
from recollect.values.passages import is_question
from recollect.values.search import Filter

_STORED = (
    "0202030501010000276c02740c00000075531f790000003f0000803e0000403f0000003e0000"
    "40c00000e0400000000000428f400000000000448f40000000000000f87ff168e388b5f8d43e"
)
_STATUSES = "active superseded archived forgotten"
_SCOPES = "global team agent project session task"
_TYPES = (
    "fact preference procedure correction negative decision observation reflection"
    " plan insight task episode summary entity rule tool_output"
)
_SOURCES = "user_stated user_corrected observed inferred extracted migrated tool system derived"


def test_facets_say_what_the_columns_say_after_every_kind_of_change(
    store: PostgresStore, superuser: psycopg.Connection
) -> None:
    made = [
        record("Which valve leaks?", speaker="Ann", session="s1", position=3, occurred_at=NOW - timedelta(days=9)),
        record("Never open the lamp", type="rule", season="winter", importance=0.75, scope="project", project="zephyr"),
        record("the roof", tags=("old", "roof"), weight=0.5, confidence=0.25, trust=0.5, score=-4, strength=3),
    ]
    put(store, *made)
    alter(store, made[0], content="The valve leaks", status="archived", hit_at=NOW)
    alter(store, made[1], season=None, session="s2", importance=0.125)
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.touch(ACCOUNT, dict.fromkeys(tx.rows_of(ACCOUNT, [made[2].id]), (5, NOW + timedelta(days=1))))
    rows = superuser.execute(
        f"SELECT {queries()['memory']}, facets, words, packed_words, account_id FROM memories AS m"
    ).fetchall()
    assert len(rows) == len(made)
    for row in rows:
        *columns, facets, words, packed, account_id = row
        memory = memory_of(columns, ACCOUNT)
        again = row_of(memory, account_id, b"")
        assert facets == again["facets"]
        assert facets == facets_of({**again, "asks": is_question(memory)})
        assert words_in(packed).tolist() == words == again["words"].tolist()


def test_a_scorer_sees_the_numbers_that_were_stored(store: PostgresStore) -> None:
    memory = record(
        "green door", importance=0.75, weight=0.5, confidence=0.25, trust=0.125, score=-4, strength=3, type="rule",
        season="winter", session="s1", position=7, occurred_at=NOW - timedelta(days=9),
    )  # fmt: skip
    put(store, memory, record("green gate", session="s1", season="summer"), record("green roof"))
    with store.view(NOW) as reader:
        found = reader.candidates(replace(SEARCH, seasons=frozenset({"winter"})))
    columns = found.columns
    assert columns.importance.tolist()[0] == 0.75
    assert (columns.weight[0], columns.confidence[0], columns.trust[0]) == (0.5, 0.25, 0.125)
    assert (columns.score[0], columns.strength[0], columns.access_count[0]) == (-4, 3, 0)
    assert columns.season.tolist() == [1, -1, 0]
    assert columns.position.tolist() == [7, -1, -1]
    assert columns.thread[0] == columns.thread[1] != columns.thread[2] == -1
    assert columns.type.tolist()[0] == MEMORY_TYPES.index("rule")
    assert columns.created[0] == memory.created_at.timestamp()
    assert columns.occurred[0] == (NOW - timedelta(days=9)).timestamp()
    assert np.isnan(columns.occurred[1:]).all()
    assert np.isnan(columns.hit).all()
    assert columns.standing.tolist() == [True, False, False]


def test_a_number_too_small_for_the_scorer_is_nothing_and_breaks_no_search(store: PostgresStore) -> None:
    tiny = record("green door", importance=1e-300, weight=1e-300, confidence=1e-300, trust=1e-300)
    put(store, tiny, record("green gate", trust=0.5))
    alter(store, tiny, importance=1e-200)
    with store.view(NOW) as reader:
        assert len(reader.candidates(SEARCH)) == 2
        trusted = reader.candidates(replace(SEARCH, filter=Filter(min_trust=0.25)))
        assert [memory.content for memory in reader.fetch(ACCOUNT, trusted.rows.tolist())] == ["green gate"]


def test_stored_bytes_are_read_by_every_later_version() -> None:
    """Databases hold these numbers: words are only ever added at the end, and the layout changes with a migration."""
    for words, known in (
        (STATUSES, _STATUSES),
        (SCOPES, _SCOPES),
        (MEMORY_TYPES, _TYPES),
        (PROVENANCE_KINDS, _SOURCES),
    ):
        assert " ".join(words).startswith(known)
    old = bytes.fromhex(_STORED)
    assert FACETS.itemsize == len(old) == 76
    columns = scoring_columns(
        {
            "facets": np.frombuffer(old, FACETS),
            "access_count": np.array([2], np.int32),
            "accessed": np.array([1_500_000], np.int64),
            "length": np.array([4], np.int32),
        },
        ["winter"],
    )
    assert STATUSES[columns.status[0]] == "archived"
    assert MEMORY_TYPES[columns.type[0]] == "procedure"
    assert SCOPES[columns.scope[0]] == "project"
    assert PROVENANCE_KINDS[columns.source[0]] == "migrated"
    assert (columns.role[0], columns.standing[0], columns.asks[0]) == (1, True, False)
    assert (columns.position[0], columns.season[0], columns.accessed[0]) == (12, 1, 1.5)
    assert (columns.importance[0], columns.strength[0], columns.created[0]) == (0.5, 7, 1000.25)
    assert np.isnan(columns.hit[0])
