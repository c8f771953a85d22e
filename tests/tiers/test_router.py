"""The router: one door to all tiers; the quickest that knows answers, and a session is promoted exactly once."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import recollect
from recollect import InvalidInput, NotFound

WORKER = """
import sys, recollect
with recollect.open(sys.argv[1], embedder="none") as memory:
    memory.with_identity(agent="ada").router.consolidate("s1")
"""


@pytest.fixture(params=["beside the store", "reference", "redis"])
def working_place(request):
    return request.param


@pytest.fixture
def ada(memory):
    return memory.with_identity(agent="ada")


def used(view, key, value, times=3, session="s1"):
    view.short_term.write(key, value, session=session)
    for _ in range(times):
        view.short_term.read(key, session=session)


def test_reads_go_from_the_quickest_tier_to_the_widest_and_say_which_answered(ada) -> None:
    ada.pools.create("port", data={"value": 4})
    ada.router.write("port", "The gateway port is 8080", tier="long_term")
    ada.router.write("port", 2, tier="short_term", session="s1")
    ada.router.write("port", 1, tier="working")
    for tier, value in (
        ("working", 1),
        ("short_term", 2),
        ("long_term", "The gateway port is 8080"),
        ("shared", {"value": 4}),
    ):
        found = ada.router.read("port", session="s1")
        assert (found.tier, found.value) == (tier, value)
        assert ada.router.read("port", session="s1", tier=tier).value == value
        ada.router.delete("port", session="s1", tier=tier)
    with pytest.raises(NotFound):
        ada.router.read("port", session="s1")
    with pytest.raises(NotFound):
        ada.router.delete("port", session="s1")


def test_a_value_is_gone_from_every_tier_but_the_shared_one_at_once(ada) -> None:
    ada.pools.create("port", data={})
    ada.router.write("port", 1, tier="working")
    ada.router.write("port", 2, session="s1")
    assert ada.router.delete("port", session="s1") == ("working", "short_term")
    assert ada.router.read("port").tier == "shared"


def test_a_search_meets_all_tiers(ada) -> None:
    ada.remember("The gateway listens on port 8080", tags=["x"])
    ada.working.store("plan", "restart the gateway at noon")
    ada.short_term.write("seen", {"gateway": "slow"}, session="s1")
    ada.pools.create("board", data={"todo": "ask Zoltan about the gateway"})
    found = ada.router.semantic_search("gateway", session="s1")
    assert {met.tier for met in found} == {"working", "short_term", "long_term", "shared"}
    assert {met.tier for met in ada.router.semantic_search("gateway", tiers=["working"])} == {"working"}


def test_entries_used_often_enough_become_memories_once(ada, clock) -> None:
    used(ada, "port", "The gateway port is 8080")
    used(ada, "noise", "The weather was grey", times=2)
    used(ada, "secret", "ok", times=5)
    done = ada.router.consolidate("s1")
    assert [memory.content for memory in done.promoted] == ["The gateway port is 8080"]
    assert [key for key, _ in done.refused] == ["secret"]
    assert done.left == 2
    assert not ada.short_term.exists("port", session="s1")
    assert ada.router.consolidate("s1").promoted == ()
    used(ada, "again", "the gateway port is 8080.", session="s2")
    assert [memory.content for memory in ada.router.consolidate("s2").known] == ["The gateway port is 8080"]
    assert ada.recall("gateway port")[0].memory.content == "The gateway port is 8080"


def test_an_expired_entry_is_not_promoted(ada, clock) -> None:
    used(ada, "port", "The gateway port is 8080")
    clock.advance(3601)
    assert ada.router.consolidate("s1").promoted == ()
    assert ada.list() == []


def test_many_at_once_promote_a_session_once(tmp_path) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path, embedder="none") as memory:
        view = memory.with_identity(agent="ada")
        for number in range(5):
            used(view, f"k{number}", f"Fact number {number} is about kestrels and {'abcde'[number] * 4}")
        with ThreadPoolExecutor(16) as threads:
            list(threads.map(lambda _: view.router.consolidate("s1"), range(16)))
        assert len(view.list()) == 5
        for number in range(5):
            used(view, f"p{number}", f"Note number {number} is about zebras and {'fghij'[number] * 4}")
    processes = [subprocess.Popen([sys.executable, "-c", WORKER, str(path)]) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0, 0, 0, 0]
    with recollect.open(path, embedder="none") as memory:
        assert len(memory.with_identity(agent="ada").list()) == 10


def test_stats_tell_of_all_tiers(ada) -> None:
    ada.working.store("a", 1)
    ada.short_term.write("b", 2, session="s1")
    ada.remember("A fact about kestrels")
    ada.pools.create("board", data={"x": 1, "y": 2})
    stats = ada.router.stats()
    assert stats["working"] == {"keys": 1}
    assert stats["short_term"] == {"entries": 1, "sessions": 1}
    assert stats["long_term"]["statuses"] == {"active": 1}
    assert stats["shared"] == {"pools": 1, "keys": 2}


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda r: r.read("k", tier="attic"), "tier"),
        (lambda r: r.write("k", 1, tier="attic"), "tier"),
        (lambda r: r.write("k", 1, tier="shared"), "pool"),
        (lambda r: r.write("k", 1, tier="short_term"), "session"),
        (lambda r: r.write("", 1, tier="working"), "key"),
        (lambda r: r.semantic_search("x", tiers=["attic"]), "tiers"),
        (lambda r: r.consolidate(""), "session"),
    ],
)
def test_a_bad_call_names_the_field(ada, call, field) -> None:
    with pytest.raises(InvalidInput, match=field):
        call(ada.router)
