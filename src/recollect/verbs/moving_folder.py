"""A folder or archive of Markdown into a store: edits become updates, new files memories, deleted ones are told or forgotten."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from recollect.capture.edit import edited
from recollect.capture.intake import draft_of, record_of
from recollect.capture.vetting import vet
from recollect.errors import InvalidInput
from recollect.portable import archives
from recollect.portable.files import Where
from recollect.portable.markdown.comparing import Comparing, Edited, Found, Fresh
from recollect.portable.markdown.manifest import NAME
from recollect.portable.markdown.sheet import Sheet
from recollect.portable.markdown.tree import Sheets, Tree
from recollect.portable.markdown.writing import entry_of
from recollect.portable.stream import Remembered
from recollect.portable.taking import take
from recollect.portable.tallying import Tally
from recollect.ports import Vectors
from recollect.values.ids import new_id
from recollect.values.memory import Record
from recollect.values.moved import Imported
from recollect.values.outcome import Refused, Reinforced
from recollect.values.scope import reaches
from recollect.verbs.moving_terms import Rights


def sheets_at(source: Where) -> Sheets:
    """The Markdown files of a folder, or of an archive, which is read and checked whole before any of it is taken."""
    if isinstance(source, (str, os.PathLike)) and Path(source).is_dir():
        return Tree(source)
    if not isinstance(source, (str, os.PathLike)) or archives.kind_of(source) is None:
        fix = f"name the folder, or an archive ({archives.NAMES})"
        raise InvalidInput("source", "Markdown is imported from a folder or an archive", fix)
    from recollect.portable.markdown.packed import unpacked

    return unpacked(Path(source))


@dataclass(slots=True)
class FolderImport:
    """One folder on its way in."""

    rights: Rights
    tree: Sheets
    dry_run: bool = False
    prune: bool = False
    _tally: Tally = field(default_factory=Tally)
    _forgotten: int = 0

    def run(self) -> Imported:
        """Take the folder in; returns what became of its files."""
        handle = self.rights.handle
        now = handle.parts.clock()
        operation = new_id(now)
        comparing = Comparing(self.tree, self.rights.identity.account, self._within_reach, now)
        for found in comparing.pages():
            self._take(found, comparing, operation)
        missing = self._missing(comparing.missing(), operation)
        if self.tree.keeps_notes and not self.dry_run:
            self._keep(comparing)
        done = self._tally.report(operation, dry_run=self.dry_run)
        wrote = self._tally.wrote or self._forgotten
        return replace(
            done,
            missing=tuple(missing),
            forgotten=self._forgotten,
            operation=operation if wrote and not self.dry_run else None,
        )

    def _within_reach(self, ids: Sequence[str]) -> list[Record | None]:
        with self.rights.handle.parts.store.reading(self.rights.handle.parts.clock()) as reader:
            held = reader.get(self.rights.identity.account, ids) if ids else []
        return [record if record is None or self._reaches(record) else None for record in held]

    def _reaches(self, record: Record) -> bool:
        return self.rights.everything or reaches(self.rights.identity, record.place)

    def _take(self, found: Found, comparing: Comparing, operation: str) -> None:
        for left in found.left_out:
            self._leave(left.where, left.id, left.reason)
        for sheet, record in found.settled:
            self._tally.memories["unchanged"] += 1
            comparing.manifest.files[sheet.path] = entry_of(record, sheet.sha256)
        for edit, after in self._edit(found.edited, operation):
            comparing.manifest.files[edit.sheet.path] = entry_of(after, edit.sheet.sha256)
        for sheet, record in [*self._arrive(found.unknown), *self._remember(found.fresh)]:
            comparing.manifest.files[sheet.path] = entry_of(record, sheet.sha256)

    def _leave(self, where: str, own: str | None, reason: str) -> None:
        self._tally.leave(where, own, reason)

    def _edit(self, edits: Sequence[Edited], operation: str) -> list[tuple[Edited, Record]]:
        """Store edits, all in one transaction; what somebody changed meanwhile is left."""
        parts = self.rights.handle.parts
        vetting, now = parts.vetting.by(self.rights.identity), parts.clock()
        ready: list[tuple[Edited, Record, Vectors | None]] = []
        for edit in edits:
            try:
                after = edited(edit.before, edit.changes, vetting, now)
            except InvalidInput as error:
                after = Refused(f"{error.field}: {error.problem}; {error.fix}")
            if isinstance(after, Refused):
                self._leave(edit.sheet.path, edit.before.id, after.reason)
                continue
            moved = after.content != edit.before.content and not self.dry_run
            ready.append((edit, after, parts.embed(after) if moved else None))
        if self.dry_run or not ready:
            for _, after, _ in ready:
                self._tally.update(after.id)
            return []
        done: list[tuple[Edited, Record]] = []
        with parts.store.transaction(
            self.rights.identity.account, self.rights.handle.actor, now, operation=operation
        ) as tx:
            held = tx.get(self.rights.identity.account, [edit.before.id for edit, _, _ in ready])
            for (edit, after, vectors), current in zip(ready, held, strict=True):
                if current != edit.before:
                    self._leave(edit.sheet.path, after.id, "it was changed here this moment; import again")
                    continue
                tx.change(edit.before, after, "update", vectors=vectors, reason="its file was edited")
                self._tally.update(after.id)
                done.append((edit, after))
        return done

    def _arrive(self, unknown: Sequence[tuple[Sheet, Remembered]]) -> list[tuple[Sheet, Record]]:
        """Memories of another store, by the ids their files name."""
        if not unknown:
            return []
        parts = self.rights.handle.parts
        done = take(
            parts.store,
            [item for _, item in unknown],
            self.rights.terms(self.rights.handle.actor),
            dry_run=self.dry_run,
        )
        self._tally.memories.update(stored=done.stored, refused=done.refused, unchanged=done.unchanged)
        self._tally.left_out += done.left_out
        self._tally.notes += [note for note in done.notes if note not in self._tally.notes]
        held = self._within_reach([item.record.id for _, item in unknown])
        return [(sheet, record) for (sheet, _), record in zip(unknown, held, strict=True) if record is not None]

    def _remember(self, fresh: Sequence[Fresh]) -> list[tuple[Sheet, Record]]:
        """New files, through the same path as anything new."""
        viewer, parts = self.rights.handle.viewer, self.rights.handle.parts
        identity = self.rights.identity
        ready: list[Fresh] = []
        for new in fresh:
            try:
                record = record_of(draft_of(new.draft), identity, viewer.project, parts.clock())
                reason = self._against(record)
            except InvalidInput as error:
                reason = f"{error.field}: {error.problem}; {error.fix}"
            if reason is not None:
                self._leave(new.sheet.path, None, reason)
            elif not self.tree.keeps_notes and self._stands(record):
                self._tally.memories["unchanged"] += 1
            else:
                ready.append(new)
        if self.dry_run:
            self._tally.memories["stored"] += len(ready)
            return []
        outcomes = parts.capture.remember([dict(new.draft) for new in ready], identity, viewer.project) if ready else []
        made: list[tuple[Sheet, Record]] = []
        for new, outcome in zip(ready, outcomes, strict=True):
            if isinstance(outcome, Refused):
                self._leave(new.sheet.path, None, outcome.reason)
                continue
            self._tally.memories["unchanged" if isinstance(outcome, Reinforced) else "stored"] += 1
            made.append((new.sheet, outcome.memory))
        return made

    def _against(self, record: Record) -> str | None:
        """What speaks against a new file before it is stored; a dry run tells this much."""
        parts, account = self.rights.handle.parts, self.rights.identity.account
        if not self._reaches(record):
            return f"its room ({record.scope}) is out of reach"
        vetted = vet(record, parts.vetting.by(self.rights.identity))
        if isinstance(vetted, Refused):
            return vetted.reason
        with parts.store.reading() as reader:
            if reader.purged(account, record.content):
                return "purged: this text was erased for good"
            same = reader.same_text(account, record.content)
        forgotten = any(old.status == "forgotten" and old.place == record.place for old in same)
        return "forgotten: this was forgotten on purpose" if forgotten else None

    def _stands(self, record: Record) -> bool:
        """Whether this is remembered already: an archive cannot note that it was taken in, and may come twice."""
        with self.rights.handle.parts.store.reading() as reader:
            same = reader.same_text(self.rights.identity.account, record.content)
        return any(held.status == "active" and held.place == record.place for held in same)

    def _missing(self, gone: Mapping[str, str], operation: str) -> list[str]:
        """Files that were deleted, of memories that are still here; pruned, they are forgotten."""
        held = dict(zip(gone.values(), self._within_reach(list(gone.values())), strict=True))
        active = {path: record for path, own in gone.items() if (record := held[own]) and record.status == "active"}
        if self.prune and active:
            self._forgotten = len(active)
            if not self.dry_run:
                parts = self.rights.handle.parts
                actor = self.rights.handle.actor
                with parts.store.transaction(
                    self.rights.identity.account, actor, parts.clock(), operation=operation
                ) as tx:
                    for record in active.values():
                        tx.change(record, record.with_(status="forgotten"), "forget", reason="its file was deleted")
        return sorted(active)

    def _keep(self, comparing: Comparing) -> None:
        """Note in the folder what is known of it now; a folder that cannot be written is still taken in."""
        gone = comparing.missing()
        manifest = comparing.manifest
        if self.prune:
            manifest.files = {path: entry for path, entry in manifest.files.items() if path not in gone}
        try:
            self.tree.write(NAME, manifest.text().encode())
        except InvalidInput as error:
            self._tally.notes.append(f"{NAME} was not updated ({error.problem}): the same edits will be read again")
