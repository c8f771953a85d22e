"""Loading many lines: memories as an export writes them, and Ctrl-C in the middle."""

from __future__ import annotations

import dataclasses
import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.errors import Interrupted
from recollect.serve.cli.draft_lines import DERIVED_FIELDS, STORED_FIELDS
from recollect.serve.cli.interrupts import StopBetweenBatches
from recollect.values.draft import Draft
from recollect.values.event import to_image
from recollect.values.memory import Record

_COLOUR = re.compile(r"\x1b\[[\d;]*m")
PROGRAM = [sys.executable, "-m", "recollect"]


def rows(run, store: Path) -> dict[str, dict[str, Any]]:
    """Everything that is stored, by id, but for what reading changes."""
    found = run(
        "--db", str(store), "list", "-n", "1000", "--status", "all", "--session", "s1", "--user", "ada", "--json"
    ).json
    return {one["id"]: one for one in found}


@pytest.fixture
def rich(run, store: Path) -> Path:
    """A store whose memories use every field that there is."""
    with recollect.open(store, embedder="none", project="shop", user="ada") as memory:
        first = memory.remember(
            "The shop's database is PostgreSQL 16", scope="project", tags=["db"],
            importance=0.8, weight=0.9, confidence=0.7, trust=0.6,
            occurred_at="2025-01-02T03:04:05+00:00", session="s1", position=3, speaker="ada", message_range=(1, 4),
            file_paths=["a.py"],
            snippet="we use it", reason="asked", key="k1", season="release-week", triggers=["glob:*.sql"], delivery="pinned",
            valid_from="2024-01-01T00:00:00+00:00", expires_at="2099-01-01T00:00:00+00:00", metadata={"a": [1, {"b": None}]},
        ).memory  # fmt: skip
        memory.remember("The shop's database is PostgreSQL 17", scope="project", supersedes=first.id)
        other = memory.remember("Maria owns billing", scope="global", derived_from=[first.id]).memory
        memory.remember("Maria owns billing", scope="global", session="s1", position=9)
        memory.reinforce(other.id)
        memory.remember("Tea without milk")
        memory.remember("Only in this session", scope="session", session="s1")
        memory.remember(
            "Release", scope="project", procedure={"steps": ["make tag", "make ship"], "warnings": ["not on Friday"]}
        )
        gone = memory.remember("The coffee machine is broken", scope="project").memory
        memory.forget(gone.id)
    return store


def as_exported(run, tmp_path: Path) -> str:
    """The whole export."""
    assert run("export", str(tmp_path / "out.jsonl"), "--everything").code == 0
    return (tmp_path / "out.jsonl").read_text()


def as_lines_of_an_export(run, tmp_path: Path) -> str:
    return "".join(
        line for line in as_exported(run, tmp_path).splitlines(keepends=True) if line.startswith('{"memory"')
    )


def as_fields(run, tmp_path: Path) -> str:
    return "".join(
        json.dumps(json.loads(line)["memory"]) + "\n" for line in as_lines_of_an_export(run, tmp_path).splitlines()
    )


def as_json_answers(run, tmp_path: Path) -> str:
    found = rows(run, Path(os.environ["RECOLLECT_DB"]))
    return "".join(json.dumps(one) + "\n" for one in found.values())


@pytest.mark.parametrize("form", [as_exported, as_lines_of_an_export, as_fields, as_json_answers])
def test_what_an_export_writes_is_remembered_as_it_was(form, rich: Path, run, tmp_path: Path) -> None:
    text, other = form(run, tmp_path), tmp_path / "other.db"
    before = rows(run, rich)
    assert len(before) == 7
    done = run("--db", str(other), "--user", "ada", "remember", "--jsonl", "-", "--json", stdin=text)
    assert (done.code, done.json["imported"]["stored"]) == (0, 7)
    assert rows(run, other) == before
    again = run("--db", str(other), "--user", "ada", "remember", "--jsonl", "-", "--json", stdin=text)
    assert (again.code, again.json["imported"]["stored"], again.json["imported"]["unchanged"]) == (0, 0, 7)
    assert rows(run, other) == before


