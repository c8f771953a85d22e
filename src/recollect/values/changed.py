"""Changed: what a verb did to the memories that a filter selects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from recollect.values.memory import Record
from recollect.values.plain import plain
from recollect.values.purge import Repeat

SelectionVerb = Literal["forget", "purge", "tag", "untag", "update", "move", "archive", "unarchive"]


@dataclass(frozen=True, slots=True)
class NotChanged:
    """A selected memory that a verb left as it is, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Changed:
    """What a verb changed, or would change (`dry_run`): how many memories, and the first of them as they were.

    `pinned` of them are delivered to every session. `operation` is what `undo` takes, None if nothing was changed. Memories that
    were as wanted already are not counted. Of a purge, `erased` is what was erased with the memories, `repeats` what repeats
    their texts and was not; `pending` and `out_of_reach` are as in `Erasure`.
    """

    verb: SelectionVerb
    count: int
    first: tuple[Record, ...] = ()
    operation: str | None = None
    dry_run: bool = False
    refused: tuple[NotChanged, ...] = ()
    pinned: int = 0
    erased: tuple[Repeat, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    pending: tuple[str, ...] = ()
    out_of_reach: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the first of them."""
        return tuple(record.id for record in self.first)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain JSON values."""
        return {**plain(self), "first": [{"id": record.id, "content": record.content} for record in self.first]}
