"""Writing what comes from another store: vectors of any model, what was purged there, and its journal, line by line."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.persist.arriving import checked, joined_secrets
from recollect.persist.postgres.derived import Derived
from recollect.persist.postgres.pending import Pending
from recollect.persist.postgres.reader import PostgresReader
from recollect.persist.rows import replayed_row
from recollect.values.event import Event
from recollect.values.memory import Record


class ArrivingWriter(PostgresReader):
    """The part of a transaction that takes in the whole of an account."""

    _pending: Pending

    def keep_vectors(self, memory: Record, model: str, vectors: NDArray[np.float32]) -> None:
        row = self._row(memory)
        if model == self._shared.model:
            self._put_vectors(row, checked(model, vectors, self._shared.dimensions), memory)
            return
        derived = Derived(self._session.connection, self._pending.account_id, model)
        derived.set_vectors(row, memory, vectors)
        for statement in derived.statements():
            self._session.connection.send(*statement)

    def keep_purged(self, account: str, secrets: Sequence[str], digests: Sequence[bytes]) -> None:
        self._own(account)
        known = [secret.hex() for secret in self._session.secrets()]
        own, *former = joined_secrets(known, secrets, empty=self._session.holds_nothing(account))
        self.set_note("secret", own)
        self.set_note("former_secrets", json.dumps(former))
        self._session.forget_secrets()
        self._pending.later("add_purged", digests=list(digests))

    def replay(self, account: str, event: Event) -> int:
        self._own(account)
        self._pending.make_known()
        seq = int(self._ask(account, "replay_event", **replayed_row(event))[0][0])
        self._pending.later("move_account")
        return seq

    @abstractmethod
    def set_note(self, name: str, value: str) -> None: ...

    @abstractmethod
    def _own(self, account: str) -> int: ...

    @abstractmethod
    def _row(self, memory: Record) -> int: ...

    @abstractmethod
    def _put_vectors(self, row: int, vectors: NDArray[np.float32] | None, memory: Record) -> None: ...
