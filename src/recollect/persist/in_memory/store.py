"""InMemoryStore: the reference back end. One lock, one state; a transaction changes a copy and swaps it in at the end."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from recollect import errors
from recollect.persist.in_memory.reader import InMemoryReader
from recollect.persist.in_memory.state import Model, State
from recollect.persist.in_memory.writer import InMemoryTransaction
from recollect.values.event import Operation
from recollect.values.first import First
from recollect.values.ids import new_id
from recollect.values.search import Search


class InMemoryStore:
    """A store for tests, for views, and to read when one wants to know what a back end must do."""

    def __init__(self, name: str = "the store in memory") -> None:
        self.path = name
        self.writable = True
        self._state = State(notes={"secret": secrets.token_hex(32)})
        self._model = Model()
        self._lock = threading.RLock()
        self._changing: InMemoryTransaction | None = None
        self._closed = False

    @contextmanager
    def reading(
        self,
        now: datetime | None = None,
        first: Search | None = None,  # noqa: ARG002  (near: whatever is asked first is answered at once)
    ) -> Iterator[InMemoryReader]:
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
        undoes: str | None = None,
        operation: str | None = None,
        first: First | None = None,  # noqa: ARG002  (near: whatever is asked first is answered at once)
    ) -> Iterator[InMemoryTransaction]:
        """All or nothing."""
        with self._lock:
            self._open_or_raise()
            if not self.writable:
                raise errors.ReadOnly(self.path, "write to a store that may change")
            if self._changing is not None:
                raise errors.StoreError(f"{self.path}: a transaction is open already; finish it first")
            state = self._state.copy()
            shared = Operation(operation or new_id(at), actor, at, undoes)
            self._changing = InMemoryTransaction(state, self._model, account, shared)
            try:
                yield self._changing
                self._state = state
            finally:
                self._changing = None

    def use_model(self, model: str, dimensions: int) -> None:
        with self._lock:
            self._model = Model(model, dimensions)

    def freeze(self) -> None:
        self.writable = False

    def erase_traces(self, account: str) -> None:
        """Nothing to do: what was purged is in no file."""

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
