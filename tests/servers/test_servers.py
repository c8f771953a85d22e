"""The servers tests start: without rights, in a folder of their own, and gone with whoever started them, however it went."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from recollect.errors import SettingsError
from recollect.testing import places
from recollect.testing.servers import Server, ServerFailed, fresh_database, postgres_server, redis_server

ASKER = """
import sys
from recollect.testing.servers import redis_server
with redis_server() as server:
    print(server.pid, server.folder, flush=True)
    sys.stdin.read()
"""


def end_of(pid: int) -> None:
    """Wait until a process is gone."""
    with suppress(psutil.NoSuchProcess):
        while psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.005)


def test_a_server_ends_and_leaves_nothing_when_its_asker_is_killed() -> None:
    asker = subprocess.Popen([sys.executable, "-c", ASKER], stdin=-1, stdout=-1, text=True)
    assert asker.stdout is not None
    pid, folder = asker.stdout.readline().split()
    assert psutil.pid_exists(int(pid))
    asker.kill()
    asker.communicate()
    end_of(int(pid))
    while Path(folder).exists():
        time.sleep(0.005)


@pytest.mark.parametrize("tcp", [False, True])
def test_postgres_runs_without_rights_keeps_what_was_committed_and_cleans_up(tcp: bool) -> None:
    with postgres_server(tcp=tcp, durable=True) as server:
        assert_unprivileged(server)
        with psycopg.connect(server.url) as connection:
            connection.execute("CREATE EXTENSION vector")
            connection.execute("CREATE TABLE kept AS SELECT '[1,2]'::vector AS v")
        killed = server.pid
        server.kill()
        end_of(killed)
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(server.url)
        server.restart()
        with psycopg.connect(server.url) as connection:
            assert connection.execute("SELECT v::text FROM kept").fetchone() == ("[1,2]",)
    assert not server.folder.exists()


def test_a_fresh_database_is_empty_apart_and_gone_afterwards(postgres: str) -> None:
    with fresh_database(postgres) as one, fresh_database(postgres) as other:
        with psycopg.connect(one) as connection:
            connection.execute("CREATE TABLE mine ()")
        with psycopg.connect(other) as connection:
            assert connection.execute("SELECT to_regclass('mine')").fetchone() == (None,)
        open_still = psycopg.connect(other)
    open_still.close()
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(one)


def test_redis_runs_without_rights_and_only_its_own_user_comes_in() -> None:
    with redis_server() as server:
        assert_unprivileged(server)
        assert server.folder.stat().st_mode & 0o077 == 0
    assert not server.folder.exists()


def test_a_server_that_cannot_start_says_why() -> None:
    with pytest.raises(ServerFailed, match="no-such-setting"), redis_server(settings={"no-such-setting": "1"}):
        pass


def test_a_wheel_that_is_missing_is_named() -> None:
    with pytest.raises(SettingsError, match=r"no-such-wheel is not installed; pip install 'recollect\[dev\]'"):
        places.binaries("no_such_module", "no-such-wheel", "bin/server")


def test_binaries_the_servers_user_cannot_reach_are_copied_and_nothing_else_is_opened(tmp_path, monkeypatch) -> None:
    home = tmp_path / "private"
    (home / "faraway" / "bin").mkdir(parents=True)
    (home / "faraway" / "__init__.py").touch()
    (home / "faraway" / "bin" / "server").write_text("a server")
    (home / f"faraway-{os.getpid()}.dist-info").mkdir()
    (home / f"faraway-{os.getpid()}.dist-info" / "METADATA").write_text(f"Name: faraway\nVersion: {os.getpid()}\n")
    home.chmod(0o700)
    monkeypatch.syspath_prepend(home)
    found = [places.binaries("faraway", "faraway", "bin/server") for _ in range(2)]
    assert found[0] == found[1]
    assert found[0].read_text() == "a server"
    assert home.stat().st_mode & 0o777 == 0o700
    assert found[0].is_relative_to(home) == (os.geteuid() != 0)
    if os.geteuid() == 0:
        for path in (found[0], found[0].parent):
            path.unlink() if path.is_file() else path.rmdir()


def assert_unprivileged(server: Server) -> None:
    mine, real = os.geteuid(), psutil.Process(server.pid).uids().real
    assert real == mine if mine else real != 0
