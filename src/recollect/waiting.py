"""Waiting: what reading left behind and nobody wrote yet, and who writes it.

Counting accesses changes no answer, so no recall waits for it: after many of them a thread of its own writes what there is. Who is
about to look at the counts, to change a memory, or to close writes them first (the handle has a way for each), after that thread
if it is at work.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from recollect.errors import RecollectError

if TYPE_CHECKING:
    from recollect.values.gap import Miss
    from recollect.values.pool import PoolRead

# So many rows or reads are worth a transaction.
_MANY = 256


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
    """Accesses and reads of pools (counters, not history) and unanswered questions, by account; threads share it.

    `together` holds the ids each of the last recalls returned: what is confirmed of the same one is linked. `due` are the accounts
    whose clusters are to be found anew, and `problem` is why nothing could be written lately.
    """

    accounts: dict[str, Taken] = field(default_factory=dict)
    together: deque[frozenset[str]] = field(default_factory=lambda: deque(maxlen=20))
    confirmed: deque[str] = field(default_factory=lambda: deque(maxlen=100))
    due: set[str] = field(default_factory=set)
    problem: str | None = None
    _size: int = 0
    _enough: int = _MANY
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _alone: threading.RLock = field(default_factory=threading.RLock)
    _work: threading.Thread | None = None

    def touch(self, account: str, rows: Sequence[int], at: datetime) -> None:
        """Count an access of some rows."""
        with self._lock:
            self._of(account, at).counts.update(rows)
            self._size += len(rows)

    def read(self, one: PoolRead) -> None:
        """Count a read of a pool."""
        with self._lock:
            self._of(one.account, one.at).reads.append(one)
            self._size += 1

    def miss(self, one: Miss) -> None:
        """Keep a question that nothing answered."""
        with self._lock:
            self._of(one.viewer.account, one.at).misses.append(one)

    def recalled(self, account: str, ids: Sequence[str], at: datetime) -> None:
        """Take note of what one recall returned."""
        with self._lock:
            self._of(account, at).recalls += 1
        self.together.append(frozenset(ids))

    def confirm(self, id: str) -> list[str]:
        """A memory helped; which others of the same recall did so before."""
        before = [other for other in self.confirmed if other != id]
        self.confirmed.append(id)
        return [other for other in dict.fromkeys(before) if any({id, other} <= ids for ids in self.together)]

    @contextmanager
    def taken(self) -> Iterator[dict[str, Taken]]:
        """Everything that waits, one writer at a time; whatever is still in it when that fails goes on waiting."""
        with self._alone:
            with self._lock:
                found = {
                    account: held for account, held in self.accounts.items() if held.counts or held.misses or held.reads
                }
                for account in found:
                    del self.accounts[account]
                self._size = 0
            try:
                yield found
            except BaseException:  # Ctrl-C too: nothing of it may be lost
                self._give_back(found)
                raise
            self._enough = _MANY

    def missed(self, account: str) -> bool:
        """Whether a question that nothing answered waits."""
        with self._lock:
            return account in self.accounts and bool(self.accounts[account].misses)

    def soon(self, write: Callable[[], object]) -> None:
        """Have it written in the background once there is much of it."""
        with self._lock:
            if self._size < self._enough or (self._work is not None and self._work.is_alive()):
                return
            self._work = threading.Thread(target=self.attempt, args=(write,), name="recollect-counting", daemon=True)
            self._work.start()

    def attempt(self, write: Callable[[], object]) -> None:
        """Have it written if it can be; what cannot goes on waiting, and `doctor` tells why."""
        try:
            write()
            self.problem = None
        except RecollectError as error:
            # Tried again in the background when there is twice as much.
            self._enough = 2 * max(self._size, _MANY)
            self.problem = f"accesses could not be counted: {error}"

    def _of(self, account: str, at: datetime) -> Taken:
        held = self.accounts.setdefault(account, Taken(at))
        held.at = at
        return held

    def _give_back(self, left: dict[str, Taken]) -> None:
        with self._lock:
            for account, held in left.items():
                own = self._of(account, max(held.at, self.accounts.get(account, held).at))
                own.counts.update(held.counts)
                own.misses[:0], own.reads[:0] = held.misses, held.reads
                own.recalls += held.recalls
                self._size += len(held.counts) + len(held.reads)
