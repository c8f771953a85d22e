"""The logger `recollect`: what a program that listens is told, and that no text, tag, name or secret is in it."""

from __future__ import annotations

import io
import logging
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.errors import EmbedderError, RecollectError
from recollect.testing.embedding import HashingEmbedder

CANARY = "canarybird"


def _talk() -> io.BytesIO:
    """A transcript with the canary in it."""
    return io.BytesIO(f"User: My name is {CANARY.title()}.\nAssistant: Hello {CANARY}.\n".encode())


# Every verb with the canary in each text and name it takes. `m` is the store, `a` and `b` are ids of memories.
VERBS: dict[str, Callable[[Any, str, str], Any]] = {
    "remember": lambda m, a, b: m.remember(
        f"The {CANARY} sings", tags=[CANARY], session=CANARY, metadata={CANARY: CANARY}
    ),
    "remember_many": lambda m, a, b: m.remember_many([f"{CANARY} one eats seed", f"{CANARY} two sleeps at night"]),
    "update": lambda m, a, b: m.update(a, content=f"The {CANARY} sings loudly", season=CANARY),
    "tag": lambda m, a, b: m.tag(a, CANARY),
    "untag": lambda m, a, b: m.untag(a, CANARY),
    "forget": lambda m, a, b: m.forget(b, CANARY),
    "restore": lambda m, a, b: m.restore(b),
    "archive": lambda m, a, b: m.archive(b),
    "unarchive": lambda m, a, b: m.unarchive(b),
    "move": lambda m, a, b: m.move(b, project=f"{CANARY} house"),
    "select": lambda m, a, b: m.select(tags=[CANARY]).update(season=CANARY),
    "erase_user": lambda m, a, b: m.erase_user(CANARY),
    "purge": lambda m, a, b: m.purge(b, dry_run=True),
    "recall": lambda m, a, b: m.recall(CANARY, working_on=CANARY, explain=True),
    "search": lambda m, a, b: m.search(CANARY),
    "get": lambda m, a, b: m.get(CANARY),
    "list": lambda m, a, b: m.list(tags=[CANARY]),
    "iter_all": lambda m, a, b: list(m.iter_all(metadata={CANARY: CANARY})),
    "count": lambda m, a, b: m.count(in_project=CANARY),
    "history": lambda m, a, b: m.history(a),
    "log": lambda m, a, b: m.log(session=CANARY),
    "undo": lambda m, a, b: m.undo(),
    "as_of": lambda m, a, b: m.as_of("2020-01-01T00:00:00+00:00"),
    "context": lambda m, a, b: m.context(CANARY),
    "preview": lambda m, a, b: m.preview(CANARY),
    "reinforce": lambda m, a, b: m.reinforce(a),
    "demote": lambda m, a, b: m.demote(a),
    "feedback": lambda m, a, b: m.feedback(a, True),
    "feedback_many": lambda m, a, b: m.feedback_many([a], "helpful"),
    "confirm": lambda m, a, b: m.confirm(a, query=CANARY),
    "contradictions": lambda m, a, b: m.contradictions(scan=True),
    "resolve": lambda m, a, b: m.resolve((a, b), "update", content=CANARY),
    "supersede": lambda m, a, b: m.supersede(a, b),
    "gaps": lambda m, a, b: m.gaps(session=CANARY),
    "link": lambda m, a, b: m.link(a, b),
    "unlink": lambda m, a, b: m.unlink(a, b),
    "related": lambda m, a, b: m.related(a),
    "graph": lambda m, a, b: m.graph(CANARY),
    "provenance": lambda m, a, b: m.provenance(a),
    "tags": lambda m, a, b: m.tags(),
    "describe_tag": lambda m, a, b: m.describe_tag(CANARY, CANARY),
    "rename_tag": lambda m, a, b: m.rename_tag(CANARY, f"{CANARY}2"),
    "merge_tags": lambda m, a, b: m.merge_tags(CANARY, f"{CANARY}2"),
    "clusters": lambda m, a, b: m.clusters(),
    "members": lambda m, a, b: m.members(CANARY),
    "working": lambda m, a, b: m.working.store(CANARY, CANARY),
    "short_term": lambda m, a, b: m.short_term.write(CANARY, CANARY, session=CANARY),
    "pools": lambda m, a, b: m.pools.create(CANARY, data={CANARY: CANARY}),
    "contexts": lambda m, a, b: m.contexts.create(CANARY, type="knowledge_base", description=CANARY),
    "narratives": lambda m, a, b: m.narratives.latest(),
    "router": lambda m, a, b: m.router.semantic_search(CANARY),
    "export": lambda m, a, b: m.export(f"{CANARY}.jsonl"),
    "import_data": lambda m, a, b: m.import_data(f"{CANARY}.jsonl"),
    "import_from": lambda m, a, b: m.import_from("memory-files", "MEMORY.md"),
    "companion": lambda m, a, b: m.companion(session=CANARY),
    "turns": lambda m, a, b: m.turns(session=CANARY),
    "extract": lambda m, a, b: m.extract(_talk()),
    "stats": lambda m, a, b: m.stats(),
    "doctor": lambda m, a, b: m.doctor(),
    "judge_usage": lambda m, a, b: m.judge_usage(),
    "judge_test": lambda m, a, b: m.judge_test(),
    "vacuum": lambda m, a, b: m.vacuum(),
    "reembed": lambda m, a, b: m.reembed(),
    "disable": lambda m, a, b: m.disable(),
    "enable": lambda m, a, b: m.enable(),
    "with_identity": lambda m, a, b: m.with_identity(user=CANARY).remember(f"{CANARY} likes tea"),
    "called_by": lambda m, a, b: m.called_by(CANARY).remember(f"{CANARY} likes seed"),
    "flush": lambda m, a, b: m.flush(),
    "close": lambda m, a, b: None,
}
# These find nothing here, or need an extra.
MAY_FAIL = ("get", "clusters", "members", "unlink", "resolve", "undo", "rename_tag", "merge_tags")
OF_NO_LOG = {"account", "agent", "teams", "user", "project", "path"}


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.DEBUG, logger="recollect"):
        yield caplog


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[recollect.Memory]:
    monkeypatch.chdir(tmp_path)
    Path("MEMORY.md").write_text(f"- The {CANARY} came from a file\n")
    with recollect.open(tmp_path / "m.db", embedder=HashingEmbedder(64), project=CANARY) as opened:
        yield opened


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_logged_and_nothing_of_what_it_is_told(verb: str, memory, told: pytest.LogCaptureFixture) -> None:
    a, b = (
        memory.remember(text, tags=[CANARY]).memory.id
        for text in (f"{CANARY} lives here", f"No {CANARY} is green at all")
    )
    if verb == "import_data":
        memory.export(f"{CANARY}.jsonl")
    if verb == "rename_tag":
        memory.remember("Another text entirely", tags=[CANARY])
    told.clear()
    with suppress(RecollectError, ImportError) if verb in MAY_FAIL else nullcontext():
        VERBS[verb](memory, a, b)
    memory.close()
    ours = [record for record in told.records if record.name == "recollect"]
    assert ours
    assert CANARY not in "".join(f"{record.getMessage()} {record.args!r}" for record in ours).lower()
    if verb not in ("narratives", "close"):
        names = {record.getMessage().split(":")[0] for record in ours}
        assert names - {"close"}


