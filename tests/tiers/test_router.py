"""The router: one door to all tiers; the quickest that knows answers, and a session is promoted exactly once."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import recollect
from recollect import InvalidInput, NotFound
from recollect.errors import WorkingUnavailable
from recollect.testing.embedding import HashingEmbedder
from recollect.testing.servers import redis_server

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


def test_an_entry_that_was_read_often_is_promoted_even_if_it_has_expired(ada, clock) -> None:
    used(ada, "port", "The gateway port is 8080")
    clock.advance(3601)
    done = ada.router.consolidate("s1")
    assert [memory.content for memory in done.promoted] == ["The gateway port is 8080"]
    assert done.left == 0
    assert ada.router.consolidate("s1").promoted == ()


@pytest.mark.parametrize(
    "value",
    ["The gateway port is 8080", {"host": "gate", "port": 8080}, 8080, None, [1, "two"], "port: 8080", 'port: "x"'],
)
@pytest.mark.parametrize("how", ["promoted", "written"])
def test_a_value_of_long_term_memory_is_read_under_its_key(ada, how, value) -> None:
    if how == "promoted":
        used(ada, "port", value)
        assert ada.router.consolidate("s1").refused == ()
    else:
        ada.router.write("port", value, tier="long_term")
    found = ada.router.read("port")
    assert (found.tier, found.value) == ("long_term", value)
    assert found.memory.place == ("agent", "ada", "")


@pytest.mark.parametrize("how", ["promoted", "written"])
def test_a_second_value_under_the_same_key_replaces_the_first(ada, clock, how) -> None:
    texts = ("The gateway port is 8080", "The gateway listens on port 9090 by now")
    for session, text in zip(("s1", "s2"), texts, strict=True):
        clock.advance(60)
        if how == "promoted":
            used(ada, "port", text, session=session)
            assert [memory.content for memory in ada.router.consolidate(session).promoted] == [text]
        else:
            ada.router.write("port", text, tier="long_term")
        assert ada.router.read("port").value == text
    assert [memory.content for memory in ada.list()] == [texts[1]]
    assert ada.recall("which port does the gateway listen on")[0].memory.content == texts[1]
    ada.undo()
    assert ada.router.read("port", tier="long_term").value == texts[0]


def test_a_value_that_is_known_already_gets_the_key(ada) -> None:
    stored = ada.remember("The gateway port is 8080", scope="agent").memory
    used(ada, "port", "the gateway port is 8080.")
    assert [memory.id for memory in ada.router.consolidate("s1").known] == [stored.id]
    assert ada.router.read("port").value == "The gateway port is 8080"


def test_what_an_agent_writes_is_seen_by_it_alone(ada, memory) -> None:
    ada.router.write("port", "The gateway port is 8080", tier="long_term")
    with pytest.raises(NotFound):
        memory.with_identity(agent="bob").router.read("port")


def test_undoing_a_promotion_puts_the_entry_back(ada, clock) -> None:
    used(ada, "port", "The gateway port is 8080", times=4)
    before = ada.short_term.peek("port", session="s1")
    ada.router.consolidate("s1")
    assert not ada.short_term.exists("port", session="s1")
    ada.undo()
    assert ada.short_term.peek("port", session="s1") == before
    assert ada.list() == []
    assert len(ada.router.consolidate("s1").promoted) == 1


def test_a_key_that_was_deleted_can_be_written_again(ada) -> None:
    ada.router.write("port", "The gateway port is 8080", tier="long_term")
    ada.router.delete("port")
    assert ada.router.write("port", "The gateway port is 8080", tier="long_term").kind == "refused"
    ada.router.write("port", "Port 9090 is where the gateway listens", tier="long_term")
    assert ada.router.read("port").value == "Port 9090 is where the gateway listens"
    assert ada.remember("The gateway port is 8080").kind == "refused"


class Rewriting(HashingEmbedder):
    """Lets another write happen between what `consolidate` reads and what it stores: nothing is open while texts are embedded."""

    act = staticmethod(lambda: None)

    def embed_documents(self, texts, progress=None):
        act, self.act = self.act, lambda: None
        act()
        return super().embed_documents(texts, progress)


@pytest.mark.parametrize("first", [None, "The gateway port is 7070"])
def test_only_the_version_that_was_read_is_removed(tmp_path, clock, first) -> None:
    embedder = Rewriting()
    with recollect.open(tmp_path / "m.db", embedder=embedder, clock=clock) as memory:
        ada = memory.with_identity(agent="ada")
        if first is not None:
            ada.router.write("port", first, tier="long_term")
        used(ada, "port", "The gateway port is 8080")
        clock.advance(1)
        embedder.act = lambda: ada.short_term.write("port", "The gateway port is 9090", session="s1")
        done = ada.router.consolidate("s1")
        assert [memory.content for memory in done.promoted] == ["The gateway port is 8080"]
        assert ada.short_term.peek("port", session="s1").value == "The gateway port is 9090"
        assert done.left == 1


def test_without_working_memory_the_other_tiers_answer(tmp_path, clock, embedder) -> None:
    with redis_server() as server:
        opened = recollect.open(tmp_path / "m.db", embedder=embedder, clock=clock, working=server.url)
        ada = opened.with_identity(agent="ada")
        ada.router.write("plan", "restart the gateway at noon", tier="working")
        ada.router.write("port", "The gateway port is 8080", tier="long_term")
    with opened:
        assert ada.router.read("port").tier == "long_term"
        assert [hit.tier for hit in ada.router.semantic_search("gateway")] == ["long_term"]
        assert "problem" in ada.router.stats()["working"]
        used(ada, "seen", "The gateway was slow on Monday")
        assert len(ada.router.consolidate("s1").promoted) == 1
        # What only working memory can tell is not said to be missing, and nothing is half deleted.
        for ask in (
            lambda: ada.router.read("plan"),
            lambda: ada.router.read("port", tier="working"),
            lambda: ada.router.semantic_search("gateway", tiers=["working"]),
            lambda: ada.router.delete("port"),
        ):
            with pytest.raises(WorkingUnavailable):
                ask()
        assert ada.router.read("port").value == "The gateway port is 8080"
        assert ada.router.delete("port", tier="long_term") == ("long_term",)


def test_a_search_keeps_the_order_of_recall_and_the_scores(ada, clock) -> None:
    (old,) = ada.remember_many([{"content": "The office of Ana is in Porto", "importance": 0.9}], verbatim=True)
    clock.advance(86_400)
    (new,) = ada.remember_many(["The office of Ana is in Braga"], verbatim=True)
    ada.link(new.memory.id, old.memory.id, "contradicts")
    first, second = ada.router.semantic_search("where is the office of Ana")
    assert (first.key, second.key) == (new.memory.id, old.memory.id)
    assert first.score < second.score


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


def test_a_value_belongs_to_its_key_whatever_else_says_the_same(memory) -> None:
    memory.remember("The lighthouse is painted white")
    for key in ("one", "two"):
        memory.router.write(key, "The lighthouse is painted white", tier="long_term")
    memory.router.write("api", "The pump runs on port 80", tier="long_term")
    memory.router.write("web", "The pump runs on port 81", tier="long_term")
    for key in ("one", "two"):
        assert memory.router.read(key).value == "The lighthouse is painted white"
    assert (memory.router.read("api").value, memory.router.read("web").value) == (
        "The pump runs on port 80",
        "The pump runs on port 81",
    )


def test_an_entry_whose_key_would_be_lost_is_kept(memory) -> None:
    for key in ("one", "two"):
        memory.short_term.write(key, "The lighthouse is painted white", session="s1")
        for _ in range(3):
            memory.short_term.read(key, "s1")
    memory.flush()
    memory.router.consolidate("s1")
    for key in ("one", "two"):
        assert memory.router.read(key, session="s1").value == "The lighthouse is painted white"


def endless() -> list[object]:
    """A list that contains itself."""
    value: list[object] = []
    value.append(value)
    return value


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


NO_VALUES = {
    "a number of numpy": (lambda: np.float32(0.5), "float32 is not JSON"),
    "an array": (lambda: np.zeros(3), "ndarray is not JSON"),
    "a set": (lambda: {1, 2}, "set is not JSON"),
    "bytes": (lambda: {"k": b"bytes"}, "value.k: bytes is not JSON"),
    "a huge number": (lambda: 10**5000, "more than 64 bits"),
    "no number": (lambda: [float("nan")], "nan is not JSON"),
    "a deep list": (lambda: nested(5000), "100 deep"),
    "itself": (endless, "100 deep"),
    "a key that is no text": (lambda: {1: 2}, "which is not text"),
    "half a character": (lambda: "a\ud800", "lone surrogate"),
    "too much": (lambda: ["x" * 1_000_001], "1,000,000 bytes"),
}


@pytest.mark.parametrize("what", NO_VALUES)
def test_every_tier_refuses_what_is_no_value_in_the_same_words(ada, what) -> None:
    make, message = NO_VALUES[what]
    ada.pools.create("board")
    before = ada.log(limit=50)
    told = set()
    for tier, where in (
        ("working", {}),
        ("short_term", {"session": "s1"}),
        ("long_term", {}),
        ("shared", {"pool": "board"}),
    ):
        with pytest.raises(InvalidInput) as refused:
            ada.router.write("k", make(), tier=tier, **where)
        told.add(str(refused.value).replace("data", "value"))
    assert len(told) == 1, told
    assert message in told.pop()
    assert ada.log(limit=50) == before


def test_a_value_of_long_term_memory_comes_back_as_json_keeps_it(ada) -> None:
    ada.router.write("point", (1, {"a": [True, None, 2.5]}), tier="long_term")
    assert ada.router.read("point", tier="long_term").value == [1, {"a": [True, None, 2.5]}]
