"""A server that does not answer is given up after the configured time, whatever it or the network does, and found again later."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import psycopg
import pytest

import recollect
from recollect.errors import CommitUnknown, StoreUnavailable
from recollect.store.postgres.options import Options
from recollect.store.postgres.store import PostgresStore
from recollect.testing.contract.samples import ACCOUNT, NOW, held, put, record
from recollect.testing.servers import Server, postgres_server

LIMIT = 0.5
# Far above the limit and its grace on a slow machine; far below the time after which a test lets the server go on.
SOON, AT_LAST = 8.0, 30.0
BACKENDS = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with postgres_server(tcp=True) as started:
        yield started


@contextmanager
def stopped(*processes: int) -> Iterator[None]:
    """Stop processes until the block ends, or the test would wait for ever."""

    def resume() -> None:
        for process in processes:
            os.kill(process, signal.SIGCONT)

    at_last = threading.Timer(AT_LAST, resume)
    at_last.start()
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        at_last.cancel()
        resume()


def backends(server: Server) -> list[int]:
    """The processes of the server that serve somebody else than us here."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        return [process for (process,) in connection.execute(BACKENDS).fetchall()]


@contextmanager
def soon() -> Iterator[None]:
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < SOON


def opened(url: str, connect_seconds: float = 2) -> recollect.Memory:
    return recollect.open(
        url,
        embedder="none",
        postgres_partitions=1,
        postgres_statement_seconds=LIMIT,
        postgres_connect_seconds=connect_seconds,
        postgres_wait_seconds=LIMIT,
    )


VERBS: dict[str, Callable[[recollect.Memory], object]] = {
    "recall": lambda memory: memory.recall("vault"),
    "list": lambda memory: memory.list(),
    "remember": lambda memory: memory.remember("The moon is round"),
    "doctor": lambda memory: memory.doctor(),
}


@pytest.mark.parametrize("verb", [name for name in VERBS if name != "doctor"])
def test_a_stopped_backend_is_given_up_and_the_next_call_goes_through(server: Server, verb: str) -> None:
    with opened(server.url) as memory:
        memory.remember("The vault is in Bern")
        with stopped(*backends(server)), soon(), pytest.raises(StoreUnavailable, match="postgres_statement_seconds"):
            VERBS[verb](memory)
        assert VERBS[verb](memory)


@pytest.mark.parametrize("verb", VERBS)
def test_a_server_that_is_stopped_as_a_whole_is_given_up(server: Server, verb: str) -> None:
    with opened(server.url) as memory:
        memory.remember("The vault is in Bern")
        with stopped(server.pid, *backends(server)), soon(), pytest.raises(StoreUnavailable):
            VERBS[verb](memory)
        assert VERBS[verb](memory)


@pytest.mark.parametrize("verb", VERBS)
def test_an_open_store_waits_for_a_stopped_server_no_longer_than_for_a_connection(server: Server, verb: str) -> None:
    with opened(server.url, connect_seconds=60) as memory:
        memory.remember("The vault is in Bern")
        with stopped(server.pid, *backends(server)), soon(), pytest.raises(StoreUnavailable):
            VERBS[verb](memory)


def test_a_store_on_a_stopped_server_is_not_opened(server: Server) -> None:
    opened(server.url).close()
    with stopped(server.pid), soon(), pytest.raises(StoreUnavailable):
        opened(server.url)


def test_closing_does_not_wait_for_a_stopped_server_and_does_not_raise(server: Server) -> None:
    memory = opened(server.url)
    memory.remember("The vault is in Bern")
    memory.recall("vault")
    with stopped(server.pid, *backends(server)), soon():
        memory.close()


def test_a_commit_that_is_not_answered_leaves_a_question_and_says_so(server: Server) -> None:
    store, kept = PostgresStore(server.url, Options(partitions=1, statement_seconds=LIMIT)), record("the green door")

    def change(until_then: ExitStack) -> None:
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.insert(kept, None)
            assert tx.get(ACCOUNT, [kept.id]) == [kept]
            until_then.enter_context(stopped(*backends(server)))

    try:
        with soon(), ExitStack() as until_then, pytest.raises(CommitUnknown, match="may be stored or not"):
            change(until_then)
        put(store, record("the green lamp"))
        assert held(store, kept) in (None, kept)
    finally:
        store.close()


def test_a_network_that_swallows_everything_is_given_up(server: Server) -> None:
    with proxy(server.url) as (url, swallow), opened(url) as memory:
        memory.remember("The vault is in Bern")
        swallow.set()
        with soon(), pytest.raises(StoreUnavailable):
            memory.recall("vault")
        with soon(), pytest.raises(StoreUnavailable):
            opened(url)
        swallow.clear()
        assert memory.recall("vault")


@contextmanager
def proxy(url: str) -> Iterator[tuple[str, threading.Event]]:
    """The address of a proxy in front of a server; while the event is set, it accepts everything and passes nothing on."""
    parts, swallow = urlsplit(url), threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    open_sockets = [listener]

    def pump(source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                if not swallow.is_set():
                    target.sendall(data)
        except OSError:
            pass
        finally:
            target.close()

    def serve() -> None:
        try:
            while True:
                client, _ = listener.accept()
                server = socket.create_connection((parts.hostname, parts.port))
                open_sockets.extend((client, server))
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=pump, args=pair, daemon=True).start()
        except OSError:
            pass

    threading.Thread(target=serve, daemon=True).start()
    user = parts.netloc.rpartition("@")[0]
    try:
        yield f"postgresql://{user}@127.0.0.1:{listener.getsockname()[1]}{parts.path}", swallow
    finally:
        for each in open_sockets:
            each.close()
