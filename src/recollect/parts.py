"""Parts: what a Memory is made of, assembled by `wiring.py` and shared by every view of one open store."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from recollect.capture.pipeline import Capture
from recollect.capture.vetting import Vetting
from recollect.config import Loaded
from recollect.errors import EmbedderError
from recollect.ports import Clock, Embedder, EmbedMany, Store, Vectors
from recollect.recall.pipeline import Recall
from recollect.recall.profiles import Profile
from recollect.values.memory import Record


@dataclass(slots=True)
class Touches:
    """Accesses counted since they were last written, per account and row; counters, not history."""

    counts: dict[str, Counter[int]] = field(default_factory=dict)
    at: datetime | None = None

    def add(self, account: str, rows: tuple[int, ...], at: datetime) -> int:
        """Count some rows; returns how many are waiting."""
        self.counts.setdefault(account, Counter()).update(rows)
        self.at = at
        return sum(len(rows) for rows in self.counts.values())

    def take(self) -> dict[str, Counter[int]]:
        """Everything waiting, handed over once."""
        taken, self.counts = self.counts, {}
        return taken


@dataclass(frozen=True, slots=True)
class Parts:
    """The open store and everything that works on it."""

    store: Store
    capture: Capture
    recall: Recall
    vetting: Vetting
    clock: Clock
    loaded: Loaded
    profiles: Mapping[str, Profile]
    embedder: Embedder | None
    embed_many: EmbedMany | None
    missing: str | None
    blank: Callable[[str, Clock], Parts]
    touches: Touches = field(default_factory=Touches)
    recalled: deque[str] = field(default_factory=lambda: deque(maxlen=200))

    def embed(self, memory: Record) -> Vectors | None:
        """The vectors of one memory, or None while no embedder answers (a backfill adds them later)."""
        if self.embed_many is None:
            return None
        try:
            return self.embed_many([memory])[0]
        except EmbedderError:
            return None
