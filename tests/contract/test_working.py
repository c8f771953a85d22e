"""The contract of working memory on every back end, and what only a file can do: be shared, deleted, damaged.

What only a Redis can do (be killed, full, cut off) is in `tests/redis`.
"""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.errors import StoreDamaged, StoreError, StoreNewer
from recollect.ports import Working
from recollect.store.redis.working import RedisWorking
from recollect.store.sqlite.working import SqliteWorking
from recollect.testing.contract.working import NOW, ROOM, WorkingContract
from recollect.testing.in_memory.working import InMemoryWorking
from recollect.testing.servers import fresh_prefix

COUNTER = """
import sys
from pathlib import Path
from recollect.store.sqlite.working import SqliteWorking
working, room, now = SqliteWorking(Path(sys.argv[1])), ("acme", "ada", "t1"), 1.8e9
print("ready", flush=True)
sys.stdin.readline()
for turn in range(100):
    working.change(room, "n", now, now + 10, lambda held: str(int(held or 0) + 1))
    working.put(room, f"{sys.argv[2]}-{turn}", "x", now, now + 10)
"""


class TestInMemoryWorking(WorkingContract):
    @pytest.fixture
    def working(self) -> Iterator[Working]:
        working = InMemoryWorking()
        yield working
        working.close()


class TestSqliteWorkingFile(WorkingContract):
    @pytest.fixture
    def working(self, tmp_path: Path) -> Iterator[Working]:
        working = SqliteWorking(tmp_path / "m.db.working")
        yield working
        working.close()


class TestSqliteWorkingInMemory(WorkingContract):
    @pytest.fixture
    def working(self) -> Iterator[Working]:
        working = SqliteWorking(None)
        yield working
        working.close()


class TestRedisWorking(WorkingContract):
    @pytest.fixture
    def working(self, fresh_redis: str) -> Iterator[Working]:
        working = RedisWorking(fresh_redis)
        yield working
        working.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db.working"


@pytest.fixture
def working(path: Path) -> Iterator[SqliteWorking]:
    working = SqliteWorking(path)
    yield working
    working.close()


def put(working: Working, key: str = "k", value: str = "one") -> None:
    working.put(ROOM, key, value, NOW, NOW + 10)


KEYS, SECONDS = st.sampled_from("abc"), st.integers(1, 5)
STEPS = st.one_of(
    st.tuples(st.just("put"), KEYS, SECONDS),
    st.tuples(st.just("change"), KEYS, SECONDS),
    st.tuples(st.just("remove"), KEYS, st.just(0)),
    st.tuples(st.just("clear"), KEYS, st.just(0)),
    st.tuples(st.just("sweep"), KEYS, st.just(0)),
    st.tuples(st.just("wait"), KEYS, st.integers(1, 100)),
)


def play(working: Working, steps: list[tuple[str, str, int]]) -> list[object]:
    """What anybody could see of working memory, after each of some steps."""
    now, seen = NOW, list[object]()
    for number, (verb, key, seconds) in enumerate(steps):
        room = ROOM if number % 3 else ("acme", "", "")
        match verb:
            case "put":
                working.put(room, key, str(number), now, now + seconds)
            case "change":
                seen.append(working.change(room, key, now, now + seconds, lambda held: f"{held}+"))
            case "remove":
                seen.append(working.remove(room, key, now))
            case "clear":
                working.clear(room)
            case "sweep":
                working.sweep(now)
            case _:
                now += seconds
        seen.append((working.items(ROOM, now), working.items(("acme", "", ""), now), working.get(room, key, now)))
    return seen


@settings(max_examples=60, deadline=None)
@given(st.lists(STEPS, max_size=30))
def test_the_file_answers_as_the_reference_does(steps: list[tuple[str, str, int]]) -> None:
    in_file = SqliteWorking(None)
    assert play(in_file, steps) == play(InMemoryWorking(), steps)
    in_file.close()


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(STEPS, max_size=30))
def test_redis_answers_as_the_reference_does(redis: str, steps: list[tuple[str, str, int]]) -> None:
    with fresh_prefix(redis) as url:
        there = RedisWorking(url)
        assert play(there, steps) == play(InMemoryWorking(), steps)
        there.close()


