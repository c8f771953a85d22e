"""Drafts read from other products and Markdown files, and the report of what happened to them.

The readers (`memory_files/`, `importers/`) make batches of drafts; `ingest.py` stores them and returns a report.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from recollect.values.ids import normalised

IngestOutcome = Literal["kept", "replaced", "merged", "known", "refused", "left_out"]
INGEST_OUTCOMES: tuple[str, ...] = get_args(IngestOutcome)
# The name of Markdown memory files among the products.
MEMORY_FILES = "memory-files"
# How the label of a memory from a file begins; its path follows.
ORIGIN = "migrated from "


@dataclass(frozen=True, slots=True)
class SourceDraft:
    """One draft and the place it was read from. When it is refused, its `parts` are tried one by one instead.

    The key makes the import idempotent: product, which thing of the product it is, and a digest of its text if that may change.
    """

    where: str
    draft: Mapping[str, Any]
    parts: tuple[SourceDraft, ...] = ()

    @property
    def key(self) -> str:
        """The idempotency key."""
        return str(self.draft["key"])


def source_key(key: str) -> str:
    """The part of a key that names the thing in its source, whatever its text is."""
    return ":".join(key.split(":")[:2])


def version_key(key: str) -> str:
    """The part of a key that names one version of the text, also when that text came back later."""
    return ":".join(key.split(":")[:3])


def text_digest(text: str) -> str:
    """A short digest for keys; case, spacing and a final full stop do not matter."""
    return hashlib.sha256(normalised(text).encode("utf-8", "replace")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class SkippedText:
    """Something in a source that is not a memory: its location, its text, and why it was left out."""

    where: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class SourceBatch:
    """The drafts of one file or one part of a product.

    `links` pairs the keys of drafts to be linked. `origin` labels the memories that come from this source. `complete` says
    that the batch is everything the source contains: a memory from here whose text is missing was edited or deleted there.
    """

    name: str
    items: tuple[SourceDraft, ...] = ()
    skipped: tuple[SkippedText, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    origin: str = ""
    complete: bool = False


@dataclass(frozen=True, slots=True)
class IngestedItem:
    """What happened to one draft, and why.

    `text` is all of what was refused or left out, with secrets masked, and the beginning of what was stored.
    """

    where: str
    outcome: IngestOutcome
    text: str = ""
    reason: str = ""
    id: str | None = None


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What happened to everything in one batch; `missing` lists memories whose text is no longer in the source."""

    name: str
    items: tuple[IngestedItem, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an import from another product did, or would do."""

    batches: tuple[SourceReport, ...]
    dry_run: bool = False
    links: int = 0
    counts: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        found = Counter[str](item.outcome for batch in self.batches for item in batch.items)
        object.__setattr__(self, "counts", {outcome: found[outcome] for outcome in INGEST_OUTCOMES})
