"""Edits: what came from a source before and reads otherwise now, and which new text took its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from recollect.handle import Handle
from recollect.portable.incoming import Batch, Incoming, thing_of, wording_of
from recollect.ports import Reader
from recollect.values.filter import Filter
from recollect.values.memory import Record

_PAGE = 1000
# Half of a line may change before it counts as another line.
_ALIKE = 0.6


@dataclass(slots=True)
class Edits:
    """The memories of one source whose text is gone: of lines, by id; of things that have an id there, by that."""

    gone: dict[str, Record] = field(default_factory=dict)
    reworded: dict[str, Record] = field(default_factory=dict)

    def heir(self, key: str, heir: str | None) -> Record | None:
        """The memory that replaced an earlier wording which is now back."""
        found = self.reworded.get(thing_of(key))
        if found is not None and found.id == heir:
            return self.reworded.pop(thing_of(key))
        return self.gone.pop(heir, None) if heir else None

    def replaced_by(self, lines: Sequence[tuple[str, str]]) -> dict[int, Record]:
        """Which gone memory each new line (what stands before it, and itself) takes the place of, most alike first."""
        pairs = [
            (likeness, place, record)
            for place, line in enumerate(lines)
            for record in self.gone.values()
            if (likeness := _likeness(record.content, *line)) >= _ALIKE
        ]
        found: dict[int, Record] = {}
        for _, place, record in sorted(pairs, key=lambda pair: -pair[0]):
            if place not in found and record.id in self.gone:
                found[place] = self.gone.pop(record.id)
        return found


def edits_of(reader: Reader, handle: Handle, batches: Sequence[Batch]) -> list[Edits]:
    """For each source, what came from it before and is not in it now."""
    keys = [item.key for batch in batches for item in _all(batch.items)]
    things, wordings = {thing_of(key) for key in keys}, {wording_of(key) for key in keys}
    found = {batch.origin: Edits() for batch in batches}
    whole = {batch.origin for batch in batches if batch.is_whole}
    for record in _migrated(reader, handle):
        origin, key = record.provenance.reason or "", record.key or ""
        # The key of a line is its text and nothing else, so there the thing is the wording.
        if origin not in found or not key or wordings & {wording_of(key), thing_of(key)}:
            continue
        if thing_of(key) in things:
            found[origin].reworded[thing_of(key)] = record
        elif origin in whole:
            found[origin].gone[record.id] = record
    return [found[batch.origin] for batch in batches]


def _all(items: Iterable[Incoming]) -> Iterable[Incoming]:
    for item in items:
        yield item
        yield from _all(item.parts)


def _migrated(reader: Reader, handle: Handle) -> Iterable[Record]:
    wanted, offset = Filter(sources=("migrated",), project=handle.viewer.project), 0
    while found := reader.find(handle.viewer.identity, wanted, handle.parts.clock(), limit=_PAGE, offset=offset):
        yield from found
        offset += len(found)


def _likeness(old: str, before: str, line: str) -> float:
    """How alike two lines are, not counting the headings before both."""
    rest = old.removeprefix(before) if before else old
    told = line if rest != old or not before else before + line
    matcher = SequenceMatcher(None, rest, told, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE else 0.0
