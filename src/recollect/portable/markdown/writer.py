"""Writes memories as Markdown files: to a folder, without overwriting edits that were not imported yet, or to a ZIP archive."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable

from recollect.errors import InvalidInput
from recollect.portable.archives.checks import ArchiveLimits
from recollect.portable.markdown.folder import (
    MANIFEST_NAME,
    Manifest,
    ManifestEntry,
    MarkdownArchive,
    MarkdownFolder,
    PageFiles,
    file_of,
    folder_of,
)
from recollect.portable.markdown.page import editable_values, render_page, value_hash
from recollect.values.memory import Record
from recollect.values.transfer import Exported


def write_folder(records: Iterable[Record], root: str | os.PathLike[str]) -> Exported:
    """Write memories as files; files of memories that are no longer among them are removed."""
    folder = MarkdownFolder(root)
    before = _existing_manifest(folder)
    manifest = write_pages(folder, records, before)
    removed = [path for path in before.files if path not in manifest.files]
    for path in removed:
        folder.remove(path)
    folder.write(MANIFEST_NAME, manifest.text().encode())
    return Exported({"memory": len(manifest.files)}, "", tuple(removed))


def render_archive(records: Iterable[Record]) -> tuple[bytes, Exported]:
    """Memories as a ZIP archive of what an export to a new folder would write. The same memories give the same bytes."""
    from recollect.portable.archives.formats import write_zip

    archive, limits = MarkdownArchive(), ArchiveLimits()
    manifest = write_pages(archive, records, Manifest())
    archive.write(MANIFEST_NAME, manifest.text().encode())
    sizes = [len(raw) for raw in archive.contents.values()]
    if len(sizes) > limits.members or max(sizes) > limits.member_bytes or sum(sizes) > limits.total_bytes:
        raise InvalidInput(
            "to", "these are more memories than an archive may contain", "export JSON lines, or to a folder"
        )
    return write_zip(archive.contents), Exported({"memory": len(manifest.files)})


def write_pages(files: PageFiles, records: Iterable[Record], before: Manifest) -> Manifest:
    """Write the files that are new or changed; returns the manifest of all of them."""
    paths = {entry.id: path for path, entry in before.files.items()}
    manifest = Manifest()
    for record in records:
        folder, place = folder_of(record)
        path = paths.get(record.id) or _free_path(f"{folder}/{file_of(record)}", record, manifest, before)
        raw = render_page(record).encode()
        if path not in before.files or before.files[path].sha256 != _sha256(raw) or files.read(path) is None:
            files.write(path, raw)
        manifest.files[path] = manifest_entry(record, _sha256(raw))
        manifest.folders[folder] = place
    return manifest


def manifest_entry(record: Record, sha256: str) -> ManifestEntry:
    """The manifest entry of a memory's file."""
    hashes = {name: value_hash(value) for name, value in editable_values(record).items()}
    return ManifestEntry(record.id, sha256, hashes)


def _existing_manifest(folder: MarkdownFolder) -> Manifest:
    """The manifest of an earlier export; other folders, and edits that were not imported, are not overwritten."""
    if folder.root.exists() and not folder.root.is_dir():
        raise InvalidInput("to", f"{folder.root} is a file", "name a folder for Markdown")
    known = folder.manifest()
    if known is None:
        if folder.root.exists() and any(folder.root.iterdir()):
            raise InvalidInput("to", f"{folder.root} contains other files", "name a new or an empty folder")
        return Manifest()
    for path, entry in known.files.items():
        raw = folder.read(path)
        if raw is not None and _sha256(raw) != entry.sha256:
            raise InvalidInput("to", f"{path} was edited since", "import the folder first, or name another")
    return known


def _free_path(path: str, record: Record, manifest: Manifest, before: Manifest) -> str:
    taken = path in manifest.files or path in before.files
    return f"{path.removesuffix('.md')}-{record.id}.md" if taken else path


def _sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
