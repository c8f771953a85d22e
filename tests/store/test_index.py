"""The derived index: caught up across processes, rebuilt when lost, the same answers whatever its past."""

import gc
import weakref

import numpy as np
import pytest

import recollect
from recollect.store.index.account_index import AccountIndex
from recollect.store.index.columns import IndexEntry
from recollect.store.index.postings import Postings
from recollect.store.index.search import IndexSearch
from recollect.store.index.vectors import Spans, VectorArrays, top_of
from recollect.testing.contract.samples import NOW, SEARCH, record
from recollect.values.search import Filter, Search


def answers(memory) -> list[tuple[str, float]]:
    queries = ("alpha beta", "gamma topic 7", "delta")
    return [(hit.memory.content, round(hit.score, 5)) for query in queries for hit in memory.recall(query, limit=10)]


@pytest.fixture
def filled(tmp_path, clock, embedder):
    path = tmp_path / "m.db"
    with recollect.open(path, embedder=embedder, clock=clock, touch=False) as memory:
        words = ("alpha", "beta", "gamma", "delta", "epsilon")
        texts = [f"{words[n % 5]} {words[n * 7 % 5]} topic {n % 97} item {n}" for n in range(900)]
        memory.remember_many(texts, verbatim=True)
        expected = answers(memory)
    return path, expected


DAMAGES = {
    "kept": lambda path: None,
    "deleted": lambda path: path.unlink(),
    "emptied": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "noise in the middle": lambda path: path.write_bytes(_noisy(path.read_bytes())),
    "all noise": lambda path: path.write_bytes(np.random.default_rng(1).bytes(path.stat().st_size)),
}


def _noisy(content: bytes) -> bytes:
    middle = len(content) * 3 // 4
    return content[:middle] + bytes(255 - b for b in content[middle : middle + 64]) + content[middle + 64 :]


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_lost_or_broken_snapshot_gives_the_same_answers(filled, clock, embedder, damage) -> None:
    path, expected = filled
    (snapshot,) = path.with_name("m.db.index").glob("*.index")
    damage(snapshot)
    with recollect.open(path, embedder=embedder, clock=clock, touch=False) as memory:
        assert answers(memory) == expected


def test_accesses_that_a_snapshot_missed_are_counted(filled, clock, embedder) -> None:
    path, _ = filled
    (snapshot,) = path.with_name("m.db.index").glob("*.index")
    clock.advance(20 * 86_400)

    def scores() -> list[float]:
        with recollect.open(path, embedder=embedder, clock=clock, touch=False) as memory:
            return [hit.score for hit in memory.recall("alpha beta", profile="composite")]

    before = scores()
    with recollect.open(path, embedder=embedder, clock=clock) as memory:
        memory.recall("alpha beta", profile="composite", limit=3)
    caught_up = scores()
    snapshot.unlink()
    assert before != caught_up == scores()


def test_a_snapshot_of_another_store_is_ignored(filled, tmp_path, clock, embedder) -> None:
    path, _ = filled
    other = tmp_path / "other" / "m.db"
    with recollect.open(other, embedder=embedder, clock=clock) as memory:
        memory.remember("Only this is here")
    other.with_name("m.db.index").mkdir(exist_ok=True)
    (snapshot,) = path.with_name("m.db.index").glob("*.index")
    (other.with_name("m.db.index") / snapshot.name).write_bytes(snapshot.read_bytes())
    with recollect.open(other, embedder=embedder, clock=clock) as memory:
        assert [h.memory.content for h in memory.recall("alpha this", limit=10)] == ["Only this is here"]


def test_two_openers_of_one_file_see_each_others_commits_at_once(tmp_path, clock, embedder) -> None:
    path = tmp_path / "m.db"
    with (
        recollect.open(path, embedder=embedder, clock=clock) as one,
        recollect.open(path, embedder=embedder, clock=clock) as two,
    ):
        for number in range(20):
            writer, reader = (one, two) if number % 2 else (two, one)
            kept = writer.remember(f"Fact {number} concerns subject {number}").memory
            assert reader.recall(f"subject {number}", limit=1)[0].memory.id == kept.id
            if number % 3 == 0:
                reader.forget(kept.id)
                assert kept.id not in [h.memory.id for h in writer.recall(f"subject {number}", limit=5)]


