"""Copying a whole store: every account, every room, the journal; interrupted it goes on, and at the end it is proved."""

import pytest

import recollect
from recollect import Refused
from recollect.engine import copy


@pytest.fixture
def source(rich):
    """A store with two accounts."""
    acme = rich.with_identity(account="acme", agent="eve")
    acme.remember("Eve keeps the books of Acme", scope="agent")
    acme.remember("Acme sells anvils")
    return rich


def both(exported, memory) -> list[bytes]:
    options = {"history": True, "everything": True}
    return [exported(memory, **options), exported(memory.with_identity(account="acme"), **options)]


def test_every_account_is_there_byte_for_byte(source, another, exported) -> None:
    target = another("target")
    copied = copy(source, target)
    assert [(one.account, one.verified) for one in copied] == [("acme", True), ("default", True)]
    assert all(one.source == one.target for one in copied)
    assert both(exported, target) == both(exported, source)
    assert isinstance(target.remember("The vault code is on the fridge"), Refused)


def test_copying_again_brings_only_what_is_new(source, another) -> None:
    target = another("target")
    copy(source, target)
    log = target.log(limit=500)
    assert [one.imported.stored for one in copy(source, target)] == [0, 0]
    assert target.log(limit=500) == log
    source.remember("Something that came later")
    again = copy(source, target)
    assert [(one.imported.stored, one.verified) for one in again] == [(0, True), (1, True)]


@pytest.mark.parametrize("after", range(1, 8))
def test_an_interrupted_copy_goes_on_where_it_stopped(source, another, exported, after) -> None:
    """Stopped between any two pages: the second run leaves what one run would have left."""
    target = another("target")
    pages = 0

    def stop(done: int, total: int) -> None:
        nonlocal pages
        pages += 1
        if pages == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy(source, target, progress=stop)
    copied = copy(source, target)
    assert all(one.verified for one in copied)
    assert both(exported, target) == both(exported, source)


def test_what_the_target_refuses_is_told_and_not_called_verified(source, another) -> None:
    source.remember("Write to ada@example.org about it")
    strict = another("strict", personal={"email": "refuse"})
    mine = next(one for one in copy(source, strict) if one.account == "default")
    assert not mine.verified
    assert "personal data" in mine.imported.left_out[0].reason
    assert mine.source["memory"] == mine.target["memory"] + 1


def test_a_store_with_memories_of_its_own_keeps_them(source, another) -> None:
    target = another("target")
    own = target.remember("This was here before").memory
    copied = copy(source, target)
    assert all(one.verified for one in copied)
    assert target.get(own.id).content == "This was here before"


def test_to_postgresql_and_back_nothing_is_lost(source, another, exported, empty_database, clock, embedder) -> None:
    with recollect.open(empty_database, embedder=embedder, clock=clock) as server:
        assert all(one.verified for one in copy(source, server))
        assert both(exported, server) == both(exported, source)
        back = another("back")
        assert all(one.verified for one in copy(server, back))
    assert both(exported, back) == both(exported, source)
