"""Short-term memory: typed entries per agent and session, counted when read, gone for good when their time is over."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import recollect
from recollect import InvalidInput, NotFound
from recollect.errors import Disabled
from recollect.testing.clock import FixedClock
from recollect.values.enums import SHORT_TERM_TYPES


@pytest.fixture
def ada(memory):
    return memory.with_identity(agent="ada").short_term


def test_an_entry_says_everything_about_itself(ada, clock) -> None:
    entry = ada.write("plan", {"steps": [1, 2]}, session="s1", type="plan", ttl=60)
    assert (entry.session, entry.key, entry.value, entry.type, entry.ttl) == (
        "s1",
        "plan",
        {"steps": [1, 2]},
        "plan",
        60,
    )
    assert (entry.created_at, entry.updated_at) == (clock(), clock())
    assert entry.expires_at == clock() + timedelta(seconds=60)
    assert (entry.access_count, entry.accessed_at) == (0, None)
    assert ada.peek("plan", session="s1") == entry


def test_defaults_are_general_and_an_hour(ada) -> None:
    entry = ada.write("k", None, session="s1")
    assert (entry.type, entry.ttl, entry.value) == ("general", 3600, None)


def test_reading_and_touching_count_and_looking_does_not(ada, clock) -> None:
    ada.write("k", 1, session="s1")
    clock.advance(5)
    assert ada.read("k", session="s1").access_count == 1
    clock.advance(5)
    assert ada.touch("k", "s1").access_count == 2
    seen_at = clock()
    clock.advance(5)
    for _ in range(2):
        assert ada.exists("k", session="s1")
        (listed,) = ada.entries()
    seen = ada.peek("k", session="s1")
    assert seen == listed
    assert (seen.access_count, seen.accessed_at, seen.value) == (2, seen_at, 1)
    assert seen.updated_at == seen.created_at


def test_no_access_is_lost_when_many_read_at_once(ada) -> None:
    ada.write("k", 1, session="s1")
    with ThreadPoolExecutor(8) as threads:
        counts = list(threads.map(lambda _: ada.read("k", session="s1").access_count, range(40)))
    assert all(1 <= count <= 40 for count in counts)
    assert ada.touch("k", session="s1").access_count == 41


def test_writing_again_replaces_the_value_and_keeps_the_count(ada, clock) -> None:
    first = ada.write("k", 1, session="s1", ttl=60)
    ada.read("k", session="s1")
    clock.advance(50)
    second = ada.write("k", 2, session="s1", type="state")
    assert (second.value, second.type, second.access_count) == (2, "state", 1)
    assert (second.created_at, second.updated_at) == (first.created_at, clock())
    clock.advance(50)
    assert ada.peek("k", session="s1") == second
    assert len(ada.entries()) == 1


def test_an_entry_is_not_found_from_the_moment_it_expires(ada, clock) -> None:
    ada.write("k", 1, session="s1", ttl=10)
    clock.advance(9.999999)
    assert ada.exists("k", session="s1")
    clock.advance(0.000001)
    for verb in (ada.read, ada.peek, ada.touch, ada.refresh_ttl):
        with pytest.raises(NotFound, match="'k' of session 's1'"):
            verb("k", session="s1")
    assert not ada.exists("k", session="s1")
    assert not ada.remove("k", session="s1")
    assert (ada.entries(), ada.entries("s1"), ada.sessions()) == ([], [], [])


def test_what_is_written_after_the_old_one_expired_starts_afresh(ada, clock) -> None:
    ada.write("k", 1, session="s1", ttl=10)
    ada.read("k", session="s1")
    clock.advance(10)
    entry = ada.write("k", 2, session="s1")
    assert (entry.access_count, entry.accessed_at, entry.created_at) == (0, None, clock())
    assert ada.peek("k", session="s1") == entry
    assert ada.cleanup_expired() == 0


def test_refreshing_lets_an_entry_live_on_from_now(ada, clock) -> None:
    ada.write("k", 1, session="s1", ttl=10)
    clock.advance(9)
    assert ada.refresh_ttl("k", "s1").expires_at == clock() + timedelta(seconds=10)
    clock.advance(9)
    longer = ada.refresh_ttl("k", "s1", ttl=timedelta(minutes=1))
    assert (longer.ttl, longer.expires_at, longer.value) == (60, clock() + timedelta(minutes=1), 1)
    clock.advance(59)
    assert ada.exists("k", session="s1")
    clock.advance(1)
    assert not ada.exists("k", session="s1")


def test_removing_says_whether_it_was_there(ada) -> None:
    ada.write("k", 1, session="s1")
    assert not ada.remove("k", session="s2")
    assert ada.remove("k", session="s1")
    assert not ada.remove("k", session="s1")


def test_sessions_agents_and_accounts_are_apart(memory) -> None:
    views = {
        "nobody": memory.short_term,
        "ada": memory.with_identity(agent="ada").short_term,
        "eve": memory.with_identity(agent="eve").short_term,
        "other": memory.with_identity(account="other", agent="ada").short_term,
    }
    for name, view in views.items():
        for session in ("s", "s1", "t"):
            view.write("k", f"{name} {session}", session=session)
    for name, view in views.items():
        assert view.peek("k", session="s1").value == f"{name} s1"
        assert [entry.value for entry in view.entries(session="s")] == [f"{name} s"]
        assert view.sessions() == ["s", "s1", "t"]
    views["ada"].remove("k", session="s")
    assert all(view.exists("k", session="s") == (name != "ada") for name, view in views.items())


def test_entries_are_the_newest_first_and_of_one_type_on_wish(ada, clock) -> None:
    for number, kind in enumerate(SHORT_TERM_TYPES):
        ada.write(f"k{number}", number, session=f"s{number % 2}", type=kind)
        clock.advance(1)
    ada.write("k0", "again", session="s0", type=SHORT_TERM_TYPES[0])
    assert [entry.key for entry in ada.entries()] == ["k0", *(f"k{n}" for n in range(len(SHORT_TERM_TYPES) - 1, 0, -1))]
    assert [entry.key for entry in ada.entries("s1", type="general")] == ["k7"]
    assert ada.entries("s0", type="general") == []


def test_cleaning_up_deletes_what_expired_and_only_that(memory, ada, clock) -> None:
    ada.write("short", 1, session="s1", ttl=10)
    ada.write("long", 1, session="s1", ttl=100)
    memory.with_identity(agent="eve").short_term.write("short", 1, session="s1", ttl=10)
    memory.with_identity(account="other").short_term.write("short", 1, session="s1", ttl=10)
    clock.advance(10)
    assert ada.cleanup_expired() == 1
    # What was another's went too, and is not told.
    assert memory.with_identity(agent="eve").short_term.cleanup_expired() == 0
    assert [entry.key for entry in ada.entries()] == ["long"]
    assert memory.with_identity(account="other").short_term.cleanup_expired() == 1


def test_what_expired_and_was_cleaned_up_leaves_no_byte_and_no_event(tmp_path, clock) -> None:
    with recollect.open(tmp_path / "m.db", embedder="none", clock=clock) as memory:
        memory.short_term.write("quince", "kumquat " * 3000, session="medlar", ttl=10)
        memory.short_term.write("quince", "kumquat", session="medlar", ttl=10)
        memory.short_term.read("quince", session="medlar")
        memory.short_term.write("removed", "tamarind", session="medlar")
        memory.short_term.remove("removed", session="medlar")
        assert memory.log() == []
        clock.advance(10)
        assert memory.short_term.cleanup_expired() == 1
    held = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    for word in (b"kumquat", b"quince", b"medlar", b"tamarind"):
        assert word not in held


def test_entries_live_across_processes(tmp_path, clock) -> None:
    for number in (0, 1):
        with recollect.open(tmp_path / "m.db", embedder="none", clock=clock) as memory:
            if number == 0:
                memory.short_term.write("k", [1], session="s1")
            assert memory.short_term.read("k", session="s1").access_count == number + 1


def test_a_store_that_cannot_be_written_is_read_without_counting(tmp_path, clock) -> None:
    with recollect.open(tmp_path / "m.db", embedder="none", clock=clock) as memory:
        memory.short_term.write("k", 1, session="s1")
    (tmp_path / "m.db").chmod(0o400)
    with recollect.open(tmp_path / "m.db", embedder="none", clock=clock) as memory:
        assert memory.short_term.read("k", session="s1").access_count == 0
    (tmp_path / "m.db").chmod(0o600)


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("type", {"type": "diary"}), ("type", {"type": None}), ("ttl", {"ttl": 0}), ("ttl", {"ttl": 31 * 86400}),
        ("ttl", {"ttl": None}), ("session", {"session": None}), ("session", {"session": "a\x1fb"}), ("key", {"key": ""}),
        ("value", {"value": {1, 2}}), ("value", {"value": float("inf")}), ("value", {"value": "AKIAQYLPMN5HFIQR7XYA"}),
        ("value", {"value": {"card": "4111 1111 1111 1111"}}), ("value", {"key": "password", "value": "hunter2-Xy9zQ!"}),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_and_changes_nothing(ada, field, given) -> None:
    ada.write("k", 1, session="s1")
    before = ada.entries()
    with pytest.raises(InvalidInput, match=field):
        ada.write(**{"key": "k", "value": 2, "session": "s1", **given})
    assert ada.entries() == before


def test_while_memory_is_off_nothing_is_kept_or_told(memory) -> None:
    memory.short_term.write("k", 1, session="s1")
    memory.disable(everywhere=True)
    for verb in (memory.short_term.read, memory.short_term.peek, memory.short_term.remove):
        with pytest.raises(Disabled):
            verb("k", session="s1")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.floats(-1, 1) | st.text('aé "\\\n', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=8,
)
WRITES = st.lists(
    st.tuples(st.sampled_from("xy"), st.sampled_from("ab"), VALUES, st.integers(1, 4), st.integers(0, 2)), max_size=12
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(WRITES)
def test_entries_are_what_a_dictionary_with_ends_would_hold(writes) -> None:
    clock, known = FixedClock(), {}
    with recollect.open(":memory:", embedder="none", clock=clock) as memory:
        for session, key, value, ttl, wait in writes:
            memory.short_term.write(key, value, session=session, ttl=ttl)
            known[session, key] = (value, clock() + timedelta(seconds=ttl))
            clock.advance(wait)
            living = {name: value for name, (value, end) in known.items() if end > clock()}
            assert {(entry.session, entry.key): entry.value for entry in memory.short_term.entries()} == living
        over = memory.short_term.cleanup_expired()
        assert over == len(known) - len(memory.short_term.entries())
