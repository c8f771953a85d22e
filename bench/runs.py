"""Runs: the raw rows of a bench run as JSON, with the versions it ran on; `report.py` reads the newest."""

from __future__ import annotations

import json
import platform
import sqlite3
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "runs"


def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    return {
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "onnxruntime": version("onnxruntime"),
        "sqlite": sqlite3.sqlite_version,
        "recollect": version("recollect"),
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu(),
    }


def save(what: str, content: dict[str, Any], folder: Path = FOLDER) -> Path:
    """Write one run; a later run of the same day replaces it."""
    folder.mkdir(parents=True, exist_ok=True)
    now = datetime.now(UTC)
    path = folder / f"{now:%Y-%m-%d}-{what}.json"
    whole = {"what": what, "at": now.isoformat(timespec="seconds"), "machine": machine(), **content}
    path.write_text(_lines(whole | {"rows": packed(whole.get("rows", []))}), "utf-8")
    return path


def newest(what: str, folder: Path = FOLDER) -> dict[str, Any] | None:
    """The latest run of a kind, or None."""
    found = sorted(folder.glob(f"*-{what}.json"))
    if not found:
        return None
    held: dict[str, Any] = json.loads(found[-1].read_text("utf-8"))
    columns, *rows = held["rows"] or [[]]
    return held | {"rows": [dict(zip(columns, row, strict=True)) for row in rows]}


def packed(rows: list[dict[str, Any]]) -> list[list[Any]]:
    """Rows as lists under one list of their names: thousands of questions stay a small file."""
    if not rows:
        return []
    short = [[round(v, 4) if isinstance(v, float) else v for v in row.values()] for row in rows]
    return [list(rows[0]), *short]


def _lines(whole: dict[str, Any]) -> str:
    """JSON with a line a figure and a line a row, so that two runs can be compared by eye."""
    parts = []
    for name, value in whole.items():
        if isinstance(value, list) and value:
            body = ",\n  ".join(json.dumps(one, ensure_ascii=False, default=str) for one in value)
            parts.append(f" {json.dumps(name)}: [\n  {body}\n ]")
        else:
            parts.append(f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False, default=str)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
