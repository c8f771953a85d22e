"""Compares a folder of Markdown with a store: which files are edited, new or deleted, and which cannot be imported and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.portable import item_validation as validate
from recollect.portable.markdown.folder import Manifest, PageFiles, folder_of
from recollect.portable.markdown.page import (
    EDITABLE,
    PAGE_FIELDS,
    MarkdownPage,
    editable_values,
    parse_page,
    value_hash,
)
from recollect.portable.stream import MemoryItem
from recollect.values.event import from_image, to_image
from recollect.values.memory import Record
from recollect.values.transfer import RefusedItem

_PAGE = 500
_MOST_NAMED = 5
_READ_ONLY = tuple(name for name in PAGE_FIELDS if name not in (*EDITABLE, "id", "updated_at"))
_FOLDER_SCOPES = {
    "projects": "project",
    "agents": "agent",
    "teams": "team",
    "sessions": "session",
    "tasks": "task",
    "users": "user",
}
GetMemories = Callable[[Sequence[str]], Sequence[Record | None]]


@dataclass(frozen=True, slots=True)
class EditedPage:
    """A file that differs from the memory it shows."""

    page: MarkdownPage
    before: Record
    changes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewPage:
    """A new file, as a draft."""

    page: MarkdownPage
    draft: Mapping[str, Any]


@dataclass(slots=True)
class DiffBatch:
    """The result for a batch of files. `unknown` are files with the id of a memory that is not here.

    `stayed` says of files that were moved into the folder of another scope that their memories were not.
    """

    unchanged: list[tuple[MarkdownPage, Record]] = field(default_factory=list)
    edited: list[EditedPage] = field(default_factory=list)
    new: list[NewPage] = field(default_factory=list)
    unknown: list[tuple[MarkdownPage, MemoryItem]] = field(default_factory=list)
    refused: list[RefusedItem] = field(default_factory=list)
    stayed: list[str] = field(default_factory=list)


class FolderDiff:
    """Compares a folder with a store, batch by batch."""

    def __init__(self, files: PageFiles, account: str, get: GetMemories, now: datetime) -> None:
        """`get` returns the memories of some ids, as far as they are within reach."""
        self._files, self._account, self._get, self._now = files, account, get, now
        self.manifest = files.manifest() or Manifest()
        self._exported = dict(self.manifest.files)
        self._seen: dict[str, str] = {}
        self._namesakes: dict[str, list[str]] = {}
        self._renamed: dict[str, str] = {}
        self._paths = {entry.id: path for path, entry in self._exported.items()}

    def batches(self) -> Iterator[DiffBatch]:
        """The result for every file."""
        self._scan()
        pages: list[MarkdownPage] = []
        batch = DiffBatch()
        for path, problem in self._files.files():
            page = self._read(path, problem, batch)
            if page is not None:
                pages.append(page)
            if len(pages) >= _PAGE:
                yield self._compare(pages, batch)
                pages, batch = [], DiffBatch()
        yield self._compare(pages, batch)

    def _scan(self) -> None:
        """Find the ids that several files have, and the files without an id that have the text of a file that is gone."""
        gone = dict(self._exported)
        texts: dict[str, list[str]] = {}
        for path, problem in self._files.files():
            gone.pop(path, None)
            with suppress(InvalidInput):
                raw = self._files.read(path) if problem is None else None
                page = None if raw is None else parse_page(path, raw)
                if page is not None and page.id is not None:
                    self._namesakes.setdefault(page.id, []).append(path)
                elif page is not None and path not in self._exported:
                    texts.setdefault(value_hash(page.content), []).append(path)
        for entry in gone.values():
            paths = texts.get(entry.hashes.get("content", ""), [])
            if entry.id not in self._namesakes and len(paths) == 1:
                self._renamed[paths[0]] = entry.id

    def missing(self) -> dict[str, str]:
        """The deleted files by path, with the ids of their memories; a file that was moved is not deleted."""
        return {path: entry.id for path, entry in self._exported.items() if entry.id not in self._seen}

    def _read(self, path: str, problem: str | None, batch: DiffBatch) -> MarkdownPage | None:
        try:
            raw = self._files.read(path) if problem is None else None
            page = None if raw is None else parse_page(path, raw)
            memory_id = None if page is None else self._id(page)
        except InvalidInput as error:
            where = error.field.removeprefix(path).removeprefix(": ")
            problem = f"{where}: {error.problem}; {error.fix}" if where else f"{error.problem}; {error.fix}"
            memory_id = page = None
        if page is None:
            entry = self.manifest.files.get(path)
            if entry is not None:
                self._seen.setdefault(entry.id, path)
            batch.refused.append(RefusedItem(path, None, problem or "it was deleted meanwhile"))
            return None
        if memory_id is None:
            return page
        self._seen.setdefault(memory_id, path)
        others = [other for other in self._namesakes.get(memory_id, ()) if other != path]
        if others:
            # Which of them is the memory cannot be known, so none of them is.
            named = ", ".join(others[:_MOST_NAMED])
            reason = f"{named} has the same id; remove the id from all but one of them (a file without an id is a new memory)"
            batch.refused.append(RefusedItem(path, memory_id, reason, page.content))
            return None
        return page

    def _id(self, page: MarkdownPage) -> str | None:
        entry = self.manifest.files.get(page.path)
        if page.id is not None:
            return validate.uuid("id", page.id)
        return self._renamed.get(page.path) if entry is None else entry.id

    def _compare(self, pages: Sequence[MarkdownPage], batch: DiffBatch) -> DiffBatch:
        ids = [memory_id for page in pages if (memory_id := self._id(page)) is not None]
        records = dict(zip(ids, self._get(ids), strict=True))
        for page in pages:
            memory_id = self._id(page)
            record = records.get(memory_id) if memory_id is not None else None
            try:
                if record is not None:
                    self._compare_one(page, record, batch)
                elif memory_id is not None:
                    batch.unknown.append((page, MemoryItem(self._record(page, memory_id), where=page.path)))
                else:
                    batch.new.append(NewPage(page, self._draft(page)))
            except InvalidInput as error:
                why = f"{error.field}: {error.problem}; {error.fix}"
                batch.refused.append(RefusedItem(page.path, memory_id, why, page.content))
        return batch

    def _compare_one(self, page: MarkdownPage, record: Record, batch: DiffBatch) -> None:
        """Compare a file with its memory and, if there is a manifest, with what was exported."""
        entry = self.manifest.files.get(page.path)
        if entry is None and record.id in self._renamed.values():
            # It has no id of its own, so what was exported is known by the path it had.
            entry = self._exported[self._paths[record.id]]
        if entry is None and (stayed := self._stayed(page, record)):
            batch.stayed.append(stayed)
        stored = editable_values(record)
        exported: Mapping[str, str] = {name: value_hash(value) for name, value in stored.items()}
        if entry is not None and entry.id == record.id:
            exported = entry.hashes
            if entry.sha256 == page.sha256:
                batch.unchanged.append((page, record))
                return
        written = {name: page.value(name) for name in EDITABLE if name != "type" or "type" in page.fields}
        changes = {
            name: value
            for name, value in written.items()
            if value_hash(value) not in (exported.get(name), value_hash(stored[name]))
        }
        if not changes:
            batch.unchanged.append((page, record))
            return
        conflicts = [name for name in changes if value_hash(stored[name]) != exported.get(name)]
        problem = self._problem(page, record, conflicts)
        if problem is None:
            batch.edited.append(EditedPage(page, record, changes))
        else:
            batch.refused.append(RefusedItem(page.path, record.id, problem, page.content))

    def _problem(self, page: MarkdownPage, record: Record, conflicts: Sequence[str]) -> str | None:
        if record.status != "active":
            return f"its memory is {record.status} here; restore it first, or delete the file"
        if conflicts:
            names = ", ".join(conflicts)
            return f"{names} was changed here too since the export; export to another folder and merge"
        image = to_image(record)
        for name in _READ_ONLY:
            if name in page.fields and page.fields[name] != image[name]:
                return f"{name} cannot be edited; it was {image[name]}"
        return None

    def _stayed(self, page: MarkdownPage, record: Record) -> str | None:
        """What to say of a file that was moved into the folder of a scope that its memory is not in."""
        before = self._paths.get(record.id)
        folder = page.path.rpartition("/")[0]
        place = self.manifest.folders.get(folder) or _folder_place(folder)
        if before is None or not place or place == folder_of(record)[1]:
            return None
        scope = " ".join(filter(None, (record.scope, None if record.scope == "global" else record.place[1])))
        return f"{page.path} was moved from {before}, its memory was not: it stays where it is ({scope})"

    def _record(self, page: MarkdownPage, id: str) -> Record:
        """A memory that is not here, from its file."""
        now = self._now.isoformat()
        times = {"created_at": now, "updated_at": page.fields.get("created_at", now)}
        image = {**times, **page.fields, "id": id, "content": page.content}
        image["accessed_at"] = image["updated_at"]
        return from_image({**validate.MEMORY("front matter", image), "account": self._account})

    def _draft(self, page: MarkdownPage) -> dict[str, Any]:
        """A new memory, from its file and the folder it is in."""
        fields = {name: value for name, value in page.fields.items() if value is not None}
        for name in ("id", "created_at", "updated_at"):
            fields.pop(name, None)
        folder = page.path.rpartition("/")[0]
        placed = "scope" in fields or "project" in fields
        place = {} if placed else self.manifest.folders.get(folder) or _folder_place(folder)
        return {**place, **fields, "content": page.content}


def _folder_place(folder: str) -> dict[str, str]:
    """The scope that a folder of an export stands for, by its name."""
    top, _, name = folder.partition("/")
    if top == "global":
        return {"scope": "global"}
    if top in _FOLDER_SCOPES and name and "/" not in name:
        return {"scope": _FOLDER_SCOPES[top], _FOLDER_SCOPES[top]: name}
    return {}
