"""Behind a pooler in transaction mode: each transaction may run on another connection of the server, which remembers nothing.

Where PgBouncer is installed, it is used. Elsewhere every connection of the pool is reset before each transaction, which is what
such a pooler amounts to.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

import recollect
from recollect.store.postgres.connections import Connection, Connections, Rows, Statement
from recollect.store.postgres.options import Options
from recollect.store.postgres.store import PostgresStore
from recollect.testing.embedding import HashingEmbedder

PGBOUNCER = shutil.which("pgbouncer")


class ForgetfulConnections(Connections):
    """A pool whose connections lose everything between two transactions."""

    def run(self, connection: Connection, statements: Sequence[Statement]) -> list[Rows]:
        if statements[0].sql.startswith("BEGIN"):
            connection.execute("DISCARD ALL")
        return super().run(connection, statements)


@pytest.fixture
def pooled(empty_database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a database behind a pooler."""
    if PGBOUNCER is None:
        monkeypatch.setattr("recollect.store.postgres.store.Connections", ForgetfulConnections)
        yield empty_database
        return
    with _pgbouncer(PGBOUNCER, empty_database) as url:
        yield url


@contextmanager
def _pgbouncer(program: str, database: str) -> Iterator[str]:
    parts = urlsplit(database)
    host = parts.hostname or parse_qs(parts.query)["host"][0]
    name = parts.path.lstrip("/")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="recollect-pgbouncer-"))
    folder.chmod(0o755)
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\n{name} = host={host} port={parts.port or 5432} dbname={name} user={parts.username or 'postgres'}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\npool_mode = transaction\n"
        "ignore_startup_parameters = extra_float_digits,options\nunix_socket_dir =\n"
    )
    # It refuses to run as root; the test server then runs as nobody, too.
    process = subprocess.Popen([program, str(settings)], user="nobody" if os.geteuid() == 0 else None)
    url = f"postgresql://{parts.username or 'postgres'}@127.0.0.1:{port}/{name}"
    try:
        deadline = time.monotonic() + 10
        while True:
            try:
                psycopg.connect(url).close()
                break
            except psycopg.OperationalError:
                assert time.monotonic() < deadline, "pgbouncer does not answer"
        yield url
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


@pytest.mark.parametrize("prepared", [False, True], ids=["said", "detected"])
def test_everything_works_behind_a_pooler(pooled: str, prepared: bool) -> None:
    if prepared and PGBOUNCER is None:
        pytest.skip("only a real pooler can be detected")
    with recollect.open(pooled, embedder=HashingEmbedder(), postgres_prepared=prepared) as memory:
        kept = memory.remember("The vault is in Bern", tags=["places"], key="vault").memory
        memory.remember_many([f"Line {number} of the log" for number in range(30)])
        assert memory.recall("vault").hits[0].memory.id == kept.id
        memory.tag(kept.id, "safe")
        memory.update(kept.id, content="The vault is in Basel")
        assert memory.undo().memories == (kept.id,)
        assert memory.get(kept.id[-8:]).content == "The vault is in Bern"
        assert [event.kind for event in memory.history(kept.id)] == ["remember", "tag", "update", "undo"]
        assert memory.stats()["events"] >= 34
        memory.disable("atlas")
        memory.purge(kept.id)
        assert len(memory.list(limit=100)) == 30
        assert memory.with_identity(account="other").list() == []


def test_the_wall_between_accounts_holds_behind_a_pooler(pooled: str) -> None:
    store = PostgresStore(pooled, Options(connections=1, prepared=False))
    assert store.check()["server"]["wall"] == "in force"
    store.close()


def test_a_direct_connection_keeps_its_prepared_statements(empty_database: str) -> None:
    store = PostgresStore(empty_database, Options(connections=1))
    assert store.options.prepared
    store.close()
