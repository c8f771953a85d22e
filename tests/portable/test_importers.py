"""Importers: what other products wrote comes in whole and once, with times, tags and relations; bad input not at all."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.errors import InvalidInput, NotFound
from recollect.portable.importers import DRAFTED, PRODUCTS
from recollect.serve.cli.commands import import_from as command
from recollect.serve.cli.main import main

HERE = Path(__file__).parent / "products"
FILES = {
    "mem0": "mem0_get_all.json",
    "langgraph": "langgraph.db.gz",
    "mcp-memory": "mcp_memory.jsonl",
    "mcp-memory-service": "mcp_memory_service.db.gz",
}


@pytest.fixture
def product(tmp_path: Path) -> Any:
    """A file of a product, as it wrote it, on a copy."""

    def copied(name: str) -> Path:
        raw = (HERE / name).read_bytes()
        path = tmp_path / name.removesuffix(".gz")
        path.write_bytes(gzip.decompress(raw) if name.endswith(".gz") else raw)
        return path

    return copied


def records(memory: recollect.Memory) -> dict[str, recollect.Record]:
    return {record.content: record for record in memory.list(limit=100)}


def test_mem0_comes_in_with_owner_session_speaker_and_metadata(memory: recollect.Memory, product: Any) -> None:
    report = memory.import_from("mem0", product("mem0_get_all.json"))
    found = records(memory)
    assert set(found) == {
        "Prefers tea over coffee in the morning",
        "I moved to Lisbon in May",
        "Noted, you live in Lisbon now.",
        "Wears size 44 shoes",
        "The staging server listens on port 8080",
    }
    assert report.counts["refused"] == 1
    assert "sunshine" not in repr(report)
    tea = found["Prefers tea over coffee in the morning"]
    assert tea.provenance.kind == "migrated"
    assert tea.occurred_at is not None
    assert tea.occurred_at.date().isoformat() == "2026-11-16"
    assert set(tea.tags) == {"user:alice", "preferences", "priority:2"}
    moved = found["I moved to Lisbon in May"]
    assert (moved.agent, moved.session, moved.speaker) == ("planner", "trip-7", "user")
    assert set(found["The staging server listens on port 8080"].tags) == {"staging", "ports"}


def test_the_history_of_mem0_gives_the_last_text_of_what_was_not_deleted(
    memory: recollect.Memory, product: Any
) -> None:
    report = memory.import_from("mem0", product("mem0_history.db.gz"))
    found = records(memory)
    assert "Wears size 44 shoes" in found
    assert not any("size 43" in text or "gym" in text for text in found)
    assert (report.counts["kept"], report.counts["refused"], report.counts["left_out"]) == (5, 1, 1)
    # The same memories as in the export: each is known by its id.
    assert memory.import_from("mem0", product("mem0_get_all.json")).counts["known"] == 5


def test_the_sqlite_store_of_langgraph_is_read_as_it_is(memory: recollect.Memory, product: Any) -> None:
    path = product("langgraph.db.gz")
    before = path.read_bytes()
    memory.import_from("langgraph", path)
    found = records(memory)
    assert set(found) == {
        "Prefers tea over coffee in the morning",
        "Moved to Lisbon in May",
        "The staging server listens on port 8080",
        "Temporary plan for Friday",
        "profiles › bob › profile: name: Bob; shoe_size: 44; languages: Portuguese, English",
    }
    assert found["Prefers tea over coffee in the morning"].type == "preference"
    assert set(found["The staging server listens on port 8080"].tags) == {"ops", "staging", "ports"}
    assert found["Temporary plan for Friday"].expires_at is not None
    created = found["Moved to Lisbon in May"].occurred_at
    assert created is not None
    assert created.tzinfo is not None
    assert path.read_bytes() == before


def test_what_expired_stays_out(memory: recollect.Memory, product: Any, clock: Any) -> None:
    clock.set(datetime(2027, 1, 1, tzinfo=UTC))
    report = memory.import_from("langgraph", product("langgraph.db.gz"))
    assert "Temporary plan for Friday" not in records(memory)
    assert [one.reason for one in report.batches[0].items if one.outcome == "left_out"] == ["it has expired"]


def test_items_of_any_langgraph_store_come_in_as_json(memory: recollect.Memory, product: Any) -> None:
    assert memory.import_from("langgraph", product("langgraph_items.json")).counts["kept"] == 4
    # The same items in the file of another store are the same things.
    assert memory.import_from("langgraph", product("langgraph.db.gz")).counts["kept"] == 1


def test_the_graph_of_the_reference_server_becomes_memories_and_links(memory: recollect.Memory, product: Any) -> None:
    report = memory.import_from("mcp-memory", product("mcp_memory.jsonl"))
    found = records(memory)
    assert "Alice Moreno: Prefers tea over coffee in the morning" in found
    assert "Shop: Runs on PostgreSQL 16" in found
    assert "Alice Moreno works at Lisbon office" in found
    assert report.links == 2
    alice = found["Alice Moreno: person"]
    assert alice.type == "entity"
    near = {related.memory.content for related in memory.related(alice.id) if related.path[0].startswith("relates_to")}
    assert {"Shop: project", "Lisbon office: place"} <= near


def test_the_file_of_mcp_memory_service_is_read_without_its_extension(memory: recollect.Memory, product: Any) -> None:
    path = product("mcp_memory_service.db.gz")
    before = path.read_bytes()
    report = memory.import_from("mcp-memory-service", path)
    found = records(memory)
    assert set(found) == {
        "Prefers tea over coffee in the morning",
        "We decided to host the shop in Lisbon",
        "The staging server listens on port 8080",
    }
    hosted = found["We decided to host the shop in Lisbon"]
    assert hosted.type == "decision"
    assert hosted.occurred_at == datetime.fromtimestamp(1747000000.5, UTC)
    assert set(hosted.tags) == {"shop", "hosting"}
    assert {"reference", "agent:ops", "weight:0.4"} <= set(found["The staging server listens on port 8080"].tags)
    assert report.links == 1
    assert report.counts["left_out"] == 1
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", DRAFTED)
def test_running_twice_adds_and_changes_nothing(memory: recollect.Memory, product: Any, name: str) -> None:
    path = product(FILES[name])
    first = memory.import_from(name, path)
    events, held = len(memory.log(limit=1000)), records(memory)
    again = memory.import_from(name, path)
    assert again.counts["known"] == first.counts["kept"] + first.counts["merged"]
    assert again.links == 0
    assert len(memory.log(limit=1000)) == events
    assert records(memory) == held


@pytest.mark.parametrize("name", DRAFTED)
def test_a_dry_run_tells_the_same_and_changes_nothing(memory: recollect.Memory, product: Any, name: str) -> None:
    path = product(FILES[name])
    dry = memory.import_from(name, path, dry_run=True)
    assert records(memory) == {}
    assert dry.counts == memory.import_from(name, path).counts


def test_a_text_that_changed_there_replaces_the_old_one(memory: recollect.Memory, product: Any) -> None:
    path = product("mem0_get_all.json")
    memory.import_from("mem0", path)
    whole = json.loads(path.read_text("utf-8"))
    for result in whole["results"]:
        if "shoes" in result["memory"]:
            result["memory"] = "Walks barefoot since the summer"
    path.write_text(json.dumps(whole), "utf-8")
    assert memory.import_from("mem0", path).counts["replaced"] == 1
    assert "Walks barefoot since the summer" in records(memory)
    assert "Wears size 44 shoes" not in records(memory)
    assert memory.import_from("mem0", path).counts["known"] == 5


def test_only_what_belongs_to_one_owner(memory: recollect.Memory, product: Any) -> None:
    memory.import_from("mem0", product("mem0_get_all.json"), only="bob")
    memory.import_from("langgraph", product("langgraph.db.gz"), only="profiles")
    assert len(records(memory)) == 2


def test_a_change_after_import_can_be_undone_as_one(memory: recollect.Memory, product: Any) -> None:
    memory.import_from("mem0", product("mem0_get_all.json"))
    with pytest.raises(NotFound, match="of yours"):
        memory.undo()  # an import is not what a person did last
    memory.undo(memory.log(limit=1)[0].operation, force=True)
    assert records(memory) == {}


BAD: dict[str, tuple[str, str, str]] = {
    "a list that is none": ("mem0", '{"results": 3}', "contains no list"),
    "not JSON": ("mem0", "hello", "is not JSON"),
    "a memory without a text": ("mem0", '{"results": [{"memory": "fine"}, {"id": "x"}]}', r"results\[1\]\.memory"),
    "a text that is a number": ("mem0", '[{"memory": 7}]', r"\[0\]\.memory"),
    "a time that is none": ("mem0", '[{"memory": "x", "created_at": "yesterday"}]', r"created_at: 'yesterday'"),
    "a namespace that is none": ("langgraph", '[{"key": "a", "value": {"text": "x"}}]', r"\[0\]\.namespace"),
    "a key that is none": ("langgraph", '[{"namespace": ["a"], "value": {"text": "x"}}]', r"\[0\]\.key"),
    "a broken line": ("mcp-memory", '{"type":"entity","name":"A","entityType":"p","observations":[]}\n{"type":', "line 2"),
    "a line of another kind": ("mcp-memory", '{"type":"thing"}', r"line 1\.type"),
    "an entity without observations": ("mcp-memory", '{"type":"entity","name":"A","entityType":"p"}', "line 1.observ"),
    "an observation that is a number": (
        "mcp-memory", '{"type":"entity","name":"A","entityType":"p","observations":["x",7]}', "observation 2",
    ),
    "not a database": ("mcp-memory-service", "x" * 5000, "cannot be read as SQLite"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named_by_its_place_and_nothing_comes_in(
    memory: recollect.Memory, tmp_path: Path, case: str
) -> None:
    name, text, told = BAD[case]
    path = tmp_path / "given"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidInput, match=told):
        memory.import_from(name, path)
    assert records(memory) == {}


def test_another_database_is_not_taken_for_one(memory: recollect.Memory, tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE unrelated (x)")
        connection.commit()
    for name in ("mem0", "langgraph", "mcp-memory-service"):
        with pytest.raises(InvalidInput, match="has no table"):
            memory.import_from(name, path)


def test_a_database_cut_short_is_refused(memory: recollect.Memory, product: Any) -> None:
    path = product("mcp_memory_service.db.gz")
    path.write_bytes(path.read_bytes()[:9000])
    with pytest.raises(InvalidInput, match="cannot be read as SQLite"):
        memory.import_from("mcp-memory-service", path)
    assert records(memory) == {}


def test_an_unknown_product_is_answered_with_the_list(memory: recollect.Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="mcp-memory-service"):
        memory.import_from("zep", tmp_path)


def test_the_command_knows_the_products_and_tells_what_came(
    product: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    choices = command.import_from.params[0].type
    assert tuple(choices.choices) == ("memory-files", *PRODUCTS)
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "cli.db"))
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    assert main(["import-from", "mem0", str(product("mem0_get_all.json"))]) == 1
    said = capsys.readouterr().out
    assert "total  5 stored, 1 refused" in said
    assert main(["import-from", "mcp-memory", str(product("mcp_memory.jsonl")), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["links"] == 2
    assert main(["import-from", "mem0", str(product("mcp_memory.jsonl"))]) == 2
    assert "line 1.memory" in capsys.readouterr().err