def test_every_field_of_a_memory_is_known() -> None:
    """A field that memories get later must be a draft's, or be listed as a stored memory's."""
    known = {field.name for field in dataclasses.fields(Draft)} | STORED_FIELDS | DERIVED_FIELDS
    now = datetime(2026, 1, 1, tzinfo=UTC)
    image = to_image(Record(id="x", content="x", account="a", created_at=now, updated_at=now, accessed_at=now))
    assert image.keys() <= known


def test_drafts_and_stored_memories_may_stand_in_one_file(run) -> None:
    lines = [
        {"content": "The office is in Porto"},
        {"content": "The lab is in Rome", "created_at": "2024-05-06T07:08:09+00:00", "score": 6, "id": None},
        "Maria owns billing",
    ]
    done = run("remember", "--jsonl", "-", "-t", "x", "--json", stdin="\n".join(map(json.dumps, lines)))
    assert (done.json["counts"], done.json["imported"]["stored"]) == ({"stored": 2}, 1)
    old = next(one for one in run("list", "--json").json if "lab" in one["content"])
    assert (old["created_at"], old["score"], old["tags"], old["project"]) == (
        "2024-05-06T07:08:09+00:00",
        6,
        ["x"],
        "shop",
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"content": "x", "id": "7"}', "line 2: id: '7' is not an id"),
        ('{"content": "x", "score": "high"}', "line 2: score: 'high' is not an integer"),
        (
            '{"content": "x", "created_at": "2024-01-01"}',
            "line 2: created_at: '2024-01-01' is not a time with a time zone",
        ),
        ('{"content": "x", "score": 1, "ttl": 60}', "line 2: ttl: belongs to a draft, but score to a stored memory"),
        ('{"memory": {"content": "x", "colour": "red"}}', "line 2: memory: 'colour' is not a known field"),
        ('{"memory": 7}', "line 2: is not a memory"),
    ],
)
def test_a_line_that_cannot_be_kept_is_named(line: str, said: str, run) -> None:
    done = run("remember", "--jsonl", "-", stdin='"The office is in Porto"\n' + line)
    assert done.code == 2
    assert done.err.startswith(f"error: {said}")
    assert run("list", "--json").json == []


def test_a_secret_in_a_stored_memory_is_refused_and_its_line_named(run) -> None:
    line = {"content": "use ghp_16C7e42F292c6912E7710c838347Ae178B4a", "score": 3}
    done = run("remember", "--jsonl", "-", stdin='"The office is in Porto"\n' + json.dumps(line))
    assert "line 2  " in done.out
    assert "ghp_" not in done.out + done.err


def test_an_export_keeps_its_own_fields(rich: Path, run, tmp_path: Path) -> None:
    done = run("remember", "--jsonl", "-", "-t", "x", stdin=as_exported(run, tmp_path))
    assert (done.code, "have their own fields" in done.err) == (2, True)


def many(tmp_path: Path, count: int) -> Path:
    file = tmp_path / "many.jsonl"
    file.write_text(
        "".join(json.dumps(f"The box number {n} holds {n * 7919 % 104729} screws") + "\n" for n in range(count))
    )
    return file