def test_an_index_that_lived_through_changes_equals_a_fresh_one(tmp_path, clock, embedder) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder=embedder, clock=clock, touch=False) as memory:
        ids = [memory.remember(f"alpha beta topic {n} gamma").memory.id for n in range(60)]
        for number, id in enumerate(ids):
            if number % 3 == 0:
                memory.update(id, content=f"delta epsilon item {number}")
            elif number % 3 == 1:
                memory.tag(id, "gamma")
            elif number % 5 == 0:
                memory.purge(id)
        memory.undo()
        lived = answers(memory)
    for snapshot in path.with_name("m.db.index").glob("*"):
        snapshot.unlink()
    with recollect.open(path, embedder=embedder, clock=clock, touch=False) as memory:
        assert answers(memory) == lived


def test_merged_segments_hold_exactly_what_was_added() -> None:
    rng = np.random.default_rng(5)
    documents = [[f"w{int(n)}" for n in rng.integers(0, 300, 20)] for _ in range(3000)]
    slow, quick = Postings(), Postings()
    for row, words in enumerate(documents):
        slow.add(row, words)
    quick.extend(0, documents[:2000])
    for row, words in enumerate(documents[2000:], 2000):
        quick.add(row, words)
    for row in (5, 1999, 2500):
        slow.drop(row)
        quick.drop(row)
    lengths = np.full(3000, 20, np.int32)
    for terms in (("w1", "w2"), ("w299",), ("nothing",)):
        np.testing.assert_array_equal(
            slow.scores(terms, lengths, 2997, 20.0)[0], quick.scores(terms, lengths, 2997, 20.0)[0]
        )
    held = {row for row, words in enumerate(documents) if "w7" in words and row not in (5, 1999, 2500)}
    assert set(slow.matches(("w7",), np.arange(3000)).nonzero()[0].tolist()) == held


def test_two_stage_search_finds_what_an_exact_scan_finds() -> None:
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(400, 64)) @ rng.normal(size=(64, 384))
    vectors = centres[rng.integers(0, 400, 30_000)] + 4 * rng.normal(size=(30_000, 384)) + 20
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    index = VectorArrays(384)
    index.append(vectors.astype(np.float16), np.arange(30_000, dtype=np.int32))
    allowed = rng.random(30_000) < 0.7
    hits = 0
    for query in vectors[rng.integers(0, 30_000, 40)]:
        exact = np.where(allowed, vectors @ query, -1)
        wanted = set(np.argsort(-exact)[:10].tolist())
        found, told = index.likely(query, allowed, 100)
        assert allowed[found].all()
        np.testing.assert_array_equal(told, index.nearness(query, _alone(found)))
        hits += len(wanted & set(found.tolist()))
    assert hits / 400 >= 0.99


@pytest.mark.parametrize("leg", ["window", "standing"])
def test_of_many_rows_in_a_time_window_or_standing_instructions_the_nearest_are_found(leg) -> None:
    rng = np.random.default_rng(4)
    vectors = rng.normal(size=(12_000, 64)).astype(np.float32) + 0.5
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    inside = np.arange(12_000) % 2 == 0
    chosen, outside = {"occurred_at": NOW, "type": "rule"}, {"occurred_at": NOW.replace(year=2020)}
    entries = [
        IndexEntry(
            n + 1, record(f"text {n}", **(chosen if inside[n] else outside)), vectors[n : n + 1].astype(np.float16)
        )
        for n in range(12_000)
    ]
    index = AccountIndex(64)
    index.upsert(entries)
    day = NOW.timestamp()
    hits = 0
    for query in vectors[rng.integers(0, 12_000, 20)]:
        asked = {"windows": ((day - 1, day + 1),)} if leg == "window" else {"standing": True}
        search = Search(SEARCH.viewer, Filter(), day, vector=query, depth=5, **asked)
        found = set((IndexSearch(index, search, lambda *_: ()).candidates().rows - 1).tolist())
        near = np.where(inside, vectors @ query, -1)
        hits += len(found & set(np.argsort(-near)[:10].tolist()))
    assert hits / 200 >= 0.98


