"""Clusters: found by meaning, named for people, joined by what comes later, and never a way to see what one may not."""

import time
from zlib import crc32

import numpy as np
import pytest

import recollect
from recollect import NotFound

CATS = [
    f"The cat {does} in the {where}"
    for does in ("sleeps", "purrs", "eats")
    for where in ("garden", "kitchen", "hall", "barn")
]
INVOICES = [
    f"The invoice of {who} was {how}"
    for who in ("Acme", "Globex", "Initech", "Hooli")
    for how in ("paid", "sent", "lost")
]
SERVERS = [
    f"Server {name} runs {what}"
    for name in ("alpha", "beta", "gamma", "delta")
    for what in ("postgres", "redis", "nginx")
]
TOPICS = {"cat": CATS, "invoice": INVOICES, "server": SERVERS}


@pytest.fixture
def grouped(tmp_path, clock):
    """A store with the real model and three topics, clustered."""
    with recollect.open(tmp_path / "m.db", clock=clock, refresh_clusters=0) as memory:
        memory.remember_many([text for texts in TOPICS.values() for text in texts], verbatim=True)
        memory.clusters(refresh=True)
        yield memory


def topic_of(cluster, memory) -> set[str]:
    return {
        topic for record in memory.members(cluster.id) for topic, texts in TOPICS.items() if record.content in texts
    }


def test_topics_are_found_and_named_so_that_a_person_knows_them(grouped) -> None:
    clusters = grouped.clusters()
    assert len(clusters) == 3
    for cluster in clusters:
        (topic,) = topic_of(cluster, grouped)
        assert topic in cluster.name.casefold()
        assert grouped.members(cluster.name, limit=3)
    with pytest.raises(NotFound, match="clusters"):
        grouped.members("nothing")


def test_found_anew_on_the_same_data_they_keep_ids_and_names(grouped) -> None:
    before = [(cluster.id, cluster.name, cluster.size) for cluster in grouped.clusters()]
    after = [(cluster.id, cluster.name, cluster.size) for cluster in grouped.clusters(refresh=True)]
    assert before == after


def test_a_new_memory_joins_the_cluster_it_falls_into(grouped) -> None:
    new = grouped.remember("The cat sleeps and eats in the kitchen", tags=["x"]).memory
    (home,) = [c for c in grouped.clusters() if topic_of(c, grouped) == {"cat"} and "cat" in c.name.casefold()]
    assert new.id in {record.id for record in grouped.members(home.id, limit=50)}
    odd = grouped.remember("Quantum chromodynamics has eight gluons", tags=["x"]).memory
    assert all(odd.id not in {r.id for r in grouped.members(c.id, limit=50)} for c in grouped.clusters())


def test_the_cascade_leads_through_a_cluster_and_says_so(grouped) -> None:
    hits = grouped.recall("sleeping cat", profile="cascade", limit=10, explain=True)
    through = [hit for hit in hits if any(step.startswith("in_cluster") for step in hit.explain.path)]
    assert {topic for hit in through for topic, texts in TOPICS.items() if hit.memory.content in texts} <= {"cat"}


def test_a_forgotten_memory_does_not_come_back_through_its_cluster(grouped) -> None:
    gone = next(record for record in grouped.list(limit=100) if record.content == TOPICS["cat"][0])
    grouped.forget(gone.id)
    for profile in ("cascade", "hybrid"):
        assert gone.id not in {hit.memory.id for hit in grouped.recall("sleeping cat", profile=profile, limit=30)}


def test_rooms_are_clustered_apart(tmp_path, clock) -> None:
    with recollect.open(tmp_path / "m.db", clock=clock, refresh_clusters=0) as memory:
        eve, ada = memory.with_identity(agent="eve"), memory.with_identity(agent="ada")
        secret = [*TOPICS["invoice"], *(text.replace("cat", "parrot") for text in TOPICS["cat"])]
        drafts = [{"content": text, "scope": "agent", "agent": "eve"} for text in secret]
        eve.remember_many([*drafts, *TOPICS["cat"], *TOPICS["server"]], verbatim=True)
        names = " ".join(cluster.name for cluster in ada.clusters(refresh=True)).casefold()
        assert names
        assert "invoice" not in names
        assert "invoice" in " ".join(cluster.name for cluster in eve.clusters()).casefold()
        hers = next(cluster for cluster in eve.clusters() if "invoice" in cluster.name.casefold())
        with pytest.raises(NotFound):
            ada.members(hers.id)


def test_clusters_are_found_anew_after_so_many_recalls(tmp_path, clock) -> None:
    with recollect.open(tmp_path / "m.db", clock=clock, refresh_clusters=5) as memory:
        texts = [f"{text} {way}" for texts in TOPICS.values() for text in texts for way in ("today", "often")]
        memory.remember_many(texts, verbatim=True)
        for _ in range(4):
            memory.recall("cat")
        memory.get(memory.list(limit=1)[0].id)
        assert memory.clusters() == []
        memory.recall("cat")
        memory.get(memory.list(limit=1)[0].id)
    with recollect.open(tmp_path / "m.db", clock=clock, refresh_clusters=0) as memory:
        assert memory.clusters()


def test_a_process_that_ends_does_not_begin_what_it_cannot_wait_for(tmp_path, clock) -> None:
    with recollect.open(tmp_path / "m.db", clock=clock, embedder=_anywhere, refresh_clusters=1) as memory:
        memory.remember_many([f"note {number}" for number in range(2_100)], verbatim=True)
        memory.recall("note 1", limit=1)
        begun = time.monotonic()
    assert time.monotonic() - begun < 2
    with recollect.open(tmp_path / "m.db", clock=clock, embedder=_anywhere, refresh_clusters=0) as memory:
        assert memory.clusters() == []


def _anywhere(texts: list[str]) -> np.ndarray:
    return np.array([np.random.default_rng(len(text)).standard_normal(64) for text in texts])


def test_many_memories_are_clustered_by_another_process_meanwhile(tmp_path, clock) -> None:
    planted = np.random.default_rng(7).standard_normal((8, 64))

    def embed(texts: list[str]) -> np.ndarray:
        strayed = [np.random.default_rng(crc32(text.encode())).standard_normal(64) for text in texts]
        near = [planted[int(text.split()[1])] if text.startswith("topic") else planted[0] for text in texts]
        return np.array(near) * 3 + np.array(strayed) * 0.3

    with recollect.open(tmp_path / "m.db", clock=clock, embedder=embed, refresh_clusters=2) as memory:
        memory.remember_many([f"topic {number % 8} note {number}" for number in range(2_100)], verbatim=True)
        for _ in range(2):
            memory.recall("topic 1", limit=1)
        memory.get(memory.list(limit=1)[0].id)
        patience = time.monotonic() + 60
        # A few are written at a time, so that no writer waits long.
        while len(memory.clusters()) < 8 and time.monotonic() < patience:
            assert memory.remember("a writer is not held up by it").kind in ("stored", "reinforced")
            time.sleep(0.05)
        assert len(memory.clusters()) == 8
        assert not [problem for problem in memory.doctor()["problems"] if "clusters" in problem]


def test_a_setting_says_how_similar_to_its_centre_a_member_is(grouped, tmp_path, clock) -> None:
    sizes = []
    for similarity in (0.0, 0.9, 1.0):
        with recollect.open(tmp_path / "m.db", clock=clock, refresh_clusters=0, cluster=similarity) as memory:
            sizes.append(sum(cluster.size for cluster in memory.clusters(refresh=True)))
    assert sizes[0] == 36
    assert 36 > sizes[1] > 0 == sizes[2], sizes
