"""What `remember` promises: an outcome for every draft, duplicates that reinforce, changes that supersede, nothing silent."""

from datetime import UTC, datetime

import pytest

import recollect
from recollect import Draft, Refused, Reinforced, Stored, Superseded


def test_a_new_memory_carries_what_was_said_about_it(memory) -> None:
    out = memory.remember(
        "We deploy with make deploy",
        type="procedure",
        project="shop",
        tags=["Deploy", "#ops", "deploy"],
        importance=0.8,
        session="s1",
        position=3,
        speaker="Ana",
        occurred_at="2026-01-02T03:04:05+02:00",
        source="observed",
        file_paths=["Makefile"],
        snippet="deploy: build push",
        reason="seen in the Makefile",
        message_range=(2, 3),
    )
    assert isinstance(out, Stored)
    kept = memory.get(out.memory.id)
    assert kept == out.memory
    assert (kept.type, kept.scope, kept.project, kept.tags) == ("procedure", "project", "shop", ("deploy", "ops"))
    assert kept.provenance.kind == "observed" and kept.trust == 0.8
    assert (kept.session, kept.position, kept.speaker) == ("s1", 3, "Ana")
    assert kept.occurred_at == datetime(2026, 1, 2, 1, 4, 5, tzinfo=UTC)
    assert kept.provenance.message_range == (2, 3) and kept.provenance.file_paths == ("Makefile",)


@pytest.mark.parametrize(
    ("fields", "scope"),
    [
        ({}, "global"),
        ({"project": "shop"}, "project"),
        ({"project": "shop", "session": "s1"}, "project"),
        ({"session": "s1"}, "global"),
        ({"session": "s1", "scope": "session"}, "session"),
        ({"project": "shop", "scope": "global"}, "global"),
        ({"agent": "a1", "scope": "agent"}, "agent"),
        ({"team": "core", "scope": "team"}, "team"),
        ({"task": "t9", "scope": "task"}, "task"),
    ],
)
def test_the_scope_is_the_project_when_there_is_one_and_narrower_only_on_request(memory, fields, scope) -> None:
    writer = memory.with_identity(agent="a1", teams=["core"])
    assert writer.remember("Invoices are sent on Fridays", **fields).memory.scope == scope


def test_the_same_text_again_reinforces_and_leaves_a_breadcrumb(memory) -> None:
    first = memory.remember("We use Postgres 16", session="s1", position=0).memory
    again = memory.remember("  we use postgres 16. ", session="s2", position=7)
    assert isinstance(again, Reinforced)
    kept = memory.get(first.id)
    assert kept.strength == 2
    assert [(c.session, c.message) for c in kept.breadcrumbs] == [("s2", 7)]
    assert len(memory.list()) == 1


def test_a_changed_value_supersedes_and_keeps_its_history(memory) -> None:
    old = memory.remember("The staging server listens on port 9001").memory
    out = memory.remember("The staging server listens on port 9002")
    assert isinstance(out, Superseded) and out.old.id == old.id
    assert [m.content for m in memory.list()] == ["The staging server listens on port 9002"]
    assert memory.get(old.id).status == "superseded"
    assert memory.get(old.id).superseded_by == out.memory.id
    assert [m.id for m in memory.list(status="superseded")] == [old.id]
    assert [h.memory.id for h in memory.recall("which port does staging listen on")] == [out.memory.id]


def test_a_value_that_comes_back_supersedes_again(memory) -> None:
    for text in ("The API port is 8080", "The API port is 9090", "The API port is 8080"):
        out = memory.remember(text)
    assert isinstance(out, Superseded)
    assert [m.content for m in memory.list()] == ["The API port is 8080"]


def test_the_same_wording_about_another_subject_is_no_conflict(memory) -> None:
    memory.remember("service 1 listens on 9001")
    out = memory.remember("service 2 listens on 9002")
    assert out.kind == "stored" and out.conflicts == ()


def test_a_second_liking_is_not_a_change_of_mind(memory) -> None:
    memory.remember("I like tea")
    assert memory.remember("I like coffee").kind == "stored"


def test_opposites_are_never_merged(memory) -> None:
    memory.remember("The service uses Postgres")
    out = memory.remember("The service does not use Postgres")
    assert out.kind in ("superseded", "stored")
    assert out.kind == "superseded" or out.conflicts


def test_a_contradiction_is_stored_and_reported_with_the_four_ways_out(memory) -> None:
    old = memory.remember("Alice owns the billing service").memory
    out = memory.remember("Bob owns the billing service")
    assert out.kind == "stored"
    (conflict,) = out.conflicts
    assert conflict.memory.id == old.id and 0 < conflict.similarity <= 1
    ways = conflict.options(out.memory.id)
    assert len(ways) == 4
    assert [word for word in ("keep both", "update", "supersede", "forget") if any(word in way for way in ways)]
    assert out.memory.contradicts == (old.id,)


