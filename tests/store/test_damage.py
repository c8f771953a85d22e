"""Damage of a file is found by `doctor`, or when the file is opened: whole pages, and texts, vectors and JSON inside of rows."""

from __future__ import annotations

import io
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import recollect
from recollect.errors import StoreDamaged
from recollect.testing.embedding import HashingEmbedder

PAGE = 4096
WORDS = "vault lamp green door tea harbour chess river bridge apple stone market winter garden".split()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of some hundred pages, closed in good order."""
    path, drawn = tmp_path_factory.mktemp("damage") / "memory.db", random.Random(1)
    with recollect.open(path, embedder=HashingEmbedder()) as memory:
        memory.remember_many([f"{' '.join(drawn.sample(WORDS, 8))} {n}" for n in range(300)], verbatim=True)
        for record in memory.list(limit=30):
            memory.tag(record.id, "seen")
    return path


def is_found(path: Path) -> bool:
    try:
        with recollect.open(path, embedder="none") as memory:
            return any("the file is damaged" in problem for problem in memory.doctor()["problems"])
    except StoreDamaged:
        return True


def test_a_file_without_damage_has_none(whole: Path, tmp_path: Path) -> None:
    assert not is_found(Path(shutil.copy(whole, tmp_path / "copy.db")))


def test_twenty_of_twenty_damaged_pages_are_found(whole: Path, tmp_path: Path) -> None:
    missed = []
    for seed in range(20):
        drawn, content = random.Random(seed), bytearray(whole.read_bytes())
        page = drawn.randrange(len(content) // PAGE)
        content[page * PAGE : (page + 1) * PAGE] = drawn.randbytes(PAGE)
        damaged = tmp_path / f"{seed}.db"
        damaged.write_bytes(content)
        if not is_found(damaged):
            missed.append((seed, page))
    assert not missed


# What SQLite takes for a sound file.
INSIDE = {
    "a text": "UPDATE memories SET content = 'x' || content WHERE row = 3",
    "a hash": "UPDATE memories SET digest = zeroblob(16) WHERE row = 5",
    "vectors": "UPDATE vectors SET vector = zeroblob(2) || substr(vector, 3) || x'7fff' WHERE row = 7",
    "an event": "UPDATE events SET after = substr(after, 2) WHERE seq = (SELECT max(seq) FROM events WHERE after LIKE '{%')",
}


@pytest.mark.parametrize("part", INSIDE)
def test_damage_inside_a_row_is_found(whole: Path, tmp_path: Path, part: str) -> None:
    damaged = Path(shutil.copy(whole, tmp_path / "damaged.db"))
    with sqlite3.connect(damaged) as connection:
        connection.create_function("id_bytes", 1, bytes.fromhex, deterministic=True)
        assert connection.execute(INSIDE[part]).rowcount == 1
    connection.close()
    assert is_found(damaged)


# Values that a column may have after a bit was flipped or bytes were overwritten, as expressions over what it held.
FLIPPED: dict[str, tuple[str, ...]] = {
    "another type": ("'zzz'", "x'00ff'", "-7", "3.5"),
    "another value": (
        "coalesce({0}, 0) + 1",
        "'x' || coalesce({0}, '')",
        "coalesce({0}, 1) * 1000000007",
        "zeroblob(16)",
    ),
}
EVERYTHING = """SELECT name FROM pragma_table_info('memories') WHERE name <> 'row'"""


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose third memory has a value in nearly every column."""
    path = tmp_path_factory.mktemp("rich") / "memory.db"
    with recollect.open(path, embedder=HashingEmbedder()) as memory:
        memory.remember_many([f"{' '.join(random.Random(n).sample(WORDS, 8))} {n}" for n in range(8)], verbatim=True)
        memory.remember("The green lamp stands beside the harbour", key="k", session="s", speaker="eve", tags=["lamp"])
        memory.recall("green lamp harbour")
        memory.recall("vault tea chess")
    return path


def damage(path: Path, target: Path, column: str, value: str) -> bool:
    """Overwrite one column of the memory about the lamp; False where the file refuses the value, or it is the same."""
    shutil.copy(path, target)
    with sqlite3.connect(target) as connection:
        connection.create_function("id_bytes", 1, bytes.fromhex, deterministic=True)
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        which = f"key IS 'k' AND {column} IS NOT ({value})"
        try:
            changed = connection.execute(f"UPDATE memories SET {column} = {value} WHERE {which}").rowcount == 1
        except sqlite3.IntegrityError:
            changed = False
    connection.close()
    return changed


def read_everything(path: Path) -> None:
    """Every way to read the memory; damage may be told, in our own words."""
    with recollect.open(path, embedder=HashingEmbedder()) as memory:
        ways: list[Callable[[], object]] = [
            lambda: memory.list(limit=100, status=["active", "superseded", "archived", "forgotten"]),
            lambda: memory.recall("green lamp harbour"),
            lambda: memory.search("lamp", mode="lexical"),
            lambda: memory.context("green lamp harbour"),
            lambda: memory.remember("The green lamp stands beside the harbour now"),
            lambda: memory.router.read("k"),
            memory.stats,
            lambda: memory.export(io.BytesIO(), history=True, everything=True),
            lambda: memory.log(limit=100),
            lambda: [memory.get(event.memory_id) for event in memory.log(limit=100)],
        ]
        for way in ways:
            with suppress(recollect.RecollectError):
                way()


