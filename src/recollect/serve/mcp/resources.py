"""Resources: what a client may read without a tool call: the session start, pinned memories, one memory, the latest narrative."""

from __future__ import annotations

import mcp_types as types

from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect.serve.mcp.text import fence, memory_line
from recollect.serve.mcp.tool import ToolContext
from recollect.serve.mcp.tools.inspect import show_memory

_MEMORY = "recollect://memory/"
_MARKDOWN = "text/markdown"
_MAX_COMPLETIONS = 20
_MAX_SCANNED = 200

RESOURCES = (
    types.Resource(
        uri="recollect://bootstrap",
        name="bootstrap",
        title="Session start",
        description="What to know at the start of a session: pinned memories, rules and warnings, the state of the work.",
        mime_type=_MARKDOWN,
    ),
    types.Resource(
        uri="recollect://pinned",
        name="pinned",
        title="Pinned memories",
        description="The memories to keep in mind at every turn.",
        mime_type=_MARKDOWN,
    ),
    types.Resource(
        uri="recollect://narrative/latest",
        name="narrative-latest",
        title="Latest narrative",
        description="What the last session here was about.",
        mime_type=_MARKDOWN,
    ),
)
MEMORY_TEMPLATE = types.ResourceTemplate(
    uri_template="recollect://memory/{id}",
    name="memory",
    title="One memory",
    description="One memory in full, by its id or the end of it.",
    mime_type=_MARKDOWN,
)


def read_resource(context: ToolContext, uri: str, *, peek: bool = False) -> str:
    """The text of a resource.

    `peek` reads it without recording that an agent has seen it: an agent that repeats what it has read is an echo.
    """
    block = context.memory.preview if peek else context.memory.context
    match uri:
        case "recollect://bootstrap":
            return block(start=True).text or "Nothing is known yet."
        case "recollect://pinned":
            return block(layers=["pinned"]).text or "Nothing is pinned."
        case "recollect://narrative/latest":
            latest = context.memory.narratives.latest()
            return "No narrative yet." if latest is None else fence(context, [memory_line(context, latest)])
    memory_id = uri.removeprefix(_MEMORY)
    if not uri.startswith(_MEMORY) or not memory_id:
        known = ", ".join([*(resource.uri for resource in RESOURCES), MEMORY_TEMPLATE.uri_template])
        raise NotFound("resource", uri[:200], f"resources: {known}")
    try:
        return show_memory(context, memory_id).text
    except InvalidInput as error:
        raise NotFound("memory", memory_id[:80], error.fix) from error


def peek_resource(context: ToolContext, uri: str) -> str | None:
    """The text of a resource, not recorded as read; None when it cannot be read."""
    try:
        return read_resource(context, uri, peek=True)
    except RecollectError:
        return None


def complete_id(context: ToolContext, typed: str) -> list[str]:
    """Short ids of the newest memories that start with the typed text."""
    shorts = [context.ids.shorten(record) for record in context.memory.list(limit=_MAX_SCANNED)]
    return [short for short in shorts if short.startswith(typed.strip().lower())][:_MAX_COMPLETIONS]
