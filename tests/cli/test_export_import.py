"""export, import and copy on the command line."""

from pathlib import Path

import recollect
from recollect.testing.embedding import HashingEmbedder


def test_a_file_goes_out_and_comes_in_elsewhere(run, keep, tmp_path) -> None:
    short_id = keep("The office is in Porto", "--global", "-t", "place")
    out = run("export", str(tmp_path / "all.jsonl"))
    assert out.code == 0
    assert "1 memory" in out.out
    done = run("import", str(tmp_path / "all.jsonl"), "--db", str(tmp_path / "other.db"))
    assert (done.code, "1 stored" in done.out) == (0, True)
    assert "recollect undo" in done.out
    assert "Porto" in run("get", short_id, "--db", str(tmp_path / "other.db")).out
    again = run("import", str(tmp_path / "all.jsonl"), "--db", str(tmp_path / "other.db"), "--json").json
    assert (again["stored"], again["unchanged"], again["operation"]) == (0, 1, None)


def test_a_pipe_carries_the_same_bytes(run, keep, tmp_path) -> None:
    keep("The office is in Porto")
    run("export", str(tmp_path / "all.jsonl"), "--everything", "--history")
    piped = run("export", "-", "--everything", "--history")
    assert piped.out == (tmp_path / "all.jsonl").read_text("utf-8")
    done = run("import", "-", "--db", str(tmp_path / "other.db"), "--everything", "--json", stdin=piped.out)
    assert (done.json["stored"], done.json["others"]["event"]) == (1, 1)


def test_json_tells_where_and_how_much(run, keep, tmp_path) -> None:
    keep("The office is in Porto")
    told = run("export", str(tmp_path / "all.jsonl"), "--no-vectors", "--json").json
    assert told["file"] == str(tmp_path / "all.jsonl")
    assert told["counts"]["memory"] == 1
    assert len(told["sha256"]) == 64


def test_the_past_can_be_exported_and_not_imported_into(run, keep, tmp_path) -> None:
    keep("The office is in Porto")
    assert run("--as-of", "1 hour ago", "export", str(tmp_path / "then.jsonl"), "--json").json["counts"] == {}
    refused = run("--as-of", "1 hour ago", "import", str(tmp_path / "then.jsonl"))
    assert (refused.code, "read-only" in refused.err) == (2, True)


def test_a_folder_of_markdown_goes_out_and_edits_come_in(run, keep, tmp_path) -> None:
    short_id = keep("We deploy with make ship")
    folder = tmp_path / "notes"
    assert run("export", str(folder), "--format", "markdown").code == 0
    (path,) = folder.rglob("*.md")
    path.write_text(path.read_text("utf-8").replace("make ship", "make release"), "utf-8")
    assert "1 would be updated" in run("import", str(folder), "--dry-run").out
    assert "1 updated" in run("import", str(folder)).out
    assert "make release" in run("get", short_id).out
    path.unlink()
    assert "missing" in run("import", str(folder)).out
    assert run("import", str(folder), "--prune", "--json").json["forgotten"] == 1


def test_a_table_is_told_by_its_name(run, keep, tmp_path) -> None:
    keep("=1+1 is no formula here")
    assert run("export", str(tmp_path / "all.csv")).code == 0
    assert "'=1+1" in (tmp_path / "all.csv").read_text("utf-8")


def test_what_is_refused_is_told_with_its_line_and_the_exit_code(run, keep, tmp_path) -> None:
    keep("Lunch is at noon")
    run("export", str(tmp_path / "all.jsonl"))
    other = ("--db", str(tmp_path / "other.db"))
    kept = run("remember", "Lunch is at noon", *other, "--json").json["memory"]["short_id"]
    run("forget", kept, *other)
    done = run("import", str(tmp_path / "all.jsonl"), *other)
    assert done.code == 1
    assert "line 2  forgotten" in done.out
    broken = run("import", "-", *other, stdin="{nonsense")
    assert (broken.code, "line 1" in broken.err) == (2, True)


def test_a_whole_store_is_copied_and_compared(run, store, tmp_path) -> None:
    with recollect.open(store, embedder=HashingEmbedder()) as memory:
        memory.remember("The office is in Porto")
        memory.with_identity(account="acme", agent="eve").remember("Acme sells anvils", scope="agent")
    target = tmp_path / "target.db"
    done = run("copy", str(store), str(target))
    assert (done.code, done.out.count("✓ complete")) == (0, 2)
    told = run("copy", str(store), str(target), "--json").json
    assert [(one["account"], one["verified"], one["imported"]["stored"]) for one in told] == [
        ("acme", True, 0),
        ("default", True, 0),
    ]
    with recollect.open(target, embedder=HashingEmbedder()) as memory:
        assert memory.search("office", mode="semantic")
        assert memory.with_identity(account="acme", agent="eve").list()


def test_a_copy_needs_two_stores(run, store, tmp_path) -> None:
    assert run("copy", str(tmp_path / "nothing.db"), str(store)).code == 2
    assert not Path(tmp_path / "nothing.db").exists()
    with recollect.open(store, embedder="none"):
        assert "the same store" in run("copy", str(store), str(store)).err


def test_every_command_shows_examples(run) -> None:
    for command in ("export", "import", "copy"):
        assert f"$ recollect {command}" in run(command, "--help").out