def columns_of(path: Path) -> list[str]:
    with sqlite3.connect(path) as connection:
        found = [name for (name,) in connection.execute(EVERYTHING)]
    connection.close()
    return found


def test_damage_in_any_column_is_found_and_reading_says_so(rich: Path, tmp_path: Path) -> None:
    tried, missed = 0, []
    for column in columns_of(rich):
        for value in (each.format(column) for some in FLIPPED.values() for each in some):
            target = tmp_path / "damaged.db"
            if damage(rich, target, column, value):
                tried += 1
                missed += [] if is_found(target) else [(column, value)]
                read_everything(target)
    assert tried > 200
    assert len(missed) <= 0.05 * tried, missed


def test_a_damaged_row_is_named_with_what_to_do(rich: Path, tmp_path: Path) -> None:
    target = tmp_path / "damaged.db"
    assert damage(rich, target, "created_at", "'zzz'")
    with (
        recollect.open(target, embedder="none") as memory,
        pytest.raises(StoreDamaged, match=r"memory 9 .*recollect doctor"),
    ):
        memory.list()


def test_a_store_in_use_is_sound(rich: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(rich, tmp_path / "copy.db"))
    with recollect.open(path, embedder=HashingEmbedder()) as memory:
        for record in memory.list():
            memory.update(record.id, importance=0.3)
            memory.reinforce(record.id)
        memory.recall("green lamp")
        memory.forget(memory.list()[0].id)
        memory.undo()
    assert not is_found(path)


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose third event of four is about the lamp."""
    path = tmp_path_factory.mktemp("journal") / "memory.db"
    with recollect.open(path, embedder=HashingEmbedder()) as memory:
        for text in ("The vault is in Bern", "The river is cold"):
            memory.remember(text)
        lamp = memory.list()[0]
        memory.update(lamp.id, importance=0.4, tags=["lamp"], ttl=1e6)
        memory.remember("The chess club meets on Mondays")
    return path


# What an event may become when bytes of it are overwritten, by column.
BROKEN_EVENTS = {
    "operation": ("'x'", "x'00ff'", "7"),
    "at": ("'zzz'", "1e300", "9223372036854775807"),
    "actor": ("x'ff00fe'", "CAST(x'ff00fe' AS TEXT)"),
    "kind": ("'remembet'", "x'00'"),
    "memory": ("'x'", "x'00ff'"),
    "before": ("'garbage{'", "'[]'", "'7'", "x'ff00fe'", """'{"expires_at": 7}'""", """'{"links": [{"to": 1}]}'"""),
    "after": ("'garbage{'", "'\"text\"'", """'{"expires_at": "yesterday"}'""", """'{"tags": 5}'""", f"'{'[' * 9999}'"),
    "reason": ("x'ff00fe'", "CAST(x'ff00fe' AS TEXT)"),
    "undoes": ("'x'", "x'00ff'", "7"),
    "document": ("'poolx'", "x'00'", "'pool'"),
    "origin": ("'nobody'", "x'00'"),
}


def break_event(path: Path, target: Path, column: str, value: str) -> None:
    """Overwrite one column of the event about the lamp, the third of four."""
    shutil.copy(path, target)
    with sqlite3.connect(target) as connection:
        assert connection.execute(f"UPDATE events SET {column} = {value} WHERE seq = 3").rowcount == 1
    connection.close()


@pytest.mark.parametrize(
    ("column", "value"), [(column, value) for column, some in BROKEN_EVENTS.items() for value in some]
)
def test_a_damaged_event_is_named_and_the_others_stay_readable(
    journal: Path, tmp_path: Path, column: str, value: str
) -> None:
    target = tmp_path / "damaged.db"
    break_event(journal, target, column, value)
    assert is_found(target)
    with recollect.open(target, embedder=HashingEmbedder()) as memory:
        chess, lamp, vault = memory.list()
        about_it = column != "memory"  # otherwise it is not known to be about the lamp
        operation = column not in ("operation", "memory")
        for needs_it, way in (
            (True, lambda: memory.log(limit=2)),
            (about_it, lambda: memory.history(lamp.id)),
            (True, lambda: memory.export(io.BytesIO(), history=True)),
            (operation, lambda: memory.undo("3")),
            (True, lambda: memory.as_of("2020-01-01T00:00:00+00:00").list()),
        ):
            if needs_it:
                with pytest.raises(StoreDamaged, match=r"event 3 .*recollect doctor.*restore a backup"):
                    way()
        assert [event.memory_id for event in memory.log(limit=1)] == [chess.id]
        assert len(memory.history(vault.id)) == 1
        memory.undo()
        assert [record.id for record in memory.list()] == [lamp.id, vault.id]
