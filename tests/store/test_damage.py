"""Damage of a file is found by `doctor`, or when the file is opened: whole pages, and texts, vectors and JSON inside of rows."""

from __future__ import annotations

import random
import shutil
import sqlite3
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
