"""Every error recollect raises, drawn as a tree; a message says what was wrong and what to do.

RecollectError
├── InvalidInput            a field of the call is wrong; nothing was changed (also a ValueError)
│   ├── AmbiguousId         a short id fits several memories
│   └── StaleVersion        the pool was changed since that version of it was read
├── NotFound                no such memory, event or operation here (also a LookupError)
├── Disabled                memory is switched off for this project or for all
├── ReadOnly                the store, or this view of it, cannot be written
├── SettingsError           the settings file or an environment variable is wrong
├── EmbedderError           the embedder failed or answered nonsense
│   ├── EmbedderUnavailable no model at hand and no way to fetch it
│   └── ModelMismatch       vectors of two models would be mixed
└── StoreError              the storage failed; what was not acknowledged was not stored
    ├── StoreBusy           another process held the write lock for too long
    ├── StoreFull           no room on the disk
    ├── StoreDamaged        the file is not a recollect store, or is broken
    ├── StoreNewer          the file was written by a newer recollect
    ├── StoreUnavailable    the server cannot be reached, or went away
    │   └── CommitUnknown   it went away while a change was being committed: look whether it is there
    └── WorkingUnavailable  the place of working memory is away; everything else goes on

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
    """A short id fits several memories."""

    def __init__(self, prefix: str, count: int) -> None:
        super().__init__("id", f"{prefix!r} is the beginning of {count} memories", "give more characters of it")


class StaleVersion(InvalidInput):
    """Somebody changed the pool since that version was read; it carries what is there now."""

    def __init__(self, name: str, expected: int, version: int, data: Mapping[str, Any]) -> None:
        self.name, self.expected, self.version, self.data = name, expected, version, data
        problem = f"is {expected}, but pool {name!r} is at version {version}"
        super().__init__("expected_version", problem, "read it again, redo the change on that and write once more")


class NotFound(RecollectError, LookupError):
    """No such memory, event or operation is visible here."""

    def __init__(self, what: str, key: object, fix: str = "`list` and `log` show what there is") -> None:
        self.what, self.key = what, key
        super().__init__(f"no {what} {key!s} here; {fix}")


class Disabled(RecollectError):
    """Memory is switched off for this project or for all; nothing is stored or recalled."""

    def __init__(self, where: str) -> None:
        self.where = where
        command = "recollect on --all" if where == "every project" else f"recollect --project {where} on"
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
    """The embedder failed or answered something that is not one vector a text."""


class EmbedderUnavailable(EmbedderError):
    """No model at hand and no way to fetch it; recall goes on by words alone."""


class ModelMismatch(EmbedderError):
    """Vectors of two models would be mixed."""

    def __init__(self, expected: str, found: str) -> None:
        self.expected, self.found = expected, found
        super().__init__(f"vectors of {found} cannot be compared with those of {expected}; run `recollect reembed`")


class StoreError(RecollectError):
    """The storage failed; what was not acknowledged was not stored."""


class StoreBusy(StoreError):
    """Another process held the write lock for too long."""


class StoreFull(StoreError):
    """There is no room on the disk."""


class StoreDamaged(StoreError):
    """The file is not a recollect store, or is broken."""


class StoreNewer(StoreError):
    """The file was written by a newer recollect."""


class StoreUnavailable(StoreError):
    """The server cannot be reached, or went away; nothing was stored."""


class CommitUnknown(StoreUnavailable):
    """The server went away while a change was being committed: it may be stored or not."""

    def __init__(self, where: str) -> None:
        super().__init__(
            f"{where} went away while a change was being committed; it may be stored or not: "
            "look for it (`recollect log`) before you try again, or give a key so that trying again is safe"
        )


class WorkingUnavailable(StoreError):
    """The place of working memory is away; remembering and recalling go on."""
