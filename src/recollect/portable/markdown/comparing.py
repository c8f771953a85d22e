"""Comparing a folder with a store: which files are edits, which are new, which are gone, which cannot be taken and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.portable import checks
from recollect.portable.markdown.manifest import Manifest
from recollect.portable.markdown.sheet import EDITABLE, SHOWN, Sheet, mark, read_sheet, values_of
from recollect.portable.markdown.tree import Sheets
from recollect.portable.stream import Remembered
from recollect.values.image import from_image, to_image
from recollect.values.memory import Record
from recollect.values.moved import LeftOut

_PAGE = 500
_FIXED = tuple(name for name in SHOWN if name not in (*EDITABLE, "id", "updated_at"))
_SCOPES = {"projects": "project", "agents": "agent", "teams": "team", "sessions": "session", "tasks": "task"}
Get = Callable[[Sequence[str]], Sequence[Record | None]]


@dataclass(frozen=True, slots=True)
class Edited:
    """A file that says something else than the memory it shows."""

    sheet: Sheet
    before: Record
    changes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Fresh:
    """A new file, as a draft."""

    sheet: Sheet
    draft: Mapping[str, Any]


@dataclass(slots=True)
class Found:
    """What a page of files amounts to. `settled` are those whose memory is as they say."""

    settled: list[tuple[Sheet, Record]] = field(default_factory=list)
    edited: list[Edited] = field(default_factory=list)
    fresh: list[Fresh] = field(default_factory=list)
    unknown: list[tuple[Sheet, Remembered]] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


class Comparing:
    """A folder beside a store, page by page."""

    def __init__(self, tree: Sheets, account: str, get: Get, now: datetime) -> None:
        """`get` gives the memories of some ids, as far as they are within reach."""
        self._tree, self._account, self._get, self._now = tree, account, get, now
        self.manifest = tree.manifest() or Manifest()
        self._written = dict(self.manifest.files)
        self._seen: dict[str, str] = {}

    def pages(self) -> Iterator[Found]:
        """What becomes of every file."""
        page: list[Sheet] = []
        found = Found()
        for path, problem in self._tree.files():
            sheet = self._sheet(path, problem, found)
            if sheet is not None:
                page.append(sheet)
            if len(page) >= _PAGE:
                yield self._compared(page, found)
                page, found = [], Found()
        yield self._compared(page, found)

    def missing(self) -> dict[str, str]:
        """The files that are gone, by their path, with the ids of their memories; one that was moved is not gone."""
        return {path: entry.id for path, entry in self._written.items() if entry.id not in self._seen}

    def _sheet(self, path: str, problem: str | None, found: Found) -> Sheet | None:
        try:
            raw = self._tree.read(path) if problem is None else None
            sheet = None if raw is None else read_sheet(path, raw)
            own = None if sheet is None else self._id(sheet)
        except InvalidInput as error:
            where = error.field.removeprefix(path).removeprefix(": ")
            problem = f"{where}: {error.problem}; {error.fix}" if where else f"{error.problem}; {error.fix}"
            own = sheet = None
        if sheet is None:
            entry = self.manifest.files.get(path)
            if entry is not None:
                self._seen.setdefault(entry.id, path)
            found.left_out.append(LeftOut(path, None, problem or "it is gone"))
            return None
        if own is not None and self._seen.setdefault(own, path) != path:
            found.left_out.append(LeftOut(path, own, f"{self._seen[own]} has the same id; take it out of one of them"))
            return None
        return sheet

    def _id(self, sheet: Sheet) -> str | None:
        entry = self.manifest.files.get(sheet.path)
        if sheet.id is not None:
            return checks.uuid("id", sheet.id)
        return None if entry is None else entry.id

    def _compared(self, page: Sequence[Sheet], found: Found) -> Found:
        ids = [own for sheet in page if (own := self._id(sheet)) is not None]
        held = dict(zip(ids, self._get(ids), strict=True))
        for sheet in page:
            own = self._id(sheet)
            record = held.get(own) if own is not None else None
            try:
                if record is not None:
                    self._beside(sheet, record, found)
                elif own is not None:
                    found.unknown.append((sheet, Remembered(self._record(sheet, own), where=sheet.path)))
                else:
                    found.fresh.append(Fresh(sheet, self._draft(sheet)))
            except InvalidInput as error:
                found.left_out.append(LeftOut(sheet.path, own, f"{error.field}: {error.problem}; {error.fix}"))
        return found

    def _beside(self, sheet: Sheet, record: Record, found: Found) -> None:
        entry = self.manifest.files.get(sheet.path)
        held = values_of(record)
        if entry is None or entry.id != record.id:
            base: Mapping[str, str] = {name: mark(value) for name, value in held.items()}
        else:
            base = entry.marks
            if entry.sha256 == sheet.sha256:
                found.settled.append((sheet, record))
                return
        said = {name: sheet.value(name) for name in EDITABLE if not (name == "type" and "type" not in sheet.fields)}
        changes = {name: value for name, value in said.items() if mark(value) not in (base.get(name), mark(held[name]))}
        if not changes:
            found.settled.append((sheet, record))
            return
        both = [name for name in changes if mark(held[name]) != base.get(name)]
        problem = self._problem(sheet, record, both)
        if problem is None:
            found.edited.append(Edited(sheet, record, changes))
        else:
            found.left_out.append(LeftOut(sheet.path, record.id, problem))

    def _problem(self, sheet: Sheet, record: Record, both: Sequence[str]) -> str | None:
        if record.status != "active":
            return f"its memory is {record.status} here; restore it first, or delete the file"
        if both:
            return f"{', '.join(both)} was changed here too since the export; export to another folder and merge"
        image = to_image(record)
        for name in _FIXED:
            if name in sheet.fields and sheet.fields[name] != image[name]:
                return f"{name} cannot be edited; it was {image[name]}"
        return None

    def _record(self, sheet: Sheet, own: str) -> Record:
        """A memory that is not here, as its file tells it."""
        now = self._now.isoformat()
        times = {"created_at": now, "updated_at": sheet.fields.get("created_at", now)}
        image = {**times, **sheet.fields, "id": own, "content": sheet.content}
        image["accessed_at"] = image["updated_at"]
        return from_image({**checks.MEMORY("front matter", image), "account": self._account})

    def _draft(self, sheet: Sheet) -> dict[str, Any]:
        """A new memory, as its file and the folder it lies in tell it."""
        told = {name: value for name, value in sheet.fields.items() if value is not None}
        for name in ("id", "created_at", "updated_at"):
            told.pop(name, None)
        folder = sheet.path.rpartition("/")[0]
        place = {} if "scope" in told or "project" in told else self.manifest.folders.get(folder) or _place(folder)
        return {**place, **told, "content": sheet.content}


def _place(folder: str) -> dict[str, str]:
    """The place a folder of ours stands for by its name."""
    top, _, name = folder.partition("/")
    if top == "global":
        return {"scope": "global"}
    return {"scope": _SCOPES[top], _SCOPES[top]: name} if top in _SCOPES and name and "/" not in name else {}
