"""The command line needs only the settings of a reranker: the order, the cost and the notes are recall's."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


@pytest.fixture
def reranking(monkeypatch):
    """A real server that prefers long texts, named in the environment."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            items = [{"index": n, "relevance_score": len(text) / 100} for n, text in enumerate(asked["documents"])]
            content = json.dumps({"results": items}).encode()
            self.send_response(200 if self.server.up else 500)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.up = True
    threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setenv("RECOLLECT_RERANKER", "http")
    monkeypatch.setenv("RECOLLECT_RERANKER_URL", f"http://127.0.0.1:{made.server_port}/v1")
    monkeypatch.setenv("RECOLLECT_RERANKER_MODEL", "r")
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture
def notes(keep) -> None:
    keep("The ferry is late")
    keep("The ferry to the island leaves at nine from the old harbour")


def test_recall_is_reranked_and_says_what_it_cost(run, notes, reranking) -> None:
    done = run("recall", "the late ferry", "-n", "1", "--explain")
    assert next(line for line in done.out.splitlines() if line.startswith(" 1 ")).endswith("from the old harbour")
    assert "reranker" in done.out and "2 reranked in " in done.out
    found = run("recall", "the late ferry", "--json").json
    assert found["trace"]["reranked"] == 2 and found["trace"]["milliseconds"]["rerank"] >= 0
    assert run("search", "ferry", "--mode", "lexical", "--json").json["trace"]["reranked"] == 2
    assert "reranker        r" in run("doctor").out


def test_a_server_that_fails_is_a_note_and_no_error(run, notes, reranking) -> None:
    reranking.up = False
    done = run("recall", "the late ferry", "-n", "1")
    assert done.code == 0 and "The ferry is late" in done.out
    assert "not reranked: " in done.err and "answered 500" in done.err
