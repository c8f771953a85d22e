"""A reranker puts the best hits in a new order after the view is closed; without it, or if it fails, the order is recall's own."""

import asyncio
import json
import threading
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recollect
from recollect.config import load
from recollect.embed.store_embedder import StoreEmbedder
from recollect.engine import Memory
from recollect.errors import RerankerError, SettingsError
from recollect.recall.explain import MOVED_UP
from recollect.recall.rerank import RERANKED
from recollect.store.sqlite.store import SqliteStore
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder
from recollect.values.scope import Identity
from recollect.wiring import assemble

QUERY = "harbour office"
TEXTS = [f"The harbour office has room {n}" for n in range(12)]


def by_room(query, texts):
    """The higher the number at the end, the better."""
    return [float(text.rsplit(None, 1)[-1]) for text in texts]


class Recorder:
    """A reranker that keeps what it was asked."""

    def __init__(self, scores=by_room) -> None:
        self.scores, self.asked = scores, []

    def __call__(self, query, texts):
        self.asked.append((query, list(texts)))
        return self.scores(query, texts)


@pytest.fixture
def opened(tmp_path, clock):
    """A function that opens the same store of rooms with a reranker."""
    path = tmp_path / "m.db"
    with recollect.open(path, embedder=HashingEmbedder(), clock=clock) as memory:
        memory.remember_many(TEXTS, verbatim=True)
    held = []

    def open_with(reranker, **options):
        memory = recollect.open(path, embedder=HashingEmbedder(), clock=clock, reranker=reranker, **options)
        held.append(memory)
        return memory

    yield open_with
    for memory in held:
        memory.close()


def contents(found) -> list[str]:
    return [hit.memory.content for hit in found]


def sum_of_parts(hit) -> float:
    return sum(signal.contribution for signal in hit.explain.signals)


def test_the_best_of_many_candidates_come_first_whatever_the_limit(opened) -> None:
    recorder = Recorder()
    memory = opened(recorder)
    assert contents(memory.recall(QUERY, limit=3)) == [TEXTS[11], TEXTS[10], TEXTS[9]]
    assert contents(memory.search(QUERY, limit=2)) == [TEXTS[11], TEXTS[10]]
    assert [len(texts) for _, texts in recorder.asked] == [12, 12]
    assert {query for query, _ in recorder.asked} == {QUERY}


def test_the_number_of_candidates_is_a_setting(opened) -> None:
    recorder = Recorder()
    memory = opened(recorder, rerank_candidates=4)
    found = memory.recall(QUERY, limit=6)
    assert len(recorder.asked[0][1]) == 4 and len(found) == 6
    assert [hit.score for hit in found[4:]] == sorted((hit.score for hit in found[4:]), reverse=True)
    with pytest.raises(SettingsError, match="outside 2 to 50"):
        opened(recorder, rerank_candidates=51)


def test_without_a_reranker_nothing_changes(opened) -> None:
    found = opened(None).recall(QUERY, limit=3)
    assert found.trace.reranked == 0 and found.trace.milliseconds == ()


def test_its_cost_and_its_score_are_shown_and_add_nothing_to_the_score(opened) -> None:
    plain = {hit.memory.id: hit.score for hit in opened(None).recall(QUERY, limit=12)}
    found = opened(by_room).recall(QUERY, limit=3, explain=True)
    assert found.trace.reranked == 12
    ((name, spent),) = found.trace.milliseconds
    assert name == "rerank" and spent >= 0
    for hit in found:
        assert hit.score == pytest.approx(plain[hit.memory.id]) == pytest.approx(sum_of_parts(hit), abs=2e-5)
    signal = found[0].explain.signals[-1]
    assert (signal.name, signal.value, signal.weight, signal.contribution) == ("reranker", 11.0, 0.0, 0.0)


def test_a_hit_that_comes_before_a_higher_score_says_why(memory, tmp_path, clock) -> None:
    with recollect.open(tmp_path / "w.db", embedder=HashingEmbedder(), clock=clock, reranker=by_room) as memory:
        memory.remember_many(["harbour office 1", "harbour things of all kinds, and then some 2"], verbatim=True)
        first, second = memory.recall(QUERY, explain=True)
        assert first.memory.content.endswith("2") and first.score < second.score
        assert RERANKED in first.explain.notes and RERANKED not in second.explain.notes
        assert RERANKED in memory.recall(QUERY, explain=True, limit=1)[0].explain.notes


