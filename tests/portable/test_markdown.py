"""A folder of Markdown: people read it, git keeps it, edits come back under the same ids, and nothing outside it is touched."""

import json
import os
from pathlib import Path

import pytest

from recollect import InvalidInput

KEY = "AKIAQYLPMN5HFIQR7XYA"


@pytest.fixture
def notes(memory, tmp_path) -> Path:
    """The folder of a store with a few memories."""
    memory.remember("We deploy with make ship", project="shop", tags=["deploy"], importance=0.8, type="procedure")
    memory.remember("Answer in German, please", type="preference")
    memory.remember("Kestrel runs on port 8080", project="a/b: ../weird")
    gone = memory.remember("Lunch is at noon").memory
    memory.forget(gone.id)
    memory.export(tmp_path / "notes", format="markdown")
    return tmp_path / "notes"


def file_with(folder: Path, text: str) -> Path:
    (found,) = [path for path in folder.rglob("*.md") if text in path.read_text("utf-8")]
    return found


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def bytes_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_one_folder_a_project_one_file_a_memory_and_the_text_as_it_is(memory, notes) -> None:
    path = file_with(notes, "make ship")
    record = next(record for record in memory.list() if "make ship" in record.content)
    assert path.relative_to(notes).as_posix() == f"projects/shop/we-deploy-with-make-ship-{record.short_id}.md"
    head, body = path.read_text("utf-8").removeprefix("---\n").split("\n---\n\n")
    assert body == "We deploy with make ship\n"
    assert f"id: {record.id}" in head.splitlines()
    assert 'tags: ["deploy"]' in head.splitlines()
    assert "importance: 0.8" in head.splitlines()
    assert not [path for path in notes.rglob("*.md") if "noon" in path.read_text("utf-8")]
    assert all(path.resolve().is_relative_to(notes) for path in notes.rglob("*"))


def test_exporting_again_writes_the_same(memory, notes) -> None:
    before = bytes_in(notes)
    memory.export(notes, format="markdown")
    assert bytes_in(notes) == before


def test_what_was_not_edited_changes_nothing(memory, notes, exported) -> None:
    before = exported(memory, history=True)
    done = memory.import_data(notes)
    assert (done.stored, done.updated, done.unchanged, done.refused, done.operation) == (0, 0, 3, 0, None)
    assert exported(memory, history=True) == before


def test_edits_come_back_as_updates_with_the_same_ids(memory, notes, clock) -> None:
    path = file_with(notes, "make ship")
    record = next(record for record in memory.list() if "make ship" in record.content)
    edit(path, "We deploy with make ship", "We deploy with make ship\n\nand tell everybody")
    edit(path, "importance: 0.8", "importance: 0.4")
    edit(path, 'tags: ["deploy"]', "tags: [deploy, ops]")
    path.rename(path.with_name("renamed by hand.md"))
    clock.advance(60)
    dry = memory.import_data(notes, dry_run=True)
    assert (dry.updated, memory.get(record.id).importance) == (1, 0.8)
    done = memory.import_data(notes)
    now = memory.get(record.id)
    assert (done.updated, done.changed, done.missing) == (1, (record.id,), ())
    assert (now.content, now.importance, now.tags) == (
        "We deploy with make ship\n\nand tell everybody",
        0.4,
        ("deploy", "ops"),
    )
    assert memory.search("tell everybody", mode="semantic", project="shop")[0].memory.id == record.id
    assert memory.history(record.id)[-1].kind == "update"
    assert memory.import_data(notes).updated == 0
    memory.undo(done.operation)
    assert memory.get(record.id).content == "We deploy with make ship"


def test_a_file_may_be_edited_again_and_again(memory, notes, clock) -> None:
    path = file_with(notes, "German")
    for language in ("French", "Dutch", "Greek"):
        clock.advance(60)
        edit(path, path.read_text("utf-8").rsplit("\n\n", 1)[1].strip(), f"Answer in {language}, please")
        assert memory.import_data(notes).updated == 1
        assert [record.content for record in memory.list(type="preference")] == [f"Answer in {language}, please"]


