"""Embedders as a store uses them: over HTTP, as a function, changed for another, or away for a while."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

import recollect
from recollect.testing.embedding import HashingEmbedder


@pytest.fixture
def server():
    """A real server that speaks the embeddings call, and counts what it is asked."""
    hashing = HashingEmbedder()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.server.asked.append(asked["input"])
            vectors = hashing.embed_documents(asked["input"])
            body = {"data": [{"index": n, "embedding": row.tolist()} for n, row in enumerate(vectors)]}
            content = json.dumps(body).encode()
            self.send_response(200 if self.server.up else 503)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.asked, made.up = [], True
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def opened(path, server, clock):
    url = f"http://127.0.0.1:{server.server_port}/v1"
    return recollect.open(path, embedder="http", embedder_url=url, embedder_model="m", clock=clock)


def test_a_store_works_with_an_openai_compatible_server(tmp_path, clock, server) -> None:
    with opened(tmp_path / "m.db", server, clock) as memory:
        assert server.asked == []
        memory.remember("The cache lives in Redis")
        assert memory.recall("redis cache")[0].similarity is not None
        assert memory.doctor()["embedder"] == "m"


def test_a_calibration_is_measured_once_and_kept_in_the_store(tmp_path, clock, server) -> None:
    with opened(tmp_path / "m.db", server, clock) as memory:
        memory.remember("The cache lives in Redis")
        memory.recall("redis cache")
    server.asked.clear()
    with opened(tmp_path / "m.db", server, clock) as memory:
        memory.remember("The queue lives in Kafka")
        memory.recall("kafka queue")
    assert sum(map(len, server.asked)) == 2


def test_a_server_that_is_down_loses_nothing_and_is_said_so(tmp_path, clock, server) -> None:
    server.up = False
    url = f"http://127.0.0.1:{server.server_port}/v1"
    with recollect.open(
        tmp_path / "m.db", embedder="http", embedder_url=url, embedder_model="m", clock=clock
    ) as memory:
        out = memory.remember("The cache lives in Redis")
        assert out.kind == "stored" and any("without a vector" in note for note in out.notes)
        found = memory.recall("redis cache")
        assert found[0].memory.content == "The cache lives in Redis"
        assert any("lexical only" in note for note in found.notes)
        server.up = True
        assert memory.reembed() == 1
        assert memory.recall("redis cache")[0].similarity is not None


def test_a_plain_function_is_an_embedder_whatever_it_returns_as_rows(tmp_path, clock) -> None:
    def lengths(texts: list[str]) -> list[list[float]]:
        return [[len(text), text.count("e") + 1, 3] for text in texts]

    with recollect.open(tmp_path / "m.db", embedder=lengths, clock=clock) as memory:
        memory.remember("The cache lives in Redis")
        assert memory.recall("redis")[0].similarity is not None


def test_a_table_of_known_texts_works_though_it_cannot_be_calibrated(tmp_path, clock) -> None:
    known = {"alpha beta": [1.0, 0.0], "gamma delta": [0.0, 1.0], "what is alpha": [0.9, 0.1]}
    with recollect.open(tmp_path / "m.db", embedder=lambda texts: [known[t] for t in texts], clock=clock) as memory:
        memory.remember_many(["alpha beta", "gamma delta"], verbatim=True)
        assert memory.search("what is alpha", mode="semantic")[0].memory.content == "alpha beta"


@pytest.mark.parametrize(
    "wrong",
    [lambda t: [[1.0]], lambda t: "no", lambda t: np.full((len(t), 3), np.nan), lambda t: None, lambda t: 1 / 0],
)
def test_an_embedder_that_answers_nonsense_costs_the_vector_not_the_memory(tmp_path, clock, wrong) -> None:
    with recollect.open(tmp_path / "m.db", embedder=wrong, clock=clock) as memory:
        outs = memory.remember_many(["The cache lives in Redis", "The queue lives in Kafka"])
        assert [out.kind for out in outs] == ["stored", "stored"]
        assert memory.recall("kafka")[0].memory.content == "The queue lives in Kafka"


def test_reembedding_goes_on_where_it_was_stopped(tmp_path, clock) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder="none", clock=clock) as memory:
        memory.remember_many([f"Fact {n} about subject {n}" for n in range(200)], verbatim=True)

    def stop_early(done: int, all: int) -> None:
        if done >= 100:
            raise KeyboardInterrupt

    with recollect.open(path, embedder=HashingEmbedder(), clock=clock) as memory:
        with pytest.raises(KeyboardInterrupt):
            memory.reembed(stop_early)
        waiting = memory.stats()["unembedded"]
        assert 0 < waiting <= 100
    with recollect.open(path, embedder=HashingEmbedder(), clock=clock) as memory:
        assert memory.reembed() == waiting
        assert memory.recall("subject 150", limit=1)[0].memory.content == "Fact 150 about subject 150"
        assert memory.log(limit=5)[0].kind == "remember"
