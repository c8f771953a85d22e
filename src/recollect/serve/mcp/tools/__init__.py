"""Our own ten tools, one file a concern; `OWN` is the list a client sees, in this order."""

from __future__ import annotations

from recollect.serve.mcp.tools.believing import FEEDBACK, LINK, RESOLVE
from recollect.serve.mcp.tools.finding import CONTEXT, LIST, RECALL
from recollect.serve.mcp.tools.keeping import FORGET, REMEMBER, UPDATE
from recollect.serve.mcp.tools.sharing import POOL

OWN = (REMEMBER, RECALL, UPDATE, FORGET, FEEDBACK, LINK, CONTEXT, LIST, RESOLVE, POOL)
