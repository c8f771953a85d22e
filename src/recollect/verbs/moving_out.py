"""Writing an export: the same memories as JSON lines, as a folder or an archive of Markdown, or as a table."""

from __future__ import annotations

import os
from datetime import datetime

from recollect.errors import InvalidInput
from recollect.handle import Handle
from recollect.portable import jsonl, table
from recollect.portable.archives import kind_of
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
            return _markdown(reader, sight, to, extent, now)
        if kind_of(to) is not None:
            raise InvalidInput("to", "an archive holds Markdown", f"leave the format out, or name a .{form} file")
        with written(to) as out:
            if form == "csv":
                return table.write(shown(reader, sight, lambda record: record.status != "forgotten"), out)
            return jsonl.write(watched(give(reader, sight, now, extent), progress), out)


def _markdown(reader: Reader, sight: Sight, to: Where, extent: Extent, now: datetime) -> Exported:
    kind = kind_of(to)
    if not isinstance(to, (str, os.PathLike)):
        raise InvalidInput("to", "Markdown is a folder or an archive, not a stream", "name a folder or a .zip file")
    if kind == "tar":
        raise InvalidInput("to", "a tar archive is read, not written", "name a .zip file, or a folder")
    if extent.history:
        raise InvalidInput("history", "is not told in Markdown", "export JSON lines for it")

    def current(record: Record) -> bool:
        return record.status == "active" and (record.expires_at is None or record.expires_at > now)

    memories = shown(reader, sight, current)
    if kind is None:
        return write_tree(memories, to)
    from recollect.portable.markdown.packed import pack

    raw, exported = pack(memories)
    with written(to) as out:
        out(raw)
    return exported
