"""Bad input gets an error that names the field and says what to do, and changes nothing."""

from datetime import UTC, datetime

import pytest

from recollect import AmbiguousId, InvalidInput, NotFound, RecollectError

WRONG = [
    ({"content": ""}, "content"),
    ({"content": "  \n\t "}, "content"),
    ({"content": "x" * 1_000_000}, "content"),
    ({"content": "a\x00b"}, "content"),
    ({"content": "half an emoji \ud83d"}, "content"),
    ({"content": 7}, "content"),
    ({"content": "We use Postgres here", "weight": 7}, "weight"),
    ({"content": "We use Postgres here", "weight": 0.05}, "weight"),
    ({"content": "We use Postgres here", "weight": float("nan")}, "weight"),
    ({"content": "We use Postgres here", "importance": -0.1}, "importance"),
    ({"content": "We use Postgres here", "confidence": "high"}, "confidence"),
    ({"content": "We use Postgres here", "type": "gossip"}, "type"),
    ({"content": "We use Postgres here", "scope": "universe"}, "scope"),
    ({"content": "We use Postgres here", "delivery": "pigeon"}, "delivery"),
    ({"content": "We use Postgres here", "source": "rumour"}, "source"),
    ({"content": "We use Postgres here", "ttl": -1}, "ttl"),
    ({"content": "We use Postgres here", "ttl": 0}, "ttl"),
    ({"content": "We use Postgres here", "ttl": float("inf")}, "ttl"),
    ({"content": "We use Postgres here", "expires_at": datetime(2001, 1, 1, tzinfo=UTC)}, "expires_at"),
    ({"content": "We use Postgres here", "expires_at": datetime(2099, 1, 1)}, "expires_at"),
    ({"content": "We use Postgres here", "occurred_at": datetime(2020, 1, 1)}, "occurred_at"),
    ({"content": "We use Postgres here", "occurred_at": "last week"}, "occurred_at"),
    ({"content": "We use Postgres here", "project": ""}, "project"),
    ({"content": "We use Postgres here", "project": "a\nb"}, "project"),
    ({"content": "We use Postgres here", "scope": "session"}, "session"),
    ({"content": "We use Postgres here", "scope": "project"}, "project"),
    ({"content": "We use Postgres here", "tags": "deploy"}, "tags"),
    ({"content": "We use Postgres here", "tags": ["ok", ""]}, "tags"),
    ({"content": "We use Postgres here", "position": -1}, "position"),
    ({"content": "We use Postgres here", "message_range": (5, 2)}, "message_range"),
    ({"content": "We use Postgres here", "supersedes": "01a1e108"}, "supersedes"),
    ({"content": "We use Postgres here", "colour": "red"}, "colour"),
]


@pytest.mark.parametrize(("draft", "field"), WRONG, ids=[f"{field}-{i}" for i, (_, field) in enumerate(WRONG)])
def test_a_bad_draft_names_the_field_and_the_fix_and_stores_nothing(memory, draft, field) -> None:
    with pytest.raises(InvalidInput) as caught:
        memory.remember_many([draft])
    assert caught.value.field == field
    assert len(caught.value.fix) > 3
    assert str(caught.value).startswith(field)
    assert memory.stats()["statuses"] == {}
    assert memory.log() == []


def test_an_unknown_keyword_is_refused_with_the_list(memory) -> None:
    with pytest.raises(InvalidInput, match="fields: content") as caught:
        memory.remember("We use Postgres here", colour="red")
    assert caught.value.field == "colour"


def test_one_bad_draft_among_many_stores_none_of_them(memory) -> None:
    with pytest.raises(InvalidInput) as caught:
        memory.remember_many(["We use Postgres", {"content": "We deploy on Friday", "weight": 7}])
    assert caught.value.field == "drafts[1].weight"
    assert memory.list() == []


@pytest.mark.parametrize("verb", ["get", "forget", "restore", "reinforce", "demote", "history", "purge"])
def test_a_missing_id_is_an_error_not_a_silent_no_op(memory, verb) -> None:
    with pytest.raises(NotFound):
        getattr(memory, verb)("01a1e108-5c9b-7f73-891f-c8dd8729b743")


@pytest.mark.parametrize("bad", ["", "zz", "not-an-id!", None, "a" * 40, "%%%%"])
def test_what_is_not_an_id_is_said_so(memory, bad) -> None:
    with pytest.raises(InvalidInput):
        memory.get(bad)


def test_an_id_may_be_cut_short_while_it_stays_unique(memory) -> None:
    one = memory.remember("The staging database lives in Frankfurt").memory
    two = memory.remember("Invoices are sent on the first of the month").memory
    assert memory.get(one.id[-8:]).id == one.id
    assert memory.get(two.id[:-1]).id == two.id
    with pytest.raises(AmbiguousId):
        memory.get(one.id[:4])


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda m: m.recall(""), "query"),
        (lambda m: m.recall("x", limit=0), "limit"),
        (lambda m: m.recall("x", limit=10**6), "limit"),
        (lambda m: m.recall("x", profile="best"), "profile"),
        (lambda m: m.recall("x", type="gossip"), "type"),
        (lambda m: m.recall("x", colour="red"), "colour"),
        (lambda m: m.recall("x", project=""), "project"),
        (lambda m: m.recall("x", since=datetime(2020, 1, 1)), "since"),
        (lambda m: m.search("x", mode="psychic"), "mode"),
        (lambda m: m.list(status="lost"), "status"),
        (lambda m: m.list(limit=-1), "limit"),
        (lambda m: m.as_of("tomorrow"), "as_of"),
        (lambda m: m.as_of("2999-01-01T00:00:00+00:00"), "as_of"),
        (lambda m: m.disable(), "project"),
    ],
)
def test_a_bad_question_names_the_field(memory, call, field) -> None:
    with pytest.raises(InvalidInput) as caught:
        call(memory)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "text", ['NOT OR AND "', "NEAR(", "tags:*", "x" * 5000, "🙂", "\x00", "a\ud800", "' OR 1=1 --", "%_%"]
)
def test_any_text_may_be_asked_without_harm(memory, text) -> None:
    memory.remember("We use Postgres for everything")
    assert isinstance(len(memory.recall(text)), int)
    assert isinstance(len(memory.search(text, mode="lexical")), int)


@pytest.mark.parametrize(
    ("changes", "field"),
    [({}, "update"), ({"status": "lost"}, "status"), ({"weight": 7}, "weight"), ({"content": " "}, "content")],
)
def test_a_bad_update_changes_nothing(memory, changes, field) -> None:
    kept = memory.remember("We use Postgres").memory
    with pytest.raises(InvalidInput) as caught:
        memory.update(kept.id, **changes)
    assert caught.value.field == field
    assert memory.get(kept.id).content == "We use Postgres"
    assert len(memory.history(kept.id)) == 1


def test_every_error_is_ours() -> None:
    import recollect.errors as tree

    leaves = [value for value in vars(tree).values() if isinstance(value, type) and issubclass(value, Exception)]
    assert all(issubclass(leaf, RecollectError) for leaf in leaves)


@pytest.mark.parametrize("drafts", ["one string", b"bytes", {"content": "We use Postgres"}, None, 7])
def test_many_drafts_are_a_list_and_a_single_text_is_refused(memory, drafts) -> None:
    with pytest.raises(InvalidInput) as caught:
        memory.remember_many(drafts)
    assert caught.value.field == "drafts" and memory.list() == []
