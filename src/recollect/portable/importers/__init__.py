"""Readers of other products' stores and exports, one module per product; none of them writes anything."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from recollect.errors import InvalidInput
from recollect.portable.drafts import SourceBatch
from recollect.portable.importers.common import is_sqlite
from recollect.portable.importers.stored import StoredSource
from recollect.portable.importers.tables import is_url, tables_of

# Products whose memories come in as drafts: they are compared with what is known, and what means the same joins it.
DRAFTED = {
    "mem0": "mem0",
    "langgraph": "langgraph",
    "mcp-memory": "mcp_memory",
    "mcp-memory-service": "mcp_memory_service",
}
# Products whose memories come in as they are: scores, hits, times, chains and owners are kept.
STORED = {"koshi": "koshi", "mememory": "mememory", "agent-memories": "agent_memories"}
PRODUCTS = {**DRAFTED, **STORED}
# How the SQLite file of a product is recognised: a table, and columns of it.
_SIGNS = (
    ("koshi", "memories", {"last_hit_at", "score"}),
    ("mememory", "memories", {"weight", "supersedes"}),
    ("mcp-memory-service", "memories", {"content_hash", "memory_type"}),
    ("agent-memories", "agent_memories", {"content"}),
    ("agent-memories", "team_memories", {"content"}),
    ("langgraph", "store", {"prefix", "key", "value"}),
    ("mem0", "history", {"memory_id", "new_memory"}),
)


def product_of(path: Path) -> str | None:
    """The product whose store an SQLite file is, by its tables; None if it is of none that can be imported."""
    tables = tables_of(path)
    if {"accounts", "notes"} <= tables.keys():  # one of ours, which `copy` copies
        return None
    return next((name for name, table, columns in _SIGNS if columns <= tables.get(table, frozenset())), None)


def product_of_file(name: str) -> str | None:
    """The product whose store a file is; None also if it is no SQLite file, or does not exist."""
    path = Path(name)
    return product_of(path) if path.is_file() and is_sqlite(path) else None


def read_stored(product: str, source: str | Path, only: str | None = None) -> StoredSource:
    """The memories in a product's file or database, as they are there."""
    if not is_url(source) and is_sqlite(path := Path(source)) and (other := product_of(path)) not in (product, None):
        raise InvalidInput(str(path), f"is a store of {other}, not of {product}", "nothing was imported")
    found: StoredSource = import_module(f"{__name__}.{STORED[product]}").read_stored(source, only)
    return found


def read_product(product: str, path: Path, only: str | None = None) -> list[SourceBatch]:
    """The drafts in a product's file; with `only`, those of one user, agent or namespace."""
    batch: SourceBatch = import_module(f"{__name__}.{DRAFTED[product]}").read(path, only)
    return [batch]
