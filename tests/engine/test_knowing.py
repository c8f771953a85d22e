"""Memories that know what they are: warnings that fire, procedures, seasons, the past, gaps, contradictions, what helped."""

from datetime import UTC, datetime, timedelta

import pytest

import recollect
from recollect import InvalidInput, NotFound
from recollect.recall.gaps import MOST_GAPS
from recollect.values.procedure import Procedure

DAY = timedelta(days=1)


def asked(memory, query, **more) -> list[str]:
    return [hit.memory.content for hit in memory.recall(query, **more)]


# Negative memories and their triggers


def test_a_trigger_surfaces_its_memory_first_whatever_the_similarity(memory) -> None:
    memory.remember("Never use println! for logging in production code", importance=0.1)
    for number in range(30):
        memory.remember(f"Logging fact {number}: the logger writes lines to file {number}", tags=["log"])
    hits = memory.recall("how does the logger write lines", working_on='fn main() { println!("hi") }', limit=3)
    assert hits[0].memory.type == "negative"
    assert hits[0].trigger == "println!"
    assert len(hits) == 3
    assert all(hit.trigger is None for hit in hits[1:])
    assert "println!" not in asked(memory, "how does the logger write lines", limit=3)[0]


@pytest.mark.parametrize(
    ("trigger", "fires", "silent"),
    [
        ("println!", "use PrintLn! here", "use print here"),
        ("word:drop table", "please DROP  TABLE users", "a droptable"),
        ("glob:*.env", "edit config/prod.env now", "the environment"),
        (r"re:rm\s+-r[fF]", "sudo rm   -rf /", "farm -red"),
    ],
)
def test_each_kind_of_trigger_fires_when_it_should(memory, trigger, fires, silent) -> None:
    memory.remember("Do not do the dangerous thing", type="negative", triggers=[trigger], tags=["x"])
    assert memory.recall(fires)[0].trigger == trigger
    assert all(hit.trigger is None for hit in memory.recall(silent))


def test_a_trigger_respects_scope_status_and_supersession(memory) -> None:
    ada, eve = memory.with_identity(agent="ada"), memory.with_identity(agent="eve")
    eve.remember("Never touch Eve's knife", scope="agent", triggers=["knife"], tags=["x"])
    mine = memory.remember("Never throw the ball", triggers=["ball"], tags=["x"]).memory
    assert eve.recall("a knife").hits[0].trigger == "knife"
    assert all(hit.trigger is None for hit in ada.recall("a knife"))
    memory.forget(mine.id)
    assert all(hit.trigger is None for hit in memory.recall("the ball"))
    memory.restore(mine.id)
    memory.remember("Throwing the ball is fine now", supersedes=mine.id, tags=["x"])
    assert all(hit.trigger is None for hit in memory.recall("the ball"))


@pytest.mark.parametrize(
    "evil", ["x" * 10_000_000, "re:" + "(" * 5000, "re:(", "re:.*", "re:(?:(?:a{1000}){1000}){1000}", "", "a"]
)
def test_a_malicious_or_broken_pattern_is_refused_by_name(memory, evil) -> None:
    with pytest.raises(InvalidInput, match="triggers"):
        memory.remember("Never mind", type="negative", triggers=[evil])
    assert memory.list() == []


def test_a_runaway_expression_cannot_hang_a_recall(memory) -> None:
    memory.remember("Never do this", triggers=["re:(a+)+b$", "re:(.*a){12}b"], tags=["x"])
    memory.remember("Beware of the aardvark", triggers=["aardvark"], tags=["x"])
    started = datetime.now(UTC)
    hits = memory.recall("aardvark", working_on="a" * 60_000 + "!")
    assert (datetime.now(UTC) - started).total_seconds() < 5
    assert hits[0].trigger == "aardvark"
    assert any("took too long" in note for note in hits.notes)


# Procedures


