"""Table: memories as CSV, for a spreadsheet. One way only: `import` reads JSON lines and Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from typing import Any

from recollect.values.image import to_image
from recollect.values.memory import Record
from recollect.values.moved import Exported

COLUMNS = (
    "id", "content", "type", "status", "scope", "project", "agent", "team", "session", "task", "tags", "importance", "confidence",
    "trust", "score", "strength", "access_count", "source", "speaker", "occurred_at", "created_at", "updated_at", "accessed_at",
    "valid_from", "valid_until", "expires_at", "supersedes", "superseded_by", "delivery", "season", "triggers",
)  # fmt: skip
# With these a spreadsheet begins a formula, also after spaces; a leading apostrophe makes it text.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def write(records: Iterable[Record], out: Callable[[bytes], object]) -> Exported:
    """Write memories row by row."""
    count = 0
    out(_row(COLUMNS))
    for record in records:
        image = to_image(record)
        out(_row([cell(image[name]) for name in COLUMNS]))
        count += 1
    return Exported({"memory": count})


def cell(value: Any) -> str:
    """A value as the text of a cell that no spreadsheet runs."""
    if value is None:
        return ""
    if isinstance(value, (int, float)):
        return str(value)
    text = " ".join(value) if isinstance(value, list) else str(value)
    # A NUL ends a cell, or the whole file, for some readers.
    text = text.replace("\x00", "")
    return f"'{text}" if text.lstrip(" \n").startswith(_FORMULA) else text


def _row(cells: Iterable[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().encode()
