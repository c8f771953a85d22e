"""One rule of visibility: the SQL, the masks over columns and the reference back end decide alike about every memory."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.store.sqlite.rows import hex_list, id_text
from recollect.store.sqlite.store import SqliteStore
from recollect.store.visibility import SQLITE, compile_reach, compile_search
from recollect.testing.contract.samples import ACCOUNT, DIMENSIONS, EVERY_STATUS, MODEL, NOW, record
from recollect.testing.in_memory import InMemoryStore
from recollect.values.scope import Identity, Viewer, reaches
from recollect.values.search import Filter, Search

names = st.sampled_from((None, "a", "b"))
days = st.sampled_from((None, -2, -1, 0, 1))
moments = days.map(lambda day: None if day is None else NOW + timedelta(days=day))
some = lambda *words: st.lists(st.sampled_from(words), max_size=2, unique=True).map(tuple)  # noqa: E731

COORDINATES = ("agent", "team", "user", "project", "session", "task")


@st.composite
def memories(draw):
    scope = draw(st.sampled_from(("global", *COORDINATES)))
    places = {name: draw(names) for name in COORDINATES}
    if scope != "global":
        places[scope] = draw(st.sampled_from(("a", "b")))
    return record(
        "green",
        scope=scope,
        **places,
        status=draw(st.sampled_from(("active", "active", "archived", "forgotten"))),
        type=draw(st.sampled_from(("fact", "preference"))),
        tags=draw(some("x", "y")),
        trust=draw(st.sampled_from((0.25, 0.5, 1.0))),
        created_at=NOW - timedelta(days=1),
        occurred_at=draw(moments),
        expires_at=draw(moments),
        valid_from=draw(moments),
        valid_until=draw(moments),
    )


identities = st.builds(Identity, st.just(ACCOUNT), names, some("a", "b"), user=names)
viewers = st.builds(Viewer, identities, names, names, names)
filters = st.builds(
    Filter,
    types=some("fact", "preference"),
    tags=some("x", "y"),
    scopes=some("global", "agent", "user", "project"),
    project=names,
    session=names,
    statuses=st.lists(st.sampled_from(EVERY_STATUS), min_size=1, unique=True).map(tuple),
    since=moments,
    until=moments,
    min_trust=st.sampled_from((0.0, 0.25, 0.5)),
    without=some("a", "b"),
)


def linked(held):
    """Memories some of which supersede the one before."""
    made = []
    for memory, replaces in held:
        made.append(memory.with_(supersedes=made[-1].id) if replaces and made else memory)
    return made


def searched(store, search):
    with store.view(NOW) as reader:
        return {memory.id for memory in reader.fetch(ACCOUNT, reader.candidates(search).rows.tolist())}


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(memories(), st.booleans()), max_size=8), viewers, filters, st.booleans())
def test_sql_masks_and_the_reference_decide_alike(held, viewer, wanted, past) -> None:
    known = linked(held)
    sqlite, reference = SqliteStore(":memory:"), InMemoryStore()
    for store in (sqlite, reference):
        store.use_model(MODEL, DIMENSIONS)
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            for memory in known:
                tx.insert(memory, None)
    search = Search(viewer, wanted, NOW.timestamp(), None, ("green",), depth=100, past=past)
    visible = searched(reference, search)
    assert searched(sqlite, search) == visible == by_sql(sqlite, search)
    lists = []
    for store in (sqlite, reference):
        with store.view(NOW) as reader:
            lists.append([memory.id for memory in reader.find(viewer.identity, wanted, NOW, limit=-1)])
    assert lists[0] == lists[1]
    with sqlite.view(NOW) as reader, reference.view(NOW) as other:
        assert reader.count(ACCOUNT, NOW, viewer.identity) == other.count(ACCOUNT, NOW, viewer.identity)
    assert reached_by_sql(sqlite, viewer.identity) == {m.id for m in known if reaches(viewer.identity, m.place)}
    sqlite.close()


def by_sql(store: SqliteStore, search: Search) -> set[str]:
    """What the compiled WHERE clause of a search passes; what is superseded for the viewer is asked of the masks."""
    everything = Search(
        search.viewer, Filter(statuses=("superseded",)), search.now, None, ("green",), depth=100, past=search.past
    )
    replaced = hex_list(searched(store, everything))
    with store.view(NOW) as reader:
        bound = {"account": reader._number(ACCOUNT), "replaced": replaced}
        made = compile_search(SQLITE, search, bound, any_superseded=True)
        rows = reader._connection.execute(f"SELECT m.id FROM memories AS m WHERE {made.where}", made.values)
        return {id_text(row["id"]) for row in rows}


def reached_by_sql(store: SqliteStore, identity: Identity) -> set[str]:
    values: dict[str, object] = {}
    where = compile_reach(SQLITE, identity, values)
    with store.view(NOW) as reader:
        rows = reader._connection.execute(f"SELECT m.id FROM memories AS m WHERE {where}", values)
        return {id_text(row["id"]) for row in rows}


def test_a_memory_whose_room_is_unknown_is_reached_by_nobody() -> None:
    store = SqliteStore(":memory:")
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.insert(record("green", scope="agent", agent=None), np.zeros((1, 1), np.float32))
    assert reached_by_sql(store, Identity(ACCOUNT, "", ("",))) == set()
    store.close()
