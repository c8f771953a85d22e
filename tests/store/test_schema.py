"""The schema file and the migrations agree, and a file is opened or refused for what it is."""

import re
import sqlite3

import pytest

import recollect
from recollect.errors import ReadOnly, StoreDamaged, StoreError, StoreNewer
from recollect.store.sqlite.connection import run_script
from recollect.store.sqlite.queries import migrations, queries, text_of


def described(*scripts: str) -> list[tuple[str, str, str]]:
    connection = sqlite3.connect(":memory:")
    for script in scripts:
        run_script(connection, script)
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").fetchall()
    return [(kind, name, _words(sql or "")) for kind, name, sql in rows]


def _words(sql: str) -> str:
    """Without comments and layout: a column that was added later has neither."""
    return re.sub(r"\s*([(),])\s*", r"\1", " ".join(re.sub(r"--[^\n]*", "", sql).split()))


def test_all_migrations_together_give_the_schema() -> None:
    assert described(*(script for _, script in migrations())) == described(text_of("schema.sql"))


def test_migrations_are_numbered_without_gaps() -> None:
    assert [number for number, _ in migrations()] == list(range(1, len(migrations()) + 1))


def _as_of_schema(path, number: int) -> None:
    """Make a file what it would be if a recollect with an older schema had written it."""
    old = sqlite3.connect(path.with_suffix(".old"))
    old.create_function("id_bytes", 1, bytes.fromhex)
    for _, script in migrations()[:number]:
        run_script(old, script)
    old.execute("ATTACH ? AS new", (str(path),))
    old.execute("PRAGMA foreign_keys = OFF")
    tables = old.execute("SELECT name FROM main.sqlite_master WHERE type = 'table' AND name <> 'counts'").fetchall()
    for (table,) in tables:  # the counters are counted by their triggers
        columns = ", ".join(row[1] for row in old.execute(f"PRAGMA main.table_info({table})"))
        old.execute(f"INSERT OR REPLACE INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
    for pragma in ("application_id", "user_version"):
        (value,) = old.execute(f"PRAGMA new.{pragma}").fetchone()
        old.execute(f"PRAGMA main.{pragma} = {number if pragma == 'user_version' else value}")
    old.commit()
    old.close()
    path.with_suffix(".old").replace(path)


def test_an_upgrade_from_before_metadata_keeps_every_memory_and_gives_it_metadata(tmp_path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder="none") as memory:
        kept = memory.remember("The vault is in Bern", tags=["bank"], key="vault").memory
        theirs = memory.with_identity(agent="ada").remember("The vault closes at six", scope="agent").memory
        before = memory.stats()
    _as_of_schema(path, 8)
    with recollect.open(path, embedder="none") as memory:
        assert memory.list() == [kept]
        assert memory.stats() == before
        assert memory.remember("The vault is in Bern", key="vault").memory.id == kept.id
        memory.update(kept.id, metadata={"floor": 2})
        ulla = memory.with_identity(user="ulla")
        hers = ulla.remember("The vault has a green door", metadata={"floor": 3}).memory
        assert [found.id for found in memory.list(metadata={"floor": {"$gte": 2}})] == [kept.id]
        assert [found.id for found in ulla.list(metadata={"floor": 3})] == [hers.id]
        assert [found.id for found in memory.with_identity(agent="ada").list(scope="agent")] == [theirs.id]
        assert not [problem for problem in memory.doctor()["problems"] if "no embedder" not in problem]


def test_every_named_query_is_valid_sql(tmp_path) -> None:
    connection = sqlite3.connect(":memory:")
    connection.create_function("id_bytes", 1, bytes.fromhex)
    run_script(connection, text_of("schema.sql"))
    pieces = {
        "memory",
        "document",
        "now",
        "ending",
        "operation_ending",
        "find_memories",
        "count_memories",
        "page",
        "count_tags",
        "by_tag",
        "find_events",
        "find_event_numbers",
    }
    for name in queries().keys() - pieces:
        sql = queries()[name].replace("{reached}", "1")
        parameters = dict.fromkeys(re.findall(r":(\w+)", sql))
        assert connection.execute(f"EXPLAIN {sql}", parameters).fetchall(), name


def test_a_newer_file_is_refused_not_guessed(tmp_path) -> None:
    path = tmp_path / "m.db"
    recollect.open(path, embedder="none").close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(StoreNewer, match="upgrade"):
        recollect.open(path, embedder="none")


def test_a_file_of_something_else_is_left_alone(tmp_path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE cats (name)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreDamaged):
        recollect.open(path, embedder="none")
    assert path.read_bytes()[:4096].count(b"cats") == before[:4096].count(b"cats")


def test_noise_is_not_a_store(tmp_path) -> None:
    path = tmp_path / "noise.db"
    path.write_bytes(b"this is no database at all" * 1000)
    with pytest.raises(StoreDamaged):
        recollect.open(path, embedder="none")


def test_a_path_that_cannot_be_is_a_clear_error(tmp_path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be opened"):
        recollect.open(tmp_path / "file" / "m.db", embedder="none")


def test_a_closed_store_says_so(tmp_path) -> None:
    memory = recollect.open(tmp_path / "m.db", embedder="none")
    memory.close()
    memory.close()
    with pytest.raises(StoreError, match="closed"):
        memory.list()


def test_a_read_only_file_can_be_read_and_not_written(tmp_path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder="none") as memory:
        kept = memory.remember("The vault is in Bern").memory
    path.chmod(0o444)
    with recollect.open(path, embedder="none") as memory:
        assert [h.memory.id for h in memory.recall("vault")] == [kept.id]
        for call in (
            lambda: memory.remember("Another thing to keep"),
            lambda: memory.forget(kept.id),
            lambda: memory.disable("x"),
        ):
            with pytest.raises(ReadOnly, match="read-only"):
                call()
        assert memory.get(kept.id).status == "active"


def test_only_sqlite_urls_are_opened(tmp_path) -> None:
    with pytest.raises(recollect.SettingsError, match="mongodb"):
        recollect.open("mongodb://localhost/x", embedder="none")
    recollect.open(f"sqlite://{tmp_path}/u.db", embedder="none").close()
    assert (tmp_path / "u.db").exists()
