"""The eleven tools of recollect; a client sees them in the order of `TOOLS`."""

from __future__ import annotations

from recollect.serve.mcp.tools.inspect import LIST
from recollect.serve.mcp.tools.pool import POOL
from recollect.serve.mcp.tools.recall import CONTEXT, RECALL
from recollect.serve.mcp.tools.resolve import FEEDBACK, LINK, RESOLVE, UNDO
from recollect.serve.mcp.tools.write import FORGET, REMEMBER, UPDATE

TOOLS = (REMEMBER, RECALL, UPDATE, FORGET, FEEDBACK, LINK, CONTEXT, LIST, RESOLVE, POOL, UNDO)