def test_what_a_trigger_puts_first_stays_first(opened) -> None:
    recorder = Recorder()
    memory = opened(recorder)
    memory.remember("Never enter the harbour office at night 99", triggers=["harbour office"])
    found = memory.recall(QUERY, limit=3)
    assert found[0].trigger == "harbour office"
    assert contents(found[1:]) == [TEXTS[11], TEXTS[10]]
    assert "Never enter" not in " ".join(recorder.asked[0][1])


def test_the_newer_side_of_a_contradiction_stays_above_the_older(tmp_path, clock) -> None:
    def prefers_porto(query, texts):
        return [float("Porto" in text) for text in texts]

    with recollect.open(tmp_path / "m.db", embedder=HashingEmbedder(), clock=clock, reranker=prefers_porto) as memory:
        ids = []
        for text in ("The office of Ana is in Porto", "The office of Ana is in Braga"):
            ids.append(memory.remember_many([text], verbatim=True)[0].memory.id)
            clock.advance(timedelta(days=1))
        memory.link(ids[1], ids[0], "contradicts")
        found = memory.recall("where is the office of Ana", explain=True)
        assert [hit.memory.id for hit in found] == [ids[1], ids[0]]
        assert found[0].score >= found[1].score or MOVED_UP in found[0].explain.notes


def test_it_sees_only_what_the_viewer_may_see(opened) -> None:
    recorder = Recorder(lambda query, texts: [1.0] * len(texts))
    memory = opened(recorder, project="shop", agent="ada")
    memory.remember("The harbour office is closed", scope="agent")
    memory.with_identity(agent="eve").remember("The harbour office burns in secret", scope="agent")
    memory.remember("The harbour office of another project", scope="project", project="mill")
    memory.remember("The harbour office is forgotten")
    memory.forget(memory.recall("harbour office forgotten", limit=1)[0].memory.id)
    recorder.asked.clear()
    memory.recall(QUERY, limit=20)
    sent = " ".join(recorder.asked[0][1])
    assert "is closed" in sent
    assert not any(word in sent for word in ("secret", "another project", "forgotten"))


class WatchedStore:
    """A store that knows how many views and transactions are open."""

    def __init__(self, store: SqliteStore) -> None:
        self._store, self.open = store, 0

    def __getattr__(self, name: str):
        return getattr(self._store, name)

    def view(self, *args, **options):
        return self._watched(self._store.view(*args, **options))

    def transaction(self, *args, **options):
        return self._watched(self._store.transaction(*args, **options))

    @contextmanager
    def _watched(self, inner):
        self.open += 1
        try:
            with inner as held:
                yield held
        finally:
            self.open -= 1


def test_no_view_is_open_while_it_works(tmp_path, clock) -> None:
    store, seen = WatchedStore(SqliteStore(tmp_path / "m.db")), []

    def watches(query, texts):
        seen.append(store.open)
        return by_room(query, texts)

    loaded = load({}, db=str(tmp_path / "m.db"), embedder="none")
    runtime = assemble(loaded, store, StoreEmbedder(HashingEmbedder(), store), None, clock, reranker=watches)
    with Memory(runtime, Identity("default")) as memory:
        memory.remember_many(TEXTS, verbatim=True)
        memory.recall(QUERY)
        memory.search(QUERY)
        memory.router.semantic_search(QUERY)
    assert seen == [0, 0, 0]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda query, texts: 1 / 0, "ZeroDivisionError"),
        (lambda query, texts: [1.0], "shape"),
        (lambda query, texts: [float("nan")] * len(texts), "not a finite number"),
        (lambda query, texts: [float("inf")] * len(texts), "not a finite number"),
        (lambda query, texts: None, "shape"),
        (lambda query, texts: ["good"] * len(texts), "one number per text"),
        (lambda query, texts: [[1.0]] * len(texts), "shape"),
    ],
)
def test_one_that_fails_leaves_the_order_and_says_so(opened, wrong, told) -> None:
    expected = contents(opened(None).recall(QUERY, limit=4))
    found = opened(wrong).recall(QUERY, limit=4)
    assert contents(found) == expected
    (note,) = (note for note in found.notes if note.startswith("not reranked: "))
    assert told in note
    assert found.trace.reranked == 0 and found.trace.milliseconds


def test_one_that_is_late_is_not_waited_for(opened) -> None:
    go_on = threading.Event()
    try:
        memory = opened(lambda query, texts: go_on.wait() and by_room(query, texts), rerank_seconds=0.05)
        found = memory.recall(QUERY, limit=4)
        assert len(found) == 4 and any("did not answer within 0.05 s" in note for note in found.notes)
        for _ in range(15):
            memory.recall(QUERY, limit=4)
        assert any("earlier questions" in note for note in memory.recall(QUERY, limit=4).notes)
    finally:
        go_on.set()


