"""Where memories are kept: the truth in a database, and arrays derived from it for the read path."""

from __future__ import annotations
