"""InMemoryStore: the reference back end. A transaction works on a copy of the state, and a commit puts the copy in place."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from recollect import errors
from recollect.testing.in_memory.reader import InMemoryReader
from recollect.testing.in_memory.state import ModelInUse, State
from recollect.testing.in_memory.writer import InMemoryTransaction
from recollect.values.enums import ChangeOrigin
from recollect.values.event import Operation
from recollect.values.ids import new_id
from recollect.values.purge import Erasure


class InMemoryLeases:
    """Leases of one store, by the clock of the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: dict[tuple[str | None, str], tuple[str, float]] = {}

    def take(self, work: str, holder: str, seconds: float, account: str | None = None) -> bool:
        """Whether the work is the holder's now, for so long; taking a lease one holds extends it."""
        now = time.monotonic()
        with self._lock:
            owner, until = self._taken.get((account, work), (holder, now))
            if owner != holder and until > now:
                return False
            self._taken[account, work] = (holder, now + seconds)
            return True

    def release(self, work: str, holder: str, account: str | None = None) -> bool:
        """Give the lease back; False when somebody else has it already."""
        with self._lock:
            if self._taken.get((account, work), ("", 0.0))[0] != holder:
                return False
            del self._taken[account, work]
            return True

    @contextmanager
    def held(self, work: str, holder: str, seconds: float, account: str | None = None) -> Iterator[bool]:
        """Take a lease for the length of a block; the block gets whether it was granted."""
        mine = self.take(work, holder, seconds, account)
        try:
            yield mine
        finally:
            if mine:
                self.release(work, holder, account)


class InMemoryStore:
    """A store for tests, for views, and to read when one wants to know what a back end must do."""

    def __init__(self, name: str = "the store in memory") -> None:
        self.path = name
        self.writable = True
        self.leases = InMemoryLeases()
        self._state = State(notes={"secret": secrets.token_hex(32)})
        self._model = ModelInUse()
        self._lock = threading.RLock()
        self._changing: InMemoryTransaction | None = None
        self._closed = False

    @contextmanager
    def view(self, now: datetime | None = None) -> Iterator[InMemoryReader]:
        """One consistent view for several reads; inside a transaction of the same thread it sees what that wrote."""
        with self._lock:
            self._open_or_raise()
            yield self._changing or InMemoryReader(self._state, self._model, now)

    @contextmanager
    def transaction(
        self,
        account: str,
        actor: str,
        at: datetime,
        *,
        operation: str | None = None,
        origin: ChangeOrigin = "person",
        wait: bool = True,
    ) -> Iterator[InMemoryTransaction]:
        """All or nothing."""
        if not self._lock.acquire(blocking=wait):
            raise errors.StoreBusy(f"{self.path}: another thread is writing; try again")
        try:
            self._open_or_raise()
            if not self.writable:
                raise errors.ReadOnly(self.path, "write to a store that may change")
            if self._changing is not None:
                raise errors.StoreError(f"{self.path}: a transaction is open already; finish it first")
            state = self._state.copy()
            shared = Operation(operation or new_id(at), actor, at, origin=origin)
            self._changing = InMemoryTransaction(state, self._model, account, shared)
            try:
                yield self._changing
                self._state = state
            finally:
                self._changing = None
        finally:
            self._lock.release()

    def use_model(self, model: str, dimensions: int) -> None:
        with self._lock:
            self._model = ModelInUse(model, dimensions)

    def freeze(self) -> None:
        self.writable = False

    def erase_traces(self, account: str, *, rewrite: bool = False) -> Erasure:  # noqa: ARG002 - the same signature as that of a file
        """Nothing to do: what was purged is in no file."""
        return Erasure()

    def check(self) -> dict[str, Any]:
        """The health of the store, for `doctor`."""
        return {
            "path": self.path,
            "integrity": "ok",
            "orphans": 0,
            "schema": 0,
            "writable": self.writable,
            "bytes": 0,
            "index_bytes": 0,
            "snapshot_problem": None,
        }

    def close(self) -> None:
        """Closing twice is fine."""
        self._closed = True

    def _open_or_raise(self) -> None:
        if self._closed:
            raise errors.StoreError(f"{self.path} is closed; open it again")