def test_an_answer_that_is_cut_away_does_not_count_as_one(tmp_path, clock) -> None:
    """`answered` and the gaps go by what is returned, not by what the reranker read."""
    worst = lambda query, texts: [-float("Redis" in text) for text in texts]  # noqa: E731
    with recollect.open(tmp_path / "m.db", embedder=HashingEmbedder(), clock=clock, reranker=worst) as memory:
        memory.remember_many(["The cache lives in Redis", *(f"Bench {n} is cold" for n in range(40))], verbatim=True)
        assert memory.recall("where does the cache live in Redis", limit=40).answered
        found = memory.recall("where does the cache live in Redis", limit=1)
        assert "Redis" not in found[0].memory.content and not found.answered


def test_only_what_is_returned_counts_as_accessed(opened) -> None:
    memory = opened(by_room)
    memory.recall(QUERY, limit=2)
    memory.flush()
    assert sum(record.access_count for record in memory.list()) == 2


def test_context_is_not_reranked(opened) -> None:
    recorder = Recorder()
    assert opened(recorder).context(QUERY).items
    assert recorder.asked == []


def test_the_past_and_other_identities_are_reranked_too(opened, clock) -> None:
    memory = opened(by_room)
    clock.advance(timedelta(hours=1))
    with memory.as_of(clock()) as past:
        assert contents(past.recall(QUERY, limit=1)) == [TEXTS[11]]
    assert contents(memory.with_identity(agent="eve").recall(QUERY, limit=1)) == [TEXTS[11]]


def test_what_cannot_be_called_is_refused_by_name(tmp_path) -> None:
    with pytest.raises(SettingsError, match="int cannot be called"):
        recollect.open(tmp_path / "m.db", embedder="none", reranker=7)
    with pytest.raises(SettingsError, match="http needs an address"):
        recollect.open(tmp_path / "m.db", embedder="none", reranker="http")
    with pytest.raises(SettingsError, match="must look like"):
        recollect.open(tmp_path / "m.db", embedder="none", reranker="http", reranker_url="nowhere")


@settings(max_examples=15, deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=6, max_size=6), st.integers(1, 6))
def test_whatever_it_says_every_score_is_the_sum_of_its_parts(tmp_path_factory, scores, limit) -> None:
    path = tmp_path_factory.mktemp("scores") / "m.db"
    texts = ("Ana has an office", "The office is in Braga", "Boats are blue", "Ana paints", "A cat", "The office cat")
    placed = dict(zip(texts, scores, strict=True))
    with recollect.open(
        path, embedder=HashingEmbedder(), clock=FixedClock(), reranker=lambda query, given: [placed[t] for t in given]
    ) as memory:
        memory.remember_many(texts, verbatim=True)
        for profile in ("hybrid", "composite", "hebbian", "cascade", "relevance", "belief"):
            found = memory.recall("the office of Ana", profile=profile, explain=True, limit=limit)
            assert 0 < len(found) <= limit
            for hit in found:
                assert hit.score == pytest.approx(sum_of_parts(hit), rel=1e-5, abs=2e-5), (profile, hit)
            ranks = [hit.explain.signal("reranker") for hit in found if found.trace.reranked]
            assert ranks == sorted(ranks, reverse=True)


