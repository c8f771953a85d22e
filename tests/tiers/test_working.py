"""Working memory: values for the task at hand, each agent and task apart, gone in time, copied into the store on wish."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

import recollect
from recollect import InvalidInput
from recollect.errors import Disabled

HOUR = 3600


@pytest.fixture(params=["beside the store", "reference", "redis"])
def working_place(request):
    return request.param


@pytest.fixture
def ada(memory):
    return memory.with_identity(agent="ada")


def test_what_is_stored_comes_back_as_it_was(ada) -> None:
    for value in (None, True, 0, 1.5, "", "é\n\t", [1, [2]], {"a": {"b": [None]}}):
        ada.working.store("k", value)
        assert ada.working.retrieve("k", "missing") == value
        assert ada.working.exists("k")
    assert ada.working.retrieve("other", "missing") == "missing"
    assert not ada.working.exists("other")


def test_a_value_is_a_copy(ada) -> None:
    plan = {"steps": ["one"]}
    ada.working.store("plan", plan)
    plan["steps"].append("two")
    ada.working.retrieve("plan")["steps"].append("three")
    assert ada.working.retrieve("plan") == {"steps": ["one"]}


def test_a_value_lives_an_hour_unless_told_and_ends_at_that_moment(ada, clock) -> None:
    ada.working.store("hour", 1)
    ada.working.store("short", 1, ttl=0.5)
    ada.working.store("day", 1, ttl=timedelta(days=1))
    clock.advance(0.499999)
    assert ada.working.keys() == ["day", "hour", "short"]
    clock.advance(0.000001)
    assert ada.working.keys() == ["day", "hour"]
    clock.advance(HOUR - 0.500001)
    assert ada.working.exists("hour")
    clock.advance(0.000001)
    assert not ada.working.exists("hour")
    assert not ada.working.remove("hour")
    clock.advance(23 * HOUR)
    assert ada.working.keys() == []


@pytest.mark.parametrize("ttl", [0, -1, 86400.1, float("nan"), float("inf"), 10**400, 1e-9, True, "60", None])
def test_a_time_that_cannot_be_is_refused_and_changes_nothing(ada, ttl) -> None:
    ada.working.store("k", 1)
    with pytest.raises(InvalidInput, match=r"ttl.*86400"):
        ada.working.store("k", 2, ttl=ttl)
    assert ada.working.retrieve("k") == 1


def test_remove_and_clear_say_what_went(ada, clock) -> None:
    ada.working.store("a", 1)
    ada.working.store("b", 2)
    ada.working.store("over", 3, ttl=1)
    ada.working.store_task_state({"step": 1})
    ada.working.task("t1").store("a", 4)
    assert ada.working.remove("a")
    assert not ada.working.remove("a")
    clock.advance(1)
    assert ada.working.clear() == 2
    assert (ada.working.keys(), ada.working.task_state()) == ([], None)
    assert ada.working.task("t1").keys() == ["a"]


def test_agents_tasks_and_accounts_are_rooms_apart(memory, ada) -> None:
    rooms = {
        "nobody": memory.working,
        "ada": ada.working,
        "eve": memory.with_identity(agent="eve").working,
        "task": ada.working.task("t1"),
        "other task": ada.working.task("t2"),
        "account": memory.with_identity(account="other", agent="ada").working,
        "run": ada.working.workflow("t1"),
    }
    for name, room in rooms.items():
        room.store("k", name)
        room.store_task_state(name)
    assert [room.retrieve("k") for room in rooms.values()] == list(rooms)
    assert [room.task_state() for room in rooms.values()] == list(rooms)


def test_a_run_of_a_workflow_is_shared_by_all_agents_of_the_account(memory, ada) -> None:
    ada.working.workflow("run-7").store("node", {"done": True})
    for view in (memory, memory.with_identity(agent="eve")):
        assert view.working.workflow("run-7").retrieve("node") == {"done": True}
    assert memory.with_identity(account="other").working.workflow("run-7").keys() == []


def test_what_a_task_is_made_of_has_a_place_each(ada) -> None:
    task = ada.working.task("migrate")
    task.store("conversation", "a key of that name is something else")
    task.store_task_state({"step": 2})
    task.store_intermediate_result("parse", [1, 2])
    task.store_intermediate_result("count", 2)
    task.store_tool_state("browser", {"tab": 3})
    task.store_scratch_pad("first thought")
    task.append_to_scratch_pad("second thought")
    task.store_conversation_context([{"role": "user", "content": "hello"}])
    assert task.append_to_conversation({"role": "assistant", "content": "hi"}) == 2
    assert task.task_state() == {"step": 2}
    assert (task.intermediate_result("parse"), task.intermediate_result("nothing")) == ([1, 2], None)
    assert task.intermediate_results() == {"parse": [1, 2], "count": 2}
    assert (task.tool_state("browser"), task.tool_state("shell")) == ({"tab": 3}, None)
    assert task.scratch_pad() == "first thought\nsecond thought"
    assert [message["content"] for message in task.conversation_context()] == ["hello", "hi"]
    assert task.keys() == ["conversation"]


def test_what_was_never_stored_is_empty(ada) -> None:
    assert (ada.working.conversation_context(), ada.working.scratch_pad()) == ([], "")
    assert (ada.working.task_state(), ada.working.intermediate_results()) == (None, {})


def test_nothing_is_lost_when_many_append_at_once(memory) -> None:
    with ThreadPoolExecutor(8) as threads:
        counts = list(threads.map(lambda n: memory.working.append_to_conversation({"n": n}), range(80)))
        list(threads.map(lambda n: memory.working.append_to_scratch_pad(str(n)), range(40)))
    assert sorted(counts) == list(range(1, 81))
    assert {message["n"] for message in memory.working.conversation_context()} == set(range(80))
    assert sorted(map(int, memory.working.scratch_pad().splitlines())) == list(range(40))


def test_appending_past_what_a_value_may_hold_changes_nothing(ada) -> None:
    ada.working.store_scratch_pad("word " * 199_000)
    with pytest.raises(InvalidInput, match="text"):
        ada.working.append_to_scratch_pad("more " * 2_000)
    assert len(ada.working.scratch_pad()) == 5 * 199_000


def test_what_one_agent_shares_only_the_other_can_take(memory, ada) -> None:
    ada.working.share_with_agent("eve", "plan", {"go": 1})
    assert memory.with_identity(agent="eve").working.retrieve_shared("ada", "plan") == {"go": 1}
    for view in (memory.with_identity(agent="bob"), memory.with_identity(account="other", agent="eve"), ada):
        assert view.working.retrieve_shared("ada", "plan", "missing") == "missing"
    assert memory.with_identity(agent="eve").working.keys() == ada.working.keys() == []
    assert memory.with_identity(agent="eve").working.retrieve_shared("bob", "plan") is None


def test_sharing_ends_in_time_and_needs_to_know_who_shares(memory, ada, clock) -> None:
    ada.working.share_with_agent("eve", "plan", 1, ttl=5)
    clock.advance(5)
    assert memory.with_identity(agent="eve").working.retrieve_shared("ada", "plan") is None
    with pytest.raises(InvalidInput, match="with_identity\\(agent="):
        memory.working.share_with_agent("eve", "plan", 1)
    with pytest.raises(InvalidInput, match="with_identity\\(agent="):
        memory.working.retrieve_shared("ada", "plan")


@pytest.mark.parametrize(
    "bad",
    [
        {"key": "AKIAQYLPMN5HFIQR7XYA"},
        "my password is\nhunter2-Xy9zQ!",
        'he said "password: hunter2-Xy9zQ!"',
        ["card 4111 1111 1111 1111"],
    ],
)
def test_secrets_are_refused_at_every_way_in(ada, bad) -> None:
    working = ada.working
    ways = (
        lambda: working.store("k", bad),
        lambda: working.store_task_state(bad),
        lambda: working.store_intermediate_result("s", bad),
        lambda: working.store_conversation_context([bad]),
        lambda: working.append_to_conversation(bad),
        lambda: working.store_tool_state("t", bad),
        lambda: working.store_scratch_pad(str(bad)),
        lambda: working.append_to_scratch_pad(str(bad)),
        lambda: working.share_with_agent("eve", "k", bad),
    )
    for way in ways:
        with pytest.raises(InvalidInput, match=r"holds a secret|contains"):
            way()
    assert working.clear() == 0


def test_a_key_tells_what_its_value_is(ada) -> None:
    with pytest.raises(InvalidInput, match="secret"):
        ada.working.store("password", "hunter2-Xy9zQ!")
    ada.working.store("word", "hunter2-Xy9zQ!")


@pytest.mark.parametrize("bad", [float("nan"), b"bytes", {1: "x"}, {"a": {2}}, object(), "\ud800", ["x" * 1_000_001]])
def test_what_is_not_json_is_refused(ada, bad) -> None:
    with pytest.raises(InvalidInput, match="value"):
        ada.working.store("k", bad)
    assert not ada.working.exists("k")


@pytest.mark.parametrize("bad", [None, "", "  ", 7, "two\nlines", "unit\x1fseparator", "x" * 513])
def test_a_name_must_be_a_name(ada, bad) -> None:
    ways = (ada.working.retrieve, ada.working.exists, ada.working.remove, ada.working.task, ada.working.workflow)
    for way in (*ways, lambda name: ada.working.store(name, 1), ada.working.tool_state):
        with pytest.raises(InvalidInput):
            way(bad)


def test_wrong_kinds_are_named(ada) -> None:
    with pytest.raises(InvalidInput, match="messages"):
        ada.working.store_conversation_context("hello")
    with pytest.raises(InvalidInput, match="text"):
        ada.working.append_to_scratch_pad(["line"])


def test_while_memory_is_off_nothing_is_kept_or_told(memory) -> None:
    memory.working.store("k", 1)
    memory.disable(everywhere=True)
    for way in (lambda: memory.working.store("k", 2), lambda: memory.working.retrieve("k"), memory.working.keys):
        with pytest.raises(Disabled):
            way()
    memory.enable(everywhere=True)
    assert memory.working.retrieve("k") == 1


@pytest.mark.parametrize("working_place", ["beside the store"], indirect=True)
def test_nothing_of_it_is_in_the_journal_or_the_store_and_nobody_pays_who_does_not_use_it(memory, tmp_path) -> None:
    memory.remember("Kestrel builds run nightly")
    assert not (tmp_path / "memory.db.working").exists()
    before = len(memory.log())
    memory.working.store("k", "kumquat")
    assert (tmp_path / "memory.db.working").exists()
    assert len(memory.log()) == before
    assert b"kumquat" not in b"".join(file.read_bytes() for file in tmp_path.glob("memory.db-wal"))


def test_what_is_persisted_outlives_the_file_of_working_memory(tmp_path, clock) -> None:
    with recollect.open(tmp_path / "m.db", embedder="none", clock=clock) as memory:
        task = memory.with_identity(agent="ada").working.task("t1")
        task.store("long", {"n": 1}, ttl=HOUR)
        task.store("short", 2, ttl=60)
        task.store_task_state("half way")
        assert task.persist_to_database() == 3
    (tmp_path / "m.db.working").unlink()
    clock.advance(60)
    with recollect.open(tmp_path / "m.db", embedder="none", clock=clock) as memory:
        task = memory.with_identity(agent="ada").working.task("t1")
        assert task.keys() == []
        assert task.load_from_database() == 2
        assert (task.keys(), task.retrieve("long"), task.task_state()) == (["long"], {"n": 1}, "half way")
        clock.advance(HOUR - 60)
        assert task.keys() == []


def test_rooms_are_persisted_apart(memory, ada) -> None:
    views = [
        memory.working,
        ada.working,
        ada.working.task("t1"),
        ada.working.workflow("t1"),
        memory.with_identity(agent="eve").working,
    ]
    for number, view in enumerate(views):
        view.store("k", number)
        view.store_task_state(number)
        assert view.persist_to_database() == 2
    for view in views:
        view.clear()
    assert [view.load_from_database() for view in views] == [2] * 5
    assert [(view.retrieve("k"), view.task_state()) for view in views] == [(n, n) for n in range(5)]
    assert memory.with_identity(account="other").working.load_from_database() == 0


def test_persisting_again_follows_what_changed_and_loading_keeps_what_is_newer(ada) -> None:
    ada.working.store("a", 1)
    ada.working.store("b", 1)
    ada.working.persist_to_database()
    ada.working.remove("b")
    ada.working.store("a", 2)
    assert ada.working.load_from_database() == 1
    assert (ada.working.retrieve("a"), ada.working.retrieve("b")) == (2, 1)
    ada.working.remove("b")
    assert ada.working.persist_to_database() == 1
    ada.working.clear()
    assert ada.working.load_from_database() == 1
    assert ada.working.retrieve("a") == 2


def test_persisting_is_one_operation_and_can_be_undone(memory, ada) -> None:
    ada.working.store("a", 1)
    ada.working.store("b", 1)
    ada.working.persist_to_database()
    events = ada.log()
    assert [(event.kind, event.document) for event in events] == [("persist", "working")] * 2
    assert len({event.operation for event in events}) == 1
    ada.working.persist_to_database()
    assert len(ada.log()) == 2, "nothing changed, so nothing is told"
    assert memory.with_identity(agent="eve").log() == []
    ada.undo()
    ada.working.clear()
    assert ada.working.load_from_database() == 0


def test_what_expired_in_the_store_is_erased_with_its_journal_at_the_next_persisting(ada, clock, tmp_path) -> None:
    ada.working.task("old").store("k", "kumquat", ttl=60)
    ada.working.task("old").persist_to_database()
    clock.advance(60)
    ada.working.store("new", 1)
    ada.working.persist_to_database()
    assert "kumquat" not in str(ada.log(limit=50))
    ada.undo()
    ada.working.clear()
    assert ada.working.load_from_database() == 0
    ada.close()
    assert all(b"kumquat" not in file.read_bytes() for file in tmp_path.iterdir() if file.is_file())


def test_a_view_of_the_past_has_a_working_memory_of_its_own(memory, clock) -> None:
    memory.working.store("k", 1)
    then = clock()
    clock.advance(1)
    assert memory.as_of(then).working.keys() == []
