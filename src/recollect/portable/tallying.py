"""Tallying: what an import did so far, and the report that becomes of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from recollect.values.moved import Imported, LeftOut

# A report names so many; the counts are of all.
FIRST = 100


@dataclass(slots=True)
class Tally:
    """The counts of one import as it goes."""

    memories: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    left_out: list[LeftOut] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def leave(self, where: str, id: str | None, reason: str, *, memory: bool = True) -> None:
        """Something was not taken."""
        if memory:
            self.memories["refused"] += 1
        else:
            self.others["refused"] += 1
        if len(self.left_out) < FIRST:
            self.left_out.append(LeftOut(where, id, reason))

    def update(self, id: str) -> None:
        """A memory was changed."""
        self.memories["updated"] += 1
        if len(self.changed) < FIRST:
            self.changed.append(id)

    @property
    def wrote(self) -> bool:
        """Whether anything came in that an undo would take back."""
        return bool(self.memories["stored"] or self.memories["updated"] or self.others["document"])

    def report(self, operation: str | None, *, dry_run: bool) -> Imported:
        """The report of all of it."""
        newer, bare, redacted = (self.memories[name] for name in ("newer", "bare", "redacted"))
        notes = list(self.notes)
        if newer:
            notes.append(f"{newer:,} were changed here since, or at the same time, and stay as they are here")
        if redacted:
            notes.append(f"{redacted:,} held what must not be kept, which was blotted out")
        if bare:
            notes.append(f"{bare:,} came without a vector of their text; `recollect reembed` adds them")
        return Imported(
            stored=self.memories["stored"],
            updated=self.memories["updated"],
            unchanged=self.memories["unchanged"],
            refused=self.memories["refused"],
            others={name: count for name, count in sorted(self.others.items()) if count},
            left_out=tuple(self.left_out),
            changed=tuple(self.changed),
            notes=tuple(notes),
            operation=operation if self.wrote and not dry_run else None,
            dry_run=dry_run,
        )
