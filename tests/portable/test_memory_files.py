"""Migration: memory files come in once, screened, with their dates; after an edit only the change comes in."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

import recollect
from recollect.errors import Disabled, InvalidInput
from recollect.portable.drafts import IngestedItem, IngestReport
from recollect.serve.cli.main import main

SECRET = "sunshine99-lisbon"
MEMORY = f"""# Ada — Long-Term Memory
*Last consolidated: 2026-05-21*

## Staging server
- **Port:** 8080
- **Host:** stage.example
- The wifi password is {SECRET}
- User: `ada` / Password: `lovelace`

## Rules
- Never deploy on a Friday
- [Tabs](memory/feedback_tabs.md) — she wants tabs

## How to release
1. run the tests
2. tag the commit
3. push the tag

## Tiers
| Tier | Purpose |
|---|---|
| Hot | decisions |
| Cold | archive |
"""
LOG = """# 2026-05-20

## Brief — 07:30 UTC
- moved the shop to the cellar
- the printer jams when it is humid

## Later
- Never deploy on a Friday.
"""
TABS = (
    "---\nname: prefers-tabs\ndescription: Tabs\nmetadata:\n  type: feedback\n---\nUse tabs.\n\n**Why:** the linter.\n"
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_text(MEMORY, "utf-8")
    (folder / "memory" / "2026-05-20.md").write_text(LOG, "utf-8")
    (folder / "memory" / "feedback_tabs.md").write_text(TABS, "utf-8")
    (folder / "README.md").write_text("# Not memory\n- a stray line\n", "utf-8")
    return folder


def contents(memory: recollect.Memory) -> list[str]:
    return sorted(record.content for record in memory.list(limit=100))


def with_outcome(report: IngestReport, outcome: str) -> list[IngestedItem]:
    return [item for batch in report.batches for item in batch.items if item.outcome == outcome]


def test_every_fact_of_a_tree_is_there_once(memory: recollect.Memory, tree: Path) -> None:
    report = memory.import_from("memory-files", tree)
    assert contents(memory) == [
        "Brief — 07:30 UTC: moved the shop to the cellar",
        "Brief — 07:30 UTC: the printer jams when it is humid",
        "How to release:\n1. run the tests\n2. tag the commit\n3. push the tag",
        "Later: Never deploy on a Friday.",
        "Never deploy on a Friday",
        "Staging server: Host: stage.example",
        "Staging server: Port: 8080",
        "Tiers: Tier Cold — Purpose: archive",
        "Tiers: Tier Hot — Purpose: decisions",
        "[Tabs](memory/feedback_tabs.md) — she wants tabs",
        "prefers tabs: Use tabs.\nWhy: the linter.",
    ]
    assert report.counts["kept"] == len(contents(memory))
    assert [batch.name for batch in report.batches] == ["MEMORY.md", "memory/2026-05-20.md", "memory/feedback_tabs.md"]


def test_a_line_that_points_to_a_file_is_linked_to_its_memory(memory: recollect.Memory, tree: Path) -> None:
    assert memory.import_from("memory-files", tree).links == 1
    (line,) = (record for record in memory.list(limit=100) if record.content.startswith("[Tabs]"))
    assert [memory.get(link.target).content for link in line.links] == ["prefers tabs: Use tabs.\nWhy: the linter."]


def test_relations_of_notes_become_links(memory: recollect.Memory, tmp_path: Path) -> None:
    (tmp_path / "coffee.md").write_text(
        "---\ntitle: Coffee Brewing\npermalink: drinks/coffee\n---\n# Coffee Brewing\n- [method] pour slowly #brew\n"
        "\n## Relations\n- relates_to [[Green Tea]]\n",
        "utf-8",
    )
    (tmp_path / "tea.md").write_text("---\ntitle: Green Tea\n---\n# Green Tea\n- [preference] 70 degrees\n", "utf-8")
    assert memory.import_from("memory-files", tmp_path).links == 2
    found = {record.content: record for record in memory.list(limit=100)}
    assert set(found) == {
        "Coffee Brewing: pour slowly", "Coffee Brewing › Relations: relates_to [[Green Tea]]", "Green Tea: 70 degrees",
    }  # fmt: skip
    tea = found["Green Tea: 70 degrees"]
    assert tea.type == "preference"
    assert tea.metadata == {"title": "Green Tea"}
    assert {"method", "brew"} <= set(found["Coffee Brewing: pour slowly"].tags)
    for text in ("Coffee Brewing: pour slowly", "Coffee Brewing › Relations: relates_to [[Green Tea]]"):
        assert [link.target for link in found[text].links] == [tea.id]


def test_a_secret_in_the_front_matter_costs_only_the_metadata(memory: recollect.Memory, tmp_path: Path) -> None:
    for field in ("password: lovelace", f"note: the wifi password is {SECRET}"):
        path = tmp_path / "note.md"
        path.write_text(f"---\n{field}\n---\n- the door is {field[:4]}\n- and green\n", "utf-8")
        report = memory.import_from("memory-files", path)
        assert [one.where for one in with_outcome(report, "refused")] == ["metadata"]
        assert SECRET not in repr(report)
        assert "lovelace" not in repr(report)
    assert all(record.metadata == {} for record in memory.list(limit=100))
    assert len(memory.list(limit=100)) == 2


def test_a_fact_says_where_it_comes_from_and_when_it_was(memory: recollect.Memory, tree: Path) -> None:
    memory.import_from("memory-files", tree)
    found = {record.content: record for record in memory.list(limit=100)}
    moved = next(record for text, record in found.items() if "cellar" in text)
    assert moved.provenance.kind == "migrated"
    assert moved.provenance.reason is not None
    assert moved.provenance.reason.endswith("workspace/memory/2026-05-20.md")
    assert moved.occurred_at == datetime(2026, 5, 20, 7, 30, tzinfo=UTC)
    assert "brief-07-30-utc" in moved.tags
    released = next(record for text, record in found.items() if "tag the commit" in text)
    assert released.type == "procedure"
    assert released.procedure is not None
    assert released.procedure.steps == ("run the tests", "tag the commit", "push the tag")
    assert next(r.type for text, r in found.items() if text.startswith("Never deploy")) == "negative"


def test_secrets_are_refused_and_told_without_being_shown(memory: recollect.Memory, tree: Path) -> None:
    for report in (memory.import_from("memory-files", tree, dry_run=True), memory.import_from("memory-files", tree)):
        refused = with_outcome(report, "refused")
        assert [one.where for one in refused] == ["line 7", "line 8"]
        assert all("secret" in one.reason for one in refused)
        assert [one.text for one in refused] == [
            "Staging server: The wifi password is [redacted: password]",
            "Staging server: User: `ada` / Password: `[redacted: password-assignment]`",
        ]
        assert SECRET not in repr(report)
        assert "lovelace" not in repr(report)
    assert not any(SECRET in text or "lovelace" in text for text in contents(memory))


def test_a_secret_among_details_costs_only_its_own_line(memory: recollect.Memory, tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text(f"## Shop\n- moved the database\n  - to the cellar\n  - its password is {SECRET}\n", "utf-8")
    report = memory.import_from("memory-files", path)
    assert report.counts["refused"] == 1
    assert any("cellar" in text for text in contents(memory))


def test_running_twice_adds_and_changes_nothing(memory: recollect.Memory, tree: Path) -> None:
    first = memory.import_from("memory-files", tree)
    events = len(memory.log(limit=1000))
    again = memory.import_from("memory-files", tree)
    assert len(memory.log(limit=1000)) == events
    assert again.counts["kept"] == again.counts["merged"] == again.counts["replaced"] == 0
    assert again.counts["known"] == first.counts["kept"] + first.counts["merged"]


def test_the_same_tree_elsewhere_adds_nothing(memory: recollect.Memory, tree: Path, tmp_path: Path) -> None:
    memory.import_from("memory-files", tree)
    before = contents(memory)
    copied = shutil.copytree(tree, tmp_path / "elsewhere")
    events = len(memory.log(limit=1000))
    assert memory.import_from("memory-files", copied).counts["kept"] == 0
    assert contents(memory) == before
    assert len(memory.log(limit=1000)) == events  # the first one is still there, so nothing was moved


def test_a_file_that_was_moved_takes_its_memories_along(memory: recollect.Memory, tree: Path) -> None:
    memory.import_from("memory-files", tree)
    before = contents(memory)
    (tree / "memory" / "2026-05-20.md").rename(tree / "memory" / "old.md")
    for dry_run in (True, False):
        report = memory.import_from("memory-files", tree, dry_run=dry_run)
        told = [one.reason for one in with_outcome(report, "known") if "moved" in one.reason]
        assert len(told) == 3
        assert all(reason.startswith("moved here from ") and reason.endswith("memory/2026-05-20.md") for reason in told)
        assert report.counts["kept"] == report.counts["replaced"] == 0
    assert contents(memory) == before
    moved = next(record for record in memory.list(limit=100) if "cellar" in record.content)
    assert (moved.provenance.reason or "").endswith("memory/old.md")
    assert memory.history(moved.id)[-1].reason == "its file was moved"
    assert not any("moved" in one.reason for one in with_outcome(memory.import_from("memory-files", tree), "known"))


def test_a_line_that_was_edited_while_its_file_was_moved_replaces_the_old_one(
    memory: recollect.Memory, tree: Path
) -> None:
    memory.import_from("memory-files", tree)
    (tree / "memory" / "2026-05-20.md").unlink()
    (tree / "memory" / "log.md").write_text(LOG.replace("to the cellar", "to the attic"), "utf-8")
    report = memory.import_from("memory-files", tree)
    assert (report.counts["replaced"], report.counts["kept"]) == (1, 0)
    assert not any("cellar" in text for text in contents(memory))


def test_an_edit_of_the_front_matter_alone_updates_the_memories_of_the_file(
    memory: recollect.Memory, tmp_path: Path
) -> None:
    path = tmp_path / "ponds.md"
    path.write_text("---\ntags: [one]\nstatus: draft\nowner: ann\n---\n- The pond holds nine carp\n", "utf-8")
    memory.import_from("memory-files", path)
    (known,) = memory.list()
    memory.update(known.id, metadata={"owner": "bob"})
    memory.import_from("memory-files", path)
    assert memory.get(known.id).metadata["owner"] == "bob"  # the file was not edited, so it changes nothing
    path.write_text(path.read_text("utf-8").replace("draft", "final").replace("[one]", "[one, two]"), "utf-8")
    for dry_run in (True, False):
        (told,) = with_outcome(memory.import_from("memory-files", path, dry_run=dry_run), "known")
        assert told.reason == "its metadata or tags were updated"
    changed = memory.get(known.id)
    assert (changed.metadata["status"], set(changed.tags) >= {"one", "two"}) == ("final", True)
    assert memory.history(known.id)[-1].reason == "the front matter of its file was edited"
    (again,) = with_outcome(memory.import_from("memory-files", path), "known")
    assert again.reason == "already here"
    assert len(memory.list()) == 1


def test_the_lines_of_a_renamed_file_without_a_title_replace_the_old_ones(
    memory: recollect.Memory, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "green_house.md").write_text("- The greenhouse opens at six\n- The pond holds nine carp\n", "utf-8")
    memory.import_from("memory-files", notes)
    (notes / "green_house.md").rename(notes / "garden.md")
    report = memory.import_from("memory-files", notes)
    assert (report.counts["replaced"], report.counts["kept"]) == (2, 0)
    assert contents(memory) == ["garden: The greenhouse opens at six", "garden: The pond holds nine carp"]


def test_what_joined_another_memory_reinforces_it_once(memory: recollect.Memory, tree: Path) -> None:
    memory.remember("Never deploy on a Friday")
    assert [one.reason for one in with_outcome(memory.import_from("memory-files", tree, dry_run=True), "merged")]
    assert with_outcome(memory.import_from("memory-files", tree), "merged")
    strengths = {record.id: record.strength for record in memory.list(limit=100)}
    memory.import_from("memory-files", tree)
    assert {record.id: record.strength for record in memory.list(limit=100)} == strengths


def test_after_an_edit_only_the_change_comes_in(memory: recollect.Memory, tree: Path) -> None:
    memory.import_from("memory-files", tree)
    path = tree / "MEMORY.md"
    path.write_text(MEMORY.replace("8080", "9090").replace("| Cold", "| Frozen | years |\n| Cold"), "utf-8")
    report = memory.import_from("memory-files", tree)
    assert (report.counts["kept"], report.counts["replaced"]) == (1, 1)
    assert "Staging server: Port: 9090" in contents(memory)
    assert "Staging server: Port: 8080" not in contents(memory)
    new = next(record for record in memory.list(limit=100) if "9090" in record.content)
    assert new.supersedes is not None
    path.write_text(MEMORY, "utf-8")
    assert memory.import_from("memory-files", tree).counts["replaced"] == 1
    assert "Staging server: Port: 8080" in contents(memory)
    assert "Staging server: Port: 9090" not in contents(memory)
    assert memory.import_from("memory-files", tree).counts["known"] == len(contents(memory)) - 1


def test_a_line_that_was_taken_out_is_told_and_kept(memory: recollect.Memory, tree: Path) -> None:
    memory.import_from("memory-files", tree)
    (tree / "MEMORY.md").write_text(MEMORY.replace("- **Host:** stage.example\n", ""), "utf-8")
    report = memory.import_from("memory-files", tree)
    assert report.batches[0].missing == ("Staging server: Host: stage.example",)
    assert "Staging server: Host: stage.example" in contents(memory)


def test_lines_worded_alike_stand_beside_each_other(memory: recollect.Memory, tmp_path: Path) -> None:
    rows = "".join(f"- **{day}:** the lamp in the hall is {colour}\n" for day, colour in
                   (("Monday", "red"), ("Tuesday", "blue"), ("Wednesday", "green"), ("Thursday", "white")))  # fmt: skip
    path = tmp_path / "MEMORY.md"
    path.write_text(f"## Lamp plan\n{rows}", "utf-8")
    assert memory.import_from("memory-files", path).counts["kept"] == 4
    assert len(contents(memory)) == 4
    assert memory.contradictions() == []


def test_what_was_forgotten_or_purged_does_not_come_back(memory: recollect.Memory, tree: Path) -> None:
    memory.import_from("memory-files", tree)
    found = {record.content: record.id for record in memory.list(limit=100)}
    memory.forget(found["Staging server: Port: 8080"])
    memory.purge(found["Staging server: Host: stage.example"])
    for dry_run in (True, False):
        why = [one.reason for one in with_outcome(memory.import_from("memory-files", tree, dry_run=dry_run), "refused")]
        assert sum(reason.startswith("forgotten") for reason in why) == 1
        assert sum(reason.startswith("purged") for reason in why) == 1
    assert not any(text.startswith("Staging server") for text in contents(memory))


def test_a_dry_run_changes_nothing_and_tells_what_would_come(memory: recollect.Memory, tree: Path) -> None:
    dry = memory.import_from("memory-files", tree, dry_run=True)
    assert dry.dry_run
    assert contents(memory) == []
    done = memory.import_from("memory-files", tree)
    assert dry.counts == done.counts
    assert [(b.name, [(a.where, a.outcome) for a in b.items]) for b in dry.batches] == [
        (b.name, [(a.where, a.outcome) for a in b.items]) for b in done.batches
    ]


def test_only_memory_files_of_a_folder_are_read_and_any_file_that_is_named(
    memory: recollect.Memory, tree: Path
) -> None:
    memory.import_from("memory-files", tree)
    assert not any("stray" in text for text in contents(memory))
    memory.import_from("memory-files", tree / "README.md")
    assert any("stray" in text for text in contents(memory))


def test_projects_of_claude_code_are_found_below_its_folder(memory: recollect.Memory, tmp_path: Path) -> None:
    place = tmp_path / ".claude" / "projects" / "-home-ada-shop" / "memory"
    place.mkdir(parents=True)
    (place / "tea.md").write_text("Prefers tea in the morning.\n", "utf-8")
    (tmp_path / "CLAUDE.md").write_text("# CLAUDE.md\n## Style\n- two spaces\n", "utf-8")
    assert memory.import_from("memory-files", tmp_path).counts["kept"] == 2


def test_links_out_of_the_tree_and_secret_files_are_not_followed(memory: recollect.Memory, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("- a line from elsewhere\n", "utf-8")
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "a.md").write_text("- a line of mine\n", "utf-8")
    (folder / "b.md").symlink_to(outside)
    memory.import_from("memory-files", folder)
    assert not any("elsewhere" in text for text in contents(memory))


def test_a_file_that_cannot_be_read_is_told_and_the_others_come_in(memory: recollect.Memory, tree: Path) -> None:
    (tree / "memory" / "broken.md").write_bytes(b"- caf\xe9\n")
    report = memory.import_from("memory-files", tree)
    (told,) = [one for one in with_outcome(report, "left_out") if one.where == "the file"]
    assert "not UTF-8" in told.reason
    assert report.counts["kept"] > 5


def test_what_is_not_there_is_said(memory: recollect.Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="does not exist"):
        memory.import_from("memory-files", tmp_path / "nowhere")
    with pytest.raises(InvalidInput, match="no Markdown file"):
        memory.import_from("memory-files", tmp_path / ".")


def test_nothing_comes_in_while_memory_is_off(memory: recollect.Memory, tree: Path) -> None:
    memory.disable(everywhere=True)
    with pytest.raises(Disabled):
        memory.import_from("memory-files", tree)


def test_the_command_tells_file_by_file(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "cli.db"))
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    monkeypatch.chdir(tree)
    assert main(["import-from", "memory-files", ".", "--dry-run"]) == 1
    said = capsys.readouterr().out
    assert "MEMORY.md  7 stored, 2 refused, 2 skipped" in said
    assert "✗ line 7  Staging server: The wifi password is [redacted: password]" in said
    assert "· skipped: a note on the file itself (line 2)\n      Last consolidated: 2026-05-21" in said
    assert "nothing was changed" in said
    assert SECRET not in said
    assert main(["import-from", "memory-files", "MEMORY.md", "memory", "--json"]) == 1
    form = json.loads(capsys.readouterr().out)
    assert form["counts"]["refused"] == 2
    assert main(["import-from", "memory-files", "."]) == 1
    assert "total  " in capsys.readouterr().out
