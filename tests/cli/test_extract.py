"""`recollect extract`: what it shows, its exit codes, and that a dry run makes no store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TOKEN = "ghp_" + "0123456789abcdefABCDEF0123456789abcd"
TALK = "## User\n\nMy name is Oskar. Fix the header.\n\n## Assistant\n\nDone.\n\n## User\n\nok\n"


@pytest.fixture
def talk() -> Path:
    path = Path("talk.md")
    path.write_text(TALK)
    return path


def test_it_shows_what_it_keeps_and_why_not_the_rest(run, talk: Path) -> None:
    done = run("extract", str(talk))
    assert done.code == 0
    assert "✓ 0 fact  My name is Oskar.  (a name)" in done.out
    assert "1 message skipped: an acknowledgement or greeting" in done.out
    assert "My name is Oskar." in run("list").out


def test_a_second_time_there_is_nothing_to_keep(run, talk: Path) -> None:
    run("extract", str(talk))
    assert "nothing to keep" in run("extract", str(talk)).out


def test_a_refused_statement_is_masked_and_told_by_the_exit_code(run, talk: Path) -> None:
    talk.write_text(f"{TALK}\n## User\n\nRemember that the token is {TOKEN}\n")
    done = run("extract", str(talk))
    assert done.code == 1
    assert "✗" in done.out
    assert TOKEN not in done.out + done.err
    assert TOKEN not in run("extract", str(talk), "--json", "--dry-run").out


def test_json_has_every_statement(run, talk: Path) -> None:
    (report,) = json.loads(run("extract", str(talk), "--json").out)
    assert report["counts"] == {"kept": 1, "replaced": 0, "merged": 0, "refused": 0, "turns": 0}
    (item,) = report["sessions"][0]["items"]
    assert (item["text"], item["message_range"], item["source"]) == ("My name is Oskar.", [0, 0], "user_stated")
    assert run("undo", report["operation"]).code == 0


def test_a_dry_run_makes_no_store(run, talk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_DB", "none.db")
    done = run("extract", str(talk), "--dry-run")
    assert done.code == 0
    assert "nothing was changed" in done.out
    assert not Path("none.db").exists()


def test_several_transcripts_and_stdin(run, talk: Path) -> None:
    other = Path("other.md")
    other.write_text(TALK.replace("My name is Oskar.", "We use pnpm, not npm."))
    done = run("extract", str(talk), str(other))
    assert "total  2 kept" in done.out
    piped = run("extract", "-", "--session", "piped", "--verbatim", stdin=TALK.replace("Oskar", "Ida"))
    assert "3 messages stored" in piped.out


def test_an_unknown_form_is_an_error(run, talk: Path) -> None:
    talk.write_text("only notes\n")
    done = run("extract", str(talk))
    assert done.code == 2
    assert "claude-code" in done.err
