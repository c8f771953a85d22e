"""Bring your own store: every row of koshi, mememory and a pgvector memory comes in whole, as it is there, and once."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.errors import InvalidInput
from recollect.portable.drafts import IngestReport
from recollect.portable.importers import STORED, product_of
from recollect.serve.cli.main import main

SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
KOSHI = """
CREATE TABLE memories (
  id INTEGER PRIMARY KEY, content TEXT NOT NULL, source TEXT, tags TEXT, created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
  last_hit_at DATETIME, score INTEGER DEFAULT 0, session_id TEXT, narrative_id INTEGER, task_id INTEGER
);
CREATE VIRTUAL TABLE memories_fts USING fts5(content, tags, source, content='memories', content_rowid='id');
CREATE TABLE memories_archive (
  id INTEGER PRIMARY KEY AUTOINCREMENT, original_id INTEGER NOT NULL, content TEXT NOT NULL, source TEXT, tags TEXT,
  created_at DATETIME, last_hit_at DATETIME, score INTEGER DEFAULT 0, session_id TEXT, archived_at DATETIME
);
CREATE TABLE memory_links (
  memory_id INTEGER REFERENCES memories(id), related_id INTEGER REFERENCES memories(id), strength REAL DEFAULT 1.0,
  PRIMARY KEY (memory_id, related_id)
);
CREATE TABLE narratives (
  id INTEGER PRIMARY KEY, summary TEXT NOT NULL, memory_ids TEXT DEFAULT '[]', previous_narrative_id INTEGER, topic TEXT,
  created_at TEXT
);
CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT);
INSERT INTO memories VALUES
  (1, 'Payment API: the HMAC of an empty body has no trailing empty string', 'conversation', 'payments, hmac, bug',
   '2026-03-01 10:00:00', '2026-04-02 11:30:00', 6, 's-1', 1, 7),
  (2, 'The staging server listens on port 8080', 'agent', NULL, '2026-03-02 10:00:00', NULL, -2, 's-1', NULL, NULL),
  (3, 'The deploy key is SECRET', 'agent', 'keys', '2026-03-03 10:00:00', NULL, 1, NULL, NULL, NULL),
  (4, '  ', 'agent', NULL, '2026-03-03 10:00:00', NULL, 0, NULL, NULL, NULL);
INSERT INTO memories_archive VALUES
  (1, 9, 'Lunch was at noon', 'extraction', 'food', '2026-01-01 12:00:00', '2026-01-02 12:00:00', -8, 's-0', '2026-02-01 00:00:00');
INSERT INTO memory_links VALUES (1, 2, 2.5), (2, 1, 0.4);
INSERT INTO narratives VALUES (1, 'We fixed the payment signature', '[1, 2]', NULL, 'Payments', '2026-03-04 10:00:00');
INSERT INTO messages VALUES (1, 's-1', 'user', 'hello');
""".replace("SECRET", SECRET)
MEMEMORY = """
CREATE TABLE memories (
  id TEXT PRIMARY KEY, content TEXT NOT NULL, scope TEXT NOT NULL, project TEXT, type TEXT, tags TEXT, weight REAL DEFAULT 1.0,
  supersedes TEXT, ttl INTEGER, embedding BLOB, created_at TEXT, updated_at TEXT
);
INSERT INTO memories VALUES
  ('a1', 'Redux is the best state manager', 'global', NULL, 'preference', '["state"]', 0.1, NULL, NULL, x'00', '2026-01-01T10:00:00Z', '2026-02-01T10:00:00Z'),
  ('b2', 'Zustand is better than Redux for small apps', 'global', NULL, 'preference', '["state"]', 1.0, 'a1', NULL, x'00', '2026-02-01T10:00:00Z', '2026-02-01T10:00:00Z'),
  ('c3', 'Uses Zustand for stores', 'project', 'match', 'decision', '[]', 0.05, NULL, NULL, NULL, '2026-02-02T10:00:00Z', '2026-02-03T10:00:00Z'),
  ('d4', 'The demo is on the second floor', 'project', 'match', 'reminder', NULL, 0.5, NULL, 31536000, NULL, '2026-02-02T10:00:00Z', '2026-02-03T10:00:00Z'),
  ('e5', 'The old demo room', 'global', NULL, NULL, NULL, 0.5, 'gone', 3600, NULL, '2025-02-02T10:00:00Z', '2025-02-03T10:00:00Z'),
  ('f6', 'Zustand suits the phone app', 'global', NULL, NULL, NULL, 0.5, 'b2', NULL, NULL, '2026-02-05T10:00:00Z', '2026-02-05T10:00:00Z');
