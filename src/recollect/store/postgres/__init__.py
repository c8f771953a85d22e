"""The server back end: PostgreSQL with pgvector, many processes at once, the same promises as a file."""

from __future__ import annotations
