"""Store: a back end as a whole. It opens views and transactions; everything else is asked inside one of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from recollect.ports.documents import DocumentReader, DocumentWriter
from recollect.ports.erasure import ErasureReader, ErasureWriter
from recollect.ports.graph import GraphReader, GraphWriter
from recollect.ports.journal import JournalReader, JournalWriter
from recollect.ports.leases import Leases
from recollect.ports.records import RecordReader, RecordWriter
from recollect.ports.search import SearchReader
from recollect.ports.transfer import TransferReader, TransferWriter
from recollect.values.enums import ChangeOrigin
from recollect.values.purge import Erasure


class Reader(
    RecordReader, SearchReader, GraphReader, DocumentReader, JournalReader, TransferReader, ErasureReader, Protocol
):
    """Everything that can be read in one consistent view; inside a transaction it also sees what was written there."""

    def switched_off(self, account: str) -> frozenset[str]:
        """The projects for which memory is off; `*` stands for all."""

    def check_switches(self, account: str, check: Callable[[frozenset[str]], None]) -> None:
        """Call `check` with the projects that are off, before anything read from the account is returned.

        What it raises ends the view or transaction. A server answers it together with the first read.
        """

    def note(self, name: str, account: str | None = None) -> str | None:
        """A small value kept for the engine, by name: of an account, which others cannot read, or of the whole store."""


class Transaction(
    Reader, RecordWriter, GraphWriter, DocumentWriter, JournalWriter, TransferWriter, ErasureWriter, Protocol
):
    """One atomic change of one account."""

    def switch(self, account: str, project: str, on: bool) -> None: ...
    def set_note(self, name: str, value: str, account: str | None = None) -> None: ...


class Store(Protocol):
    """A back end: the truth, and what is derived from it."""

    @property
    def writable(self) -> bool: ...
    @property
    def leases(self) -> Leases:
        """Who does a piece of background work now; all processes that open the store share them."""

    def view(self, now: datetime | None = None) -> AbstractContextManager[Reader]:
        """One consistent view for several reads; what is superseded is worked out for that moment. Never waits for a writer."""

    def transaction(
        self,
        account: str,
        actor: str,
        at: datetime,
        *,
        operation: str | None = None,
        origin: ChangeOrigin = "person",
        wait: bool = True,
    ) -> AbstractContextManager[Transaction]:
        """All or nothing; leaving it means the change is durable. Several may share one `operation`, undone together.

        Without `wait`, it fails with `StoreBusy` at once while another transaction of the account is open.
        """

    def use_model(self, model: str, dimensions: int) -> None:
        """Compare only vectors of this model from now on."""

    def erase_traces(self, account: str, *, rewrite: bool = False) -> Erasure:
        """After a purge: leave no copy of what was erased in the files; returns which copies are left.

        Where only writing the files anew removes the bytes, small ones are written anew at once, large ones only with `rewrite`,
        because it takes long and locks others out.
        """

    def freeze(self) -> None:
        """Refuse every later write."""

    def check(self) -> dict[str, Any]: ...
    def close(self) -> None: ...