"""  # noqa: E501 - one row a line
AGENTS = """
CREATE TABLE agent_memories (
  id TEXT PRIMARY KEY, agent_id TEXT, content TEXT, memory_type TEXT, importance REAL, created_at TEXT, last_accessed_at TEXT,
  access_count INTEGER, status TEXT, embedding BLOB
);
CREATE TABLE team_memories (id TEXT PRIMARY KEY, team_id TEXT, agent_id TEXT, content TEXT, importance REAL, status TEXT, created_at TEXT);
INSERT INTO agent_memories VALUES
  ('m1', 'planner', 'Ada prefers short meetings', 'semantic', 0.9, '2026-03-01 10:00:00+00', '2026-04-01 10:00:00+00', 12, 'active', x'00'),
  ('m2', 'scout', 'The harbour closes at nine', 'episodic', 0.3, '2026-03-02 10:00:00+00', NULL, 0, 'consolidated', NULL),
  ('m3', 'scout', 'Nobody needs this', 'semantic', 0.3, '2026-03-02 10:00:00+00', NULL, 0, 'deleted', NULL);
INSERT INTO team_memories VALUES ('m1', 'core', 'planner', 'The core team meets on Tuesdays', 0.7, 'active', '2026-03-05 10:00:00+00');
"""  # noqa: E501 - one row a line
SCHEMAS = {"koshi": KOSHI, "mememory": MEMEMORY, "agent-memories": AGENTS}
AGENT = {"agent-memories": "planner"}


@pytest.fixture
def store(tmp_path: Path) -> Callable[[str], Path]:
    """The SQLite file of a product."""

    def made(product: str) -> Path:
        path = tmp_path / f"{product}.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(SCHEMAS[product])
        return path

    return made


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def by_text(memory: recollect.Memory) -> dict[str, recollect.Record]:
    return {record.content: record for record in memory.iter_all(status="all")}


def told(report: IngestReport, outcome: str) -> list[tuple[str, str, str]]:
    items = [item for batch in report.batches for item in batch.items if item.outcome == outcome]
    return [(item.where, item.text, item.reason) for item in items]


def test_koshi_keeps_scores_hits_times_sessions_and_the_archive(memory: recollect.Memory, store: Any) -> None:
    path = store("koshi")
    before = path.read_bytes()
    report = memory.import_from("koshi", path)
    found = by_text(memory)
    hmac = found["Payment API: the HMAC of an empty body has no trailing empty string"]
    assert (hmac.score, hmac.created_at, hmac.hit_at) == (6, at("2026-03-01 10:00"), at("2026-04-02 11:30"))
    assert (hmac.accessed_at, hmac.updated_at) == (at("2026-04-02 11:30"), at("2026-04-02 11:30"))
    assert (hmac.tags, hmac.session, hmac.status) == (("payments", "hmac", "bug"), "s-1", "active")
    assert hmac.metadata == {"id": "1", "source": "conversation", "narrative_id": 1, "task_id": 7}
    assert (hmac.provenance.kind, hmac.provenance.reason) == ("migrated", "imported from koshi")
    port = found["The staging server listens on port 8080"]
    assert (port.score, port.hit_at, port.accessed_at) == (-2, None, at("2026-03-02 10:00"))
    assert [(link.target, link.weight) for link in hmac.links] == [(port.id, 1.0)]
    assert [(link.target, link.weight) for link in port.links] == [(hmac.id, 0.4)]
    lunch = found["Lunch was at noon"]
    assert (lunch.status, lunch.score, lunch.metadata["archived_at"]) == ("archived", -8, "2026-02-01 00:00:00")
    narrative = found["We fixed the payment signature"]
    assert (narrative.type, narrative.tags, set(narrative.derived_from)) == (
        "summary",
        ("payments",),
        {hmac.id, port.id},
    )
    assert path.read_bytes() == before
    assert told(report, "left_out") == [
        ("memories 4", "", "an empty memory"),
        ("table messages", "1 rows", "a table that has no memories"),
    ]
    assert report.links == 4


def test_the_ranking_goes_on_where_koshi_was(memory: recollect.Memory, store: Any) -> None:
    memory.import_from("koshi", store("koshi"))
    hit = memory.recall("payment hmac", profile="hebbian")[0]
    assert hit.memory.score == 6
    assert memory.reinforce(hit.memory.id).score == 9


def test_mememory_keeps_scopes_weights_chains_and_ends_of_life(memory: recollect.Memory, store: Any) -> None:
    report = memory.import_from("mememory", store("mememory"))
    found = by_text(memory)
    redux, zustand = found["Redux is the best state manager"], found["Zustand is better than Redux for small apps"]
    phone, stores = found["Zustand suits the phone app"], found["Uses Zustand for stores"]
    assert (redux.weight, redux.status, redux.superseded_by) == (0.1, "superseded", zustand.id)
    assert (zustand.supersedes, zustand.status, phone.supersedes) == (redux.id, "superseded", zustand.id)
    assert (redux.scope, redux.type, redux.tags) == ("global", "preference", ("state",))
    assert (redux.created_at, redux.updated_at) == (at("2026-01-01 10:00"), at("2026-02-01 10:00"))
    assert (stores.scope, stores.project, stores.type) == ("project", "match", "decision")
    # Our weights begin at 0.1; what it was is in the metadata.
    assert (stores.weight, stores.metadata) == (0.1, {"id": "c3", "weight": 0.05})
    demo = found["The demo is on the second floor"]
    assert (demo.type, demo.metadata["type"]) == ("task", "reminder")
    assert demo.expires_at == at("2027-02-03 10:00")
    assert told(report, "left_out") == [("memories e5", "The old demo room", "it has expired")]
    assert [record.content for record in memory.list(in_project="match", limit=10)] == [demo.content, stores.content]


def test_memories_of_agents_and_teams_stay_theirs(memory: recollect.Memory, store: Any) -> None:
    report = memory.import_from("agent-memories", store("agent-memories"))
    assert report.counts["kept"] == 3
    assert by_text(memory) == {}
    planner = memory.with_identity(agent="planner", teams=["core"])
    found = by_text(planner)
    assert set(found) == {"Ada prefers short meetings", "The core team meets on Tuesdays"}
    ada, team = found["Ada prefers short meetings"], found["The core team meets on Tuesdays"]
    assert (ada.scope, ada.importance, ada.access_count, ada.type) == ("agent", 0.9, 12, "fact")
    assert (ada.accessed_at, ada.hit_at) == (at("2026-04-01 10:00"), at("2026-04-01 10:00"))
    assert ada.metadata == {"id": "m1", "memory_type": "semantic"}
    assert (team.scope, team.team, team.agent, team.importance) == ("team", "core", "planner", 0.7)
    (closes,) = by_text(memory.with_identity(agent="scout")).values()
    assert (closes.status, closes.metadata["status"], closes.type) == ("archived", "consolidated", "episode")
    assert told(report, "left_out") == [("agent_memories m3", "Nobody needs this", "deleted there")]


def test_an_agent_imports_only_its_own_rooms(memory: recollect.Memory, store: Any) -> None:
    scout = memory.with_identity(agent="scout")
    report = scout.import_from("agent-memories", store("agent-memories"))
    assert [where for where, _, _ in told(report, "refused")] == ["agent_memories m1", "team_memories m1"]
    assert all("out of reach" in reason for _, _, reason in told(report, "refused"))
    assert set(by_text(scout)) == {"The harbour closes at nine"}
    assert by_text(memory.with_identity(agent="planner", teams=["core"])) == {}


@pytest.mark.parametrize("product", STORED)
def test_importing_twice_adds_and_changes_nothing(
    memory: recollect.Memory, store: Any, exported: Callable[..., bytes], product: str
) -> None:
    path = store(product)
    first = memory.import_from(product, path)
    before = exported(memory, history=True, everything=True)
    again = memory.import_from(product, path)
    assert exported(memory, history=True, everything=True) == before
    assert (again.counts["known"], again.counts["kept"], again.links) == (first.counts["kept"], 0, 0)
    assert again.counts["replaced"] == 0


@pytest.mark.parametrize("product", STORED)
def test_a_dry_run_changes_nothing_and_says_the_same(memory: recollect.Memory, store: Any, product: str) -> None:
    path = store(product)
    dry = memory.import_from(product, path, dry_run=True)
    assert list(memory.log(limit=10)) == []
    assert dry.counts == memory.import_from(product, path).counts


def test_a_secret_is_refused_and_quoted_without_itself(memory: recollect.Memory, store: Any) -> None:
    report = memory.import_from("koshi", store("koshi"))
    ((where, text, reason),) = told(report, "refused")
    assert (where, text.startswith("The deploy key is [redacted: ")) == ("memories 3", True)
    assert "secret" in reason
    assert SECRET not in repr(report)
    assert not any(SECRET in content for content in by_text(memory))


def test_a_secret_in_another_column_costs_only_that_column(memory: recollect.Memory, store: Any) -> None:
    path = store("koshi")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE memories SET source = ? WHERE id = 2", (f"key {SECRET}",))
        connection.commit()
    report = memory.import_from("koshi", path)
    assert [where for where, _, _ in told(report, "refused")] == ["memories 2, metadata", "memories 3"]
    assert SECRET not in repr(report)
    assert by_text(memory)["The staging server listens on port 8080"].metadata == {}


def test_what_was_forgotten_here_does_not_come_back(memory: recollect.Memory, store: Any) -> None:
    path = store("koshi")
    memory.forget(memory.remember("the staging server listens on port 8080.").memory.id)
    report = memory.import_from("koshi", path)
    assert ("memories 2", "The staging server listens on port 8080") in [one[:2] for one in told(report, "refused")]
    imported = by_text(memory)["We fixed the payment signature"]
    memory.forget(imported.id)
    assert "known" in {one.outcome for one in memory.import_from("koshi", path).batches[0].items}
    assert memory.get(imported.id).status == "forgotten"


def test_what_changed_there_is_updated_and_what_changed_here_stays(
    memory: recollect.Memory, store: Any, clock: Any
) -> None:
    path = store("mememory")
    memory.import_from("mememory", path)
    phone = by_text(memory)["Zustand suits the phone app"]
    demo = by_text(memory)["The demo is on the second floor"]
    clock.set(at("2026-06-01 10:00"))
    memory.update(phone.id, content="Zustand suits every app")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "UPDATE memories SET content = 'changed', updated_at = '2026-03-01T10:00:00Z' WHERE id = 'f6'"
        )
        connection.execute(
            "UPDATE memories SET content = 'The demo is on the roof', updated_at = '2026-07-01T10:00:00Z' WHERE id = 'd4'"
        )
        connection.commit()
    report = memory.import_from("mememory", path)
    assert [(where, text) for where, text, _ in told(report, "replaced")] == [
        ("memories d4", "The demo is on the roof")
    ]
    assert memory.get(demo.id).content == "The demo is on the roof"
    assert memory.get(phone.id).content == "Zustand suits every app"
    assert memory.history(demo.id)[-1].kind == "update"


def test_one_undo_takes_the_whole_import_back(memory: recollect.Memory, store: Any) -> None:
    memory.import_from("koshi", store("koshi"))
    memory.undo(memory.log(limit=1)[0].operation, force=True)
    assert by_text(memory) == {}


def test_imported_memories_have_vectors_at_once(memory: recollect.Memory, store: Any) -> None:
    memory.import_from("koshi", store("koshi"))
    assert memory.stats()["unembedded"] == 0
    assert memory.search("staging server port", mode="semantic")[0].memory.content.startswith("The staging server")


@pytest.mark.parametrize("form", ["csv", "jsonl", "json"])
def test_an_export_of_one_table_is_read_as_the_table(
    memory: recollect.Memory, another: Any, store: Any, tmp_path: Path, form: str
) -> None:
    path = store("mememory")
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        rows = [dict(row) for row in connection.execute("SELECT * FROM memories")]
    export = tmp_path / f"memories.{form}"
    for row in rows:
        row["embedding"] = "[0.1, 0.2]"
    if form == "csv":
        with export.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    else:
        export.write_text(json.dumps(rows) if form == "json" else "\n".join(map(json.dumps, rows)), "utf-8")
    memory.import_from("mememory", path)
    other = another("other")
    other.import_from("mememory", export)

    def whole(record: recollect.Record) -> dict[str, Any]:
        return {**record.to_dict(), "metadata": {k: str(v) for k, v in record.metadata.items()}}

    assert {k: whole(v) for k, v in by_text(other).items()} == {k: whole(v) for k, v in by_text(memory).items()}


def test_a_store_in_postgresql_is_read_by_its_address(memory: recollect.Memory, empty_database: str) -> None:
    import psycopg

    with psycopg.connect(empty_database) as connection:
        connection.execute(
            "CREATE TABLE memories (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), content text, scope text, project text,"
            " tags text[], weight real, supersedes uuid, ttl interval, metadata jsonb,"
            " created_at timestamptz, updated_at timestamptz)"
        )
        old = connection.execute(
            "INSERT INTO memories (content, scope, tags, weight, metadata, created_at, updated_at) VALUES ('Tea is best', 'global',"
            " '{drinks,hot}', 0.5, '{\"who\": \"Ada\"}', '2026-01-01T10:00Z', '2026-01-02T10:00Z') RETURNING id"
        ).fetchone()
        connection.execute(
            "INSERT INTO memories (content, scope, weight, supersedes, created_at, updated_at)"
            " VALUES ('Coffee is best', 'global', 1, %s, '2026-02-01T10:00Z', '2026-02-01T10:00Z')",
            old,
        )
    report = memory.import_from("mememory", empty_database)
    assert report.counts["kept"] == 2
    # A report is logged and shown: the login of the database is not part of it.
    assert report.batches[0].name == empty_database.partition("://")[2].rpartition("@")[2].partition("?")[0]
    found = by_text(memory)
    tea = found["Tea is best"]
    assert (tea.tags, tea.weight, tea.superseded_by) == (("drinks", "hot"), 0.5, found["Coffee is best"].id)
    assert tea.metadata["who"] == "Ada"
    assert tea.updated_at == at("2026-01-02 10:00")
    with pytest.raises(InvalidInput, match="no table 'agent_memories'"):
        memory.import_from("agent-memories", empty_database)
    with pytest.raises(InvalidInput) as caught:
        memory.import_from("mememory", "postgresql://ada:lovelace@127.0.0.1:1/none")
    assert "lovelace" not in str(caught.value)


def test_only_what_belongs_to_one_owner(memory: recollect.Memory, store: Any) -> None:
    memory.import_from("mememory", store("mememory"), only="match")
    assert {record.project for record in memory.iter_all()} == {"match"}


def test_a_user_takes_in_a_store_as_their_own(memory: recollect.Memory, store: Any) -> None:
    ada = memory.with_identity(user="ada")
    ada.import_from("koshi", store("koshi"))
    assert len(by_text(ada)) == 4
    assert by_text(memory) == {}
    assert by_text(memory.with_identity(user="bob")) == {}


def test_a_store_is_recognised_by_its_tables(memory: recollect.Memory, store: Any, tmp_path: Path) -> None:
    assert {product: product_of(store(product)) for product in STORED} == {product: product for product in STORED}
    recollect.open(tmp_path / "own.db", embedder="none").close()
    assert product_of(tmp_path / "own.db") is None
    with pytest.raises(InvalidInput, match="koshi"):
        memory.import_data(tmp_path / "koshi.db")
    with pytest.raises(InvalidInput, match="copy"):
        memory.import_data(tmp_path / "own.db")


BAD = {
    "no column": ("mememory", "x.jsonl", '{"id": 1}', "has no column 'content'"),
    "a score that is none": ("koshi", "x.jsonl", '{"id": 1, "content": "x", "score": "high"}', "score: 'high' is not a number"),
    "a time that is none": ("koshi", "x.jsonl", '{"id": 1, "content": "x", "created_at": "soon"}', "created_at: 'soon'"),
    "a short line of CSV": ("mememory", "x.csv", "id,content\n1\n", "has not the columns of the header"),
    "an empty database": ("koshi", "x.db", "SQLite format 3\x00", "cannot be read as SQLite|has no table"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named_by_its_place_and_nothing_comes_in(
    memory: recollect.Memory, tmp_path: Path, case: str
) -> None:
    product, name, text, problem = BAD[case]
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(InvalidInput, match=problem):
        memory.import_from(product, tmp_path / name)
    assert by_text(memory) == {}


def test_a_row_that_cannot_be_a_memory_is_refused_alone(memory: recollect.Memory, tmp_path: Path) -> None:
    rows = [{"id": 1, "content": "a fine door"}, {"id": 2, "content": "bad \x00 door"}]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    report = memory.import_from("koshi", tmp_path / "x.jsonl")
    assert [(where, reason) for where, _, reason in told(report, "refused")] == [
        ("line 2", "content contains a NUL character")
    ]
    assert set(by_text(memory)) == {"a fine door"}
    # Without times there, the time of the first import stays.
    assert memory.import_from("koshi", tmp_path / "x.jsonl").counts["known"] == 1


def test_import_recognises_a_store_and_says_what_came(
    store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "cli.db"))
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    path = store("koshi")
    assert main(["import", str(path), "--dry-run"]) == 1, "a secret in it is refused"
    assert not (tmp_path / "cli.db").exists()
    said = capsys.readouterr().out
    assert "koshi.db  4 stored, 1 refused, 2 skipped" in said
    assert "✗ memories 3  The deploy key is [redacted: " in said
    assert main(["import", str(path), "--from", "koshi"]) == 1
    assert main(["import-from", "koshi", str(path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["counts"]["known"] == 4
    assert main(["import", str(path), "--from", "mememory"]) == 2
    assert "is a store of koshi, not of mememory" in capsys.readouterr().err
    assert main(["import", str(path), "--prune"]) == 2