def test_the_table_has_every_verb() -> None:
    verbs = {name for name in dir(recollect.Memory) if not name.startswith("_")}
    assert verbs - OF_NO_LOG == VERBS.keys()


def test_long_operations_say_how_much_and_how_long(memory, told: pytest.LogCaptureFixture) -> None:
    memory.remember_many([f"Box {n} holds {n * 7919} screws" for n in range(5)])
    memory.export("out.jsonl")
    memory.import_data("out.jsonl")
    memory.import_from("memory-files", "MEMORY.md")
    memory.extract(_talk())
    memory.reembed()
    memory.vacuum()
    said = [record.getMessage() for record in told.records if record.levelno == logging.INFO]
    for expected in (
        r"remember_many: 5 stored in [\d.]+ s", r"export: 5 memory in [\d.]+ s", r"import_data: 5 unchanged in [\d.]+ s",
        r"import_from: 1 kept in [\d.]+ s", r"extract: 1 kept in [\d.]+ s", r"reembed: done in [\d.]+ s", r"vacuum: .+ in [\d.]+ s",
    ):  # fmt: skip
        assert any(re.fullmatch(expected, line) for line in said), (expected, said)


def test_degraded_modes_are_warnings(tmp_path: Path, told: pytest.LogCaptureFixture) -> None:
    def broken(texts: list[str]) -> list[list[float]]:
        raise EmbedderError(f"the server said {CANARY}")

    def failing(query: str, texts: list[str]) -> list[float]:
        raise ValueError(CANARY)

    with recollect.open(tmp_path / "m.db", embedder=broken, reranker=failing) as memory:
        memory.remember(f"The {CANARY} sings")
        memory.remember(f"The {CANARY} sleeps at night")
        memory.recall(f"{CANARY} sings")
    said = [record.getMessage() for record in told.records if record.levelno == logging.WARNING]
    assert any(line.startswith("1 memories are stored without a vector: ") for line in said)
    assert any(line.startswith("recall is lexical only: ") for line in said)
    assert any(line.startswith("not reranked: ") for line in said)
    assert CANARY not in "".join(said)


