"""Every error recollect raises, as a tree. A message says what was wrong and what to do.

RecollectError
├── InvalidInput            a field of the call is wrong; nothing was changed (also a ValueError)
│   ├── AmbiguousId         a short id matches several memories
│   └── StaleVersion        the pool was changed since that version was read
├── NotFound                no such memory, event or operation here (also a LookupError)
├── NeedsConfirmation       it changes much, or what somebody else did; nothing was changed
├── PartlyDone              a verb for many memories stopped in between: what it did is kept
├── Disabled                memory is switched off for this project or for all
├── ReadOnly                the store, or this view of it, cannot be written
├── SettingsError           the settings file or an environment variable is wrong
├── EmbedderError           the embedder failed or returned something else than vectors
│   └── EmbedderUnavailable the model is not available and cannot be fetched
├── RerankerError           the reranker failed; recall catches it and keeps its own order
├── JudgeError              the judge could not be asked; the rules decide, and what is open stays told
└── StoreError              the storage failed; what was not acknowledged is not stored
    ├── StoreBusy           another process held the write lock for too long
    ├── StoreFull           the disk is full
    ├── StoreDamaged        the file is not a recollect store, or is broken
    ├── StoreNewer          the file was written by a newer recollect
    ├── StoreUnavailable    the server cannot be reached, or the connection was lost
    │   └── CommitUnknown   the connection was lost during a commit: check whether the change is stored
    └── WorkingUnavailable  the server of working memory cannot be reached; everything else works

Expected outcomes (a refused draft, a contradiction) are values, never errors: see `values/outcome.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class RecollectError(Exception):
    """The base of every error of this package."""


class InvalidInput(RecollectError, ValueError):
    """A field of the call is wrong; nothing was changed."""

    def __init__(self, field: str, problem: str, fix: str) -> None:
        self.field, self.problem, self.fix = field, problem, fix
        super().__init__(f"{field}: {problem}; {fix}")


class AmbiguousId(InvalidInput):
    """A short id matches several memories."""

    def __init__(self, prefix: str, count: int) -> None:
        super().__init__("id", f"{prefix!r} is the beginning of {count} memories", "give more characters of it")


class StaleVersion(InvalidInput):
    """The pool was changed since that version was read; the error carries the current data."""

    def __init__(self, name: str, expected: int, version: int, data: Mapping[str, Any]) -> None:
        self.name, self.expected, self.version, self.data = name, expected, version, data
        problem = f"is {expected}, but pool {name!r} is at version {version}"
        super().__init__("expected_version", problem, "read the pool again, redo the change and write again")


class NotFound(RecollectError, LookupError):
    """No such memory, event or operation is visible here."""

    def __init__(self, what: str, key: object, fix: str = "`list` and `log` show what there is") -> None:
        self.what, self.key = what, key
        super().__init__(f"no {what} {key!s} here; {fix}")


class NeedsConfirmation(RecollectError):
    """The call changes much, or undoes what somebody else did; nothing was changed."""

    def __init__(self, verb: str, what: str, look: str = "look at `log`", them: str = "it") -> None:
        self.verb, self.what = verb, what
        super().__init__(f"{what}; {look} first, then give force=True to {verb} {them}")


class PartlyDone(RecollectError):
    """A verb stopped after it had changed some of the selected memories; what it did is kept, and can be undone."""

    def __init__(self, verb: str, count: int, operation: str, problem: object) -> None:
        self.verb, self.count, self.operation = verb, count, operation
        back = "they are erased for good" if verb == "purge" else f"undo({operation!r}, force=True) takes them back"
        super().__init__(f"{verb} stopped after {count} memories: {problem}; call it again for the rest; {back}")


class Disabled(RecollectError):
    """Memory is disabled for this project or for all; nothing is stored or recalled."""

    def __init__(self, where: str) -> None:
        self.where = where
        command = "recollect enable --all" if where == "every project" else f"recollect --project {where} enable"
        super().__init__(f"memory is off for {where}: nothing is stored or recalled; `{command}` switches it on")


class ReadOnly(RecollectError):
    """The store, or this view of it, cannot be written."""

    def __init__(self, what: str, fix: str) -> None:
        super().__init__(f"{what} is read-only; {fix}")


class SettingsError(RecollectError):
    """The settings file or an environment variable is wrong."""

    def __init__(self, where: str, problem: str, fix: str) -> None:
        self.where = where
        super().__init__(f"{where}: {problem}; {fix}")


class EmbedderError(RecollectError):
    """The embedder failed, or did not return one vector per text."""


class EmbedderUnavailable(EmbedderError):
    """The model is not available and cannot be fetched; recall is lexical only."""


class RerankerError(RecollectError):
    """The reranker failed, or did not return one score per text; recall keeps its own order and says so in a note."""


class JudgeError(RecollectError):
    """The judge could not be asked, or gave no valid answer; the rules decide, and what they leave open stays told."""


class StoreError(RecollectError):
    """The storage failed; what was not acknowledged is not stored."""


class StoreBusy(StoreError):
    """Another process held the write lock for too long."""


class StoreFull(StoreError):
    """The disk is full."""


class StoreDamaged(StoreError):
    """The file is not a recollect store, or is broken."""


class StoreNewer(StoreError):
    """The file was written by a newer recollect."""


class StoreUnavailable(StoreError):
    """The server cannot be reached, or the connection was lost; nothing was stored."""


class CommitUnknown(StoreUnavailable):
    """The connection was lost during a commit: the change may be stored or not."""

    def __init__(self, where: str) -> None:
        super().__init__(
            f"the connection to {where} was lost during a commit; the change may be stored or not: "
            "check `recollect log` before you try again, or give an idempotency key so that trying again is safe"
        )


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a bulk load: `done` of `total` items are stored, under one `operation`, which `undo` takes back."""

    def __init__(self, operation: str, done: int, total: int) -> None:
        self.operation, self.done, self.total = operation, done, total
        super().__init__(f"{done:,} of {total:,} are done; undo {operation} takes them back")


class WorkingUnavailable(StoreError):
    """The server of working memory cannot be reached; everything else works."""