@pytest.fixture
def server():
    """A real server whose answer to /rerank is scripted by the test."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.server.asked.append((self.path, asked, self.headers.get("Authorization")))
            status, content = self.server.script(asked)
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            """A client that gave up waiting is part of a test."""

    made = Server(("127.0.0.1", 0), Handler)
    made.asked, made.script = [], None
    made.url = f"http://127.0.0.1:{made.server_port}"
    threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


def cohere(asked) -> tuple[int, bytes]:
    """Best first, as Cohere, Jina, vLLM and llama.cpp answer."""
    scores = by_room(asked["query"], asked["documents"])
    order = sorted(range(len(scores)), key=lambda place: -scores[place])[: asked["top_n"]]
    return 200, json.dumps({"results": [{"index": n, "relevance_score": scores[n]} for n in order]}).encode()


def tei(asked) -> tuple[int, bytes]:
    """As text-embeddings-inference answers."""
    scores = by_room(asked["query"], asked["texts"])
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    return 200, json.dumps([{"index": n, "score": scores[n]} for n in order]).encode()


def test_a_server_with_the_api_of_cohere(opened, server) -> None:
    server.script = cohere
    memory = opened("http", reranker_url=f"{server.url}/v1/", reranker_model="r", reranker_key="k")
    assert contents(memory.recall(QUERY, limit=2)) == [TEXTS[11], TEXTS[10]]
    ((path, asked, key),) = server.asked
    assert (path, key) == ("/v1/rerank", "Bearer k")
    assert asked.keys() == {"model", "query", "documents", "top_n"}
    assert (asked["model"], asked["query"], asked["top_n"]) == ("r", QUERY, 12)


def test_a_server_of_text_embeddings_inference(opened, server) -> None:
    server.script = tei
    memory = opened("http", reranker_url=f"{server.url}/rerank")
    assert contents(memory.recall(QUERY, limit=2)) == [TEXTS[11], TEXTS[10]]
    ((path, asked, key),) = server.asked
    assert (path, key) == ("/rerank", None)
    assert asked.keys() == {"query", "texts", "truncate"}


def results(*items) -> bytes:
    return json.dumps({"results": list(items)}).encode()


@pytest.mark.parametrize(
    ("status", "content", "told"),
    [
        (500, b"out of memory", "answered 500: out of memory"),
        (401, b"bad key k", "answered 401"),
        (200, b"<html>", "did not answer JSON"),
        (200, b'{"message": "no"}', "did not answer a list of scores"),
        (200, results({"index": 0, "relevance_score": 1.0}), "answered 1 scores"),
        (
            200,
            results(*({"index": 0, "relevance_score": 1.0} for _ in range(12))),
            "answered 12 scores, not one for each",
        ),
        (200, results(*({"index": n, "relevance_score": float("nan")} for n in range(12))), "not a finite number"),
        (200, results(*({"index": n, "relevance_score": None} for n in range(12))), "not a finite number"),
        (200, results(*({"index": n} for n in range(12))), "not a finite number"),
        (200, results(*({"index": n, "relevance_score": "x"} for n in range(12))), "one number per text"),
        (200, results(*({"index": [n], "relevance_score": 1} for n in range(12))), "not reranked"),
    ],
)
def test_a_server_that_answers_nonsense_changes_nothing(opened, server, status, content, told) -> None:
    server.script = lambda asked: (status, content)
    expected = contents(opened(None).recall(QUERY, limit=4))
    found = opened("http", reranker_url=server.url, reranker_model="r", reranker_key="k").recall(QUERY, limit=4)
    assert contents(found) == expected
    (note,) = (note for note in found.notes if note.startswith("not reranked: "))
    assert told in note and "bad key k" not in note


def test_a_server_that_is_slow_or_away_changes_nothing(opened, server) -> None:
    go_on = threading.Event()
    server.script = lambda asked: (go_on.wait(30), cohere(asked))[1]
    try:
        memory = opened("http", reranker_url=server.url, reranker_model="r", rerank_seconds=0.1)
        found = memory.recall(QUERY, limit=4)
        assert len(found) == 4 and any("did not answer within 0.1 s" in note for note in found.notes)
    finally:
        go_on.set()
    away = opened("http", reranker_url="http://127.0.0.1:9").recall(QUERY, limit=4)
    assert len(away) == 4 and any("is not reachable" in note for note in away.notes)


def test_half_an_emoji_does_not_stop_it(opened, server) -> None:
    server.script = tei
    memory = opened("http", reranker_url=server.url)
    assert memory.recall(f"{QUERY} \ud83d", limit=1).trace.reranked == 12


def test_the_error_can_be_raised_by_a_reranker_of_ones_own(opened) -> None:
    def refuses(query, texts):
        raise RerankerError("the quota is used up")

    assert "not reranked: the quota is used up" in opened(refuses).recall(QUERY).notes


def test_doctor_asks_it(opened) -> None:
    assert "reranker" not in opened(None).doctor()
    assert opened(lambda query, texts: [0.5] * len(texts)).doctor()["reranker"] == "<lambda>"
    broken = opened(lambda query, texts: 1 / 0).doctor()
    assert broken["reranker"] == "unavailable"
    assert "the reranker does not answer: division by zero" in broken["problems"]


def test_async_callers_get_the_same(opened, tmp_path) -> None:
    async def ask() -> list[str]:
        async with recollect.open_async(tmp_path / "m.db", embedder=HashingEmbedder(), reranker=by_room) as memory:
            return contents(await memory.recall(QUERY, limit=2))

    assert asyncio.run(ask()) == [TEXTS[11], TEXTS[10]]