def test_waiting_for_another_writer_is_a_warning(tmp_path: Path, told: pytest.LogCaptureFixture) -> None:
    import sqlite3
    import threading

    with recollect.open(tmp_path / "m.db", embedder="none") as memory:
        other = sqlite3.connect(tmp_path / "m.db", isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        threading.Timer(1.5, lambda: other.execute("ROLLBACK")).start()
        memory.remember("The office is in Porto")
        other.close()
    assert any("for another process that writes" in record.getMessage() for record in told.records)


LISTENING = """
import logging, recollect, sys
{setup}
with recollect.open(":memory:", embedder="none") as memory:
    memory.remember_many(["The office is in Porto", "Maria owns billing"])
print("logging" in sys.modules, [type(one).__name__ for one in logging.getLogger("recollect").handlers])
"""


@pytest.mark.parametrize(
    ("setup", "said"), [("", ""), ("logging.basicConfig(level='INFO')", "INFO:recollect:remember_many: 2 stored in")]
)
def test_only_a_program_that_listens_is_told(setup: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LISTENING.format(setup=setup)], capture_output=True, text=True, check=True
    )
    assert said in done.stderr
    assert bool(said) == bool(done.stderr)
    assert "NullHandler" in done.stdout


@pytest.mark.parametrize(
    ("words", "environment", "expected"),
    [
        ("list", "", ""),
        ("-v export out.jsonl", "", "INFO recollect: export: done"),
        ("-vv list", "", "DEBUG recollect: list: "),
        ("list", "debug", "DEBUG recollect: list: "),
        ("list", "warning", ""),
        ("list", "loud", "error: RECOLLECT_LOG: 'loud' is no level; use one of debug, info, warning"),
    ],
)
def test_the_command_line_logs_when_it_is_asked_to(
    words: str,
    environment: str,
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    from recollect.serve.cli.main import main

    monkeypatch.chdir(tmp_path)
    recollect.open(tmp_path / "m.db", embedder="none").close()
    monkeypatch.setenv("RECOLLECT_LOG", environment)
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    main(["--db", str(tmp_path / "m.db"), *words.split()])
    said = capfd.readouterr().err
    assert expected in said
    assert bool(expected) == bool(said)