def test_what_a_new_memory_meets_is_told_whole(memory) -> None:
    said = {"tags": ["drinks"], "session": "s1", "position": 4, "importance": 0.9, "snippet": "at lunch"}
    held = [
        memory.remember(text, **said).memory
        for text in (
            "Alice owns the billing service",
            "The Redis port is 6379",
            "The platform team owns the auth service",
        )
    ]
    against = memory.remember("Bob owns the billing service")
    assert [conflict.memory for conflict in against.conflicts] == [held[0]]
    changed = memory.remember("The Redis port is 6380")
    assert (changed.kind, changed.old) == ("superseded", held[1])
    again = memory.remember("The auth service is owned by the platform team")
    assert (again.kind, again.memory.id) == ("reinforced", held[2].id)
    assert "drinks" in again.memory.tags and again.memory.provenance == held[2].provenance


def test_what_lives_in_another_place_is_neither_merged_nor_superseded(memory) -> None:
    memory.remember("The default branch is main")
    same = memory.remember("The default branch is main", project="shop")
    other = memory.remember("The default branch is trunk", project="legacy")
    assert same.kind == "stored"
    assert other.kind == "stored" and other.conflicts
    assert len(memory.list()) == 3


def test_outcomes_come_in_the_order_of_the_drafts(memory) -> None:
    outs = memory.remember_many(
        [
            {"content": "We use Redis for queues"},
            Draft("ok"),
            "We use Redis for queues",
            {"content": "Tests run on two cores"},
        ]
    )
    assert [out.kind for out in outs] == ["stored", "refused", "reinforced", "stored"]
    assert outs[1].memory is None and outs[1].reason


def test_many_report_progress(memory) -> None:
    seen = []
    memory.remember_many(
        [f"Fact number {n} about system {n}" for n in range(70)], progress=lambda done, all: seen.append((done, all))
    )
    assert seen[-1] == (70, 70) and seen == sorted(seen)


def test_verbatim_stores_each_draft_as_it_is_but_no_secret(memory) -> None:
    drafts = ["ok", "ok", "  We use Postgres\n", "We use Postgres", "aws key AKIAQYLPMN5HFIQR7XYA here"]
    outs = memory.remember_many(drafts, verbatim=True)
    assert [out.kind for out in outs] == ["stored"] * 4 + ["refused"]
    assert len({out.memory.id for out in outs[:4]}) == 4
    assert [m.content for m in reversed(memory.list())] == drafts[:4]


def test_an_idempotency_key_makes_a_retry_harmless(memory) -> None:
    one = memory.remember("Release on Tuesdays", key="msg-1")
    two = memory.remember("Release on Tuesdays", key="msg-1")
    assert two.kind == "stored" and two.memory.id == one.memory.id
    assert memory.get(one.memory.id).strength == 1


def test_explicit_supersession_works_by_short_id(memory) -> None:
    old = memory.remember("Standup is at nine").memory
    out = memory.remember("Standup was moved to the afternoon, see calendar", supersedes=old.short_id)
    assert isinstance(out, Superseded) and out.memory.supersedes == old.id


def test_a_type_is_read_from_a_plain_opening(memory) -> None:
    kinds = {
        "Never commit .env files to git": "negative",
        "I prefer four spaces": "preference",
        "We decided to use SQLite": "decision",
        "To deploy: run make deploy": "procedure",
        "Always run the linter first": "rule",
        "The API speaks JSON": "fact",
    }
    assert {text: memory.remember(text).memory.type for text in kinds} == kinds


def test_a_store_without_an_embedder_works_by_words_and_says_so(tmp_path, clock) -> None:
    with recollect.open(tmp_path / "plain.db", embedder="none", clock=clock) as memory:
        memory.remember("We deploy with make deploy", project="shop")
        assert memory.remember("We deploy with make deploy", project="shop").kind == "reinforced"
        found = memory.recall("how to deploy", project="shop")
        assert [h.memory.content for h in found] == ["We deploy with make deploy"]
        assert any("lexical only" in note for note in found.notes)


def test_an_embedder_that_is_down_loses_nothing(tmp_path, clock, embedder) -> None:
    def broken(texts):
        raise ConnectionError("model server is away")

    path = tmp_path / "down.db"
    with recollect.open(path, embedder=broken, clock=clock) as memory:
        out = memory.remember("The cache lives in Redis")
        assert out.kind == "stored" and any("without a vector" in note for note in out.notes)
        assert [h.memory.content for h in memory.recall("redis cache")] == ["The cache lives in Redis"]
    with recollect.open(path, embedder=embedder, clock=clock) as memory:
        assert memory.stats()["unembedded"] == 1
        assert [h.memory.content for h in memory.recall("redis cache")] == ["The cache lives in Redis"]
        assert memory.reembed() == 1 and memory.reembed() == 0
        assert memory.stats()["unembedded"] == 0


