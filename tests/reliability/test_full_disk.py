"""A store on a full disk is closed without an error: everything that was acknowledged is safe, and counters may be lost."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import recollect

# A file that may not grow is a full disk: SQLite gets the same kind of error, and no other process is in danger.
WRITER = textwrap.dedent(
    """
    import resource, signal, sys, recollect
    from recollect.errors import StoreFull
    from recollect.testing.embedding import HashingEmbedder

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
    memory = recollect.open(sys.argv[1], embedder=HashingEmbedder())
    try:
        for number in range(100_000):
            stored = memory.remember(f"Lamp {number} hangs in room {number * 7} " + "and shines " * 50).memory
            print(stored.id, flush=True)
    except StoreFull:
        print("full", flush=True)
    for number in range(5):
        memory.recall(f"where does lamp {number} hang")
    memory.close()
    memory.close()
    print("closed", flush=True)
    """
)


def test_closing_on_a_full_disk_does_not_raise_and_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    ended = subprocess.run([sys.executable, "-c", WRITER, str(path)], capture_output=True, text=True, check=False)
    *ids, full, closed = ended.stdout.split()
    assert (full, closed, ended.returncode) == ("full", "closed", 0), ended.stderr
    with recollect.open(path, embedder="none") as memory:
        assert ids and {record.id for record in memory.list(limit=100_000)} == set(ids)
        assert memory.doctor()["integrity"] == "ok"