def test_an_edit_on_both_sides_is_told_and_left(memory, notes, clock) -> None:
    record = next(record for record in memory.list() if "German" in record.content)
    edit(file_with(notes, "German"), "Answer in German", "Answer in French")
    clock.advance(60)
    memory.update(record.id, content="Answer in Italian, please")
    done = memory.import_data(notes)
    assert (done.updated, done.refused) == (0, 1)
    assert "changed here too" in done.left_out[0].reason
    assert memory.get(record.id).content == "Answer in Italian, please"


def test_what_changed_only_here_is_not_set_back_by_an_edit_of_something_else(memory, notes) -> None:
    record = next(record for record in memory.list() if "make ship" in record.content)
    memory.tag(record.id, "release")
    edit(file_with(notes, "make ship"), "importance: 0.8", "importance: 0.3")
    memory.import_data(notes)
    assert (memory.get(record.id).importance, memory.get(record.id).tags) == (0.3, ("deploy", "release"))


def test_an_old_folder_sets_nothing_back(memory, notes, clock) -> None:
    record = next(record for record in memory.list() if "German" in record.content)
    clock.advance(60)
    memory.update(record.id, content="Answer in Italian, please")
    assert memory.import_data(notes).updated == 0
    assert memory.get(record.id).content == "Answer in Italian, please"


def test_a_new_file_becomes_a_memory_of_its_folder_once(memory, notes) -> None:
    (notes / "projects" / "shop" / "new.md").write_text("Invoices go out on Fridays\n", "utf-8")
    weird = file_with(notes, "8080").parent
    (weird / "new.md").write_text("---\ntype: decision\ntags: ports, infra\n---\nPort 9000 is taken\n", "utf-8")
    done = memory.import_data(notes)
    assert done.stored == 2
    (invoice,) = memory.list(in_project="shop", type="fact")
    assert (invoice.content, invoice.scope) == ("Invoices go out on Fridays", "project")
    (port,) = memory.list(type="decision")
    assert (port.project, set(port.tags) >= {"ports", "infra"}) == ("a/b: ../weird", True)
    again = memory.import_data(notes)
    assert (again.stored, again.unchanged) == (0, 5)
    assert memory.get(invoice.id).strength == 1
    (notes / "projects" / "shop" / "new.md").write_text("Invoices go out on Mondays\n", "utf-8")
    assert memory.import_data(notes).changed == (invoice.id,)


def test_pruning_spares_what_came_in_with_it(memory, notes) -> None:
    (notes / "projects" / "shop" / "new.md").write_text("Invoices go out on Fridays\n", "utf-8")
    done = memory.import_data(notes, prune=True)
    assert (done.stored, done.missing, done.forgotten) == (1, (), 0)
    assert [record.content for record in memory.list(in_project="shop", type="fact")] == ["Invoices go out on Fridays"]
    assert memory.import_data(notes, prune=True).unchanged == 4


def test_a_deleted_file_is_told_and_forgotten_only_when_asked(memory, notes) -> None:
    path = file_with(notes, "German")
    record = next(record for record in memory.list() if "German" in record.content)
    path.unlink()
    name = path.relative_to(notes).as_posix()
    done = memory.import_data(notes)
    assert (done.missing, done.forgotten, memory.get(record.id).status) == ((name,), 0, "active")
    assert memory.import_data(notes, prune=True, dry_run=True).forgotten == 1
    assert memory.get(record.id).status == "active"
    done = memory.import_data(notes, prune=True)
    assert (done.forgotten, memory.get(record.id).status) == (1, "forgotten")
    assert memory.import_data(notes).missing == ()
    memory.undo(done.operation)
    assert memory.get(record.id).status == "active"


def test_an_export_writes_over_no_edit_and_into_nobody_elses_folder(memory, notes, tmp_path) -> None:
    path = file_with(notes, "German")
    edit(path, "German", "French")
    with pytest.raises(InvalidInput, match=r"was edited since.*import"):
        memory.export(notes, format="markdown")
    memory.import_data(notes)
    memory.forget(next(record for record in memory.list() if "8080" in record.content).id)
    done = memory.export(notes, format="markdown")
    assert len(done.removed) == 1
    assert not (notes / done.removed[0]).exists()
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    with pytest.raises(InvalidInput, match="contains other files"):
        memory.export(other, format="markdown")
    with pytest.raises(InvalidInput, match="folder"):
        memory.export(other / "mine.txt", format="markdown")


