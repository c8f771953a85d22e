"""Counts what an import does and builds its report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from recollect.values.transfer import Imported, RefusedItem

# A report lists at most this many refused and updated memories; the counts cover all of them.
MOST_LISTED = 100


@dataclass(slots=True)
class ImportTally:
    """The running counts of one import."""

    memories: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    left_out: list[RefusedItem] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def refuse(self, where: str, id: str | None, reason: str, *, memory: bool = True, text: str = "") -> None:
        """Count something that is not imported; `text` is how it begins."""
        if memory:
            self.memories["refused"] += 1
        else:
            self.others["refused"] += 1
        if len(self.left_out) < MOST_LISTED:
            self.left_out.append(RefusedItem(where, id, reason, text))

    def update(self, id: str) -> None:
        """Count a memory that is updated."""
        self.memories["updated"] += 1
        if len(self.changed) < MOST_LISTED:
            self.changed.append(id)

    @property
    def wrote(self) -> bool:
        """Whether the import wrote anything that an undo would take back."""
        return bool(self.memories["stored"] or self.memories["updated"] or self.others["document"])

    def report(self, operation: str | None, *, dry_run: bool) -> Imported:
        """The report of the whole import."""
        return Imported(
            stored=self.memories["stored"],
            updated=self.memories["updated"],
            unchanged=self.memories["unchanged"],
            refused=self.memories["refused"],
            others={name: count for name, count in sorted(self.others.items()) if count},
            left_out=tuple(self.left_out),
            changed=tuple(self.changed),
            notes=(*self.notes, *self._count_notes()),
            operation=operation if self.wrote and not dry_run else None,
            dry_run=dry_run,
        )

    def _count_notes(self) -> list[str]:
        notes = {
            "newer": "were changed here since, or at the same time, and stay as they are here",
            "redacted": "contained text that must not be stored; it was redacted",
            "without_vector": "came without a vector of their text; `recollect reembed` adds them",
        }
        return [f"{self.memories[name]:,} {text}" for name, text in notes.items() if self.memories[name]]