def test_a_procedure_is_stored_as_readable_steps_and_read_back(memory) -> None:
    out = memory.remember(
        "Deploy to production",
        procedure={"steps": ["make build", "make push"], "prerequisites": ["tests are green"],
                   "warnings": ["never on Friday"], "trigger": "a release is due"},
    )  # fmt: skip
    kept = memory.get(out.memory.id)
    assert kept.type == "procedure"
    assert kept.procedure == Procedure(
        "Deploy to production",
        ("make build", "make push"),
        "a release is due",
        ("tests are green",),
        ("never on Friday",),
    )
    assert "1. make build\n2. make push" in kept.content
    assert asked(memory, "make push")[0] == kept.content
    prose = memory.remember("To rotate the keys: first run make keys, then restart the gateway").memory
    assert prose.procedure is not None
    assert prose.procedure.steps == ("run make keys", "restart the gateway")
    with pytest.raises(InvalidInput, match="procedure"):
        memory.remember("Nothing to do", procedure={"steps": []})


# Seasons and the past


def test_a_season_lifts_what_belongs_to_it(memory) -> None:
    drafts = [{"content": "Maria freezes the builds"}, {"content": "Zoltan freezes builds", "season": "Release Week"}]
    plain, labelled = (out.memory for out in memory.remember_many(drafts, verbatim=True))
    assert labelled.season == "release-week"
    ask = "who freezes builds"
    assert asked(memory, ask, season="release-week")[0] == labelled.content
    assert asked(memory, f"{ask} in the release week")[0] == labelled.content
    assert asked(memory, ask)[0] == plain.content


def test_what_was_true_in_march_is_what_held_then(memory, clock) -> None:
    clock.set(datetime(2026, 2, 1, tzinfo=UTC))
    memory.remember("The gateway port is 8080", tags=["x"])
    clock.set(datetime(2026, 4, 10, tzinfo=UTC))
    memory.remember("The gateway port is 9090", tags=["x"])
    clock.set(datetime(2026, 6, 1, tzinfo=UTC))
    assert asked(memory, "the gateway port") == ["The gateway port is 9090"]
    assert asked(memory, "what was true in March of the gateway port")[0] == "The gateway port is 8080"
    assert asked(memory, "the gateway port", true_at="2026-03-15T00:00:00+00:00") == ["The gateway port is 8080"]
    assert asked(memory, "the gateway port", true_at="2026-01-15T00:00:00+00:00") == []


# Confidence and what helped


def test_confidence_fades_shows_in_the_reason_and_ranks_a_little(memory, clock) -> None:
    memory.remember("The cache holds sessions", tags=["x"])
    clock.advance(30 * DAY)
    (hit,) = memory.recall("cache sessions", explain=True)
    assert hit.explain.confidence == pytest.approx(0.3679, abs=1e-3)
    assert hit.explain.signal("stale") == pytest.approx(1 - 0.3679, abs=1e-3)


def test_what_helped_together_is_linked_and_the_rest_fades(memory) -> None:
    one, two, three = (
        memory.remember(text, tags=[tag], confidence=0.5).memory
        for text, tag in (("Kestrel gateway routes", "a"), ("Zoltan gateway rota", "b"), ("Gateway paint colour", "c"))
    )
    memory.recall("gateway")
    assert memory.related(one.id) == []
    memory.confirm(one.id, two.id, rejected=[three.id], query="who runs the gateway")
    assert memory.get(one.id).confidence == pytest.approx(0.55)
    assert memory.get(three.id).confidence == pytest.approx(0.48)
    assert [(link.target, link.relation) for link in memory.get(one.id).links] == [(two.id, "relates_to")]
    assert "gateway" in memory.get(one.id).tags
    first = memory.get(one.id).links[0].weight
    memory.confirm(one.id, two.id)
    assert memory.get(one.id).links[0].weight == pytest.approx(first + 0.25 * (1 - first))
    memory.undo()
    assert memory.get(one.id).links[0].weight == first
    with pytest.raises(InvalidInput):
        memory.confirm()
    with pytest.raises(NotFound):
        memory.confirm(one.id, "ffffffff")