def test_a_folder_fills_an_empty_store_under_the_same_ids(memory, notes, another, tmp_path) -> None:
    empty = another("empty")
    assert empty.import_data(notes).stored == 3
    assert {(r.id, r.content, r.project, r.tags) for r in empty.list()} == {
        (r.id, r.content, r.project, r.tags) for r in memory.list()
    }
    empty.export(tmp_path / "again", format="markdown")
    assert bytes_in(tmp_path / "again") == bytes_in(notes)


def test_secrets_and_forgotten_texts_stay_out(memory, notes) -> None:
    edit(file_with(notes, "German"), "Answer in German", f"The key is {KEY}, answer")
    (notes / "global" / "a.md").write_text(f"aws_access_key_id = {KEY}\n", "utf-8")
    (notes / "global" / "b.md").write_text("Lunch is at noon\n", "utf-8")
    done = memory.import_data(notes)
    assert (done.stored, done.updated, done.refused) == (0, 0, 3)
    assert KEY not in str(done)
    dry = memory.import_data(notes, dry_run=True)
    assert (dry.stored, dry.refused) == (0, 3)


def test_scripts_are_data(memory, tmp_path) -> None:
    attack = "<script>alert(1)</script>\n\n---\nid: nothing\n---\n![x](javascript:alert(1))"
    record = memory.remember(f"Never paste {attack}").memory
    memory.export(tmp_path / "notes", format="markdown")
    assert memory.import_data(tmp_path / "notes").unchanged == 1
    edit(file_with(tmp_path / "notes", "alert"), "Never paste", "Do not paste")
    memory.import_data(tmp_path / "notes")
    assert memory.get(record.id).content == f"Do not paste {attack}"


