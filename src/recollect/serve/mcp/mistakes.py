"""Mistakes: an error as programs read it: its kind, and whatever it names.

It rides in `_meta` of the result. In `structuredContent`, where it might be looked for, clients built on the TypeScript SDK
hold it against the schema of the tool's answer, and the agent would never see what went wrong.
"""

from __future__ import annotations

from typing import Any

from recollect.errors import RecollectError

MISTAKE = "recollect/error"
_NAMED = ("field", "problem", "fix", "what", "key", "where", "version")
_LONGEST = 500


def mistake(error: RecollectError) -> dict[str, Any]:
    """The kind of an error is the name of its class, as in `recollect.errors`."""
    named = {name: value for name in _NAMED if (value := getattr(error, name, None)) is not None}
    kept = {name: value if isinstance(value, int) else sendable(str(value))[:_LONGEST] for name, value in named.items()}
    return {"kind": type(error).__name__} | kept


def sendable(text: str) -> str:
    """Half an emoji that some tool cut off is no text to the encoder of an answer."""
    return text.encode("utf-8", "replace").decode("utf-8")
