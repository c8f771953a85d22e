"""The sets of tools a server can offer: our own ten, or the spellings of three systems people come from."""

from __future__ import annotations

from recollect.serve.mcp.sets.jcode import JCODE
from recollect.serve.mcp.sets.koshi import KOSHI
from recollect.serve.mcp.sets.mememory import MEMEMORY
from recollect.serve.mcp.tool import Tool
from recollect.serve.mcp.tools import OWN

SETS: dict[str, tuple[Tool, ...]] = {"recollect": OWN, "koshi": KOSHI, "jcode": JCODE, "mememory": MEMEMORY}
