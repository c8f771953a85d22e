"""Probes: figures that need a process of their own: resident memory, and the command line from a cold start."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from bench.tables import Figure

_TRIES = 5
_RESIDENT = """
import json, sys, psutil, recollect
with recollect.open(sys.argv[1]) as memory:
    for question in ("what did we decide about the harbour", "who said that and when"):
        found = memory.recall(question, limit=10, project="shop")
    spent = psutil.Process().memory_info()
print(json.dumps({"rss": spent.rss, "shared": getattr(spent, "shared", 0), "considered": found.trace.considered}))
"""


def resident(path: Path) -> Figure:
    """The memory of a process that opened a store and recalled with the real model."""
    done = subprocess.run([sys.executable, "-c", _RESIDENT, str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        return Figure("resident memory with the real model", math.nan, 450.0, "lower", "MB", _last_line(done.stderr))
    seen = json.loads(done.stdout)
    note = f"of it mapped files {seen['shared'] / 1e6:.0f} MB; {seen['considered']:,} memories considered"
    return Figure("resident memory with the real model", seen["rss"] / 1e6, 450.0, "lower", "MB", note)


def command_line(path: Path) -> list[Figure]:
    """`recollect --help` and a recall from a cold start, wall, best of five."""
    asked = ["--db", str(path), "--project", "shop", "recall", "what did we decide about the harbour"]
    return [
        _command("recollect --help", ["--help"], 0.3),
        _command("cold CLI recall", asked, 1.2),
    ]


def _command(what: str, arguments: list[str], target: float) -> Figure:
    if find_spec("recollect.serve.cli") is None or find_spec("recollect.serve.cli.main") is None:
        return Figure(what, math.nan, target, "lower", "s", "there is no command line yet")
    script = Path(sys.executable).parent / "recollect"
    times = []
    for _ in range(_TRIES):
        start = time.perf_counter()
        done = subprocess.run([str(script), *arguments], capture_output=True, text=True, check=False)
        times.append(time.perf_counter() - start)
        if done.returncode:
            return Figure(what, math.nan, target, "lower", "s", _last_line(done.stderr))
    return Figure(what, min(times), target, "lower", "s", f"wall, best of {_TRIES}; worst {max(times):.2f} s")


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["failed"])[-1][:200]
