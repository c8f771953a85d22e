"""Drafts: facts of Markdown files as the write path takes them. A fact's key is its text, so a second run adds nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from recollect.portable.archives import kind_of
from recollect.portable.incoming import Batch, Incoming, LeftOut, digest
from recollect.portable.memory_files.finding import Fact
from recollect.portable.memory_files.tree import MemoryFile, Source, files_of, read_files

_PREFIX = "md"


def batches_of(paths: Sequence[str | Path], closed: Callable[[Path], str | None]) -> Iterator[Batch]:
    """Every memory file under some paths, as drafts; `closed` says why a file must not be read."""
    for path in dict.fromkeys(Path(path).expanduser() for path in paths):
        found = _sources(path, is_closed=closed(path) is not None)
        unread = {one.name: why for one in found if (why := closed(one.place))}
        yield from (Batch(name, left=(LeftOut("the file", name, why),)) for name, why in unread.items())
        files = [one for one in found if one.name not in unread]
        for one, file in zip(files, read_files(files), strict=True):
            yield batch_of(file, one.place)


def _sources(path: Path, *, is_closed: bool) -> list[Source]:
    """The files of a folder or an archive, or the one file that is named; a closed archive is not opened."""
    if kind_of(path) is None or is_closed:
        return files_of(path)
    from recollect.portable.memory_files.archived import unpacked

    return unpacked(path)


def batch_of(file: MemoryFile, place: Path) -> Batch:
    """One file as drafts, with the lines that are no facts."""
    origin = f"migrated from {_shown(place)}"
    left = [LeftOut(f"line {one.line}", one.what, one.why) for one in file.left]
    if file.problem:
        left.append(LeftOut("the file", file.name, file.problem))
    items = tuple(_incoming(fact, origin) for fact in file.facts)
    return Batch(file.name, items, tuple(left), origin=origin, is_whole=not file.problem)


def _incoming(fact: Fact, origin: str) -> Incoming:
    draft: dict[str, Any] = {
        "content": fact.text,
        "source": "migrated",
        "tags": fact.tags,
        "key": f"{_PREFIX}:{digest(fact.text)}",
        "reason": origin,
        "occurred_at": fact.occurred_at,
    }
    if fact.is_procedure:
        draft["type"] = "procedure"
    # The kind of memory is told by how the line itself begins, not by the headings before it.
    draft["opening"] = fact.bare
    return Incoming(f"line {fact.line}", draft, tuple(_incoming(part, origin) for part in fact.parts))


def _shown(place: Path) -> str:
    """A path without the name of whoever's home it lies in."""
    full, home = os.path.abspath(place), os.path.expanduser("~")  # noqa: PTH100, PTH111 - links stay as they are
    return f"~{full[len(home) :]}" if full.startswith(home + os.sep) else full
