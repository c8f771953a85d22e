"""After set-up, no library of ours contacts anybody or leaves a file of its own: the kernel watches (`no_network`), not Python."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.testing.servers import postgres_server, redis_server

GUARDED = [sys.executable, str(Path(__file__).with_name("no_network.py"))]
# onnxruntime contacts its vendor eight seconds after its start, unless it is told not to.
LONG_ENOUGH = 12.0
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "pipe", "version": "1"}}
REQUESTS = (
    {"id": 0, "method": "initialize", "params": HELLO},
    {"method": "notifications/initialized"},
    {"id": 1, "method": "tools/call", "params": {"name": "remember", "arguments": {"content": "The vault is in Bern"}}},
    {"id": 2, "method": "tools/call", "params": {"name": "recall", "arguments": {"query": "where is the vault"}}},
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the guard is a filter of system calls of Linux")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


def environment(home: Path, **more: str) -> dict[str, str]:
    """Nothing but the necessary: some libraries are quiet where they see that tests run."""
    models = Path(os.environ["XDG_CACHE_HOME"]) / "recollect"
    places = {"HOME": str(home), "TMPDIR": str(home), "RECOLLECT_CACHE": str(models), "PATH": os.environ["PATH"]}
    return {**places, "RECOLLECT_OFFLINE": "1", **more}


def recollect(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    seen = environment(home, **more)
    return subprocess.run([*GUARDED, *arguments], env=seen, cwd=home, capture_output=True, text=True, check=False)


def foreign_files(home: Path) -> Iterator[str]:
    """What lies in the home folder and is not ours."""
    for path in home.rglob("*"):
        if path.is_file() and "recollect" not in path.relative_to(home).parts:
            yield str(path)


def test_the_guard_ends_a_process_that_looks_up_a_name_in_native_code(home: Path) -> None:
    assert recollect(home, "lookup").returncode == -signal.SIGSYS


COMMANDS = (
    ("remember", "The vault is in Bern"),
    ("recall", "where is the vault"),
    ("working", "set", "step", "2", "--task", "t1"),
    ("doctor",),
)


def test_commands_with_the_local_model_contact_nobody_and_leave_no_file_of_others(home: Path) -> None:
    for command in COMMANDS:
        ended = recollect(home, *command)
        assert ended.returncode == 0, ended
    assert "The vault is in Bern" in recollect(home, "recall", "where is the vault").stdout
    assert not list(foreign_files(home))


def test_neither_do_the_drivers_of_the_servers(home: Path) -> None:
    with postgres_server() as postgres, redis_server() as redis:
        places = {"RECOLLECT_DB": postgres.url, "RECOLLECT_WORKING": redis.url, "RECOLLECT_POSTGRES_PARTITIONS": "1"}
        for command in COMMANDS:
            ended = recollect(home, *command, **places)
            assert ended.returncode == 0, ended
    assert not list(foreign_files(home))


def test_a_server_that_runs_for_a_while_contacts_nobody(home: Path) -> None:
    with subprocess.Popen(
        [*GUARDED, "mcp"], env=environment(home), cwd=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        for request in REQUESTS:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **request}) + "\n")
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(3)]
        assert all("error" not in answer for answer in answers), answers
        with pytest.raises(subprocess.TimeoutExpired):
            server.wait(LONG_ENOUGH)
        server.stdin.close()
        assert server.wait(20) == 0
    assert not list(foreign_files(home))
