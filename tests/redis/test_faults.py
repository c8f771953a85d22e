"""A Redis that is killed, silent, full or worn out: a clear error, the rest goes on, and so does working memory when it is back."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from urllib.parse import urlsplit

import pytest
import redis as driver

import recollect
from recollect.errors import RecollectError, StoreBusy, StoreFull, WorkingUnavailable
from recollect.testing.contract.working import NOW, ROOM


def count(held: str | None) -> str:
    return str(int(held or 0) + 1)


def count_letters(held: str | None) -> str:
    return str(len(held or ""))


def password_of(url: str) -> str:
    return urlsplit(url).password or ""


def told(error: BaseException | None) -> str:
    """All that a traceback would print of an error and its causes."""
    return "" if error is None else f"{error!r} {told(error.__cause__)} {told(error.__context__)}"


def test_a_lost_redis_loses_working_memory_alone_and_comes_back_by_itself(server, tmp_path, embedder, clock) -> None:
    with recollect.open(tmp_path / "m.db", embedder=embedder, clock=clock, working=server.url) as memory:
        memory.working.store("plan", 1)
        server.kill()
        for call in (lambda: memory.working.store("plan", 2), lambda: memory.working.retrieve("plan")):
            with pytest.raises(WorkingUnavailable, match="start Redis") as raised:
                call()
            assert password_of(server.url) not in told(raised.value)
        memory.remember("The gateway listens on port 8080")
        assert memory.recall("gateway port")[0].memory.content == "The gateway listens on port 8080"
        assert memory.router.semantic_search("gateway port", tiers=("long_term", "short_term"))
        assert "cannot be reached" in memory.router.stats()["working"]["problem"]
        server.restart()
        assert memory.working.retrieve("plan") is None
        memory.working.store("plan", 3)
        assert memory.working.retrieve("plan") == 3


def test_a_store_opens_answers_and_closes_while_redis_is_away(server, tmp_path, embedder) -> None:
    server.kill()
    with recollect.open(tmp_path / "m.db", embedder=embedder, working=server.url) as memory:
        memory.remember("Staging has a switch of its own")
        assert len(memory.recall("staging switch")) == 1


def test_whatever_a_kill_interrupts_is_done_or_reported(server, opened) -> None:
    working, killed, back, enough = opened(server.url), Event(), Event(), Event()

    def write(name: str) -> list[tuple[bool, str]]:
        outcomes = []
        while not enough.is_set():
            after = back.is_set()
            try:
                outcomes.append((after, working.change(ROOM, name, NOW, NOW + 60, count)))
            except WorkingUnavailable:
                outcomes.append((after, "reported"))
                killed.wait(10)
                back.wait(10)
            if after and len(outcomes) > 200:
                break
        return outcomes

    with ThreadPoolExecutor(4) as threads:
        running = [threads.submit(write, str(number)) for number in range(4)]
        server.kill()
        killed.set()
        server.restart()
        back.set()
        outcomes = [thread.result(timeout=30) for thread in running]
        enough.set()
    for number, seen in enumerate(outcomes):
        assert (False, "reported") in seen
        assert (True, "reported") not in seen
        last = [value for _, value in seen if value != "reported"][-1]
        assert working.get(ROOM, str(number), NOW) == last


def test_a_connection_that_was_cut_is_made_anew(server, opened) -> None:
    working = opened(server.url)
    with driver.Redis.from_url(server.url) as other:

        def cut(held: str | None) -> str:
            other.client_kill_filter(_type="normal", skipme=True)
            return count(held)

        working.put(ROOM, "k", "1", NOW, NOW + 60)
        assert cut(None)
        assert working.get(ROOM, "k", NOW) == "1"
        assert cut(None)
        assert working.items(ROOM, NOW) == [("k", "1", NOW + 60)]
        assert cut(None)
        assert working.remove(ROOM, "k", NOW)
        assert working.change(ROOM, "n", NOW, NOW + 60, cut) == "1"
        assert working.change(ROOM, "n", NOW, NOW + 60, cut) == "2"


def test_a_redis_that_says_nothing_is_not_waited_for_and_its_late_answer_is_nobodys(server, opened) -> None:
    working = opened(server.url, socket_timeout=0.1)
    working.put(ROOM, "a", "of a", NOW, NOW + 60)
    working.put(ROOM, "b", "of b", NOW, NOW + 60)
    server.pause()
    with pytest.raises(WorkingUnavailable, match="did not answer in time"):
        working.get(ROOM, "a", NOW)
    server.resume()
    assert working.get(ROOM, "b", NOW) == "of b"


def test_a_full_redis_refuses_what_is_new_and_keeps_the_rest(server, opened) -> None:
    working = opened(server.url)
    working.put(ROOM, "kept", "x", NOW, NOW + 60)
    with driver.Redis.from_url(server.url) as other:
        other.config_set("maxmemory", "1")
        for refused in (
            lambda: working.put(ROOM, "new", "y", NOW, NOW + 60),
            lambda: working.change(ROOM, "kept", NOW, NOW + 60, count_letters),
        ):
            with pytest.raises(StoreFull, match="maxmemory"):
                refused()
        assert working.items(ROOM, NOW) == [("kept", "x", NOW + 60)], "what was refused left nothing behind"
        assert working.remove(ROOM, "kept", NOW)
        assert working.clear(ROOM) == 0
        other.config_set("maxmemory", "0")
    working.put(ROOM, "again", "y", NOW, NOW + 60)
    assert working.items(ROOM, NOW) == [("again", "y", NOW + 60)]


def test_when_every_connection_is_in_use_one_is_waited_for_and_then_it_is_told(server, opened) -> None:
    working = opened(server.url, max_connections=1, timeout=0.05, socket_timeout=30)
    working.put(ROOM, "k", "one", NOW, NOW + 60)
    server.pause()
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(working.get, ROOM, "k", NOW)
        while working._redis.connection_pool.pool.qsize():
            time.sleep(0.002)
        with pytest.raises(StoreBusy, match="max_connections"):
            working.get(ROOM, "k", NOW)
        server.resume()
        assert waiting.result(timeout=10) == "one"
    assert working.get(ROOM, "k", NOW) == "one"


def test_scripts_the_server_forgot_are_sent_again(server, opened) -> None:
    working = opened(server.url)
    working.put(ROOM, "k", "1", NOW, NOW + 60)
    with driver.Redis.from_url(server.url) as other:
        other.script_flush()
    assert working.change(ROOM, "k", NOW, NOW + 60, count) == "2"


def test_a_wrong_password_is_told_without_it(server, opened, tmp_path) -> None:
    wrong = server.url.replace(password_of(server.url), "open-sesame")
    with pytest.raises(WorkingUnavailable, match="check user, password") as raised:
        opened(wrong).get(ROOM, "k", NOW)
    assert "open-sesame" not in told(raised.value)
    with recollect.open(tmp_path / "m.db", embedder="none", working=wrong) as memory:
        found = memory.doctor()
    assert "open-sesame" not in str(found)
    assert found["working"]["problem"] in found["problems"]


def test_the_doctor_tells_where_working_memory_is_and_how(server, tmp_path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="none", working=server.url) as memory:
        found = memory.doctor()["working"]
        assert found["place"] == f"redis://127.0.0.1:{urlsplit(server.url).port}/0"
        assert (found["problem"], found["eviction"]) == (None, "noeviction")
        assert found["server"].startswith("Redis ")
        with driver.Redis.from_url(server.url) as other:
            other.config_set("maxmemory-policy", "allkeys-lru")
        assert any("allkeys-lru" in problem for problem in memory.doctor()["problems"])
        server.kill()
        assert any("cannot be reached" in problem for problem in memory.doctor()["problems"])
        with suppress(RecollectError):
            memory.working.store("k", 1)


def test_erasing_a_user_clears_its_values_or_says_that_it_could_not(server, tmp_path, embedder) -> None:
    with recollect.open(tmp_path / "m.db", embedder=embedder, working=server.url) as memory:
        ada, penn = (memory.with_identity(user=name) for name in ("ada", "penn"))
        for user in (ada, memory.with_identity(user="ada", agent="bob"), penn):
            user.working.store("basket", "a ticket to Bern")
            user.working.task("t1").store("step", 2)
        done = memory.erase_user("ada")
        assert (done.counts, done.left, done.complete) == ({"working": 4}, {}, True)
        assert not any(b"ada" in key for key in driver.Redis.from_url(server.url).scan_iter())
        assert penn.working.retrieve("basket") == "a ticket to Bern"
        ada.working.store("basket", 1)
        server.kill()
        done = memory.erase_user("ada")
        assert not done.complete
        assert "erase the user again" in " ".join(done.pending)
