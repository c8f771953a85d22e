"""Parts: what a Memory is made of, assembled by `wiring.py` and shared by every view of one open store."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from recollect.errors import EmbedderError
from recollect.values.scope import Identity

if TYPE_CHECKING:
    from recollect.capture.pipeline import Capture
    from recollect.capture.vetting import Vetting
    from recollect.config import Loaded
    from recollect.ports import Clock, Embedder, EmbedMany, Judge, Store, Vectors, Working
    from recollect.recall.pipeline import Recall
    from recollect.recall.profiles import Profile
    from recollect.upkeep.gardener import Gardener
    from recollect.values.gap import Miss
    from recollect.values.memory import Record
    from recollect.values.pool import PoolRead

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


@dataclass(slots=True)
class Taken:
    """What waited for one account."""

    at: datetime
    counts: Counter[int] = field(default_factory=Counter)
    misses: list[Miss] = field(default_factory=list)
    reads: list[PoolRead] = field(default_factory=list)
    recalls: int = 0


@dataclass(slots=True)
class Waiting:
    """What reading left behind and nobody wrote yet: accesses and reads of pools (counters, not history), unanswered questions.

    `together` holds the ids each of the last recalls returned: what is confirmed of the same one is linked.
    """

    counts: dict[str, Counter[int]] = field(default_factory=dict)
    misses: list[Miss] = field(default_factory=list)
    reads: list[PoolRead] = field(default_factory=list)
    recalls: Counter[str] = field(default_factory=Counter)
    at: datetime | None = None
    together: deque[frozenset[str]] = field(default_factory=lambda: deque(maxlen=20))
    confirmed: deque[str] = field(default_factory=lambda: deque(maxlen=100))

    @property
    def any(self) -> bool:
        return bool(self.counts or self.misses or self.reads)

    def touch(self, account: str, rows: tuple[int, ...], at: datetime) -> int:
        """Count some rows; returns how many are waiting."""
        self.counts.setdefault(account, Counter()).update(rows)
        self.at = at
        return sum(len(rows) for rows in self.counts.values())

    def read(self, one: PoolRead) -> int:
        """Count a read of a pool; returns how many are waiting."""
        self.reads.append(one)
        return len(self.reads)

    def recalled(self, account: str, ids: Sequence[str]) -> None:
        """Take note of what one recall returned."""
        self.recalls[account] += 1
        self.together.append(frozenset(ids))

    def confirm(self, id: str) -> list[str]:
        """A memory helped; which others of the same recall did so before."""
        before = [other for other in self.confirmed if other != id]
        self.confirmed.append(id)
        return [other for other in dict.fromkeys(before) if any({id, other} <= ids for ids in self.together)]

    def take(self) -> dict[str, Taken]:
        """Everything waiting, handed over once, by account."""
        counts, misses, reads = self.counts, self.misses, self.reads
        self.counts, self.misses, self.reads = {}, [], []
        times = [*([self.at] if self.at else []), *(miss.at for miss in misses[-1:]), *(read.at for read in reads[-1:])]
        taken = {account: Taken(times[0], held) for account, held in counts.items()}
        for miss in misses:
            taken.setdefault(miss.viewer.account, Taken(times[0])).misses.append(miss)
        for read in reads:
            taken.setdefault(read.account, Taken(times[0])).reads.append(read)
        for account, held in taken.items():
            held.recalls = self.recalls.pop(account, 0)
        return taken


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
