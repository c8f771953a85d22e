"""A store knows the model of its embedder before anything is written or looked at, whatever the first verb of a process is."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect import Memory
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder

HASHING = HashingEmbedder()
Opening = Callable[[str], Memory]


def hashed(texts: list[str]) -> Any:
    return HASHING.embed_documents(texts)


class Handler(BaseHTTPRequestHandler):
    """The embeddings call of a model server; it counts what it is asked, and can be down."""

    server: Any

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        self.server.asked.append(texts)
        rows = [{"index": n, "embedding": row.tolist()} for n, row in enumerate(hashed(texts))]
        content = json.dumps({"data": rows}).encode()
        self.send_response(200 if self.server.up else 400)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def server() -> Iterator[Any]:
    made: Any = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.asked, made.up = [], True
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.fixture(params=["http", "function"])
def settings(request: pytest.FixtureRequest, server: Any) -> dict[str, Any]:
    """The embedder of a store: both kinds tell their dimensions only when they are called."""
    if request.param == "function":
        return {"embedder": hashed}
    url = f"http://127.0.0.1:{server.server_port}/v1"
    return {"embedder": "http", "embedder_url": url, "embedder_model": "m"}


@pytest.fixture(params=["sqlite", "postgres"])
def opening(request: pytest.FixtureRequest, tmp_path: Path, settings: dict[str, Any], clock: FixedClock) -> Opening:
    """Opens stores by name, each as a process of its own would."""
    schemas: dict[str, str] = {}

    def open_store(name: str) -> Memory:
        if request.param == "sqlite":
            return recollect.open(tmp_path / f"{name}.db", clock=clock, **settings)
        url = schemas.setdefault(name, request.getfixturevalue("fresh_database"))
        separator = "&" if "?" in url else "?"
        return recollect.open(f"{url}{separator}schema={name}", clock=clock, postgres_partitions=1, **settings)

    return open_store


def fill(memory: Memory) -> None:
    memory.remember_many(["The vault is in Bern", "The harbour opens at nine", "Anna likes green tea"])


def by_meaning(memory: Memory) -> str:
    """What is found by vectors alone."""
    hit = memory.search("vault in Bern", mode="semantic")[0]
    assert hit.similarity is not None and hit.similarity > 0.5
    return hit.memory.content


def model_names(memory: Memory) -> list[str]:
    return list(memory.stats()["models"])


def test_vectors_that_are_imported_first_are_filed_under_their_model_and_found(
    opening: Opening, tmp_path: Path
) -> None:
    with opening("one") as memory:
        fill(memory)
        memory.export(tmp_path / "all.jsonl")
        expected = model_names(memory)
    with opening("two") as memory:
        assert memory.import_data(tmp_path / "all.jsonl").stored == 3
        assert model_names(memory) == expected and memory.stats()["unembedded"] == 0
        assert by_meaning(memory) == "The vault is in Bern"
    with opening("two") as memory:
        assert by_meaning(memory) == "The vault is in Bern"


def test_a_copy_that_comes_first_is_filed_under_its_model(opening: Opening) -> None:
    with opening("one") as source, opening("two") as target:
        fill(source)
        assert all(copied.verified for copied in recollect.copy(source, target))
        assert model_names(target) == model_names(source)
        assert by_meaning(target) == "The vault is in Bern"


def test_an_earlier_state_that_is_looked_at_first_is_searched_by_meaning(opening: Opening, clock: FixedClock) -> None:
    with opening("one") as memory:
        fill(memory)
        clock.advance(timedelta(hours=1))
        memory.update(memory.list()[0].id, content="Anna likes black coffee")
        clock.advance(timedelta(hours=1))
    with opening("one") as memory:
        past = memory.as_of(clock() - timedelta(minutes=90))
        assert by_meaning(past) == "The vault is in Bern"
        assert past.stats()["unembedded"] == 0


@pytest.mark.parametrize("first", ["stats", "clusters", "related", "graph", "contradictions", "doctor"])
def test_whatever_is_looked_at_first_sees_the_vectors(opening: Opening, first: str) -> None:
    with opening("one") as memory:
        fill(memory)
    with opening("one") as memory:
        (id, *_) = (record.id for record in memory.list())
        getattr(memory, first)(*([id] if first == "related" else []))
        assert memory.stats()["unembedded"] == 0
        assert not any("without a vector" in problem for problem in memory.doctor()["problems"])


def test_a_model_that_is_known_is_not_called_to_look_at_its_vectors(
    tmp_path: Path, clock: FixedClock, server: Any
) -> None:
    url = f"http://127.0.0.1:{server.server_port}/v1"
    asked = {"embedder": "http", "embedder_url": url, "embedder_model": "m"}
    with recollect.open(tmp_path / "m.db", clock=clock, **asked) as memory:  # type: ignore[arg-type]
        fill(memory)
    server.asked.clear()
    server.up = False
    with recollect.open(tmp_path / "m.db", clock=clock, **asked) as memory:  # type: ignore[arg-type]
        assert memory.stats()["unembedded"] == 0 and memory.as_of(clock()).stats()["unembedded"] == 0
        assert server.asked == []
        assert any("does not answer" in problem for problem in memory.doctor()["problems"])


def test_a_function_that_answers_other_vectors_than_before_is_another_model(tmp_path: Path, clock: FixedClock) -> None:
    size = [8]

    def sized(texts: list[str]) -> list[list[float]]:
        return [[1.0] * size[0] for _ in texts]

    with recollect.open(tmp_path / "m.db", clock=clock, embedder=sized) as memory:
        memory.remember("The vault is in Bern")
    size[0] = 5
    with recollect.open(tmp_path / "m.db", clock=clock, embedder=sized) as memory:
        memory.remember("The harbour opens at nine")
        assert sorted(name.rpartition(":")[2] for name in model_names(memory)) == ["5", "8"]
        assert memory.stats()["unembedded"] == 1
