"""Tool sets: the tools an MCP server can offer, our own or those that other memory servers and products have."""

from __future__ import annotations

from recollect.adapters.toolsets.anthropic import ANTHROPIC
from recollect.adapters.toolsets.chatgpt import CHATGPT
from recollect.adapters.toolsets.jcode import JCODE
from recollect.adapters.toolsets.koshi import KOSHI
from recollect.adapters.toolsets.mememory import MEMEMORY
from recollect.serve.mcp.tool import Tool
from recollect.serve.mcp.tools import TOOLS

TOOLSETS: dict[str, tuple[Tool, ...]] = {
    "recollect": TOOLS,
    "koshi": KOSHI,
    "jcode": JCODE,
    "mememory": MEMEMORY,
    "anthropic": ANTHROPIC,
    "chatgpt": CHATGPT,
}
