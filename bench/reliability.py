"""Reliability: eight processes on one file, kill -9 during writes, spoilt snapshots, full disk, read-only file.

Every figure is a count of things that went wrong and must be 0. Only processes started here are ended, by their id.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from bench.faults import ROOT, check, full_disk_figures, read_only_figures, snapshot_figures
from bench.tables import Figure
from bench.worker import opened

_PROCESSES = 8
_SEEDS = 1000


def run(*, seconds: float = 60, kills: int = 50) -> list[Figure]:
    """Everything, each in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name:
        folder = Path(name)
        return [
            *shared_figures(folder, seconds),
            *killed_figures(folder, kills),
            *snapshot_figures(folder),
            *full_disk_figures(folder),
            *read_only_figures(folder),
        ]


def shared_figures(folder: Path, seconds: float, processes: int = _PROCESSES) -> list[Figure]:
    """Several processes write and read one file; each looks at once for what another has acknowledged."""
    path, logs = folder / "shared.db", folder / "logs"
    logs.mkdir()
    with opened(path):
        pass
    started = [
        _start("share", str(path), str(logs), str(number), str(seconds), output=subprocess.DEVNULL)
        for number in range(processes)
    ]
    crashed = [trouble for process in started if (trouble := _ended(process, seconds + 120))]
    lines = [line for log in sorted(logs.glob("*.log")) for line in log.read_text("utf-8").splitlines()]
    ids = [line.split()[0] for line in lines if not line.startswith(("!", "looked"))]
    looks = sum(int(line.split()[1]) for line in lines if line.startswith("looked"))
    troubles = [line[2:] for line in lines if line.startswith("!")]
    unseen = [line for line in troubles if line.startswith("unseen")]
    errors = [line for line in troubles if not line.startswith("unseen")] + crashed
    seen = check(path, ids)
    label = f"{processes} processes, {seconds:g} s"
    rate = f"{len(ids):,} acknowledged writes, {len(ids) / seconds:.0f} a second"
    return [
        Figure(f"{label}: errors", len(errors), 0, "lower", note=_commonest(errors) or rate),
        Figure(f"{label}: acknowledged writes lost", seen["lost"], 0, "lower", note=rate),
        Figure(
            f"{label}: committed writes not seen",
            len(unseen),
            0,
            "lower",
            note=_commonest(unseen) or f"{looks:,} looks",
        ),
        Figure(f"{label}: damaged, or rows without creation", seen["damaged"] + seen["uncreated"], 0, "lower"),
    ]


def killed_figures(folder: Path, kills: int) -> list[Figure]:
    """A writer is killed at a random moment, again and again, on one file that keeps growing."""
    path, chance = folder / "killed.db", random.Random(5)
    ids: list[str] = []
    totals: Counter[str] = Counter()
    for number in range(kills):
        acknowledged = _killed(path, _SEEDS + number, chance.uniform(0.0, 0.6))
        totals.update(check(path, acknowledged))
        ids += acknowledged
    final = check(path, ids)
    label = f"kill -9, {kills} times"
    many = f"{len(ids):,} acknowledged writes"
    return [
        Figure(f"{label}: acknowledged writes lost", totals["lost"] + final["lost"], 0, "lower", note=many),
        Figure(f"{label}: damaged after opening", totals["damaged"] + final["damaged"], 0, "lower"),
        Figure(f"{label}: journal and rows differ", final["uncreated"], 0, "lower"),
    ]


def _killed(path: Path, seed: int, wait: float) -> list[str]:
    """Start a writer, let it work for a moment after its first write, kill it; what it had acknowledged."""
    process = _start("write", str(path), str(seed), output=subprocess.PIPE)
    assert process.stdout is not None
    first = process.stdout.readline()
    if not first.endswith("\n"):
        raise RuntimeError(f"the writer did not start: {_ended(process, 10)}")
    time.sleep(wait)  # The pipe holds 64 KiB: more lines than a writer acknowledges in this time.
    process.kill()
    rest = process.stdout.read()
    process.communicate()
    return [line for line in (first + rest).splitlines(keepends=True) if line.endswith("\n") for line in [line.strip()]]


def _start(*arguments: str, output: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bench.worker", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.PIPE, text=True)


def _ended(process: subprocess.Popen[str], patience: float) -> str | None:
    """Wait for a process; what went wrong with it, if anything."""
    try:
        _, trouble = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"a process did not end within {patience:g} s"
    if process.returncode == 0:
        return None
    return f"a process ended with {process.returncode}: {(trouble.strip().splitlines() or ['no word'])[-1]}"


def _commonest(troubles: list[str]) -> str:
    kinds = Counter(trouble[:120] for trouble in troubles)
    return "; ".join(f"{count} × {kind}" for kind, count in kinds.most_common(3))
