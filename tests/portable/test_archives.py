"""Memories travel in one file: an archive says what its folder says, and the same store gives the same bytes."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from packing import KINDS, archive, packed

import recollect
from recollect import InvalidInput
from recollect.portable.drafts import IngestReport
from recollect.serve.cli.main import main

NEW = ("Invoices go out on Fridays", "Port 9000 is taken")


@pytest.fixture
def notes(rich: recollect.Memory, tmp_path: Path) -> Path:
    """A folder of many memories, with everything that may have become of files: edited, new, deleted, not to be read."""
    folder = tmp_path / "notes"
    rich.export(folder, format="markdown")
    edited, deleted, copied = sorted((folder / "global").glob("ledger-*.md"))[:3]
    edited.write_text(edited.read_text("utf-8").replace("were closed", "were reopened"), "utf-8")
    deleted.unlink()
    (folder / "projects" / "shop" / "new.md").write_text(f"{NEW[0]}\n", "utf-8")
    (folder / "top.md").write_text(f"---\ntype: decision\ntags: ports, infra\n---\n{NEW[1]}\n", "utf-8")
    (folder / "global" / "twin.md").write_bytes(copied.read_bytes())
    (folder / "global" / "bad.md").write_bytes(b"\xff\xfe")
    (folder / "global" / "large.md").write_bytes(b"x" * 10_000_001)
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "not.md").write_text("Nobody reads this\n", "utf-8")
    (folder / "global" / "picture.png").write_bytes(b"\x89PNG")
    return folder


def everything(memory: recollect.Memory) -> list[str]:
    """All that is remembered, without the ids of what is new."""
    out = io.BytesIO()
    memory.export(out, everything=True)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    said = [line["memory"] for line in lines if "memory" in line]
    return sorted(json.dumps({**one, "id": "" if one["content"] in NEW else one["id"]}, sort_keys=True) for one in said)


@pytest.mark.parametrize(
    ("kind", "within"), [("zip", ""), ("zip", "notes/"), ("tar", "./"), ("tar.gz", ""), ("tgz", "notes/")]
)
def test_an_archive_of_markdown_comes_in_as_its_folder_does(
    rich: recollect.Memory,
    notes: Path,
    another: Callable[..., recollect.Memory],
    tmp_path: Path,
    kind: str,
    within: str,
) -> None:
    path = packed(notes, tmp_path / f"Packed.{kind}", within=within)
    told = []
    for name, source in (("one", notes), ("two", path)):
        with another(name) as store:
            rich.export(tmp_path / "all.jsonl")
            store.import_data(tmp_path / "all.jsonl")
            dry = store.import_data(source, dry_run=True)
            done = store.import_data(source, prune=True)
            told.append((replace(dry, operation=None), replace(done, operation=None), everything(store)))
    assert told[0] == told[1]
    done = told[0][1]
    assert (done.updated, done.stored, done.refused, done.forgotten) == (1, 2, 4, 1)


@pytest.mark.parametrize("within", ["", "notes/"])
def test_an_archive_fills_an_empty_store_as_its_folder_does(
    notes: Path, another: Callable[..., recollect.Memory], tmp_path: Path, within: str
) -> None:
    path = packed(notes, tmp_path / "notes.zip", within=within)
    with another("one") as one, another("two") as two:
        assert replace(one.import_data(notes), operation=None) == replace(two.import_data(path), operation=None)
        assert everything(one) == everything(two)
        assert len(everything(one)) > 12


def test_an_archive_is_not_written_to_and_coming_twice_adds_nothing(
    rich: recollect.Memory, notes: Path, tmp_path: Path, exported: Callable[..., bytes]
) -> None:
    path = packed(notes, tmp_path / "notes.zip")
    before = path.read_bytes()
    assert rich.import_data(path).stored == 2
    then = exported(rich, everything=True, history=True)
    again = rich.import_data(path)
    assert (again.stored, again.updated, again.operation) == (0, 0, None)
    assert exported(rich, everything=True, history=True) == then
    assert path.read_bytes() == before


def test_a_store_is_written_as_the_same_bytes_and_as_the_folder_would_be(
    rich: recollect.Memory, tmp_path: Path
) -> None:
    done = rich.export(tmp_path / "tree.zip", format="markdown")
    assert done == rich.export(tmp_path / "again.zip")
    raw = (tmp_path / "tree.zip").read_bytes()
    assert (tmp_path / "again.zip").read_bytes() == raw
    assert (tmp_path / "tree.zip").stat().st_mode & 0o777 == 0o600
    assert rich.export(tmp_path / "tree", format="markdown").counts == done.counts
    with zipfile.ZipFile(tmp_path / "tree.zip") as file:
        held = {name: file.read(name) for name in file.namelist()}
        assert list(held) == sorted(held)
        assert {info.date_time for info in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    folder = tmp_path / "tree"
    assert held == {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    rich.export(tmp_path / "tree.zip")
    assert (tmp_path / "tree.zip").read_bytes() == raw


def test_what_was_written_comes_in_elsewhere(
    rich: recollect.Memory, another: Callable[..., recollect.Memory], tmp_path: Path
) -> None:
    done = rich.export(tmp_path / "tree.zip")
    with another("other") as other:
        assert other.import_data(tmp_path / "tree.zip").stored == done.counts["memory"]
        other.export(tmp_path / "back.zip")
        assert other.import_data(tmp_path / "back.zip").unchanged == done.counts["memory"]
    assert rich.import_data(tmp_path / "tree.zip").unchanged == done.counts["memory"]


@pytest.mark.parametrize(
    ("name", "options", "problem"),
    [
        ("tree.tar.gz", {}, "can be imported, not exported"),
        ("tree.tgz", {"format": "markdown"}, "can be imported, not exported"),
        ("tree.zip", {"format": "jsonl"}, "contains Markdown"),
        ("tree.zip", {"history": True}, "cannot be exported as Markdown"),
    ],
)
def test_what_no_archive_is_made_of_is_said(memory: recollect.Memory, tmp_path: Path, name, options, problem) -> None:
    with pytest.raises(InvalidInput, match=problem):
        memory.export(tmp_path / name, **options)
    assert not (tmp_path / name).exists()


def test_a_folder_is_a_folder_whatever_it_is_called(memory: recollect.Memory, tmp_path: Path) -> None:
    memory.remember("The office is in Porto")
    (tmp_path / "tree.zip").mkdir()
    memory.export(tmp_path / "tree.zip")
    assert (tmp_path / "tree.zip" / ".recollect.json").is_file()
    assert memory.import_data(tmp_path / "tree.zip").unchanged == 1
    assert memory.import_from("memory-files", tmp_path / "tree.zip").counts["refused"] == 0


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The memory files of an agent, and what lies beside them."""
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "node_modules" / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_text(
        "# Ada\n## Server\n- **Port:** 8080\n- Password: `lovelace`\n- [Log](memory/2026-05-20.md)\n", "utf-8"
    )
    (folder / "memory" / "2026-05-20.md").write_text("## Brief — 07:30 UTC\n- moved the shop to the cellar\n", "utf-8")
    (folder / "memory" / "broken.md").write_bytes(b"- caf\xe9\n")
    (folder / "memory" / "large.md").write_bytes(b"- x\n" * 1_300_000)
    (folder / "memory" / "old.zip").write_bytes(archive("old.zip", [("MEMORY.md", b"- a line of an inner archive\n")]))
    (folder / "node_modules" / "memory" / "x.md").write_text("- not ours\n", "utf-8")
    (folder / "README.md").write_text("- a stray line\n", "utf-8")
    return folder


