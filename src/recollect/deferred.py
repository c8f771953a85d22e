"""Deferred writes of read verbs: access counts, logged reads of pools and contexts, unanswered questions.

None of it changes an answer, so no reader waits for it: a background thread writes it within seconds, each row with its own time.
Closing the store writes the rest; a process that is killed loses at most these counters.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from recollect.errors import RecollectError
from recollect.forking import follow_forks
from recollect.ports import Transaction
from recollect.values.enums import ChangeOrigin
from recollect.values.gap import Miss
from recollect.values.memory import Record

# How long a counter may stay unwritten; a failed write is tried again after the same time.
FLUSH_SECONDS = 2.0

Write = Callable[[Transaction], None]


@dataclass(slots=True)
class PendingWrites:
    """The pending writes of one account."""

    at: datetime
    # For each row: the id of its memory, how many accesses, and the time of the latest.
    accesses: dict[int, tuple[str, int, datetime]] = field(default_factory=dict)
    misses: list[Miss] = field(default_factory=list)
    # Each with the counter it belongs to, so that a reader can add what is not written yet.
    writes: list[tuple[object, Write]] = field(default_factory=list)
    recalls: int = 0
    # What is done on behalf of somebody else than the caller: by origin, each with an operation of its own.
    on_behalf: dict[ChangeOrigin, list[Write]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.accesses or self.misses or self.writes or self.on_behalf)

    def clear_own(self) -> None:
        """Drop what was written in the name of the caller."""
        self.accesses, self.misses, self.writes, self.recalls = {}, [], [], 0


@dataclass(slots=True, eq=False, weakref_slot=True)
class DeferredWrites:
    """Pending writes by account, shared by threads. `flush` writes everything; `wiring.py` sets it.

    `together` has the ids of the last recalls: confirmed hits of the same recall are linked. `clusters_due` are the accounts whose
    clusters are due to be recomputed, and `problem` is why the last flush failed.
    """

    flush: Callable[[], None] | None = None
    accounts: dict[str, PendingWrites] = field(default_factory=dict)
    together: deque[frozenset[str]] = field(default_factory=lambda: deque(maxlen=20))
    confirmed: deque[str] = field(default_factory=lambda: deque(maxlen=100))
    clusters_due: set[str] = field(default_factory=set)
    problem: str | None = None
    _closed: bool = False
    _timer: threading.Timer | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _one_writer: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        follow_forks(self)

    def before_fork(self) -> None:
        """Nothing to let go of."""

    def after_fork(self, *, child: bool) -> None:
        """What the parent deferred, the parent writes."""
        if child:
            self._lock, self._one_writer, self._timer = threading.Lock(), threading.RLock(), None
            self.accounts, self.clusters_due, self.problem = {}, set(), None

    def touch(self, account: str, hits: Sequence[tuple[int, str]], at: datetime) -> None:
        """Count an access of some memories, given by row and id."""
        with self._lock:
            accesses = self._pending(account, at).accesses
            for row, memory_id in hits:
                _, count, latest = accesses.get(row, (memory_id, 0, at))
                accesses[row] = (memory_id, count + 1, max(latest, at))
        self._schedule()

    def defer(self, account: str, at: datetime, counts: object, write: Write) -> int:
        """Run a write in the transaction of the next flush; returns how many wait by now of the counter that `counts` names."""
        with self._lock:
            writes = self._pending(account, at).writes
            writes.append((counts, write))
            waiting = sum(known == counts for known, _ in writes)
        self._schedule()
        return waiting

    def defer_for(self, origin: ChangeOrigin, account: str, at: datetime, write: Write) -> None:
        """Run a write in a transaction of the next flush that the journal records with another origin."""
        with self._lock:
            self._pending(account, at).on_behalf.setdefault(origin, []).append(write)
        self._schedule()

    def pending(self, account: str, counts: object) -> int:
        """How many deferred writes belong to a counter."""
        with self._lock:
            pending = self.accounts.get(account)
            return 0 if pending is None else sum(known == counts for known, _ in pending.writes)

    def miss(self, one: Miss) -> None:
        """Add a question that nothing answered."""
        with self._lock:
            self._pending(one.viewer.account, one.at).misses.append(one)
        self._schedule()

    def recalled(self, account: str, ids: Sequence[str], at: datetime) -> None:
        """Add the ids that one recall returned."""
        with self._lock:
            self._pending(account, at).recalls += 1
        self.together.append(frozenset(ids))

    def confirm(self, id: str) -> list[str]:
        """Note that a memory helped; returns the others of the same recall that helped before."""
        before = [other for other in self.confirmed if other != id]
        self.confirmed.append(id)
        return [other for other in dict.fromkeys(before) if any({id, other} <= ids for ids in self.together)]

    def counted(self, record: Record) -> Record:
        """The record with the accesses of this process that are not written yet."""
        with self._lock:
            pending = self.accounts.get(record.account)
            unwritten = [] if pending is None else [each for each in pending.accesses.values() if each[0] == record.id]
        for _, count, at in unwritten:
            record = record.with_(access_count=record.access_count + count, accessed_at=max(record.accessed_at, at))
        return record

    def precede(self, account: str) -> bool:
        """Whether something is deferred that a transaction must find written: unanswered questions, and logged reads."""
        with self._lock:
            pending = self.accounts.get(account)
            return pending is not None and bool(pending.misses or pending.writes)

    @contextmanager
    def batch(self) -> Iterator[dict[str, PendingWrites]]:
        """Everything pending, for one writer at a time; what is left in it when the block fails stays pending."""
        with self._one_writer:
            with self._lock:
                found = {account: pending for account, pending in self.accounts.items() if pending}
                for account in found:
                    del self.accounts[account]
            try:
                yield found
            except BaseException:  # also KeyboardInterrupt: nothing may be lost
                self._give_back(found)
                raise

    def attempt(self, write: Callable[[], object]) -> None:
        """Run a flush; what cannot be written stays pending, and `doctor` reports why."""
        try:
            write()
            self.problem = None
        except RecollectError as error:
            self.problem = f"deferred writes failed: {error}"

    def close(self) -> None:
        """Schedule nothing more, and wait for an active flush."""
        with self._lock:
            self._closed = True
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
            if timer is not threading.current_thread():
                timer.join()

    def _schedule(self) -> None:
        with self._lock:
            if self._closed or self.flush is None or self._timer is not None:
                return
            self._timer = threading.Timer(FLUSH_SECONDS, self._flush_now)
            self._timer.name, self._timer.daemon = "recollect-flush", True
            self._timer.start()

    def _flush_now(self) -> None:
        assert self.flush is not None
        self.attempt(self.flush)
        with self._lock:
            self._timer = None
            waiting = any(self.accounts.values())
        if waiting:
            self._schedule()

    def _pending(self, account: str, at: datetime) -> PendingWrites:
        pending = self.accounts.setdefault(account, PendingWrites(at))
        pending.at = max(pending.at, at)
        return pending

    def _give_back(self, left: dict[str, PendingWrites]) -> None:
        with self._lock:
            for account, pending in left.items():
                own = self._pending(account, pending.at)
                for row, (memory_id, count, at) in pending.accesses.items():
                    _, before, latest = own.accesses.get(row, (memory_id, 0, at))
                    own.accesses[row] = (memory_id, before + count, max(latest, at))
                own.misses[:0], own.writes[:0] = pending.misses, pending.writes
                own.recalls += pending.recalls
                for origin, writes in pending.on_behalf.items():
                    own.on_behalf.setdefault(origin, [])[:0] = writes