def test_nothing_is_made_before_it_is_used_and_then_for_its_owner_alone(path: Path, working: SqliteWorking) -> None:
    assert not path.exists()
    put(working)
    for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_next_process_finds_what_this_one_kept(path: Path, working: SqliteWorking) -> None:
    put(working)
    working.close()
    again = SqliteWorking(path)
    assert again.get(ROOM, "k", NOW) == "one"
    again.close()


def test_processes_that_start_at_once_lose_no_change(path: Path, working: SqliteWorking) -> None:
    workers = [
        subprocess.Popen([sys.executable, "-c", COUNTER, str(path), str(n)], stdin=-1, stdout=-1, text=True)
        for n in range(4)
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    assert not path.exists()
    for worker in workers:
        worker.communicate("go\n", timeout=60)
    assert [worker.returncode for worker in workers] == [0, 0, 0, 0]
    assert working.get(ROOM, "n", 1.8e9) == "400"
    assert len(working.items(ROOM, 1.8e9)) == 401


def test_what_nobody_asks_for_again_does_not_fill_the_file(path: Path, working: SqliteWorking) -> None:
    for minute in range(5):
        now = NOW + 120 * minute
        working.put(ROOM, f"k{minute}", "one", now, now + 10)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT key FROM working").fetchall() == [("k4",)]
    connection.close()


def test_what_expired_leaves_no_byte_once_the_file_is_closed(path: Path, working: SqliteWorking) -> None:
    put(working, value="kumquat " * 2000)
    put(working, "small", "kumquat")
    assert working.sweep(NOW + 10) == 2
    working.close()
    assert all(b"kumquat" not in file.read_bytes() for file in path.parent.iterdir())


@pytest.mark.parametrize(
    "rubbish", [b"not a database at all, only text " * 40, b"SQLite format 3\x00" + b"\xff" * 4096]
)
def test_a_damaged_file_is_set_aside_and_made_anew(path: Path, working: SqliteWorking, rubbish: bytes) -> None:
    path.write_bytes(rubbish)
    put(working)
    assert working.get(ROOM, "k", NOW) == "one"
    assert Path(f"{path}.damaged").read_bytes() == rubbish


def test_damage_inside_is_met_and_left_behind_too(path: Path, working: SqliteWorking) -> None:
    for number in range(200):
        put(working, f"k{number:03}", "x" * 500)
    working.close()
    held = path.read_bytes()
    path.write_bytes(held[:4096] + b"\xa5" * (len(held) - 4096))
    again, other = SqliteWorking(path), SqliteWorking(path)
    assert again.get(ROOM, "k100", NOW) is None
    put(again, "k100", "anew")
    assert other.get(ROOM, "k100", NOW) == "anew"
    again.close()
    other.close()


def test_all_go_on_together_when_the_file_is_deleted_under_them(path: Path, working: SqliteWorking) -> None:
    other = SqliteWorking(path)
    put(working)
    assert other.get(ROOM, "k", NOW) == "one"
    for file in path.parent.iterdir():
        file.unlink()
    put(working, value="two")
    assert other.get(ROOM, "k", NOW) == "two"
    put(other, value="three")
    newcomer = SqliteWorking(path)
    assert newcomer.get(ROOM, "k", NOW) == working.get(ROOM, "k", NOW) == "three"
    newcomer.close()
    other.close()
    put(working, "more", "four")
    assert [value for _, value, _ in working.items(ROOM, NOW)] == ["three", "four"]


def test_a_database_of_something_else_is_left_alone(path: Path, working: SqliteWorking) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE cats (name)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match="something else"):
        put(working)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_newer_file_is_refused_not_guessed(path: Path, working: SqliteWorking) -> None:
    put(working)
    working.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    again = SqliteWorking(path)
    with pytest.raises(StoreNewer, match="upgrade"):
        put(again)
    again.close()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    working = SqliteWorking(tmp_path / "file" / "m.db.working")
    with pytest.raises(StoreError, match=r"m\.db\.working cannot be opened"):
        put(working)
