"""How values lie in a Redis: each under a name of its own, with an end the server knows too, safe from other processes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
import redis as driver
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import SettingsError
from recollect.ports import Working
from recollect.store.redis.client import names_of
from recollect.store.redis.working import RedisWorking
from recollect.testing.contract.working import NOW, ROOM, WorkingContract
from recollect.testing.servers import redis_server

NAMES = st.text(st.sampled_from(":{}%*?[]\\ a\x00\x1fé😀\ud800"), max_size=4)
PLACES = st.tuples(NAMES, NAMES, NAMES, NAMES)
COUNTER = """
import sys
from recollect.store.redis.working import RedisWorking
working, room, now = RedisWorking(sys.argv[1]), ("acme", "ada", "t1"), 1.8e9
print("ready", flush=True)
sys.stdin.readline()
for turn in range(100):
    working.change(room, "n", now, now + 10, lambda held: str(int(held or 0) + 1))
    working.put(room, f"{sys.argv[2]}-{turn}", "x", now, now + 10)
"""


@pytest.fixture
def working(fresh_redis: str) -> Iterator[RedisWorking]:
    working = RedisWorking(fresh_redis)
    yield working
    working.close()


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """A Redis that is a whole cluster by itself: it refuses a command whose keys are not all in one slot."""
    with redis_server(tcp=True, settings={"cluster-enabled": "yes"}) as server:
        with driver.Redis.from_url(server.url) as connection:
            connection.execute_command("CLUSTER", "ADDSLOTS", *range(16384))
            while b"cluster_state:ok" not in connection.execute_command("CLUSTER", "INFO"):
                time.sleep(0.005)
        yield server.url


class TestRedisWorkingInACluster(WorkingContract):
    @pytest.fixture
    def working(self, cluster: str) -> Iterator[Working]:
        with driver.Redis.from_url(cluster) as connection:
            connection.flushall()
        working = RedisWorking(cluster)
        yield working
        working.close()


@given(PLACES, PLACES)
def test_no_two_places_share_a_name_and_no_account_leaves_its_slot(one, other) -> None:
    names = [names_of("recollect", place[:3]) for place in (one, other)]
    assert (one[:3] == other[:3]) == (names[0].ends == names[1].ends)
    assert (one == other) == (names[0].value(one[3]) == names[1].value(other[3]))
    assert not {each.ends for each in names} & {names[0].value(one[3]), names[1].value(other[3])}
    assert (one[0] == other[0]) == (tag(names[0].ends) == tag(names[1].value(other[3])))


def tag(name: str) -> str:
    """What a cluster hashes of a key: what is between the first brace and the next closing one, if there is anything."""
    inside = name.partition("{")[2].partition("}")[0]
    return inside or name


def test_any_name_and_any_text_is_kept_apart_from_the_others(working) -> None:
    odd = ["*", "a:b", "a", "b", "{acme}", "%", "%25", "a b", "é", "😀", "\x1fstate", "x" * 300]
    places = [
        ((account, agent, task), key) for account in odd[:4] for agent in ("", ":") for task, key in pairwise(odd)
    ]
    for number, (room, key) in enumerate(places):
        working.put(room, key, str(number), NOW, NOW + 60)
    assert [working.get(room, key, NOW) for room, key in places] == [str(number) for number in range(len(places))]
    assert working.clear(("*", "", "*")) == 1
    assert [working.get(room, key, NOW) is None for room, key in places].count(True) == 1


def test_everything_ends_on_the_server_too_a_minute_after_its_time(working, redis, fresh_redis) -> None:
    working.put(ROOM, "short", "x", NOW, NOW + 10)
    working.put(ROOM, "long", "x", NOW, NOW + 1000)
    working.put(ROOM, "short too", "x", NOW, NOW + 1)
    with driver.Redis.from_url(redis) as connection:
        lives = {key: connection.pttl(key) / 1000 for key in connection.scan_iter(f"{prefix(fresh_redis)}:*")}
    values = sorted(round(left, -1) for key, left in lives.items() if b":value:" in key)
    ends = [left for key, left in lives.items() if b":ends:" in key]
    assert values == [60, 70, 1060]
    assert len(ends) == 1
    assert 1000 < ends[0] <= 1060, "a room's list of ends lives as long as its longest value"


def test_a_room_that_is_always_in_use_does_not_grow(working, redis, fresh_redis) -> None:
    for minute in range(50):
        working.put(ROOM, f"k{minute}", "x", NOW + 60 * minute, NOW + 60 * minute + 30)
    with driver.Redis.from_url(redis) as connection:
        (ends,) = connection.scan_iter(f"{prefix(fresh_redis)}:*ends*")
        assert connection.zcard(ends) <= 3


def test_another_process_may_have_given_a_value_a_new_life(working, fresh_redis) -> None:
    other = RedisWorking(fresh_redis)
    working.put(ROOM, "k", "old", NOW, NOW + 1)
    other.put(ROOM, "k", "new", NOW, NOW + 60)
    assert working.sweep(NOW + 2) == 0
    assert working.get(ROOM, "k", NOW + 2) == "new"
    other.close()


def test_processes_that_change_at_once_lose_nothing(working, fresh_redis) -> None:
    workers = [
        subprocess.Popen([sys.executable, "-c", COUNTER, fresh_redis, str(n)], stdin=-1, stdout=-1, text=True)
        for n in range(4)
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        worker.communicate("go\n", timeout=60)
    assert [worker.returncode for worker in workers] == [0, 0, 0, 0]
    assert working.get(ROOM, "n", 1.8e9) == "400"
    assert len(working.items(ROOM, 1.8e9)) == 401


def test_a_large_room_is_listed_swept_and_cleared_whole(working) -> None:
    for number in range(1100):
        working.put(ROOM, f"{number:04}", str(number), NOW, NOW + (10 if number < 550 else 60))
    assert [int(value) for _, value, _ in working.items(ROOM, NOW)] == list(range(1100))
    assert working.sweep(NOW + 10) == 550
    assert working.clear(ROOM) == 550
    assert working.items(ROOM, NOW) == []


def test_no_command_walks_over_everything_a_redis_holds() -> None:
    with redis_server() as server:
        working = RedisWorking(server.url)
        working.put(ROOM, "k", "x", NOW, NOW + 10)
        working.items(ROOM, NOW)
        working.sweep(NOW + 10)
        working.clear(ROOM)
        working.close()
        with driver.Redis.from_url(server.url) as connection:
            used = set(connection.info("commandstats"))
    assert not used & {"cmdstat_keys", "cmdstat_scan", "cmdstat_flushdb", "cmdstat_flushall"}


@pytest.mark.parametrize(
    "url",
    [
        "redis://:open-sesame@[host/0",
        "redis://:open-sesame@host:port/0",
        "redis://:open/sesame@host/0",
        "redis://:open-sesame@host/zero",
        "redis://:open-sesame@host/0?colour=red",
        "redis://:open-sesame@host/0?socket_timeout=soon",
        "redis://:open-sesame@host/0?prefix=a:b",
        "redis://:open-sesame@host/0?prefix",
    ],
)
def test_an_address_that_cannot_be_is_refused_without_its_password(url) -> None:
    with pytest.raises(SettingsError, match="working: ") as raised:
        RedisWorking(url)
    assert "sesame" not in str(raised.value)
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


def prefix(url: str) -> str:
    return url.partition("prefix=")[2]
