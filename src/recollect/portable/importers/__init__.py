"""Readers of other products' stores and exports, one module per product; none of them writes anything."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from recollect.portable.drafts import SourceBatch

PRODUCTS = {
    "mem0": "mem0",
    "langgraph": "langgraph",
    "mcp-memory": "mcp_memory",
    "mcp-memory-service": "mcp_memory_service",
}


def read_product(product: str, path: Path, only: str | None = None) -> list[SourceBatch]:
    """The drafts in a product's file; with `only`, those of one user, agent or namespace."""
    batch: SourceBatch = import_module(f"{__name__}.{PRODUCTS[product]}").read(path, only)
    return [batch]