def test_helpful_hits_of_one_recall_are_linked_one_after_the_other(memory) -> None:
    one = memory.remember("Kestrel gateway routes", tags=["a"]).memory
    two = memory.remember("Zoltan gateway rota", tags=["b"]).memory
    far = memory.remember("Penguins live in Antarctica", tags=["c"]).memory
    memory.recall("gateway", limit=2)
    memory.feedback(one.id, helpful=True)
    memory.feedback(far.id, helpful=True)
    assert memory.related(one.id) == []
    memory.reinforce(two.id)
    assert [r.memory.id for r in memory.related(one.id)] == [two.id]


# Gaps


def test_a_question_nothing_answers_is_kept_until_a_memory_answers_it(memory) -> None:
    memory.remember("Kestrel builds run nightly", tags=["x"])
    for _ in range(2):
        memory.recall("what is the wifi password of the Lisbon office")
    memory.recall("Lisbon office wifi")
    memory.recall("when do Kestrel builds run")
    (topic,) = memory.gaps()
    assert (topic.count, topic.gaps[0].question) == (3, "what is the wifi password of the Lisbon office")
    assert topic.gaps[0].count == 2
    out = memory.remember("The wifi of the Lisbon office is called albatross; the password is on the fridge")
    assert memory.gaps() == []
    assert {gap.answered_by for topic in memory.gaps(answered=True) for gap in topic.gaps} == {out.memory.id}


def test_a_gap_belongs_to_who_asked(memory) -> None:
    ada, eve = memory.with_identity(agent="ada"), memory.with_identity(agent="eve")
    eve.recall("where is the treasure buried")
    assert [topic.name for topic in eve.gaps()] == ["where is the treasure buried"]
    assert ada.gaps() == [] == memory.with_identity(account="other").gaps()
    # What Ada keeps to herself answers nothing of Eve's.
    ada.remember("The treasure is buried under the oak", scope="agent")
    assert len(eve.gaps()) == 1
    memory.remember("The treasure is buried under the elm")
    assert eve.gaps() == []


def test_a_question_with_a_secret_in_it_is_not_kept(memory) -> None:
    memory.recall("is AKIAQYLPMN5HFIQR7XYA still valid")
    assert memory.gaps() == []


def test_gaps_can_be_switched_off(tmp_path, clock, embedder) -> None:
    with recollect.open(tmp_path / "m.db", embedder=embedder, clock=clock, gaps=False) as memory:
        memory.recall("where is the treasure buried")
        assert memory.gaps() == []


def test_an_account_keeps_the_latest_questions_and_drops_what_was_answered_first(memory, clock) -> None:
    memory.recall("where is the treasure buried")
    memory.remember("The treasure is buried under the elm", tags=["x"])
    for number in range(MOST_GAPS):
        clock.advance(60)
        memory.recall(f"zq{number} unheard wx{number}")
    kept = [gap for topic in memory.gaps(answered=True) for gap in topic.gaps]
    assert len(kept) == MOST_GAPS
    assert all(gap.answered_by is None for gap in kept)


# Contradictions


@pytest.fixture
def opposed(tmp_path, clock):
    """A store with the real model and two statements that deny each other, kept one after the other, verbatim."""
    with recollect.open(tmp_path / "real.db", clock=clock) as memory:
        memory.remember_many(["The spring release is on Friday", "Tea is served at four"], verbatim=True)
        clock.advance(3600)
        memory.remember_many(["The spring release is not on Friday"], verbatim=True)
        yield memory


def test_contradictions_are_found_over_the_whole_store_and_flagged(opposed) -> None:
    assert opposed.contradictions() == []
    (found,) = opposed.contradictions(scan=True)
    assert (found.newer.content, found.older.content) == (
        "The spring release is not on Friday", "The spring release is on Friday",
    )  # fmt: skip
    assert found.similarity > 0.75
    assert found.reason == "one denies what the other states"
    assert opposed.contradictions() == [found]
    assert opposed.contradictions(scan=True) == [found]
    opposed.undo()
    assert opposed.contradictions() == []


