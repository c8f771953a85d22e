"""`erase-user` counts first, asks, erases, and shows the proof."""

import sqlite3
from contextlib import closing

import pytest

import recollect


@pytest.fixture
def served(store) -> None:
    with recollect.open(store, embedder="none") as memory:
        ada = memory.with_identity(user="ada")
        ada.remember("Prefers a window seat")
        ada.working.store("basket", 1)
        memory.remember("The mill grinds at dawn")


def test_a_dry_run_counts_and_changes_nothing(run, served) -> None:
    done = run("erase-user", "ada", "--dry-run")
    assert (done.code, done.out.splitlines()[0]) == (0, "would erase everything of ada:")
    assert "  1 memory" in done.out.splitlines()
    assert "  1 working value" in done.out.splitlines()
    assert run("erase-user", "ada", "--dry-run", "--json").json["counts"]["memory"] == 1


def test_without_a_terminal_it_needs_yes(run, served) -> None:
    done = run("erase-user", "ada")
    assert (done.code, "add --yes" in done.err) == (2, True)
    assert run("erase-user", "ada", "--dry-run", "--json").json["counts"]["memory"] == 1


def test_it_erases_and_proves_it(run, served) -> None:
    done = run("erase-user", "ada", "--yes")
    assert done.code == 0
    assert done.out.startswith("✓ erased everything of ada; a search finds nothing")
    again = run("erase-user", "ada", "--yes", "--json").json
    assert (again["counts"], again["left"], again["complete"]) == ({}, {}, True)
    assert [one["content"] for one in run("list", "--json").json] == ["The mill grinds at dawn"]


def test_what_is_left_to_do_is_an_error(run, served, store) -> None:
    """While somebody else reads the file, old pages stay in its log."""
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM memories").fetchone()
        done = run("erase-user", "ada", "--yes")
    assert (done.code, "to do:" in done.out) == (3, True)
    assert run("erase-user", "ada", "--yes").code == 0


def test_a_user_who_has_nothing_is_said_to_have_nothing(run, served) -> None:
    done = run("erase-user", "adda", "--yes")
    assert (done.code, done.out) == (0, "nothing here was of adda; nothing was erased\n")
