"""Imports a folder or archive of Markdown: edits become updates, new files memories; deleted files are reported or forgotten."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from recollect.capture.edit import edited
from recollect.capture.gate import Gate, screen_record
from recollect.capture.intake import draft_of, given_texts, record_of
from recollect.capture.tombstones import Incoming, Tombstone
from recollect.errors import InvalidInput
from recollect.portable import archives
from recollect.portable.files import Location
from recollect.portable.import_report import ImportTally
from recollect.portable.importer import import_items
from recollect.portable.markdown.diff import DiffBatch, EditedPage, FolderDiff, NewPage
from recollect.portable.markdown.folder import MANIFEST_NAME, MarkdownFolder, PageFiles, open_archive
from recollect.portable.markdown.page import MarkdownPage
from recollect.portable.markdown.writer import manifest_entry
from recollect.portable.merge_policy import ImportPolicy
from recollect.portable.permissions import TransferPermissions
from recollect.portable.stream import MemoryItem
from recollect.ports import Reader, Transaction, Vectors
from recollect.unit_of_work import UnitOfWork
from recollect.values.ids import new_id
from recollect.values.memory import Record, side_texts
from recollect.values.outcome import Refused, Reinforced
from recollect.values.scope import Viewer, reaches
from recollect.values.statements import says_something
from recollect.values.transfer import Imported

_Edit = tuple[EditedPage, Record, Vectors | None]


def open_pages(source: Location) -> PageFiles:
    """The Markdown files of a folder, or of an archive, which is checked as a whole before any of it is imported."""
    if isinstance(source, (str, os.PathLike)) and Path(source).is_dir():
        return MarkdownFolder(source)
    if not isinstance(source, (str, os.PathLike)) or archives.archive_kind(source) is None:
        fix = f"name the folder, or an archive ({archives.SUFFIXES})"
        raise InvalidInput("source", "Markdown is imported from a folder or an archive", fix)
    return open_archive(Path(source))


@dataclass(slots=True)
class FolderImport:
    """The import of one folder or archive."""

    permissions: TransferPermissions
    policy: ImportPolicy
    files: PageFiles
    dry_run: bool = False
    prune: bool = False
    _tally: ImportTally = field(default_factory=ImportTally)
    _operation: str = ""
    _forgotten: int = 0

    def run(self) -> Imported:
        """Import the folder, batch by batch, and return the report."""
        now = self.policy.clock()
        self._operation = new_id(now)
        diff = FolderDiff(self.files, self.policy.account, self._visible_memories, now)
        for batch in diff.batches():
            self._import_batch(batch, diff)
        missing = self._import_deletions(diff.missing())
        if self.files.keeps_manifest and not self.dry_run:
            self._write_manifest(diff)
        wrote = (self._tally.wrote or self._forgotten) and not self.dry_run
        return replace(
            self._tally.report(self._operation, dry_run=self.dry_run),
            missing=tuple(missing),
            forgotten=self._forgotten,
            operation=self._operation if wrote else None,
        )

    def _view(self) -> AbstractContextManager[Reader]:
        return self.permissions.uow.runtime.store.view(self.policy.clock())

    def _transaction(self) -> AbstractContextManager[Transaction]:
        store, policy = self.permissions.uow.runtime.store, self.policy
        return store.transaction(
            policy.account, policy.actor, policy.clock(), operation=self._operation, origin="import"
        )

    def _visible_memories(self, ids: Sequence[str]) -> list[Record | None]:
        if not ids:
            return []
        with self._view() as reader:
            found = reader.get(self.policy.account, ids)
        return [record if record is None or self._reaches(record) else None for record in found]

    def _reaches(self, record: Record) -> bool:
        return self.permissions.everything or reaches(self.permissions.identity, record.place)

    def _import_batch(self, batch: DiffBatch, diff: FolderDiff) -> None:
        for refused in batch.refused:
            self._tally.refuse(refused.where, refused.id, refused.reason)
        self._tally.memories["unchanged"] += len(batch.unchanged)
        imported = [
            *batch.unchanged,
            *self._import_edits(batch.edited),
            *self._import_unknown(batch.unknown),
            *self._import_new(batch.new),
        ]
        for page, record in imported:
            diff.manifest.files[page.path] = manifest_entry(record, page.sha256)

    def _import_edits(self, edits: Sequence[EditedPage]) -> list[tuple[MarkdownPage, Record]]:
        """Store edits in one transaction, after their texts were embedded; a memory that changed meanwhile is left alone."""
        ready = [found for edit in edits if (found := self._prepared_edit(edit)) is not None]
        if self.dry_run or not ready:
            for _, after, _ in ready:
                self._tally.update(after.id)
            return []
        done: list[tuple[MarkdownPage, Record]] = []
        with self._transaction() as tx:
            stored = tx.get(self.policy.account, [edit.before.id for edit, _, _ in ready])
            for (edit, after, vectors), current in zip(ready, stored, strict=True):
                if current != edit.before:
                    self._tally.refuse(edit.page.path, after.id, "it was changed here at the same time; import again")
                    continue
                reworded = after.content != edit.before.content
                blocked = self._tombstones(tx, [(after, vectors)]) if reworded else {}
                tombstone = blocked.get(after.id) or self._brought_beside(tx, edit.before, after)
                if tombstone is not None:
                    text = self.policy.excerpt(after.content)
                    self._tally.refuse(edit.page.path, after.id, tombstone.reason, text=text)
                    continue
                tx.change(edit.before, after, "update", vectors=vectors, reason="its file was edited")
                self._tally.update(after.id)
                done.append((edit.page, after))
        return done

    def _prepared_edit(self, edit: EditedPage) -> _Edit | None:
        runtime = self.permissions.uow.runtime
        try:
            after = edited(edit.before, _replacing(edit.changes), self._gate, self.policy.clock())
        except InvalidInput as error:
            after = Refused(f"{error.field}: {error.problem}; {error.fix}")
        if isinstance(after, Refused):
            text = self.policy.excerpt(str(edit.changes.get("content", edit.before.content)))
            self._tally.refuse(edit.page.path, edit.before.id, after.reason, text=text)
            return None
        changed = after.content != edit.before.content and not self.dry_run
        return edit, after, runtime.embed(after) if changed else None

    def _import_unknown(self, unknown: Sequence[tuple[MarkdownPage, MemoryItem]]) -> list[tuple[MarkdownPage, Record]]:
        """Memories of another store, under the ids that their files name."""
        if not unknown:
            return []
        store = self.permissions.uow.runtime.store
        done = import_items(store, [item for _, item in unknown], self.policy, dry_run=self.dry_run)
        self._tally.memories.update(stored=done.stored, refused=done.refused, unchanged=done.unchanged)
        self._tally.left_out += done.left_out
        self._tally.notes += [note for note in done.notes if note not in self._tally.notes]
        records = self._visible_memories([item.record.id for _, item in unknown])
        return [(page, record) for (page, _), record in zip(unknown, records, strict=True) if record is not None]

    def _import_new(self, new: Sequence[NewPage]) -> list[tuple[MarkdownPage, Record]]:
        """New files, through the write path of any new memory."""
        ready = self._accepted(new)
        if self.dry_run:
            self._tally.memories["stored"] += len(ready)
            return []
        uow = self.permissions.uow
        own = UnitOfWork(uow.runtime, Viewer(self.permissions.identity, uow.viewer.project))
        outcomes = uow.runtime.capture.remember(own, [dict(each.draft) for each in ready]) if ready else []
        made: list[tuple[MarkdownPage, Record]] = []
        for each, outcome in zip(ready, outcomes, strict=True):
            if isinstance(outcome, Refused):
                self._tally.refuse(each.page.path, None, outcome.reason, text=self._excerpt(each))
                continue
            self._tally.memories["unchanged" if isinstance(outcome, Reinforced) else "stored"] += 1
            made.append((each.page, outcome.memory))
        return made

    def _excerpt(self, new: NewPage) -> str:
        return self.policy.excerpt(str(new.draft.get("content", "")))

    def _accepted(self, new: Sequence[NewPage]) -> list[NewPage]:
        """The new files that are to be stored; a dry run reports this much."""
        screened = [(each, record) for each in new if (record := self._screened(each)) is not None]
        ready: list[NewPage] = []
        if not screened:
            return ready
        with self._view() as reader:
            blocked = self._tombstones(reader, [(record, None) for _, record in screened])
            stored = self._active_copies(reader, [record for _, record in screened])
            for each, record in screened:
                if record.id in blocked:
                    self._tally.refuse(each.page.path, None, blocked[record.id].reason, text=self._excerpt(each))
                elif record.id in stored:
                    self._tally.memories["unchanged"] += 1
                else:
                    ready.append(each)
        return ready

    def _screened(self, new: NewPage) -> Record | None:
        """The memory of a new file, unless its scope is out of reach or the screen refuses it."""
        identity, project = self.permissions.identity, self.permissions.uow.viewer.project
        try:
            draft = draft_of(new.draft)
            record = record_of(draft, identity, project, self.policy.clock())
        except InvalidInput as error:
            self._tally.refuse(new.page.path, None, f"{error.field}: {error.problem}; {error.fix}")
            return None
        if not self._reaches(record):
            self._tally.refuse(new.page.path, None, f"its scope ({record.scope}) is out of reach")
            return None
        vetted = screen_record(record, self._gate, given=given_texts(draft))
        if isinstance(vetted, Refused):
            self._tally.refuse(new.page.path, None, vetted.reason, text=self._excerpt(new))
            return None
        return record

    def _tombstones(self, reader: Reader, new: Incoming) -> Mapping[str, Tombstone]:
        """Which of some texts must not come back; an edit that keeps its text does not bring it."""
        return self.policy.blocked(reader, new, lambda _: False)

    def _brought_beside(self, reader: Reader, before: Record, after: Record) -> Tombstone | None:
        """Why a new tag, name or reason of an edit must not come back."""
        added = {text for _, text in side_texts(after)} - {text for _, text in side_texts(before)}
        return self.policy.gone(reader, sorted(filter(says_something, added))) if added else None

    def _active_copies(self, reader: Reader, records: Sequence[Record]) -> set[str]:
        """Those that are stored already: an archive has no manifest that could be updated, and may be imported twice."""
        if self.files.keeps_manifest:
            return set()
        texts = reader.texts_of(self.policy.account, [record.content for record in records])
        return {
            record.id
            for record in records
            if any(old.status == "active" and old.place == record.place for old in texts[record.content].memories)
        }

    def _import_deletions(self, deleted: Mapping[str, str]) -> list[str]:
        """The deleted files whose memories are still active; with `prune`, these memories are forgotten."""
        records = dict(zip(deleted.values(), self._visible_memories(list(deleted.values())), strict=True))
        active = {path: one for path, own in deleted.items() if (one := records[own]) and one.status == "active"}
        if self.prune and active:
            self._forgotten = len(active)
            if not self.dry_run:
                self._forget([record.id for record in active.values()])
        return sorted(active)

    def _forget(self, ids: Sequence[str]) -> None:
        with self._transaction() as tx:
            for record in tx.get(self.policy.account, ids):
                if record is not None and record.status == "active":
                    tx.change(record, record.with_(status="forgotten"), "forget", reason="its file was deleted")

    def _write_manifest(self, diff: FolderDiff) -> None:
        """Update the manifest of the folder; a read-only folder can still be imported."""
        deleted, manifest = diff.missing(), diff.manifest
        if self.prune:
            manifest.files = {path: entry for path, entry in manifest.files.items() if path not in deleted}
        try:
            self.files.write(MANIFEST_NAME, manifest.text().encode())
        except InvalidInput as error:
            self._tally.notes.append(
                f"{MANIFEST_NAME} was not updated ({error.problem}): the same edits will be read again"
            )

    @property
    def _gate(self) -> Gate:
        return self.permissions.uow.runtime.gate.for_identity(self.permissions.identity)


def _replacing(changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Changes by which the metadata of a file takes the place of what there is."""
    return {**changes, "replace_metadata": True} if "metadata" in changes else changes
