"""Everything of one user goes at once: no byte of the texts or of the name stays, and nothing of anybody else does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

import recollect
from recollect import InvalidInput, ReadOnly
from recollect.testing.clock import FixedClock

NAME = "quillfeather"
# In every text of the user, and nowhere else.
MARK = "zanzibar"
TEXT = f"Sails to {MARK} with seven crates of tea"
Find = Callable[[str], list[str]]
Trace = Callable[[recollect.Memory, recollect.Memory, FixedClock], object]


@pytest.fixture
def find(memory: recollect.Memory, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Find]:
    """The files of the store that contain a text: on a server, all data files of the database."""
    if request.node.callspec.params["memory"] == "file":
        yield lambda text: [str(p) for p in tmp_path.rglob("*") if p.is_file() and text.encode() in p.read_bytes()]
        return
    search = """WITH home AS (SELECT 'base/' || oid || '/' AS path FROM pg_database WHERE datname = current_database())
        SELECT path || name FROM home CROSS JOIN LATERAL pg_ls_dir(path) AS name
        WHERE position(%s::bytea IN pg_read_binary_file(path || name, 0, 1000000000, true)) > 0"""
    with psycopg.connect(request.getfixturevalue("empty_database"), autocommit=True) as connection:

        def found(text: str) -> list[str]:
            connection.execute("ANALYZE")
            connection.execute("CHECKPOINT")
            return [name for (name,) in connection.execute(search, [text.encode()])]

        yield found


def changed(memory: recollect.Memory, user: recollect.Memory, clock: FixedClock) -> None:
    one = user.remember(TEXT, tags=[MARK], metadata={"port": MARK}).memory.id
    user.update(one, content=f"Sails to {MARK} with nine crates of coffee")
    user.tag(one, "sea")


def undone(memory: recollect.Memory, user: recollect.Memory, clock: FixedClock) -> None:
    user.remember(TEXT)
    user.undo()


def forgotten(memory: recollect.Memory, user: recollect.Memory, clock: FixedClock) -> None:
    user.forget(user.remember(TEXT).memory.id, f"the trip to {MARK} is off")


def purged(memory: recollect.Memory, user: recollect.Memory, clock: FixedClock) -> None:
    user.purge(user.remember(f"Dines in {MARK} on every second Friday").memory.id)


def asked(memory: recollect.Memory, user: recollect.Memory, clock: FixedClock) -> None:
    user.recall(f"when does the ship to {MARK} leave the harbour?")


def pool(memory: recollect.Memory, user: recollect.Memory, clock: FixedClock) -> None:
    user.pools.create("board", data={"found": TEXT})
    user.pools.write_key("board", "found", f"the tea of {MARK}")
    user.pools.create("open", scope="global", data={"found": TEXT}, access={"public_read": True})
    user.pools.drop("board")


def context(memory: recollect.Memory, user: recollect.Memory, clock: FixedClock) -> None:
    user.contexts.create("base", type="knowledge_base", scope="global")
    user.contexts.add("base", TEXT)
    user.contexts.snapshot("base", "first")
    user.contexts.entries("base")


def used_by_others(memory: recollect.Memory, user: recollect.Memory, clock: FixedClock) -> None:
    """In what belongs to the account, the user has a grant, wrote a value, and is in the access log."""
    memory.pools.create("shared", scope="global", data={"a": 1}, access={"write": [f"user:{NAME}"]})
    user.pools.write_key("shared", "a", 2)
    memory.contexts.create("library", type="knowledge_base", scope="global")
    memory.contexts.grant("library", f"user:{NAME}", "write")
    memory.contexts.add("library", "The library opens at nine")
    user.contexts.entries("library")


def written_elsewhere(memory: recollect.Memory, user: recollect.Memory, clock: FixedClock) -> None:
    """A memory that all see and that names the user, and one of others that the user changed."""
    user.remember(TEXT, scope="global", user=NAME)
    kept = memory.remember("The mill grinds at dawn").memory.id
    user.forget(kept, f"{NAME} never saw it, in {MARK} or elsewhere")
    memory.restore(kept)


def moved_away(memory: recollect.Memory, user: recollect.Memory, clock: FixedClock) -> None:
    user.remember(TEXT)
    user.select(everything=True).move(scope="project", project="harbour")


def values(memory: recollect.Memory, user: recollect.Memory, clock: FixedClock) -> None:
    user.working.store("found", TEXT)
    user.working.task("t1").store("found", TEXT, ttl=1)
    user.working.persist_to_database()
    user.short_term.write("found", TEXT, session="s1")
    clock.advance(timedelta(seconds=2))


def by_an_agent(memory: recollect.Memory, user: recollect.Memory, clock: FixedClock) -> None:
    both = memory.with_identity(agent="bob", user=NAME)
    both.remember(TEXT)
    both.working.store("found", TEXT)
    both.describe_tag("sea", f"what lies before {MARK}")


TRACES: dict[str, Trace] = {
    "changed memories": changed,
    "undone": undone,
    "questions": asked,
    "pools": pool,
    "contexts": context,
    "things of others": used_by_others,
    "other places": written_elsewhere,
    "moved away": moved_away,
    "values": values,
    "an agent that served the user": by_an_agent,
    "narratives": lambda memory, user, clock: user.narratives.write(f"We spoke about {MARK}", session="s1"),
    "descriptions": lambda memory, user, clock: user.describe_tag("sea", f"what lies before {MARK}"),
    "purged": purged,
    "forgotten": forgotten,
}


def of_others(memory: recollect.Memory) -> None:
    """What another user, an agent and the account have, some of it in the same words."""
    memory.with_identity(user="penn").remember("Sails to Lisbon with seven crates of tea")
    memory.with_identity(user="penn").working.store("found", "Lisbon")
    memory.with_identity(agent="bob").remember("Bob likes tea", scope="agent")
    memory.remember("The harbour is closed in winter", project="harbour", scope="project")


def all_of(memory: recollect.Memory) -> dict[str, Any]:
    """Every memory and document of the account, by id."""
    lines = []
    with memory._uow.view() as reader:
        lines = [row.record for row in reader.scan("default", 0, 10_000)]
    return {record.id: record.to_dict() for record in lines}


@pytest.mark.parametrize("trace", TRACES)
def test_no_byte_of_the_texts_or_of_the_name_stays(
    memory: recollect.Memory, clock: FixedClock, find: Find, trace: str
) -> None:
    of_others(memory)
    others = all_of(memory)
    TRACES[trace](memory, memory.with_identity(user=NAME), clock)
    memory.flush()
    looked = memory.erase_user(NAME, dry_run=True)
    assert looked.dry_run
    assert looked.counts
    assert not looked.left
    done = memory.erase_user(NAME)
    assert (done.left, done.mentioned, done.pending, done.complete) == ({}, 0, (), True)
    assert done.counts == looked.counts
    for text in (MARK, NAME):
        assert find(text) == []
    after = all_of(memory)
    assert {each: after.get(each) for each in others} == others
    assert memory.with_identity(user="penn").working.retrieve("found") == "Lisbon"
    assert memory.erase_user(NAME).counts == {}


def test_everything_together_and_the_store_goes_on(memory: recollect.Memory, clock: FixedClock, find: Find) -> None:
    of_others(memory)
    user = memory.with_identity(user=NAME)
    for trace in TRACES.values():
        trace(memory, user, clock)
    assert find(MARK)
    problems = memory.doctor()["problems"]
    assert memory.erase_user(NAME).complete
    assert find(MARK) == find(NAME) == []
    assert user.list(scope="user", status="all") == []
    assert {one.user for one in memory.list(status="all")} == {None}
    assert memory.doctor()["problems"] == problems
    assert memory.pools.read("shared") == {"a": 2}
    # Who comes back under the name begins anew, and may say what was erased.
    assert user.remember(TEXT).kind == "stored"
    assert [hit.memory.content for hit in user.recall(f"who sails to {MARK}?")][:1] == [TEXT]


def test_what_is_erased_cannot_be_undone_or_seen_in_the_past(memory: recollect.Memory, clock: FixedClock) -> None:
    user = memory.with_identity(user=NAME)
    user.remember(TEXT)
    operation = user.log(limit=1)[0].operation
    then = clock()
    clock.advance(timedelta(days=1))
    memory.erase_user(NAME)
    for who in (memory, user):
        with pytest.raises((InvalidInput, recollect.NotFound)):
            who.undo(operation, force=True)
        with who.as_of(then) as past:
            assert MARK not in json.dumps([one.to_dict() for one in past.list(status="all")])
    assert MARK not in str(memory.log(limit=1000))


@pytest.mark.parametrize("who", [{"user": NAME}, {"user": "penn"}, {"agent": "bob"}, {"teams": ["core"]}])
def test_only_the_owner_of_the_account_erases_a_user(memory: recollect.Memory, who: dict[str, Any]) -> None:
    memory.with_identity(user=NAME).remember(TEXT)
    for dry_run in (True, False):
        with pytest.raises(ReadOnly, match="owner of the account"):
            memory.with_identity(**who).erase_user(NAME, dry_run=dry_run)
    assert memory.with_identity(user=NAME).count() == 1


def test_another_account_keeps_its_user_of_the_same_name(memory: recollect.Memory) -> None:
    elsewhere = memory.with_identity(account="elsewhere", user=NAME)
    elsewhere.remember(TEXT)
    elsewhere.working.store("found", TEXT)
    memory.with_identity(user=NAME).remember(TEXT)
    memory.erase_user(NAME)
    assert elsewhere.count() == 1
    assert elsewhere.working.retrieve("found") == TEXT


def test_a_user_whose_name_begins_alike_keeps_everything(memory: recollect.Memory) -> None:
    like = memory.with_identity(user=f"{NAME}s")
    like.remember(TEXT)
    like.pools.create("open", scope="global", data={"a": 1})
    memory.with_identity(user=NAME).remember("Sails to Lisbon")
    assert memory.erase_user(NAME).complete
    assert like.count() == 1
    assert like.pools.read("open") == {"a": 1}
    assert {event.actor for event in like.log()} == {f"user:{NAME}s"}


def test_what_only_mentions_the_name_stays_and_is_counted(memory: recollect.Memory) -> None:
    memory.remember(f"The desk of {NAME.title()} is free")
    memory.with_identity(user=NAME).remember(TEXT)
    done = memory.erase_user(NAME)
    assert (done.mentioned, done.complete, memory.count()) == (1, True, 1)


def test_it_works_while_memory_is_off(memory: recollect.Memory) -> None:
    memory.with_identity(user=NAME).remember(TEXT)
    memory.disable(everywhere=True)
    assert memory.erase_user(NAME).counts["memory"] == 1