def told_of(report: IngestReport) -> list[object]:
    return [
        (batch.name, batch.missing, [(one.where, one.outcome, one.text, one.reason) for one in batch.items])
        for batch in report.batches
    ]


def kept_in(memory: recollect.Memory) -> list[str]:
    """Every field of what is remembered but the id, and of the file it came from only the name."""

    def plain(record: recollect.Record) -> recollect.Record:
        file = Path(record.provenance.reason or "").name
        return replace(record, id="", provenance=replace(record.provenance, reason=file))

    return sorted(repr(plain(record)) for record in memory.list(limit=100))


@pytest.mark.parametrize("kind", KINDS)
def test_packed_memory_files_come_in_as_their_folder_does(
    workspace: Path, another: Callable[..., recollect.Memory], tmp_path: Path, kind: str
) -> None:
    path = packed(workspace, tmp_path / f"workspace.{kind}")
    with another("one") as one, another("two") as two:
        assert told_of(one.import_from("memory-files", workspace, dry_run=True)) == told_of(
            two.import_from("memory-files", path, dry_run=True)
        )
        assert told_of(one.import_from("memory-files", workspace)) == told_of(two.import_from("memory-files", path))
        assert kept_in(one) == kept_in(two)
        assert len(kept_in(one)) == 2
        assert two.import_from("memory-files", path).counts["known"] == 2
        reasons = [record.provenance.reason or "" for record in two.list()]
        assert any(reason.endswith(f"workspace.{kind}/MEMORY.md") for reason in reasons)


