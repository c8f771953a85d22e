"""Step: one thing asked in the story.

A step is a verb of the library with its arguments. `$name` stands for a memory an earlier step kept under that name,
`@name` for a moment an earlier step marked, `&name` for a file of the door's own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Step:
    """One thing asked: by another agent, or of the past, if it says so; what it makes goes by the names in `keep`.

    `comes` is the kind of outcome or error it must come to; without it, any but an error.
    """

    verb: str
    arguments: dict[str, Any] = field(default_factory=dict)
    keep: tuple[str, ...] = ()
    agent: str | None = None
    as_of: str | None = None
    comes: str | None = None


def step(
    verb: str,
    *,
    keep: str = "",
    agent: str | None = None,
    as_of: str | None = None,
    comes: str | None = None,
    **given: Any,
) -> Step:
    """A step as it is told below; `keep` may hold several names."""
    return Step(verb, given, tuple(keep.split()), agent, as_of, comes)


# In two pieces, so that nothing that looks for secrets in this file finds one.
SECRET = "The token of the registry is ghp_" + "x7Qk2mZp9LrT4vWb8NcY3dHf6JgS1aEu5RoP"
