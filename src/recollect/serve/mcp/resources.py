"""Resources: what a client may read without a tool: the start of a session, what is pinned, one memory, the last narrative."""

from __future__ import annotations

import mcp_types as types

from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect.serve.mcp.tool import Desk
from recollect.serve.mcp.tools.looking import look
from recollect.serve.mcp.wording import fence, told

_SCHEME = "recollect://"
_ONE = "recollect://memory/"
_MARKDOWN = "text/markdown"
_MOST_COMPLETED = 20
_LOOKED_AT = 200

FIXED = (
    types.Resource(
        uri="recollect://bootstrap",
        name="bootstrap",
        title="Session start",
        description="What a session starts with: pinned, rules and warnings, where the work stands.",
        mime_type=_MARKDOWN,
    ),
    types.Resource(
        uri="recollect://pinned",
        name="pinned",
        title="Pinned memories",
        description="What is to be in mind at every turn.",
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
MEMORY = types.ResourceTemplate(
    uri_template="recollect://memory/{id}",
    name="memory",
    title="One memory",
    description="One memory in full, by its id or the end of it.",
    mime_type=_MARKDOWN,
)


def read(desk: Desk, uri: str, *, aside: bool = False) -> str:
    """The text of a resource; `aside`, for nobody to read: what an agent has read it may not say again as its own."""
    block = desk.memory.preview if aside else desk.memory.context
    match uri:
        case "recollect://bootstrap":
            return block(start=True).text or "Nothing is known yet."
        case "recollect://pinned":
            return block(layers=["pinned"]).text or "Nothing is pinned."
        case "recollect://narrative/latest":
            latest = desk.memory.narratives.latest()
            return "No session was told yet." if latest is None else fence([told(latest, desk.ids)], desk.seed)
    wanted = uri.removeprefix(_ONE)
    if not uri.startswith(_ONE) or not wanted:
        known = ", ".join([*(resource.uri for resource in FIXED), MEMORY.uri_template])
        raise NotFound("resource", uri[:200], f"resources: {known}")
    try:
        return look(desk, {"id": wanted}).text
    except InvalidInput as error:
        raise NotFound("memory", wanted[:80], error.fix) from error


def said(desk: Desk, uri: str) -> str | None:
    """What a resource says, read aside; None when it cannot be read."""
    try:
        return read(desk, uri, aside=True)
    except RecollectError:
        return None


def completed(desk: Desk, typed: str) -> list[str]:
    """Short ids of the newest memories that begin as typed."""
    records = desk.memory.list(limit=_LOOKED_AT)
    shorts = [desk.ids.give(record) for record in records]
    return [short for short in shorts if short.startswith(typed.strip().lower())][:_MOST_COMPLETED]
