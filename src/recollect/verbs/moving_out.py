"""Writing an export: the same memories as JSON lines, as a folder of Markdown, or as a table."""

from __future__ import annotations

import os
from datetime import datetime

from recollect.errors import InvalidInput
from recollect.handle import Handle
from recollect.portable import jsonl, table
from recollect.portable.files import Where, written
from recollect.portable.giving import Extent, Sight, give, shown
from recollect.portable.markdown.writing import write_tree
from recollect.portable.watching import watched
from recollect.ports import Progress, Reader
from recollect.values.memory import Record
from recollect.values.moved import Exported
from recollect.verbs.moving_terms import Rights


def export(
    handle: Handle, to: Where, form: str, extent: Extent, progress: Progress | None, *, everything: bool
) -> Exported:
    """Write what an identity reaches, in one consistent view."""
    rights = Rights(handle, handle.viewer.identity, everything)
    if not rights.owner:
        handle.awake(handle.viewer.project)
    if handle.parts.store.writable:
        handle.settle()
    now = handle.parts.clock()
    with handle.parts.store.reading(now) as reader:
        sight = rights.sight(reader)
        if form == "markdown":
            return _folder(reader, sight, to, extent, now)
        with written(to) as out:
            if form == "csv":
                return table.write(shown(reader, sight, lambda record: record.status != "forgotten"), out)
            return jsonl.write(watched(give(reader, sight, now, extent), progress), out)


def _folder(reader: Reader, sight: Sight, to: Where, extent: Extent, now: datetime) -> Exported:
    if not isinstance(to, (str, os.PathLike)):
        raise InvalidInput("to", "Markdown is a folder, not a stream", "name a folder")
    if extent.history:
        raise InvalidInput("history", "is not told in Markdown", "export JSON lines for it")

    def current(record: Record) -> bool:
        return record.status == "active" and (record.expires_at is None or record.expires_at > now)

    return write_tree(shown(reader, sight, current), to)
