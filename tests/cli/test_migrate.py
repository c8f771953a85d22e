"""migrate: the tables of a database are made, brought up to date, or only talked about; doctor tells of the server."""

from __future__ import annotations

import json

import psycopg
from tests.cli.conftest import Run


def _exists(url: str) -> bool:
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT to_regclass('recollect.memories') IS NOT NULL").fetchone()
    return found == (True,)


def test_a_dry_run_says_what_it_would_do_and_does_not(run: Run, fresh_database: str, monkeypatch) -> None:
    monkeypatch.setenv("RECOLLECT_POSTGRES_PARTITIONS", "2")
    ran = run("--db", fresh_database, "migrate", "--dry-run")
    assert (ran.code, ran.out.split(":")[0]) == (0, "would create")
    assert not _exists(fresh_database)


def test_tables_are_made_once_and_then_up_to_date(run: Run, fresh_database: str, monkeypatch) -> None:
    monkeypatch.setenv("RECOLLECT_POSTGRES_PARTITIONS", "2")
    first = run("--db", fresh_database, "--json", "migrate")
    assert [step["step"] for step in first.json["steps"]] == ["create"]
    assert _exists(fresh_database)
    assert "up to date" in run("--db", fresh_database, "migrate").out


def test_a_file_needs_no_migration_and_says_so(run: Run) -> None:
    ran = run("migrate")
    assert ran.code != 0
    assert "upgrades itself" in ran.err


def test_the_whole_command_line_works_on_a_server(run: Run, empty_database: str) -> None:
    kept = json.loads(run("--db", empty_database, "--json", "remember", "The vault is in Bern").out)
    assert "The vault is in Bern" in run("--db", empty_database, "recall", "vault").out
    assert run("--db", empty_database, "purge", "--yes", kept["memory"]["id"]).code == 0
    ran = run("--db", empty_database, "doctor")
    assert "PostgreSQL" in ran.out and "in force" in ran.out


def test_a_server_that_is_away_is_an_error_without_the_password(run: Run) -> None:
    ran = run("--db", "postgresql://bob:hush77@127.0.0.1:1/x", "list")
    assert ran.code != 0
    assert "cannot be reached" in ran.err and "hush77" not in ran.err + ran.out
