"""Block: the text an agent is given to work with, what is in it, what was left out, and how much room it took."""

from __future__ import annotations

from dataclasses import dataclass

from recollect.values.memory import Record


@dataclass(frozen=True, slots=True)
class Item:
    """One memory in a block: the layer that took it, and how many characters it takes there."""

    memory: Record
    layer: str
    characters: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A memory a layer would have taken, and why it is not in the block."""

    memory: Record
    layer: str
    reason: str


@dataclass(frozen=True, slots=True)
class Block:
    """`used` is the length of the text. `over` is by how much what is never cut exceeds the budget, else 0."""

    text: str
    items: tuple[Item, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    budget: int = 0
    used: int = 0
    over: int = 0
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text
