"""The graph of a store: steps over tags, clusters and links in both directions, triggers, documents, and the past."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np

from recollect.ports import Store
from recollect.testing.contract.samples import (
    ACCOUNT,
    DIMENSIONS,
    MODEL,
    NOW,
    SEARCH,
    VIEWER,
    alter,
    axis,
    found_by,
    put,
    record,
)
from recollect.values.cluster import Cluster
from recollect.values.document import Document
from recollect.values.ids import new_id
from recollect.values.link import Edge, Link, Node
from recollect.values.memory import Record
from recollect.values.scope import GLOBAL, Identity


def row_of(store: Store, memory: Record) -> int:
    """The row number of a stored memory, whoever may see it."""
    with store.view() as reader:
        return reader.rows_of(memory.account, [memory.id])[0]


def steps(store: Store, *nodes: Node, most: int = 10, account: str = ACCOUNT) -> list[Edge]:
    """The steps a walk may take from some nodes."""
    with store.view() as reader:
        return reader.edges(account, nodes, most)


def cluster(name: str, axis_: int = 0, wall: tuple[str, str, str] = GLOBAL, radius: float = 0.9) -> Cluster:
    """A cluster around one axis."""
    return Cluster(new_id(NOW), name, 0, axis(axis_).reshape(-1), radius, NOW, wall)


def clustered(store: Store, made: Cluster, *rows: int, account: str = ACCOUNT) -> None:
    """Store a cluster with its members."""
    with store.transaction(account, "test", NOW) as tx:
        tx.put_cluster(account, made, rows)


def document(name: str = "deploy", account: str = ACCOUNT, **body: object) -> Document:
    """What a tag means."""
    return Document(new_id(NOW), account, "tag", name, NOW, NOW, GLOBAL, body)


class GraphContract:
    """Every step and nothing of others."""

    def test_tags_lead_from_memories_to_words_and_back(self, store: Store) -> None:
        one, two = record("one green", tags=("b", "a")), record("two green", tags=("a",))
        put(store, one, two, record("three green"))
        put(store, record("four green", tags=("a",), account="other"))
        rows = [row_of(store, one), row_of(store, two)]
        up = steps(store, ("memory", rows[0]), ("memory", rows[1]))
        assert {(e.source[1], e.target[1]) for e in up} == {(rows[0], "a"), (rows[0], "b"), (rows[1], "a")}
        assert {(e.relation, e.weight) for e in up} == {("has_tag", 0.8)}
        assert [e.target[1] for e in steps(store, ("tag", "a"))] == [rows[1], rows[0]]
        assert [e.target[1] for e in steps(store, ("tag", "a"), most=1)] == [rows[1]]
        assert steps(store, ("tag", "none")) == []
        assert steps(store, ("memory", rows[0]), account="other") == []
        alter(store, one, "untag", tags=("b",))
        assert [e.target[1] for e in steps(store, ("tag", "a"))] == [rows[1]]

    def test_links_are_walked_in_both_directions_with_their_weight(self, store: Store) -> None:
        target = record("target")
        linked = [
            record("related", links=(Link(target.id, "relates_to", 0.4),)),
            record("opposed", links=(Link(target.id, "contradicts"),)),
            record("made of it", links=(Link(target.id, "derived_from"),)),
            record("instead", supersedes=target.id),
        ]
        put(store, target, *linked)
        rows = {row_of(store, memory): memory.content for memory in linked}
        back = steps(store, ("memory", row_of(store, target)))
        assert {(rows[int(e.target[1])], e.relation, e.weight) for e in back} == {
            ("related", "relates_to", 0.4),
            ("opposed", "contradicts", 0.3),
            ("made of it", "derived_from", 0.7),
            ("instead", "supersedes", 0.9),
        }
        forth = steps(store, *(("memory", row) for row in rows))
        assert {(e.target, e.relation) for e in forth} == {
            (("memory", row_of(store, target)), e.relation) for e in back
        }

    def test_the_strongest_links_of_a_node_come_first_and_no_more_than_asked_for(self, store: Store) -> None:
        hub = record("hub")
        spokes = [record(f"spoke {n}", links=(Link(hub.id, "relates_to", n / 10),)) for n in range(1, 8)]
        put(store, hub, *spokes)
        found = steps(store, ("memory", row_of(store, hub)), most=3)
        assert [e.weight for e in found] == [0.7, 0.6, 0.5]

    def test_a_link_to_what_is_gone_leads_nowhere_until_it_comes_back(self, store: Store) -> None:
        target = record("target")
        source = record("source", links=(Link(target.id, "relates_to"),))
        put(store, target, source)
        start: Node = ("memory", row_of(store, source))
        assert len(steps(store, start)) == 1
        with store.transaction(ACCOUNT, "test", NOW) as tx:
            tx.remove(target)
        assert steps(store, start) == []
        put(store, target)
        assert [e.target[1] for e in steps(store, start)] == [row_of(store, target)]

    def test_a_link_into_another_account_leads_nowhere(self, store: Store) -> None:
        theirs = record("theirs", account="other")
        mine = record("mine", links=(Link(theirs.id, "relates_to"),))
        put(store, mine)
        put(store, theirs)
        assert steps(store, ("memory", row_of(store, mine))) == []
        assert steps(store, ("memory", row_of(store, theirs)), account="other") == []

    def test_links_change_with_their_memory(self, store: Store) -> None:
        target, source = record("target"), record("source")
        put(store, target, source)
        alter(store, source, "link", links=(Link(target.id, "relates_to", 0.5),))
        assert len(steps(store, ("memory", row_of(store, target)))) == 1
        with store.view() as reader:
            (kept,) = reader.get(ACCOUNT, [source.id])
        assert kept is not None
        assert kept.links == (Link(target.id, "relates_to", 0.5),)
        alter(store, kept, "unlink", links=())
        assert steps(store, ("memory", row_of(store, target))) == []

    def test_members_of_a_cluster_are_found_through_it(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        memories = [record(f"m{n}") for n in range(3)]
        put(store, *memories, vectors=axis(0))
        rows = [row_of(store, memory) for memory in memories]
        made = cluster("greens")
        clustered(store, made, *rows[:2])
        assert [(e.target, e.weight) for e in steps(store, ("memory", rows[0]))] == [(("cluster", made.id), 0.6)]
        assert [e.target[1] for e in steps(store, ("cluster", made.id))] == [rows[1], rows[0]]
        assert steps(store, ("cluster", made.id), account="other") == []
        with store.view() as reader:
            assert [(c.name, c.size) for c in reader.clusters(ACCOUNT)] == [("greens", 2)]
            assert reader.clusters("other") == []

    def test_a_new_memory_falls_into_the_nearest_cluster_of_its_room(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        mine, hers = cluster("all", 0), cluster("hers", 0, ("agent", "ada", ""))
        clustered(store, mine)
        clustered(store, hers)
        near, far = record("near"), record("far")
        private = record("private", scope="agent", agent="ada")
        put(store, near, vectors=axis(0))
        put(store, far, vectors=axis(1))
        put(store, private, vectors=axis(0))
        of = {m.content: [e.target[1] for e in steps(store, ("memory", row_of(store, m)))] for m in (near, far)}
        assert of == {"near": [mine.id], "far": []}
        assert [e.target[1] for e in steps(store, ("memory", row_of(store, private)))] == [hers.id]

    def test_a_purge_takes_the_cluster_whose_name_holds_its_words(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        memory = record("zanzibar")
        put(store, memory, vectors=axis(0))
        clustered(store, cluster("zanzibar"), row_of(store, memory))
        with store.transaction(ACCOUNT, "test", NOW) as tx:
            tx.purge(memory)
        with store.view() as reader:
            assert reader.clusters(ACCOUNT) == []

    def test_a_dropped_cluster_leaves_its_members(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        memory, made = record("kept"), cluster("gone")
        put(store, memory, vectors=axis(0))
        clustered(store, made, row_of(store, memory))
        with store.transaction(ACCOUNT, "test", NOW) as tx:
            tx.drop_clusters("other", [made.id])
        assert len(steps(store, ("memory", row_of(store, memory)))) == 1
        with store.transaction(ACCOUNT, "test", NOW) as tx:
            tx.drop_clusters(ACCOUNT, [made.id])
        assert steps(store, ("memory", row_of(store, memory))) == []

    def test_what_is_embedded_is_told_with_its_place(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        first, hidden = record("one"), record("two", status="forgotten")
        put(store, first, hidden, vectors=axis(1))
        put(store, record("no vector"))
        with store.view() as reader:
            found = reader.embedded(ACCOUNT)
            assert reader.how_many_embedded(ACCOUNT) == 1
        assert found.rows.tolist() == [row_of(store, first)]
        assert found.places == (GLOBAL,)
        assert np.allclose(found.vectors.astype(np.float32), axis(1).reshape(1, -1))

    def test_triggers_are_told_with_their_rows(self, store: Store) -> None:
        one, two = record("one", triggers=("println!", "word:drop")), record("two")
        put(store, one, two)
        put(store, record("theirs", account="other", triggers=("x1",)))
        with store.view() as reader:
            assert reader.triggers(ACCOUNT) == [(row_of(store, one), "println!"), (row_of(store, one), "word:drop")]
        alter(store, one, "update", triggers=())
        alter(store, two, "update", triggers=("glob:*.env",))
        with store.view() as reader:
            assert reader.triggers(ACCOUNT) == [(row_of(store, two), "glob:*.env")]

    def test_rows_that_may_not_be_seen_are_left_out(self, store: Store) -> None:
        seen, old = record("seen"), record("old")
        others = [record("hers", scope="agent", agent="eve"), record("gone", status="forgotten")]
        put(store, seen, old, record("new", supersedes=old.id), *others)
        rows = [row_of(store, memory) for memory in (others[0], seen, old, others[1])]
        with store.view(NOW) as reader:
            assert reader.filter_visible(SEARCH, [*rows, 999]) == [row_of(store, seen)]
            assert reader.fetch_visible(SEARCH, [*rows, 999]) == {row_of(store, seen): seen}
            assert reader.fetch_visible(SEARCH, []) == {}

    def test_visible_edges_are_those_that_lead_to_no_hidden_memory(self, store: Store) -> None:
        hers = record("hers", scope="agent", agent="eve", tags=("a",))
        old = record("old", tags=("a",))
        one = record("one", tags=("a",), links=(Link(hers.id, "relates_to"), Link(old.id, "relates_to")))
        two = record("two", tags=("a",), supersedes=old.id, links=(Link(one.id, "derived_from"),))
        gone = record("gone", status="forgotten", tags=("a",), links=(Link(one.id, "relates_to"),))
        put(store, hers, old, one, two, gone)
        rows = {row_of(store, memory): memory for memory in (hers, old, one, two, gone)}
        made = cluster("green")
        clustered(store, made, *rows)
        nodes: list[Node] = [("tag", "a"), ("cluster", made.id), *(("memory", row) for row in rows)]
        visible = {row for row, memory in rows.items() if memory in (one, two)}
        with store.view(NOW) as reader:
            for upwards in (True, False):
                every = reader.edges(ACCOUNT, nodes, 9, upwards=upwards)
                found = reader.visible_edges(SEARCH, nodes, 9, upwards=upwards)
                assert found == [e for e in every if e.target[0] != "memory" or e.target[1] in visible]
                assert {e.relation for e in found} == {
                    "has_tag",
                    "in_cluster",
                    "relates_to",
                    "derived_from",
                    "supersedes",
                }
            assert reader.visible_edges(SEARCH, [], 9) == []

    def test_tags_are_counted_for_those_who_reach_them(self, store: Store) -> None:
        put(store, record("a", tags=("x", "y")), record("b", tags=("x",)), record("c", tags=("y",), status="forgotten"))
        put(store, record("d", tags=("secret",), scope="agent", agent="eve"))
        with store.view() as reader:
            assert reader.tag_counts(VIEWER.identity, NOW) == {"x": 2, "y": 1}
            assert reader.tag_counts(Identity(ACCOUNT, "eve"), NOW) == {"x": 2, "secret": 1, "y": 1}

    def test_documents_are_kept_changed_and_journalled(self, store: Store) -> None:
        made = document(text="how we ship")
        changed = made.with_body(NOW + timedelta(hours=1), text="how we release")
        for before, after in ((None, made), (made, changed)):
            with store.transaction(ACCOUNT, "test", NOW) as tx:
                tx.put_document(before, after, "describe")
        with store.view() as reader:
            assert reader.documents(ACCOUNT, "tag") == [changed] == reader.documents(ACCOUNT, "tag", "deploy")
            assert reader.documents(ACCOUNT, "gap") == [] == reader.documents(ACCOUNT, "tag", "other")
            assert reader.documents("other", "tag") == []
            events = reader.events(ACCOUNT)
        assert [(e.kind, e.document, e.memory_id) for e in events] == [("describe", "tag", made.id)] * 2
        assert events[0].before is None
        assert events[1].before is not None
        assert events[1].after is not None
        assert (events[1].before["body"], events[1].after["body"]) == (
            {"text": "how we ship"},
            {"text": "how we release"},
        )
        with store.transaction(ACCOUNT, "test", NOW) as tx:
            tx.put_document(changed, None, "describe")
        with store.view() as reader:
            assert reader.documents(ACCOUNT, "tag") == []

    def test_asked_about_the_past_only_what_had_begun_counts(self, store: Store) -> None:
        day = timedelta(days=1)
        old = record("green old", created_at=NOW - 9 * day)
        new = record("green new", supersedes=old.id, created_at=NOW - 2 * day)
        told = record("green told later", provenance=replace(record().provenance, occurred_at=NOW - 8 * day))
        put(store, old, new, told)
        past = replace(SEARCH, terms=("green",), now=(NOW - 5 * day).timestamp(), past=True)
        assert sorted(found_by(store, past)[1]) == ["green old", "green told later"]
        assert sorted(found_by(store, replace(past, now=NOW.timestamp()))[1]) == ["green new", "green told later"]

    def test_seasons_are_told_apart(self, store: Store) -> None:
        memories: list[Record] = [
            record("green a", season="release-week"), record("green b", season="audit"), record("green c"),
        ]  # fmt: skip
        put(store, *memories)
        search = replace(SEARCH, terms=("green",), seasons=frozenset(("release-week", "holidays")))
        found, contents = found_by(store, search)
        assert dict(zip(contents, found.columns.season.tolist(), strict=True)) == {
            "green a": 1,
            "green b": -1,
            "green c": 0,
        }
