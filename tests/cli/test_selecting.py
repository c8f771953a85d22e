"""Commands that take filters in place of an ID: the count first, a question where it is much, and how to take it back."""

import json

import pytest

CHANGES: dict[str, tuple[str, ...]] = {
    "forget": ("forget",),
    "purge": ("purge",),
    "tag": ("tag", "reviewed"),
    "untag": ("untag", "sea"),
    "update": ("update", "--importance", "0.9"),
    "move": ("move", "--to-scope", "global"),
    "archive": ("archive",),
    "unarchive": ("unarchive", "--status", "all"),
}
CHOSEN = ("--where", '{"tags": "sea"}')


@pytest.fixture
def fleet(run) -> None:
    """25 memories with a tag, and one without."""
    lines = [{"content": f"Ship number {n} lies at quay {n * 7}", "tags": ["sea"]} for n in range(25)]
    lines.append({"content": "The goat eats grass"})
    assert run("remember", "--jsonl", "-", "--verbatim", stdin="\n".join(map(json.dumps, lines))).code == 0


def memories(run) -> list[dict]:
    return run("list", "--status", "all", "-n", "100", "--json").json


@pytest.mark.parametrize("verb", CHANGES)
def test_a_dry_run_tells_the_count_and_changes_nothing(run, fleet, verb: str) -> None:
    if verb == "unarchive":
        run("archive", *CHOSEN, "--yes")
    before = memories(run)
    done = run(*CHANGES[verb], *CHOSEN, "--dry-run")
    assert done.code == 0
    assert done.out.startswith("25 memories would be ")
    assert "and 20 more" in done.out
    assert memories(run) == before


@pytest.mark.parametrize("verb", CHANGES)
def test_more_than_twenty_are_not_changed_without_a_terminal_or_yes(run, fleet, verb: str) -> None:
    if verb == "unarchive":
        run("archive", *CHOSEN, "--yes")
    before = memories(run)
    done = run(*CHANGES[verb], *CHOSEN)
    assert done.code == 2
    assert "look with --dry-run, then add --yes" in done.err
    assert memories(run) == before
    done = run(*CHANGES[verb], *CHOSEN, "--yes")
    assert (done.code, done.out.splitlines()[0][:14]) == (0, "✓ 25 memories ")
    assert len([one for one in memories(run) if one not in before]) == (0 if verb == "purge" else 25)


def test_the_undo_that_is_named_takes_it_back(run, fleet) -> None:
    before = {one["id"]: one["status"] for one in memories(run)}
    done = run("forget", *CHOSEN, "--yes", "--reason", "sold")
    (line,) = [line for line in done.out.splitlines() if "undo" in line]
    assert run(*line.split("`")[1].split()[1:]).code == 0
    assert {one["id"]: one["status"] for one in memories(run)} == before


def test_few_are_changed_at_once_but_never_erased_unasked(run, fleet) -> None:
    one = run("list", "-n", "1", "--json").json[0]["short_id"]
    run("tag", one, "rare")
    assert run("archive", "--tag", "rare").out.startswith("✓ 1 memory archived")
    assert run("unarchive", "--tag", "rare").out.startswith("✓ 1 memory in use again")
    assert run("purge", "--tag", "rare").code == 2
    assert run("purge", "--tag", "rare", "--yes").out.startswith("✓ 1 memory erased permanently")
    assert run("archive", "--tag", "rare").out == "no memory would be changed\n"


WRONG: dict[str, tuple[str, ...]] = {
    "an ID and filters": ("forget", "3f9a1c22", "--tag", "sea"),
    "an ID and everything": ("archive", "3f9a1c22", "--everything"),
    "neither": ("purge",),
    "tags and an ID": ("tag", "3f9a1c22", "new", "--in-project", "shop"),
    "only filters to tag": ("tag", "--in-project", "shop"),
    "only an ID to untag": ("untag", "3f9a1c22"),
    "a dry run of one": ("move", "3f9a1c22", "--to-scope", "global", "--dry-run"),
    "a filtered history": ("export", "-", "--tag", "sea", "--history"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_choice_is_told_and_changes_nothing(run, fleet, what: str) -> None:
    before = memories(run)
    done = run(*WRONG[what])
    assert done.code == 2, done.out
    assert done.err.startswith("error: ")
    assert memories(run) == before


def test_one_memory_by_its_id(run, keep) -> None:
    one = keep("We deploy with make deploy")
    assert run("archive", one).out.startswith("✓ archived")
    assert run("unarchive", one).out.startswith("✓ in use again")
    assert run("move", one, "--to-scope", "project", "--to-project", "store", "--json").json["project"] == "store"
    keep("We sail at noon")
    two = run("list", "-n", "1", "--json").json[0]["short_id"]
    run("forget", two)
    done = run("archive", two)
    assert (done.code, "restore it first" in done.out) == (1, True)


def test_json_says_what_was_done(run, fleet) -> None:
    done = run("tag", "fleet", *CHOSEN, "--yes", "--json").json
    assert (done["verb"], done["count"], done["dry_run"], len(done["first"])) == ("tag", 25, False, 20)
    assert run("undo", done["operation"], "--yes").code == 0


def test_an_export_takes_filters(run, fleet, tmp_path) -> None:
    out = tmp_path / "sea.csv"
    assert run("export", str(out), "--tag", "sea").code == 0
    assert len(out.read_text("utf-8").splitlines()) == 26
    assert run("export", str(out), "--type", "fact", "--where", '{"NOT": {"tags": "sea"}}', "--json").json[
        "counts"
    ] == {"memory": 1}
