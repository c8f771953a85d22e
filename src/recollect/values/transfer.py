"""Values of export, import and copy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from recollect.values.memory import Record
from recollect.values.scope import GLOBAL, Place


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A memory as stored: its row, its vectors (one per passage, in half precision) with their model, and its cluster."""

    row: int
    record: Record
    model: str | None = None
    vectors: NDArray[np.float16] | None = None
    cluster: str | None = None


@dataclass(frozen=True, slots=True, order=True)
class PurgedDigest:
    """The keyed hash of a purged text, and where the memory lived: only those who reach that place are refused the text."""

    digest: bytes
    place: Place = GLOBAL


@dataclass(frozen=True, slots=True)
class RefusedItem:
    """Something that was not imported: where it is in the source, its id if it has one, why, and how its text begins.

    A text that must not be stored is not in it.
    """

    where: str
    id: str | None
    reason: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: how many items of each kind, and a checksum that detects a truncated file.

    `left_out` counts the memories of sessions and tasks that were not named, by scope; `everything` includes them.
    """

    counts: Mapping[str, int]
    sha256: str = ""
    removed: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import.

    The four counts are of memories; `others` counts other items by kind. `left_out` and `changed` name the first hundred refused
    and updated ones. `missing` are deleted files of a folder, `forgotten` how many of their memories were forgotten. `operation`
    undoes all of it; it is None when nothing changed, or when a whole history was imported.
    """

    stored: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: int = 0
    others: Mapping[str, int] = field(default_factory=dict)
    left_out: tuple[RefusedItem, ...] = ()
    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    forgotten: int = 0
    notes: tuple[str, ...] = ()
    operation: str | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Copied:
    """The copy of one account: the import result, the counts in source and target by kind, and whether they agree."""

    account: str
    imported: Imported
    source: Mapping[str, int]
    target: Mapping[str, int]
    verified: bool
