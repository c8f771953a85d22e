"""Faults: what a store does when its index snapshot is spoilt, the disk is full, or the file may not be written."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import recollect
from bench.synthetic import Words
from bench.tables import Figure
from bench.worker import opened

ROOT = Path(__file__).resolve().parent.parent
_ROWS, _ASKED = 1200, 20


def check(path: Path, ids: list[str]) -> dict[str, int]:
    """Open a store that went through something: is it whole, is everything acknowledged there, with its creation?"""
    with opened(path) as memory:
        found = memory.doctor()
        damaged = int(found["integrity"] != "ok" or bool(found["orphans"]))
        lost = uncreated = 0
        for one in ids:
            try:
                uncreated += memory.history(one)[0].kind != "remember"
            except recollect.NotFound:
                lost += 1
        uncreated += _without_creation(memory)
    return {"damaged": damaged, "lost": lost, "uncreated": uncreated}


def _without_creation(memory: recollect.Memory) -> int:
    """Rows that no event of the journal made, and creations that left no row (nothing is purged or undone here)."""
    with memory._runtime.store.view() as reader:
        created = {event.memory_id for event in reader.events("default") if event.kind == "remember"}
    stored = {record.id for record in memory.iter_all(status="all")}
    return len(stored ^ created)


def snapshot_figures(folder: Path) -> list[Figure]:
    """Spoil the snapshot in several ways; the answers must stay the same to the last digit."""
    path = folder / "snapshot.db"
    asked = Words(seed=31).questions(_ASKED)
    with opened(path) as memory:
        memory.remember_many(Words(seed=30).texts(_ROWS), verbatim=True)
        memory.recall(asked[0])
    expected = _answers(path, asked)
    with opened(path) as memory:  # A search loads the index, so that closing has one to keep.
        memory.recall(asked[0])
    snapshots = list(Path(f"{path}.index").glob("*.index"))
    if not snapshots:
        return [Figure("snapshot faults: different answers", len(asked), 0, "lower", note="no snapshot was written")]
    whole = snapshots[0].read_bytes()
    figures = []
    for name, spoil in _SPOILS.items():
        spoil(snapshots[0], whole)
        differing = sum(a != b for a, b in zip(expected, _answers(path, asked), strict=True))
        figures.append(Figure(f"snapshot {name}: different answers", differing, 0, "lower", note=f"of {len(asked)}"))
        snapshots[0].write_bytes(whole)
    return figures


def _answers(path: Path, asked: list[str]) -> list[list[tuple[str, float]]]:
    with opened(path) as memory:
        moment = memory.list(limit=1)[0].created_at
        return [[(hit.memory.id, hit.score) for hit in memory.recall(q, limit=10, now=moment)] for q in asked]


def _noise(path: Path, whole: bytes) -> None:
    path.write_bytes(random.Random(1).randbytes(len(whole)))


def _flipped(path: Path, whole: bytes) -> None:
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :])


_SPOILS: dict[str, Callable[[Path, bytes], object]] = {
    "deleted": lambda path, _whole: path.unlink(),
    "truncated": lambda path, whole: path.write_bytes(whole[: len(whole) // 3]),
    "emptied": lambda path, _whole: path.write_bytes(b""),
    "filled with noise": _noise,
    "with one byte flipped": _flipped,
}


def full_disk_figures(folder: Path) -> list[Figure]:
    """A file that may not grow: the write says so, reading goes on, and with room again all is well."""
    path = folder / "full.db"
    done = subprocess.run(
        [sys.executable, "-m", "bench.worker", "fill", str(path)],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    ids, said = [line for line in lines if line[:1] != "!"], [line[2:] for line in lines if line[:1] == "!"]
    clear = any(line.startswith("StoreFull") for line in said) and "read 5" in said and done.returncode == 0
    trouble = done.stderr.strip().splitlines()[-1:]
    seen = check(path, ids)
    with opened(path) as memory:
        again = memory.remember("There is room again.").memory is not None
    note = f"{len(ids)} acknowledged; {'; '.join([*said, *trouble])[:200]}".replace(f"{folder}/", "")
    return [
        Figure("disk full: no clear error, or reading stopped", int(not clear), 0, "lower", note=note),
        Figure("disk full: damaged or lost", sum(seen.values()) + int(not again), 0, "lower", note=str(seen)),
    ]


def read_only_figures(folder: Path) -> list[Figure]:
    """A file marked read-only: recall works, remember says why not, no byte changes."""
    path = folder / "read-only.db"
    with opened(path) as memory:
        memory.remember_many(Words(seed=41).texts(50), verbatim=True)
        memory.remember("The harbour opens at nine.")
    before = _digest(path)
    path.chmod(0o444)
    try:
        with opened(path) as memory:
            found = memory.recall("when does the harbour open?", limit=10)
            reads = any(hit.memory.content == "The harbour opens at nine." for hit in found)
            said = _refusal(memory)
    finally:
        path.chmod(0o600)
    wrong = [
        name
        for name, true in {
            "not read": not reads,
            "not refused": not said.startswith("ReadOnly"),
            "changed": _digest(path) != before,
        }.items()
        if true
    ]
    note = "; ".join([*wrong, said])[:160].replace(f"{folder}/", "")
    return [Figure("read-only file: not read, not refused or changed", len(wrong), 0, "lower", note=note)]


def _refusal(memory: recollect.Memory) -> str:
    try:
        memory.remember("The harbour opens at ten.")
    except recollect.RecollectError as error:
        return f"{type(error).__name__}: {error}"
    return "written"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
