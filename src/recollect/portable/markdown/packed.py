"""Packed: a folder of Markdown as an archive. What comes out of it, and goes into it, is what the folder would hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from recollect.errors import InvalidInput
from recollect.portable.archives import contents_of
from recollect.portable.archives.register import Bounds
from recollect.portable.markdown.manifest import NAME, Manifest, manifest_of
from recollect.portable.markdown.tree import TOPS, size_problem
from recollect.portable.markdown.writing import fill
from recollect.values.memory import Record
from recollect.values.moved import Exported


class Packed:
    """Markdown files by their paths, held in memory. An archive that was read is never written to."""

    keeps_notes = False

    def __init__(self, contents: Mapping[str, bytes] | None = None) -> None:
        self.contents = dict(contents or {})

    def manifest(self) -> Manifest | None:
        """What was written into the archive, if it says so."""
        raw = self.read(NAME)
        return None if raw is None else manifest_of(raw)

    def files(self) -> Iterator[tuple[str, str | None]]:
        """Every Markdown file by its path, in the order of a folder, with what speaks against reading it."""
        for path in sorted(self.contents, key=_order):
            if path.endswith(".md") and not any(part.startswith(".") for part in path.split("/")):
                yield path, size_problem(len(self.contents[path]))

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; None when there is none."""
        return self.contents.get(path)

    def write(self, path: str, raw: bytes) -> None:
        """Put a file among the others, for an archive that is being made."""
        self.contents[path] = raw


def unpacked(path: Path) -> Packed:
    """The Markdown files of an archive."""
    found = contents_of(path, lambda name: name.endswith(".md") or PurePosixPath(name).name == NAME)
    tops = {name.partition("/")[0] for name in found}
    if len(tops) == 1 and not tops & TOPS and not tops & found.keys():
        # The folder itself was packed, not what lies in it.
        found = {name.partition("/")[2]: raw for name, raw in found.items()}
    return Packed(found)


def pack(records: Iterable[Record]) -> tuple[bytes, Exported]:
    """Memories as files in a ZIP archive: what an export to a new folder would write. The same memories give the same bytes."""
    from recollect.portable.archives.zipped import written

    packed, bounds = Packed(), Bounds()
    made = fill(packed, records, Manifest())
    packed.write(NAME, made.text().encode())
    sizes = [len(raw) for raw in packed.contents.values()]
    if len(sizes) > bounds.members or max(sizes) > bounds.member or sum(sizes) > bounds.whole:
        raise InvalidInput(
            "to", "these are more memories than an archive may hold", "export JSON lines, or to a folder"
        )
    return written(packed.contents), Exported({"memory": len(made.files)})


def _order(path: str) -> list[tuple[bool, str]]:
    """As a walk through a folder meets them: first its files, then its folders."""
    *folders, name = path.split("/")
    return [*((True, folder) for folder in folders), (False, name)]
