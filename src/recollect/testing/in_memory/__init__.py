"""The reference back end: dicts and loops, no index, no SQL. It says plainly what every other back end must answer.

It keeps nothing beyond the process. The contract suite in `recollect.testing` and the stateful test hold the others to it.
"""

from __future__ import annotations

from recollect.testing.in_memory.store import InMemoryStore

__all__ = ["InMemoryStore"]
