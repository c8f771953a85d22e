"""Incoming: what comes from outside (a Markdown tree, another product), on its way to the write path, and what became of it.

Readers (`memory_files/`, `importers/`) make batches of drafts; the verbs store them and answer with a report.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from recollect.values.ids import normalised

Fate = Literal["kept", "replaced", "merged", "known", "refused", "left_out"]
FATES: tuple[str, ...] = get_args(Fate)
# The name of Markdown memory trees among the products one may come from.
MEMORY_FILES = "memory-files"


@dataclass(frozen=True, slots=True)
class Incoming:
    """One draft with the place it was read at. `parts` stand in for it when it is refused.

    Its key makes it come in once: what it comes from, which thing it is there, and a digest of its text when that may change.
    """

    where: str
    draft: Mapping[str, Any]
    parts: tuple[Incoming, ...] = ()

    @property
    def key(self) -> str:
        """Under which it is stored once."""
        return str(self.draft["key"])


def thing_of(key: str) -> str:
    """Which thing a key is of, whatever its text was."""
    return ":".join(key.split(":")[:2])


def wording_of(key: str) -> str:
    """Which wording of a thing a key is of, whether or not it came back later."""
    return ":".join(key.split(":")[:3])


def digest(text: str) -> str:
    """A short digest for keys; case, spacing and a closing full stop do not matter."""
    return hashlib.sha256(normalised(text).encode("utf-8", "replace")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that is no memory: where it stands, how it begins, and why it was left out."""

    where: str
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Batch:
    """What one file or part of a product holds.

    `links` pair the keys of drafts that are to be linked. `origin` is what the memories from here are marked with. `is_whole`
    says that it is all there is: a memory from here whose text is gone was edited, or taken out.
    """

    name: str
    items: tuple[Incoming, ...] = ()
    left: tuple[LeftOut, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    origin: str = ""
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Arrival:
    """What became of one thing, and why. The text of what was refused is not told: it may hold a secret."""

    where: str
    fate: Fate
    text: str = ""
    why: str = ""
    id: str | None = None


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What became of everything in one file or part; `gone` are memories whose line is no longer there."""

    name: str
    arrivals: tuple[Arrival, ...] = ()
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What a migration or an import did, or would do."""

    batches: tuple[BatchReport, ...]
    dry_run: bool = False
    links: int = 0
    counts: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        found = Counter[str](arrival.fate for batch in self.batches for arrival in batch.arrivals)
        object.__setattr__(self, "counts", {fate: found[fate] for fate in FATES})
