"""The verb `export`: the same memories as JSON lines, as a folder or an archive of Markdown, or as a CSV table."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.portable import jsonl
from recollect.portable.archives import archive_kind
from recollect.portable.exporter import ExportOptions, ExportScope, export_items, iter_memories
from recollect.portable.files import FORMATS, Location, format_of, open_for_writing
from recollect.portable.markdown.writer import render_archive, write_folder
from recollect.portable.permissions import TransferPermissions
from recollect.portable.stream import with_progress
from recollect.ports import Progress, Reader
from recollect.unit_of_work import UnitOfWork, flush
from recollect.validation import one_of
from recollect.values.event import to_image
from recollect.values.memory import Record
from recollect.values.transfer import Exported

CSV_COLUMNS = (
    "id", "content", "type", "status", "scope", "project", "agent", "team", "user", "session", "task", "tags", "importance",
    "confidence",
    "trust", "score", "strength", "access_count", "source", "speaker", "occurred_at", "created_at", "updated_at", "accessed_at",
    "valid_from", "valid_until", "expires_at", "supersedes", "superseded_by", "delivery", "season", "triggers", "metadata",
)  # fmt: skip
# A spreadsheet takes a cell that begins with one of these for a formula, also after spaces; a leading apostrophe makes it text.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def export(
    uow: UnitOfWork,
    to: Location,
    format: str | None,
    progress: Progress | None,
    *,
    history: bool,
    vectors: bool,
    everything: bool,
    only: Callable[[Reader], frozenset[str]] | None = None,
) -> Exported:
    """Write what an identity reaches, in one consistent view; with `only`, just the memories whose ids it returns."""
    one_of("format", format, FORMATS)
    form, options = format or format_of(to), ExportOptions(vectors, history)
    permissions = TransferPermissions(uow, uow.viewer.identity, everything)
    if uow.runtime.store.writable:
        flush(uow.runtime)
    now = uow.runtime.clock()
    with uow.runtime.store.view(now) as reader:
        if not permissions.owner:
            uow.require_enabled(reader)
        scope = permissions.export_scope(reader)
        if only is not None:
            scope = replace(scope, only=only(reader))
        if form == "markdown":
            done = _export_markdown(reader, scope, to, options, now)
        elif archive_kind(to) is not None:
            raise InvalidInput("to", "an archive contains Markdown", f"omit the format, or name a .{form} file")
        else:
            with open_for_writing(to) as out:
                if form == "csv":
                    shown = scope.only is not None
                    rows = iter_memories(reader, scope, lambda record: shown or record.status != "forgotten")
                    done = write_csv(rows, out)
                else:
                    done = jsonl.write(with_progress(export_items(reader, scope, now, options), progress), out)
        return replace(done, left_out=dict(scope.left_out))


def _export_markdown(
    reader: Reader, scope: ExportScope, to: Location, options: ExportOptions, now: datetime
) -> Exported:
    kind = archive_kind(to)
    if not isinstance(to, (str, os.PathLike)):
        raise InvalidInput("to", "Markdown is a folder or an archive, not a stream", "name a folder or a .zip file")
    if kind == "tar":
        raise InvalidInput("to", "tar archives can be imported, not exported", "name a .zip file, or a folder")
    if options.history:
        raise InvalidInput("history", "cannot be exported as Markdown", "export JSON lines for it")

    def is_current(record: Record) -> bool:
        if scope.only is not None:
            return record.status != "forgotten"
        return record.status == "active" and (record.expires_at is None or record.expires_at > now)

    memories = iter_memories(reader, scope, is_current)
    if kind is None:
        return write_folder(memories, to)
    raw, exported = render_archive(memories)
    with open_for_writing(to) as out:
        out(raw)
    return exported


def write_csv(records: Iterable[Record], out: Callable[[bytes], object]) -> Exported:
    """Write memories as a table, row by row. CSV is for spreadsheets; `import` reads JSON lines and Markdown."""
    count = 0
    out(_csv_row(CSV_COLUMNS))
    for record in records:
        image = to_image(record)
        out(_csv_row([csv_cell(image[name]) for name in CSV_COLUMNS]))
        count += 1
    return Exported({"memory": count})


def csv_cell(value: Any) -> str:
    """A value as the text of a cell that no spreadsheet runs as a formula."""
    if value is None:
        return ""
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, dict):
        value = json.dumps(value, ensure_ascii=False) if value else ""
    text = " ".join(value) if isinstance(value, list) else str(value)
    # A NUL ends a cell, or the whole file, for some programs.
    text = text.replace("\x00", "")
    return f"'{text}" if text.lstrip(" \n").startswith(_FORMULA_STARTS) else text


def _csv_row(cells: Iterable[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().encode()
