"""Parts: what a Memory is made of, assembled by `wiring.py` and shared by every view of one open store."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recollect.errors import EmbedderError
from recollect.values.scope import Identity
from recollect.waiting import Waiting

if TYPE_CHECKING:
    from recollect.capture.pipeline import Capture
    from recollect.capture.vetting import Vetting
    from recollect.config import Loaded
    from recollect.ports import Clock, Embedder, EmbedMany, Judge, Store, Vectors, Working
    from recollect.recall.pipeline import Recall
    from recollect.recall.profiles import Profile
    from recollect.upkeep.gardener import Gardener
    from recollect.values.memory import Record

_MANY_IDENTITIES = 256


@dataclass(slots=True)
class Echoes:
    """What each identity recalled lately: an agent that says it again is an echo."""

    _texts: dict[Identity, deque[str]] = field(default_factory=dict)

    def add(self, identity: Identity, texts: Sequence[str]) -> None:
        """Take note of what was recalled."""
        if identity not in self._texts and len(self._texts) >= _MANY_IDENTITIES:
            self._texts.clear()
        self._texts.setdefault(identity, deque(maxlen=200)).extend(texts)

    def of(self, identity: Identity) -> tuple[str, ...]:
        """What one identity recalled, oldest first."""
        return tuple(self._texts.get(identity, ()))

    def clear(self) -> None:
        """Forget it all: something of it was purged."""
        self._texts.clear()


@dataclass(frozen=True, slots=True)
class Parts:
    """The open store and everything that works on it."""

    store: Store
    # The write path is loaded by the first write: a process that only reads is ready sooner.
    write_path: Callable[[], Capture]
    screen: Callable[[], Vetting]
    recall: Recall
    clock: Clock
    loaded: Loaded
    profiles: Mapping[str, Profile]
    embedder: Embedder | None
    embed_many: EmbedMany | None
    missing: str | None
    blank: Callable[[str, Clock], Parts]
    judge: Judge
    gardener: Gardener
    working: Working
    waiting: Waiting = field(default_factory=Waiting)
    recalled: Echoes = field(default_factory=Echoes)

    @property
    def capture(self) -> Capture:
        """The write path."""
        return self.write_path()

    @property
    def vetting(self) -> Vetting:
        """What the screen is to let through."""
        return self.screen()

    def embed(self, memory: Record) -> Vectors | None:
        """The vectors of one memory, or None while no embedder answers (a backfill adds them later)."""
        if self.embed_many is None:
            return None
        try:
            return self.embed_many([memory])[0]
        except EmbedderError:
            return None