def test_vectors_of_two_models_are_never_mixed(tmp_path, clock) -> None:
    from recollect.testing.embedding import HashingEmbedder

    path = tmp_path / "two.db"
    with recollect.open(path, embedder=HashingEmbedder(), clock=clock) as memory:
        memory.remember("The cache lives in Redis")

    with recollect.open(path, embedder=HashingEmbedder(model="another-model"), clock=clock) as memory:
        (hit,) = memory.recall("redis cache", explain=True)
        assert hit.similarity is None
        assert memory.doctor()["problems"]
        assert memory.reembed() == 1
        assert memory.recall("redis cache")[0].similarity is not None


def test_refused_drafts_say_why_and_change_nothing(memory) -> None:
    for text in ("ok thanks!", "👍", "HEARTBEAT_OK", "password = 'hunter2-Zx91!kd'"):
        out = memory.remember(text)
        assert isinstance(out, Refused) and out.reason, text
    assert memory.list() == [] and memory.log() == []


def test_a_batch_ends_as_its_drafts_would_one_by_one(tmp_path, clock) -> None:
    """Drafts of one batch meet each other: duplicates, new values and what was changed a moment before."""
    texts = [
        "The API listens on port 8080", "We deploy on Fridays", "The API listens on port 8080",
        "The API listens on port 9090", "The cat is called Miso", "The API now listens on port 7070",
        "We deploy on Fridays.", "The API listens on port 8080", "Tests run with pytest",
    ]  # fmt: skip
    seen = []
    for name, many in (("many", True), ("single", False)):
        with recollect.open(tmp_path / f"{name}.db", clock=clock) as memory:
            given: list[str | Draft] = [*texts, Draft("Gone by now", ttl=60)]
            outcomes = memory.remember_many(given) if many else [memory.remember_many([draft])[0] for draft in given]
            place = {o.memory.id: i for i, o in enumerate(outcomes) if o.kind in ("stored", "superseded") and o.memory}
            seen.append(
                [
                    (
                        o.kind,
                        o.memory and place[o.memory.id],
                        o.kind == "superseded" and place.get(o.old.id),
                        len(o.conflicts),
                    )
                    for o in outcomes
                ]
            )
    assert seen[0] == seen[1]
    assert {"stored", "reinforced", "superseded"} <= {kind for kind, *_ in seen[0]}


def test_repetitions_in_one_batch_all_count(memory) -> None:
    kept = memory.remember("We use Postgres 16").memory
    again = memory.remember_many(["we use postgres 16.", "We use Postgres 16", " We  use Postgres 16"])
    assert [outcome.memory and outcome.memory.strength for outcome in again] == [kept.strength + n for n in (1, 2, 3)]
    assert len(memory.get(kept.id).breadcrumbs) == len(kept.breadcrumbs) + 3


def test_a_value_that_comes_back_within_a_batch_supersedes_what_superseded_it(memory) -> None:
    first = memory.remember("The API listens on port 8080").memory
    second, third = memory.remember_many(["The API now listens on port 9090", "The API listens on port 8080"])
    assert [(second.kind, second.old.id), (third.kind, third.old.id)] == [
        ("superseded", first.id),
        ("superseded", second.memory.id),
    ]
    assert [one.content for one in memory.list()] == ["The API listens on port 8080"]


def test_a_text_revived_by_an_earlier_draft_of_the_batch_is_stored_once(memory) -> None:
    gone = memory.remember("The archive is in the blue cellar", project="shop").memory
    memory.forget(gone.id)
    elsewhere = Draft("the archive is in the blue cellar", project="mill", revive=True)
    here = Draft("The archive is in the blue cellar.", project="shop", revive=True)
    outcomes = memory.remember_many([elsewhere, here, here])
    assert [outcome.kind for outcome in outcomes] == ["stored", "reinforced", "reinforced"]
    assert [outcome.memory and outcome.memory.id for outcome in outcomes[1:]] == [gone.id, gone.id]


def test_what_was_just_recalled_can_be_corrected(memory) -> None:
    kept = memory.remember("The release train leaves on Monday at nine", source="observed").memory
    memory.recall("release train")
    assert memory.update(kept.id, tags=["release"]).tags == ("release",)
    memory.recall("release train")
    corrected = memory.update(kept.id, content="The release train leaves on Tuesday at nine")
    assert corrected.content == "The release train leaves on Tuesday at nine"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The field is 10² metres long", "The field is 102 metres long"),
        ("The area is x²", "The area is x2"),
        ("The guard checks a && b", "The guard checks a || b"),
        ("Rosa rated the cello lesson 👍", "Rosa rated the cello lesson 👎"),
        ("The harbour door is open?", "The harbour door is open."),
        ("The lens is at 5°", "The lens is at 5'"),
    ],
)
def test_a_text_that_differs_in_a_symbol_is_kept_beside_the_other(memory, old, new) -> None:
    memory.remember(old)
    out = memory.remember(new)
    assert (out.kind, out.memory.content) == ("stored", new)
    assert {record.content for record in memory.list()} == {old, new}
    assert memory.remember(new).kind == "reinforced"
