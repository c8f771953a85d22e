"""What a companion hands out (Surfaced), and what it remembers of each turn (Turn)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.values.memory import Record
from recollect.values.plain import plain

# A model counts tokens, and each counts differently; four characters are about one token of English.
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Surfaced:
    """What the last turn made relevant: a fenced text for the prompt, and its memories. Without any, the text is empty."""

    text: str = ""
    memories: tuple[Record, ...] = ()
    turn: int = 0

    @property
    def tokens(self) -> int:
        """About how many tokens the text has."""
        return -(-len(self.text) // CHARACTERS_PER_TOKEN)

    def __bool__(self) -> bool:
        return bool(self.memories)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a session: the ids of what was retrieved, injected, cited in the reply, and rejected by a judge."""

    session: str
    number: int
    at: datetime
    retrieved: tuple[str, ...] = ()
    injected: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    new_topic: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Every field as plain JSON."""
        fields: dict[str, Any] = plain(self)
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Turn:
        """The turn that `to_dict` gave."""
        lists = {name: tuple(fields[name]) for name in ("retrieved", "injected", "cited", "rejected")}
        return cls(
            fields["session"],
            fields["number"],
            datetime.fromisoformat(fields["at"]),
            **lists,
            new_topic=fields["new_topic"],
        )