def interrupted(store: Path, *words: str, when: str) -> tuple[int, str]:
    """A command on a terminal of which the user presses Ctrl-C as soon as `when` is seen: its exit code, and what it said."""
    ours, theirs = pty.openpty()
    seen = {**os.environ, "RECOLLECT_DB": str(store), "RECOLLECT_EMBEDDER": "none", "TERM": "xterm"}
    running = subprocess.Popen(
        [*PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=theirs, stdin=theirs, env=seen, start_new_session=True
    )
    os.close(theirs)
    said, pressed = "", False
    for part in _read(ours):
        said += _COLOUR.sub("", part)
        if not pressed and re.search(when, said):
            running.send_signal(signal.SIGINT)
            pressed = True
    os.close(ours)
    return running.wait(60), said


def _read(terminal: int) -> Iterator[str]:
    try:
        while part := os.read(terminal, 65536):
            yield part.decode()
    except OSError:
        return


def test_ctrl_c_says_what_is_stored_and_how_to_go_on_or_back(run, store: Path, tmp_path: Path) -> None:
    file = many(tmp_path, 5000)
    code, said = interrupted(store, "remember", "--jsonl", str(file), "--verbatim", when=r"\d{3,}/5000")
    found = re.search(r"stopped: ([\d,]+) of 5,000 lines are done", said)
    assert code == 130
    assert found is not None, said
    stored = int(found[1].replace(",", ""))
    assert 0 < stored < 5000
    assert run("stats", "--json").json["statuses"]["active"] == stored
    following = re.search(r"--from-line (\d+)", said)
    assert following is not None
    assert int(following[1]) == stored + 1
    operation = re.search(r"recollect undo (\w+)", said)
    assert operation is not None
    done = run("remember", "--jsonl", str(file), "--verbatim", "--from-line", following[1])
    assert done.code == 0
    texts = [one["content"] for one in run("list", "-n", "5000", "--json").json]
    assert len(texts) == len(set(texts)) == 5000
    assert run("undo", operation[1], "--yes").code == 0
    assert run("stats", "--json").json["statuses"]["active"] == 5000 - stored


def test_the_bar_has_a_total_from_the_start(store: Path, tmp_path: Path) -> None:
    _, said = interrupted(store, "remember", "--jsonl", str(many(tmp_path, 1500)), when=r"0/1500")
    first = re.search(r"storing .*?(\d+)/(\S+)", said)
    assert first is not None
    assert first.groups() == ("0", "1500")


def test_ctrl_c_in_an_import_says_how_to_go_on(run, store: Path, tmp_path: Path) -> None:
    run("remember", "--jsonl", str(many(tmp_path, 6000)), "--verbatim")
    run("export", str(tmp_path / "all.jsonl"))
    other = tmp_path / "other.db"
    code, said = interrupted(other, "import", str(tmp_path / "all.jsonl"), when=r"[1-9]\d{2,}/6000")
    assert code == 130
    assert "the same command; what is here already stays as it is" in said
    assert run("--db", str(other), "import", str(tmp_path / "all.jsonl")).code == 0
    assert run("--db", str(other), "stats", "--json").json["statuses"]["active"] == 6000


def test_the_library_says_what_is_stored_too(store: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with recollect.open(store, embedder="none", project="shop") as memory:
        with pytest.raises(Interrupted) as stopped:
            memory.remember_many([f"The box {n} holds {n * 7919} screws" for n in range(300)], progress=stop)
        assert (stopped.value.total, stopped.value.done) == (300, memory.count())
        assert memory.undo(stopped.value.operation, force=True)
        assert memory.count() == 0


def test_a_second_ctrl_c_does_not_wait() -> None:
    with StopBetweenBatches(lambda done, total: None) as progress:
        progress(0, 10)
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    with StopBetweenBatches(lambda done, total: None), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


class TestRefused:
    """An import that refuses something says what, and is no success."""

    @pytest.fixture
    def exported(self, run, keep, tmp_path: Path) -> Path:
        keep("The office is in Porto")
        run("remember", "Maria owns billing", "--agent", "eve", "--scope", "agent")
        assert run("export", str(tmp_path / "all.jsonl"), "--everything").code == 0
        return tmp_path / "all.jsonl"

    def test_the_text_and_the_reason_are_printed(self, exported: Path, run, tmp_path: Path) -> None:
        done = run("--db", str(tmp_path / "other.db"), "import", str(exported))
        assert done.code == 1
        assert "1 stored, 1 refused" in done.out
        assert "its scope (agent) is out of reach" in done.out
        assert "Maria owns billing" in done.out

    def test_a_secret_is_not(self, run, tmp_path: Path) -> None:
        assert run("export", str(tmp_path / "notes"), "--format", "markdown").code == 0
        (tmp_path / "notes" / "new.md").write_text("The token is ghp_16C7e42F292c6912E7710c838347Ae178B4a\n")
        (tmp_path / "notes" / "fine.md").write_text("The office is in Porto\n")
        done = run("import", str(tmp_path / "notes"))
        assert (done.code, "new.md" in done.out, "The token is [redacted: " in done.out) == (1, True, True)
        assert "ghp_" not in done.out

    def test_memory_files_too(self, run, tmp_path: Path) -> None:
        (tmp_path / "MEMORY.md").write_text(
            "- The office is in Porto\n- The token is ghp_16C7e42F292c6912E7710c838347Ae178B4a\n"
        )
        done = run("import-from", "memory-files", str(tmp_path / "MEMORY.md"))
        assert done.code == 1
        assert "1 stored, 1 refused" in done.out
