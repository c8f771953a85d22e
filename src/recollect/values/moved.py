"""Moved: what an export, an import or a copy did, as counts and, where something was left out, with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that was not taken: where it stands, its id if it has one, and why."""

    where: str
    id: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: how many items of each kind, and the fingerprint by which a cut file is noticed."""

    counts: Mapping[str, int]
    sha256: str = ""
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of what was read.

    The four counts are of memories; `others` counts what else was taken, by kind. `left_out` and `changed` name the first
    hundred refused and updated ones. `missing` are files of a folder that are gone, `forgotten` how many of their memories
    were. The `operation` takes all of it back; there is none when nothing changed, or when a whole history was taken over.
    """

    stored: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: int = 0
    others: Mapping[str, int] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    forgotten: int = 0
    notes: tuple[str, ...] = ()
    operation: str | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied of one account: what became of it, how many of each kind there are here and there, whether all agree."""

    account: str
    imported: Imported
    source: Mapping[str, int]
    target: Mapping[str, int]
    verified: bool
