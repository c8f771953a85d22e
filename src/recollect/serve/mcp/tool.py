"""Tool: something a client can call: its name, what it is for, its arguments, its answer, and what it does to memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recollect.serve.mcp.short_ids import ShortIds

if TYPE_CHECKING:
    from recollect.engine import Memory

Schema = dict[str, Any]
Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Desk:
    """What a tool works at: the open store, and the short ids handed out over it."""

    memory: Memory
    ids: ShortIds
    # What the mark of a fence is made from: the same in every answer, so that prompt caches hold.
    seed: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool says: to whoever reads, and to programs."""

    text: str
    form: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `reads` changes no memory; `destroys` may hide or replace what is known; `repeats`: twice is once."""

    name: str
    title: str
    description: str
    arguments: Mapping[str, Schema]
    answer: Schema
    run: Callable[[Desk, Arguments], Answer]
    required: tuple[str, ...] = ()
    reads: bool = False
    destroys: bool = False
    repeats: bool = False

    @property
    def input_schema(self) -> Schema:
        """Its arguments as JSON Schema 2020-12: an object that allows nothing else."""
        schema: Schema = {"type": "object", "properties": dict(self.arguments)}
        if self.required:
            schema["required"] = list(self.required)
        return schema | {"additionalProperties": False}
