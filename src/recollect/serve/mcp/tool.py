"""The parts of a tool: its declaration, the context it runs in, its result, and the short ids it shows and accepts."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from recollect.serve.mcp.arguments import Argument, Arguments, Schema
from recollect.values.memory import Record

if TYPE_CHECKING:
    from recollect.engine import Memory

_MAX_SHORT_IDS = 20_000
_LONG_ID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_LENGTHS = (8, 12, 36)
_MAX_CALLS = 200


@dataclass(slots=True)
class ShortIds:
    """The short ids one server has shown, most recent last.

    A short id is the end of an id. Looking one up in the store reads all ids; one that this server has shown is found here
    instead. It is also unambiguous: when two ids have the same end, the second is shown with a longer one.
    """

    _shown: OrderedDict[str, str] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def shorten(self, record: Record) -> str:
        """The short id of a memory."""
        return self.shorten_id(record.id)

    def shorten_id(self, id: str) -> str:
        """The short form of an id."""
        with self._lock:
            short = next(id[-length:] for length in _LENGTHS if self._shown.get(id[-length:], id) == id)
            self._shown[short] = id
            self._shown.move_to_end(short)
            if len(self._shown) > _MAX_SHORT_IDS:
                self._shown.popitem(last=False)
            return short

    def expand(self, short: str) -> str:
        """The full id behind a short one; anything else is returned unchanged."""
        return self._shown.get(short.strip().lower().removeprefix("recollect://memory/"), short)

    def in_text(self, text: str) -> str:
        """The same text with the short ids that an agent knows, in place of the long ones."""
        shorts = {long: short for short, long in self._shown.items()} if _LONG_ID.search(text) else {}
        return _LONG_ID.sub(lambda found: shorts.get(found[0], found[0]), text)


@dataclass(slots=True)
class Operations:
    """What the calls of one session changed: the operations of each call, the last call at the end."""

    calls: list[list[str]] = field(default_factory=list)
    current: list[str] = field(default_factory=list)

    def note(self, operation: str) -> None:
        """An operation of the current call was committed."""
        if operation not in self.current:
            self.current.append(operation)

    def end_call(self) -> None:
        """The next operation belongs to another call."""
        if self.current:
            self.calls = [*self.calls[1 - _MAX_CALLS :], self.current]
            self.current = []


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool call works with: the open store and the short ids of the server.

    The marker of the fence around recalled text is derived from `fence_seed`, so that it is the same in every result and prompt
    caches stay valid.
    """

    memory: Memory
    ids: ShortIds
    fence_seed: str = ""
    # What the tools of this server do, by the verb of the library: a call as an agent makes it, with `{}` for the id.
    hints: Mapping[str, str] = field(default_factory=dict)
    operations: Operations = field(default_factory=Operations)

    def hint(self, verb: str, id: str = "") -> str | None:
        """The call of a tool that does what a verb does; None when there is no such tool here."""
        found = self.hints.get(verb)
        return None if found is None else found.replace("{}", id)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool call: text for the agent, and the same as structured content for programs."""

    text: str
    structured: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of the server. The three flags become the annotations of the protocol."""

    name: str
    title: str
    description: str
    arguments: Mapping[str, Argument]
    output_schema: Schema
    run: Callable[[ToolContext, Arguments], ToolResult]
    required: tuple[str, ...] = ()
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    # The verbs of the library it stands for in hints: how it is called for each, with `{}` for an id.
    hints: Mapping[str, str] = field(default_factory=dict)

    @property
    def input_schema(self) -> Schema:
        """The arguments as JSON Schema 2020-12.

        Unknown arguments are refused when a call is read. `additionalProperties: false` would say so here, but Google's SDK
        fails on it.
        """
        properties = {name: argument.schema for name, argument in self.arguments.items()}
        schema: Schema = {"type": "object", "properties": properties}
        return schema | ({"required": list(self.required)} if self.required else {})