def test_after_an_edit_only_the_change_comes_in(memory: recollect.Memory, workspace: Path, tmp_path: Path) -> None:
    memory.import_from("memory-files", packed(workspace, tmp_path / "workspace.zip"))
    text = (workspace / "MEMORY.md").read_text("utf-8")
    (workspace / "MEMORY.md").write_text(text.replace("8080", "9090"), "utf-8")
    report = memory.import_from("memory-files", packed(workspace, tmp_path / "workspace.zip"))
    assert (report.counts["replaced"], report.counts["kept"], report.counts["known"]) == (1, 0, 1)


def test_the_name_of_an_archive_stands_for_the_folder(memory: recollect.Memory, tmp_path: Path) -> None:
    path = tmp_path / "memory.tar.gz"
    path.write_bytes(archive(path.name, [("README.md", b"- read, because everything in memory/ is\n")]))
    assert memory.import_from("memory-files", path).counts["kept"] == 1


def test_what_the_finder_adds_is_passed_over(memory: recollect.Memory, tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    members = [
        ("memory/a.md", b"- a line of mine\n"),
        ("__MACOSX/memory/._a.md", b"\x00\x05\x16\x07"),
        ("memory/", b""),
    ]
    path.write_bytes(archive(path.name, members))
    assert memory.import_from("memory-files", path).counts["left_out"] == 0
    assert memory.import_data(path).refused == 0


def test_an_archive_that_says_what_must_not_be_read_is_left_to_its_folder(
    memory: recollect.Memory, tmp_path: Path
) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(archive(path.name, [("MEMORY.md", b"- a line\n"), ("memory/.secretsignore", b"*.md\n")]))
    with pytest.raises(InvalidInput, match=r"memory/\.secretsignore.*unpack it"):
        memory.import_from("memory-files", path)


def test_json_lines_may_be_compressed(
    rich: recollect.Memory, another: Callable[..., recollect.Memory], tmp_path: Path, exported: Callable[..., bytes]
) -> None:
    for name in ("all.jsonl.gz", "again.jsonl.gz"):
        rich.export(tmp_path / name, history=True, everything=True)
    raw = (tmp_path / "all.jsonl.gz").read_bytes()
    assert raw == (tmp_path / "again.jsonl.gz").read_bytes()
    assert gzip.decompress(raw) == exported(rich, history=True, everything=True)
    with another("other") as other:
        other.import_data(tmp_path / "all.jsonl.gz", everything=True)
        assert exported(other, history=True, everything=True) == gzip.decompress(raw)


@pytest.mark.parametrize("cut", [5, 200, -5, -1])
def test_a_compressed_file_that_was_cut_changes_nothing(
    rich: recollect.Memory, another: Callable[..., recollect.Memory], tmp_path: Path, cut: int
) -> None:
    path = tmp_path / "all.jsonl.gz"
    rich.export(path)
    path.write_bytes(path.read_bytes()[:cut])
    with another("other") as other:
        with pytest.raises(InvalidInput, match="is truncated or damaged"):
            other.import_data(path)
        assert other.list() == []


def test_archives_go_through_the_command_line(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    packed(workspace, tmp_path / "workspace.tgz")
    assert main(["import-from", "memory-files", "workspace.tgz", "--global", "--db", "one.db"]) == 1
    assert main(["export", "tree.zip", "--format", "markdown", "--db", "one.db"]) == 0
    assert "tree.zip  2 memories" in capsys.readouterr().out
    assert main(["import", "tree.zip", "--db", "two.db"]) == 0
    assert "2 stored" in capsys.readouterr().out
    (tmp_path / "bad.zip").write_bytes(archive("bad.zip", [("../up.md", b"- up\n")]))
    assert main(["import", "bad.zip", "--db", "two.db"]) == 2
    assert "'../up.md': leads out of the archive" in capsys.readouterr().err
