"""Importers: other products' stores and exports, read into drafts. Each module knows one product; none writes anything."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from recollect.portable.incoming import Batch

PRODUCTS = {
    "mem0": "mem0",
    "langgraph": "langgraph",
    "mcp-memory": "mcp_memory",
    "mcp-memory-service": "mcp_memory_service",
}


def read(product: str, path: Path, only: str | None = None) -> list[Batch]:
    """Everything a product's file holds, read before anything is stored; `only` what belongs to one user, agent or namespace."""
    batch: Batch = import_module(f"{__name__}.{PRODUCTS[product]}").read(path, only)
    return [batch]