@pytest.mark.parametrize("profile", ["hybrid", "belief", "hebbian", "composite", "relevance", "cascade"])
def test_the_current_value_stands_above_the_stale_one_in_every_profile(opposed, profile) -> None:
    opposed.contradictions(scan=True)
    stale = next(r for r in opposed.list() if "not" not in r.content and "Friday" in r.content)
    opposed.update(stale.id, importance=1.0)
    found = asked(opposed, "is the spring release on Friday", profile=profile)
    assert found.index("The spring release is not on Friday") < found.index("The spring release is on Friday")


@pytest.mark.parametrize(
    ("way", "newer", "older"),
    [
        ("keep_both", "active", "active"),
        ("supersede", "active", "superseded"),
        ("forget", "active", "forgotten"),
        ("update", "archived", "active"),
    ],
)
def test_each_way_out_settles_a_contradiction_and_can_be_undone(opposed, way, newer, older) -> None:
    (found,) = opposed.contradictions(scan=True)
    opposed.resolve(found, way)
    assert (opposed.get(found.newer.id).status, opposed.get(found.older.id).status) == (newer, older)
    assert opposed.contradictions() == [] == opposed.contradictions(scan=True)
    if way == "update":
        assert opposed.get(found.older.id).content == found.newer.content
    opposed.undo()
    assert len(opposed.contradictions()) == 1


def test_a_bad_way_out_changes_nothing(opposed) -> None:
    (found,) = opposed.contradictions(scan=True)
    for conflict, way, more in (
        (found, "ignore", {}),
        (("ffffffff", found.older.id), "forget", {}),
        ((found.newer.id, found.newer.id), "forget", {}),
        ("one", "forget", {}),
        (found, "forget", {"content": "x"}),
        (found, "update", {"content": "deploy key: AKIAQYLPMN5HFIQR7XYA"}),
    ):
        with pytest.raises(recollect.RecollectError):
            opposed.resolve(conflict, way, **more)
    assert opposed.contradictions() == [found]


def test_the_words_of_a_purged_side_stay_nowhere_in_the_journal(tmp_path, clock) -> None:
    with recollect.open(tmp_path / "real.db", clock=clock) as memory:
        memory.remember_many(["The quokka gate is open"], verbatim=True)
        clock.advance(60)
        memory.remember_many(["The quokka gate is closed"], verbatim=True)
        (found,) = memory.contradictions(scan=True)
        memory.purge(found.older.id)
        assert "open" in found.reason
        assert "open" not in repr([(e.before, e.after, e.reason) for e in memory.log(limit=50)])


def test_the_conflicts_of_an_outcome_can_be_resolved(tmp_path, clock) -> None:
    with recollect.open(tmp_path / "real.db", clock=clock) as memory:
        memory.remember("The spring release is on Friday")
        out = memory.remember("The spring release is not on Friday")
        memory.resolve(out.conflicts[0], "supersede")
        assert asked(memory, "spring release") == ["The spring release is not on Friday"]


# Naming


def test_named_recall_returns_only_what_the_question_names(memory) -> None:
    memory.remember("Services run on a cluster", tags=["kubernetes", "k8s"])
    redis = memory.remember("The cache is a single node", tags=["redis"]).memory
    auth = memory.remember("Logins depend on the cache", tags=["auth service"]).memory
    memory.remember("Deploys happen on a cluster of old laptops", tags=["laptops"])
    memory.link(auth.id, redis.id)
    for query, names in (
        ("what's my k8s deploy story?", ["kubernetes"]),
        ("Reedis eviction", ["redis"]),
        ("mango cluster", []),
        ("how does the AUTH SERVICE fail", ["auth service", "redis"]),
        ("tell me about clusters", []),
    ):
        assert sorted(hit.memory.tags[0] for hit in memory.recall(query, named=True)) == sorted(names), query
