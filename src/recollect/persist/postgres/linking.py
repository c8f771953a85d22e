"""Linking: vectors that were written one by one wait beside the vector index of their account, and are put into it here.

Putting one in takes as long as everything else about a memory, and whoever remembers need not wait for it: searches measure
those that wait. The process that wrote them links them in the background; if it ends before, another does, or `migrate`.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import Counter

from recollect.errors import RecollectError
from recollect.persist.postgres.connection import Connection, Connections
from recollect.persist.postgres.leases import Leases
from recollect.persist.postgres.rows import account_number
from recollect.persist.postgres.seam import translated
from recollect.persist.postgres.sql import queries

# So many changes of an account make it worth while; a few vectors at a time, so that nobody waits for a lock for long, and a
# rest after them, so that whoever works meanwhile has the machine for most of the time.
_WORTH, _FEW, _REST = 128, 4, 4.0
_WORK, _SECONDS, _PATIENCE = "vectors that wait of", 60.0, 2.0


class Linking:
    """The background work of one open store: one account at a time, one process an account."""

    def __init__(self, connections: Connections, leases: Leases) -> None:
        self.problem: str | None = None
        self._connections, self._leases = connections, leases
        self._written: Counter[str] = Counter()
        self._work: threading.Thread | None = None
        self._lock, self._closing = threading.Lock(), threading.Event()

    def wrote(self, account: str) -> None:
        """An account that may have a vector index was changed."""
        with self._lock:
            self._written[account] += 1
            if self._written[account] < _WORTH or (self._work is not None and self._work.is_alive()):
                return
            del self._written[account]
            self._work = threading.Thread(target=self._link, args=(account,), name="recollect-linking", daemon=True)
            self._work.start()

    def close(self) -> None:
        """Stop after what is under way; what still waits is found all the same."""
        self._closing.set()
        if self._work is not None:
            self._work.join(_PATIENCE)

    def _link(self, account: str) -> None:
        holder, until = f"{socket.gethostname()}:{os.getpid()}", time.monotonic() + _SECONDS / 2
        rest = 0.0
        work = f"{_WORK} {account_number(account)}"  # of the store: a lease of the account would make its writers wait
        try:
            with self._leases.held(work, holder, _SECONDS) as mine:
                while mine and not self._closing.wait(rest):
                    begun = time.monotonic()
                    if not self._some(account):
                        break
                    rest = _REST * (time.monotonic() - begun)
                    if begun > until:
                        mine, until = self._leases.take(work, holder, _SECONDS), time.monotonic() + _SECONDS / 2
            self.problem = None
        except RecollectError as error:
            # Nobody waits for this thread; `doctor` tells.
            self.problem = f"vectors could not be put into their index: {error}"

    def _some(self, account: str) -> bool:
        with translated(self._connections.address):
            connection = self._connections.take()
            try:
                return linked(connection, account_number(account)) > 0
            finally:
                self._connections.give(connection)


def linked(connection: Connection, account_id: int, few: int = _FEW) -> int:
    """Put some of an account's waiting vectors into its index, in a transaction of its own; how many."""
    with connection.transaction():
        connection.execute(queries()["look_at"] % {"account": account_id})
        return connection.execute(queries()["link_waiting"], {"account_id": account_id, "few": few}).rowcount