def _alone(rows) -> Spans:
    """The vectors of rows that own one each, under their own number."""
    return Spans.of(np.asarray(rows, np.int32), np.ones(len(rows), np.int32))


def test_a_memory_of_several_vectors_is_found_once_and_its_nearness_left_to_be_worked_out() -> None:
    rng = np.random.default_rng(8)
    vectors = rng.normal(size=(9_000, 64)).astype(np.float16)
    index = VectorArrays(64)
    index.append(vectors, np.repeat(np.arange(4_500, dtype=np.int32), 2))
    allowed = np.ones(4_500, bool)
    allowed[31] = False
    found, told = index.likely(vectors[61].astype(np.float32) + vectors[62], allowed, 10)  # of the rows 30 and 31
    assert told is None
    assert 30 in found and 31 not in found and len(set(found.tolist())) == len(found)


@pytest.mark.parametrize("asked", [1, 20])
def test_what_was_embedded_anew_is_found_by_its_new_vector(asked) -> None:
    rng = np.random.default_rng(6)
    vectors = rng.normal(size=(6_000, 64)).astype(np.float16)
    index, everything = VectorArrays(64), np.ones(6_000, bool)
    index.append(vectors, np.arange(6_000, dtype=np.int32))
    old, new = vectors[17].astype(np.float32), rng.normal(size=64).astype(np.float32)
    for _ in range(asked):
        assert 17 in index.likely(old, everything, 10)[0]
    index.replace(17, new[None, :].astype(np.float16))
    assert 17 not in index.likely(old, everything, 10)[0]
    assert 17 in index.likely(new, everything, 10)[0]
    near = index.nearness(new, _alone([17]))
    assert near == pytest.approx([new @ new], rel=0.01)


@pytest.mark.parametrize("asked", [1, 20])
def test_what_came_after_a_search_is_found_by_the_next(asked) -> None:
    rng = np.random.default_rng(6)
    index, late = VectorArrays(64), rng.normal(size=64).astype(np.float32)
    index.append(rng.normal(size=(6_000, 64)).astype(np.float16), np.arange(6_000, dtype=np.int32))
    for _ in range(asked):
        index.likely(late, np.ones(6_000, bool), 10)
    index.append(late[None, :].astype(np.float16), np.array([6_000], np.int32))
    assert 6_000 in index.likely(late, np.ones(6_001, bool), 10)[0]
    near = index.nearness(late, _alone([6_000]))
    assert near == pytest.approx([late @ late], rel=0.01)


@pytest.mark.parametrize("size", [1, 10, 9000, 50_000])
def test_the_top_is_the_top(size) -> None:
    values = np.random.default_rng(size).normal(size=size).astype(np.float32)
    assert set(top_of(values, 7).tolist()) == set(np.argsort(-values)[:7].tolist())


@pytest.mark.parametrize("share", [0.0002, 0.01, 0.5, 1.0])
@pytest.mark.parametrize("size", [10, 9000, 50_000])
def test_the_top_of_some_is_the_top_of_them(size, share) -> None:
    rng = np.random.default_rng(size)
    values = rng.permutation(size).astype(np.int32) + 1
    some = rng.random(size) < share
    found = top_of(values, 7, some)
    assert len(found) == len(set(found.tolist())) == 7
    assert set(found[some[found]].tolist()) == set(
        np.argsort(np.where(some, -values, 0))[: min(7, some.sum())].tolist()
    )


def test_an_index_that_another_replaced_is_freed_at_once() -> None:
    """A bulk load makes a fork per transaction; each holds arrays as large as the store."""
    index = AccountIndex(4)
    index.upsert([IndexEntry(1, record("first"), None)])
    IndexSearch(index, SEARCH, lambda *_: ()).candidates()
    former, index = weakref.ref(index), index.fork()
    gc.disable()
    try:
        index.upsert([IndexEntry(2, record("second"), None)])
        IndexSearch(index, SEARCH, lambda *_: ()).candidates()
        former_is_gone = former() is None
    finally:
        gc.enable()
    assert former_is_gone
