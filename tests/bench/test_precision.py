"""The precision part of the bench: beliefs become memories as they are meant, and every kind of expectation can fail."""

import json

import pytest
from bench.embedding import local_embedder
from bench.precision import precision, precision_figures, stored
from bench.sets import DataMissing, data_folder
from bench.synthetic import SyntheticEmbedder

import recollect

PLAIN = {
    "user_id": "test-user", "type": "preference", "aliases": [], "scope": ["domain:code"], "epistemic_status": "active",
    "confidence": 0.9, "pinned": False, "resolved_at": None, "superseded_by": None, "created_at": "2026-09-01T00:00:00Z",
}  # fmt: skip


def belief(name, content, **fields):
    return {**PLAIN, "_id": name, "canonical_name": name, "content": content, **fields}


BELIEFS = [
    belief("redis", "Redis is the cache.", aliases=["redis cache"]),
    belief("old_linter", "Used TSLint before.", aliases=["tslint"], superseded_by="linter"),
    belief("linter", "Uses Biome for linting.", aliases=["biome"], pinned=True),
    belief("auth", "JWT or session tokens is not decided.", type="open_question", pinned=True),
    belief("hosting", "Was choosing a host.", type="open_question", pinned=True, resolved_at="2026-09-02T00:00:00Z"),
    belief("auth_redis", "Auth needs the cache.", type="relation", aliases=["session backend"], participants=["redis"]),
    belief("brief", "Prefers direct answers.", scope=["user:universal"]),
    belief("secret", "Writes Haskell only.", user_id="other-user", aliases=["haskell"]),
]


def case(name, query, expect, **fields):
    return {"caseId": name, "category": "c", "scope": ["domain:code"], "query": query, "expect": expect, **fields}


def only(*names):
    return {"relevantBeliefs": {"shouldOnlyInclude": list(names)}}


HOLDING = [
    case("name", "what does redis do?", only("redis")),
    case("link", "the session backend", only("auth_redis", "redis")),
    case("replaced", "tslint rules", only() | {"pinnedFacts": {"mustInclude": ["linter"]}}),
    case("open", "", {"openQuestions": {"mustInclude": ["auth"], "mustExclude": ["hosting"]}} | only()),
    case(
        "everywhere", "", {"personaPrelude": {"nonEmpty": True, "contains": ["direct"], "mustNotContain": ["Haskell"]}}
    ),
    case("nobody", "redis", only() | {"personaPrelude": {"isNull": True}}, userId="new"),
    case("budget", "what does redis do?", only(), budget={"maxBeliefs": 1}),
    case("isolation", "haskell", only() | {"pinnedFacts": {"mustExclude": ["secret"]}}),
]
FAILING = [
    case("too much", "what does redis do?", only()),
    case("too little", "what does redis do?", only("redis", "linter")),
    case("not pinned", "", {"pinnedFacts": {"mustInclude": ["redis"]}}),
    case("not open", "", {"openQuestions": {"mustExclude": ["auth"]}}),
    case("not said", "", {"personaPrelude": {"contains": ["lengthy"]}}),
]


@pytest.fixture
def beliefs(tmp_path):
    """A tiny set in the shape of the real one."""
    folder = tmp_path / "precisionmembench"
    folder.mkdir()
    (folder / "beliefs.seed.json").write_text(json.dumps(BELIEFS), "utf-8")
    (folder / "retrieval.cases.json").write_text(json.dumps(HOLDING + FAILING), "utf-8")
    return tmp_path


def test_beliefs_become_memories_as_they_are_meant():
    with recollect.open(":memory:", embedder=SyntheticEmbedder()) as memory:
        ids = {name: memory_id for memory_id, name in stored(memory, BELIEFS).items()}
        mine = memory.with_identity(account="test-user")
        assert mine.get(ids["redis"]).tags == ("redis", "redis cache")
        assert mine.get(ids["old_linter"]).status == "superseded"
        assert mine.get(ids["linter"]).delivery == "pinned"
        assert (mine.get(ids["auth"]).type, mine.get(ids["brief"]).scope) == ("task", "global")
        assert [link.target for link in mine.get(ids["auth_redis"]).links] == [ids["redis"]]
        with pytest.raises(recollect.NotFound):
            mine.get(ids["secret"])


def test_each_expectation_holds_or_fails_for_itself(beliefs):
    rows = {row["case"]: row for row in precision(beliefs, SyntheticEmbedder())["rows"]}
    assert {name: row["trouble"] for name, row in rows.items() if row["trouble"]} == {
        "too much": ["relevantBeliefs shouldOnlyInclude"],
        "too little": ["relevantBeliefs shouldOnlyInclude"],
        "not pinned": ["pinnedFacts mustInclude"],
        "not open": ["openQuestions mustExclude"],
        "not said": ["personaPrelude contains"],
    }


def test_the_figures_name_the_cases_that_fail(beliefs):
    found = precision(beliefs, SyntheticEmbedder())
    whole, category, plain = precision_figures(found, precision(beliefs, SyntheticEmbedder(), named=False))
    assert whole.value == pytest.approx(8 / 13)
    assert "8 of 13 cases; failing: too much, too little" in whole.note
    assert category.note == "8 of 13"
    assert plain.value < whole.value


def test_a_missing_set_is_named(tmp_path):
    with pytest.raises(DataMissing, match="precisionmembench"):
        precision(tmp_path, SyntheticEmbedder())


def test_every_case_of_the_set_holds_where_it_is_at_hand():
    folder = data_folder(None)
    if not (folder / "precisionmembench").exists():
        pytest.skip("the evaluation sets are not here; RECOLLECT_BENCH_DATA names their folder")
    found = precision(folder, local_embedder())
    assert [row["case"] for row in found["rows"] if not row["held"]] == []
    assert len(found["rows"]) == 77
