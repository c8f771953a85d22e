"""Writing a folder: a file for every memory, at the same place as before, and nothing over an edit that was not taken in yet."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable

from recollect.errors import InvalidInput
from recollect.portable.markdown.manifest import NAME, Entry, Manifest
from recollect.portable.markdown.sheet import mark, sheet_of, values_of
from recollect.portable.markdown.tree import Sheets, Tree, file_of, folder_of
from recollect.values.memory import Record
from recollect.values.moved import Exported


def write_tree(records: Iterable[Record], root: str | os.PathLike[str]) -> Exported:
    """Write memories as files; those of memories that are no longer among them are taken away."""
    tree = Tree(root)
    before = _before(tree)
    made = fill(tree, records, before)
    gone = [path for path in before.files if path not in made.files]
    for path in gone:
        tree.remove(path)
    tree.write(NAME, made.text().encode())
    return Exported({"memory": len(made.files)}, "", tuple(gone))


def fill(tree: Sheets, records: Iterable[Record], before: Manifest) -> Manifest:
    """Write the files that are new or differ from before; returns what is there then."""
    paths = {entry.id: path for path, entry in before.files.items()}
    made = Manifest()
    for record in records:
        folder, place = folder_of(record)
        path = paths.get(record.id) or _free(f"{folder}/{file_of(record)}", record, made, before)
        raw = sheet_of(record).encode()
        if path not in before.files or before.files[path].sha256 != _sha(raw) or tree.read(path) is None:
            tree.write(path, raw)
        made.files[path] = entry_of(record, _sha(raw))
        made.folders[folder] = place
    return made


def entry_of(record: Record, sha256: str) -> Entry:
    """What the manifest keeps of a memory's file."""
    return Entry(record.id, sha256, {name: mark(value) for name, value in values_of(record).items()})


def _before(tree: Tree) -> Manifest:
    """What is in the folder already; somebody else's folder, or edits nobody took in, are not written over."""
    if tree.root.exists() and not tree.root.is_dir():
        raise InvalidInput("to", f"{tree.root} is a file", "name a folder for Markdown")
    known = tree.manifest()
    if known is None:
        if tree.root.exists() and any(tree.root.iterdir()):
            raise InvalidInput("to", f"{tree.root} holds other things", "name a new or an empty folder")
        return Manifest()
    for path, entry in known.files.items():
        raw = tree.read(path)
        if raw is not None and _sha(raw) != entry.sha256:
            raise InvalidInput("to", f"{path} was edited since", "import the folder first, or name another")
    return known


def _free(path: str, record: Record, made: Manifest, before: Manifest) -> str:
    taken = path in made.files or path in before.files
    return f"{path.removesuffix('.md')}-{record.id}.md" if taken else path


def _sha(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
