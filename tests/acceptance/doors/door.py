"""Door: what each way in offers to the player: do one verb, or fail with the kind of an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


class Failed(Exception):
    """A verb ended in an error; only its kind is the same at every door."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(message)


@dataclass(frozen=True)
class Asked:
    """A verb of the library with its arguments, by another agent or of the past if it says so."""

    verb: str
    arguments: Mapping[str, Any]
    agent: str | None = None
    as_of: str | None = None


class Door(Protocol):
    """One way into one store."""

    def do(self, asked: Asked) -> Any:
        """What came of it, as plain JSON values."""
        ...