def test_links_and_names_that_lead_out_are_not_followed(memory, notes, tmp_path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("What lies outside is not read", "utf-8")
    (notes / "linked.md").symlink_to(outside / "secret.md")
    (notes / "linked").symlink_to(outside)
    os.mkfifo(notes / "pipe.md")
    done = memory.import_data(notes)
    assert {left.where for left in done.left_out} == {"linked", "linked.md", "pipe.md"}
    assert not memory.search("lies outside", mode="lexical")
    manifest = notes / ".recollect.json"
    known = json.loads(manifest.read_text("utf-8"))
    for path in ("../outside/secret.md", "/etc/passwd", "a/../../outside/secret.md", "C:\\x", ""):
        spoiled = {**known, "files": {path: next(iter(known["files"].values()))}}
        manifest.write_text(json.dumps(spoiled), "utf-8")
        for act in (memory.import_data, lambda folder: memory.export(folder, format="markdown")):
            with pytest.raises(InvalidInput, match=r"leads out|cannot be read"):
                act(notes)
    assert (outside / "secret.md").exists()


def test_no_file_is_written_through_a_linked_folder(memory, notes, tmp_path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    for path in (notes / "global").iterdir():
        path.unlink()
    (notes / "global").rmdir()
    (notes / "global").symlink_to(outside)
    with pytest.raises(InvalidInput, match="is a symbolic link"):
        memory.export(notes, format="markdown")
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"---\nid: nonsense\n---\ntext", "is not an id"),
        (b"---\ntype: rumour\n---\nsome text here", "is unknown"),
        (b"---\nimportance: very\n---\ntext", "not a number"),
        (b"---\ncolour: red\n---\ntext", "not a field"),
        (b"---\ntype: fact\ntext", "never closed"),
        (b"---\n- a list\n---\ntext", "is not `name: value`"),
        (b'---\ntags: ["a\n---\ntext', "cannot be read"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"---\ntype: fact\n---\n", "is empty"),
        (b"x" * 10_000_001, "larger than"),
        (b"---\nscope: agent\nagent: bob\n---\nIn the room of another", "you are not 'bob'"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_and_the_rest_goes_on(memory, notes, raw, problem) -> None:
    edit(file_with(notes, "make ship"), "make ship", "make release")
    (notes / "global" / "bad.md").write_bytes(raw)
    done = memory.import_data(notes)
    assert (done.updated, done.refused) == (1, 1)
    assert done.left_out[0].where == "global/bad.md"
    assert problem in done.left_out[0].reason


def test_what_cannot_be_edited_is_told(memory, notes) -> None:
    path = file_with(notes, "German")
    edit(path, "scope: global", "scope: project")
    edit(path, "German", "French")
    done = memory.import_data(notes)
    assert "scope cannot be edited" in done.left_out[0].reason
    edit(path, "scope: project", "scope: global")
    assert memory.import_data(notes).updated == 1


def test_two_files_with_one_id_are_both_refused_and_each_names_the_other(memory, notes) -> None:
    path = file_with(notes, "German")
    copied = path.with_name("copy.md")
    copied.write_bytes(path.read_bytes())
    edit(path, "German", "French")
    edit(copied, "German", "Greek")
    for dry_run in (True, False):
        done = memory.import_data(notes, dry_run=dry_run)
        assert (done.updated, done.stored, done.refused, done.missing) == (0, 0, 2, ())
        first, second = sorted(done.left_out, key=lambda left: left.where)
        assert (first.where, second.where) == (path.relative_to(notes).as_posix(), "global/copy.md")
        assert first.reason.startswith(f"{second.where} has the same id")
        assert second.reason.startswith(f"{first.where} has the same id")
        assert (first.text, second.text) == ("Answer in French, please", "Answer in Greek, please")
    assert [record.content for record in memory.list(type="preference")] == ["Answer in German, please"]


def test_a_file_without_its_id_is_known_by_its_text_wherever_it_was_moved(memory, notes) -> None:
    path = file_with(notes, "German")
    record = memory.list(type="preference")[0]
    edit(path, f"id: {record.id}\n", "")
    edit(path, "importance: 0.6", "importance: 0.2")
    (notes / "kept").mkdir()
    path.rename(notes / "kept" / "language.md")
    done = memory.import_data(notes)
    assert (done.stored, done.changed, done.missing) == (0, (record.id,), ())
    assert memory.get(record.id).importance == 0.2
    assert memory.import_data(notes).unchanged == 3


def test_a_file_moved_to_the_folder_of_another_scope_is_told_that_its_memory_was_not(memory, notes) -> None:
    path = file_with(notes, "make ship")
    moved = notes / "global" / path.name
    path.rename(moved)
    done = memory.import_data(notes)
    assert done.notes == (
        f"global/{path.name} was moved from projects/shop/{path.name}, its memory was not: it stays where it is (project shop)",
    )
    moved.rename(notes / "projects" / "shop" / "renamed.md")
    assert memory.import_data(notes).notes == ()
    assert {record.project for record in memory.list(type="procedure")} == {"shop"}


@pytest.mark.parametrize("tags", ['[a, "b c"]', "a, b c", "\n- a\n- 'b c'", "\n  - a\n  - b c", "[a,\n  b c]"])
def test_tags_may_be_written_in_every_form_of_yaml(memory, notes, tags) -> None:
    path = file_with(notes, "make ship")
    edit(path, 'tags: ["deploy"]', f"tags: {tags}")
    assert memory.import_data(notes).updated == 1
    (record,) = memory.list(type="procedure")
    assert record.tags == ("a", "b c")


def test_a_folder_shows_only_what_its_reader_reaches(rich, tmp_path) -> None:
    rich.export(tmp_path / "mine", format="markdown")
    rich.with_identity(agent="ada", teams=["core"]).export(tmp_path / "ada", format="markdown")
    mine, ada = ("".join(path.read_text("utf-8") for path in (tmp_path / who).rglob("*.md")) for who in ("mine", "ada"))
    assert "diary" not in mine
    assert "diary" in ada
    assert "short meetings" not in mine + ada
