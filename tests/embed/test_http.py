"""The HTTP embedder against a real server that misbehaves in every way we know."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from recollect.embed.calibration import UNCALIBRATED, Calibration
from recollect.embed.http import HttpEmbedder
from recollect.errors import EmbedderError

Reply = tuple[int, bytes, dict[str, str]]
Serve = Callable[[Callable[[int, dict[str, Any]], Reply]], Any]
KEY = "sk-very-secret"


def reply(body: bytes, status: int = 200, retry_after: str | None = None) -> Reply:
    return status, body, {} if retry_after is None else {"Retry-After": retry_after}


def vectors_reply(vectors: list[list[float]], order: list[int] | None = None) -> Reply:
    positions = order if order is not None else list(range(len(vectors)))
    items = [{"object": "embedding", "index": i, "embedding": vectors[i]} for i in positions]
    return reply(json.dumps({"object": "list", "data": items}).encode())


def by_length(number: int, body: dict[str, Any]) -> Reply:
    return vectors_reply([[float(len(text)), 1.0] for text in body["input"]])


def test_posts_the_openai_call_with_the_key(serve: Serve) -> None:
    server = serve(by_length)
    vector = HttpEmbedder(server.url + "/", "m", KEY).embed_query("abc")
    np.testing.assert_allclose(vector, np.array([3, 1]) / np.sqrt(10), rtol=1e-6)
    assert server.paths == ["/v1/embeddings"]
    assert server.requests == [{"model": "m", "input": ["abc"], "encoding_format": "float"}]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_without_a_key_no_authorization_is_sent(serve: Serve) -> None:
    server = serve(by_length)
    HttpEmbedder(server.url, "m").embed_query("abc")
    assert "Authorization" not in server.headers[0]


def test_long_lists_go_in_batches_with_progress(serve: Serve) -> None:
    server = serve(by_length)
    seen: list[tuple[int, int]] = []
    texts = ["x" * n for n in range(1, 8)]
    vectors = HttpEmbedder(server.url, "m", batch=3).embed_documents(texts, lambda *step: seen.append(step))
    assert [len(request["input"]) for request in server.requests] == [3, 3, 1]
    assert seen == [(3, 7), (6, 7), (7, 7)]
    np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], range(1, 8), rtol=1e-5)


def test_answers_out_of_order_are_put_in_order(serve: Serve) -> None:
    server = serve(lambda n, body: vectors_reply([[float(len(t)), 1.0] for t in body["input"]], order=[2, 0, 1]))
    vectors = HttpEmbedder(server.url, "m").embed_documents(["a", "bb", "ccc"])
    np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], [1, 2, 3], rtol=1e-5)


def test_prefixes_are_put_before_queries_and_documents(serve: Serve) -> None:
    server = serve(by_length)
    embedder = HttpEmbedder(server.url, "m", query_prefix="q: ", document_prefix="d: ")
    embedder.embed_query("one")
    embedder.embed_documents(["two"])
    assert [request["input"] for request in server.requests] == [["q: one"], ["d: two"]]


def test_another_document_prefix_is_another_model(serve: Serve) -> None:
    names = {HttpEmbedder("http://h/v1", "m", document_prefix=prefix).model for prefix in ("", "a", "b")}
    assert len(names) == 3 and "m" in names
    assert HttpEmbedder("http://h/v1", "m", query_prefix="q").model == "m"


def test_dimensions_are_learned_and_then_held(serve: Serve) -> None:
    server = serve(lambda n, body: vectors_reply([[1.0] * (2 if n < 3 else 5)] * len(body["input"])))
    embedder = HttpEmbedder(server.url, "m")
    assert embedder.dimensions == 2
    assert embedder.embed_documents([]).shape == (0, 2)
    embedder.embed_query("fine")
    with pytest.raises(EmbedderError, match="5 numbers per text, expected 2"):
        embedder.embed_query("changed")


def test_dimensions_given_are_checked(serve: Serve) -> None:
    with pytest.raises(EmbedderError, match="2 numbers per text, expected 384"):
        HttpEmbedder(serve(by_length).url, "m", None, 384).embed_query("x")


def test_429_is_waited_out_as_long_as_the_server_asks(serve: Serve) -> None:
    server = serve(lambda n, body: by_length(n, body) if n > 1 else reply(b"slow down", 429, "7"))
    waits: list[float] = []
    assert HttpEmbedder(server.url, "m", sleep=waits.append).embed_query("abc").shape == (2,)
    assert waits == [7.0]


def test_no_server_may_make_us_wait_for_an_hour(serve: Serve) -> None:
    server = serve(lambda n, body: by_length(n, body) if n > 1 else reply(b"", 503, "3600"))
    waits: list[float] = []
    HttpEmbedder(server.url, "m", sleep=waits.append).embed_query("abc")
    assert waits == [20.0]


def test_500_for_ever_ends_after_the_retries(serve: Serve) -> None:
    server = serve(lambda n, body: reply(b"out of\nmemory", 500))
    waits: list[float] = []
    with pytest.raises(EmbedderError, match=r"answered 500: out of memory; .*tried 3 times"):
        HttpEmbedder(server.url, "m", sleep=waits.append).embed_query("abc")
    assert len(server.requests) == 3 and waits == [0.5, 1.0]


def test_401_is_not_tried_again_and_the_key_is_never_shown(serve: Serve) -> None:
    server = serve(lambda n, body: reply(f"bad key {KEY}".encode(), 401))
    embedder = HttpEmbedder(server.url, "m", KEY)
    with pytest.raises(EmbedderError, match=r"401: bad key \*\*\*; check the API key") as caught:
        embedder.embed_query("abc")
    assert len(server.requests) == 1
    assert KEY not in f"{caught.value}{embedder._endpoint!r}"


def test_the_key_does_not_follow_a_redirect(serve: Serve) -> None:
    other = serve(by_length)
    server = serve(lambda n, body: (302, b"", {"Location": other.url + "/embeddings"}))
    with pytest.raises(EmbedderError, match="answered 302"):
        HttpEmbedder(server.url, "m", KEY).embed_query("abc")
    assert other.requests == []


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"<html>hello</html>", "did not answer JSON: '<html>"),
        (b"\xff\xfe", "did not answer JSON"),
        (b'{"error": {"message": "no such model"}}', "no such model"),
        (b"[1, 2]", "list of embeddings"),
        (b'{"data": [1, 2]}', "list of embeddings"),
        (b'{"data": []}', "2 texts"),
        (b'{"data": [{"index": 0, "embedding": [1, 2]}]}', "2 texts"),
        (b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}', "numbered"),
        (b'{"data": [{"embedding": [1, 2]}, {"embedding": [1]}]}', "equal length"),
        (b'{"data": [{"embedding": [1, NaN]}, {"embedding": [1, 2]}]}', "not finite for text 0"),
        (b'{"data": [{"embedding": [1, 2]}, {"embedding": [null, 2]}]}', "not finite for text 1"),
        (b'{"data": [{"embedding": "AAAA"}, {"embedding": "AAAA"}]}', "numbers"),
    ],
)
def test_nonsense_is_an_error_that_shows_it(serve: Serve, body: bytes, complaint: str) -> None:
    server = serve(lambda n, request: reply(body))
    with pytest.raises(EmbedderError, match=complaint):
        HttpEmbedder(server.url, "m").embed_documents(["a", "b"])
    assert len(server.requests) == 1


def test_a_slow_server_is_given_up_after_the_timeout(serve: Serve) -> None:
    release = threading.Event()

    def slow(number: int, body: dict[str, Any]) -> Reply:
        release.wait(10)
        return by_length(number, body)

    server = serve(slow)
    with pytest.raises(EmbedderError, match=r"within 0\.2 s"):
        HttpEmbedder(server.url, "m", timeout=0.2).embed_query("abc")
    release.set()
    assert len(server.requests) == 1


def test_a_server_that_is_not_there_is_named(serve: Serve) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        url = f"http://user:{KEY}@127.0.0.1:{reserved.getsockname()[1]}/v1"
        with pytest.raises(EmbedderError, match="not reachable") as caught:
            HttpEmbedder(url, "m", retries=1, sleep=lambda seconds: None).embed_query("abc")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("url", ["file:///etc", "localhost:11434/v1", "http://", ""])
def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(EmbedderError, match="must look like"):
        HttpEmbedder(url, "m")


def test_half_an_emoji_arrives_as_a_character(serve: Serve) -> None:
    server = serve(by_length)
    HttpEmbedder(server.url, "m").embed_query("cut \ud83d")
    assert json.dumps(server.requests[0]["input"]) == '["cut ?"]'


def test_calibrations_are_measured_once_or_taken_as_given(serve: Serve) -> None:
    server = serve(lambda n, body: vectors_reply([[1.0, 1.0]] * len(body["input"])))
    embedder = HttpEmbedder(server.url, "m")
    assert embedder.calibration == UNCALIBRATED and embedder.calibration == UNCALIBRATED
    assert len(server.requests) == 2
    stored = Calibration(0.1, 0.9)
    given = HttpEmbedder("http://127.0.0.1:1/v1", "m", calibration=stored, query_calibration=stored)
    assert given.calibration is stored and given.query_calibration is stored


def test_a_server_that_sends_byte_by_byte_has_no_more_time_than_others() -> None:
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def trickle() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 100000\r\n\r\n")
                while not done.wait(0.05):
                    connection.sendall(b" ")

        thread = threading.Thread(target=trickle, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        with pytest.raises(EmbedderError, match=r"did not answer within 0\.3 s"):
            HttpEmbedder(url, "m", timeout=0.3, retries=0).embed_query("abc")
        done.set()
        thread.join()
