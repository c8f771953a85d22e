"""Pending: what a transaction changed and did not send yet. It goes in one round trip, before the next read or the commit.

Of a load of thousands, what is gathered is sent now and then, so that the server works while more is gathered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from recollect.persist.postgres.derived import Derived, Statement
from recollect.persist.postgres.rows import in_json, row_of
from recollect.persist.postgres.session import Session
from recollect.persist.postgres.sql import queries
from recollect.persist.rows import event_row
from recollect.values.event import Operation
from recollect.values.memory import Record
from recollect.values.words import EventKind

if TYPE_CHECKING:
    from recollect.persist.postgres.wire import Wire

_MANY = 128
_BLOCK = 512
_NEW = ("memories", "tags", "links", "triggers", "events")  # in the order in which they refer to each other
# Stands for the number that is reserved for the first row of a change, where that is not known yet.
RESERVED = -1


class Gathered:
    """Changes of one account, in their order: statements first, then new rows, then the journal, then what is derived."""

    def __init__(self, connection: Wire, account_id: int, model: str) -> None:
        self.account_id = account_id
        self.derived = Derived(connection, account_id, model)
        self._later: list[Statement] = []
        self._new: dict[str, list[dict[str, Any]]] = {name: [] for name in _NEW}
        self._joined: dict[int, str] = {}
        self._derives = self._journalled = False

    def store(
        self,
        row: int,
        memory: Record,
        digest: bytes,
        vectors: NDArray[np.float32] | None,
        operation: Operation,
        kind: EventKind,
    ) -> None:
        """A new memory under its number, and its line of the journal."""
        values = row_of(memory, self.account_id, digest)
        self._new["memories"].append({**values, "row": row})
        self.tag(row, memory)
        self.link(row, memory)
        self.derived.insert(row, memory, vectors, values["words"])
        self._derives = True
        self.event({"row": row, **event_row(operation, kind, memory.id, None, {}, None, None)})

    def tag(self, row: int, memory: Record) -> None:
        """The tags of a row."""
        self._new["tags"] += [{"account_id": self.account_id, "row": row, "tag": tag} for tag in memory.tags]

    def link(self, row: int, memory: Record) -> None:
        """The links and trigger patterns of a row."""
        own = {"account_id": self.account_id, "row": row}
        self._new["triggers"] += [{**own, "pattern": pattern} for pattern in memory.triggers]
        self._new["links"] += [
            {
                "account_id": self.account_id,
                "source": row,
                "relation": link.relation,
                "target": link.target,
                "weight": link.weight,
            }
            for link in memory.links
        ]

    def join(self, row: int, cluster: str) -> None:
        """A row falls into a cluster."""
        self._joined[row] = cluster

    def moved(self) -> None:
        """Something that is derived has changed."""
        self._derives = True

    def event(self, values: Mapping[str, Any]) -> None:
        """A line of the journal."""
        self._new["events"].append({"account_id": self.account_id, **values})

    @property
    def empty(self) -> bool:
        """Whether there is nothing to write."""
        return not (self._later or self._derives or self._joined or self._journalled or any(self._new.values()))

    def statements(self) -> Iterator[Statement]:
        """What writes all of it, once."""
        yield from self._rows()
        found, own = queries(), {"account_id": self.account_id}
        if self._derives:
            self._derives = False
            yield from self.derived.statements()
        if self._joined:
            joined, self._joined = self._joined, {}
            yield found["join_clusters"], {**own, "rows": list(joined), "ids": list(joined.values())}
        if self._journalled:
            self._journalled = False
            yield found["move_account"], own

    def _rows(self) -> Iterator[Statement]:
        """What writes statements, rows and journal."""
        found = queries()
        later, self._later = self._later, []
        yield from later
        new, self._new = self._new, {name: [] for name in self._new}
        values = {"account_id": self.account_id, **{name: in_json(rows) for name, rows in new.items()}}
        # A new memory always comes with its line of the journal.
        together = ("memories", "tags", "events") if new["memories"] else ()
        if together:
            yield found["insert_whole"], values
        for name, rows in new.items():
            if rows and name not in together:
                yield found[f"insert_{name}"], values
        self._journalled |= bool(new["events"]) and not together


class Pending(Gathered):
    """The changes of one account in one transaction."""

    def __init__(self, session: Session, account: str, model: str) -> None:
        standing = session.at(account)
        super().__init__(session.connection, standing.account_id, model)
        self._session, self._account, self._known = session, account, standing.known
        self._numbers = [session.reserved]
        self.sent = False

    @property
    def only_rows(self) -> bool:
        """Whether nothing waits but new memories, on which no document depends."""
        return not self._later

    def later(self, statement: str, /, **values: Any) -> None:
        """A statement about the account; new rows that came before it are sent first."""
        if self._new["memories"]:
            self.flush()
        self._later.append((queries()[statement], {"account_id": self.account_id, **values}))

    def number(self) -> int:
        """The number of a new row; of many rows, what is gathered is sent now and then."""
        if len(self._new["memories"]) >= _MANY:
            self._send(self._rows())
        if not self._numbers:
            found = self._session.connection.ask(queries()["more_rows"], {"count": _BLOCK})
            self._numbers = [number for (number,) in reversed(found)]
        return self._numbers.pop()

    def make_known(self) -> None:
        """The account gets its row before anything refers to it."""
        if not self._known:
            self._known = True
            self._session.at(self._account)
            values = {"account_id": self.account_id, "name": self._account}
            self._session.connection.send(queries()["add_account"], values)

    def flush(self, last: str | None = None) -> None:
        """Send everything and hear that it arrived; with a last statement, that too, in the same round trip."""
        if self.empty and last is None:
            return
        if not self.empty:
            self._send(self.statements())
        if last is not None:
            self._session.connection.send(last, {})
        self._session.connection.settle()

    def abandon(self) -> None:
        """Send nothing more; what the server says of what it got already no longer matters."""
        with suppress(psycopg.Error):
            self._session.connection.settle()

    def _send(self, statements: Iterator[Statement]) -> None:
        """Have them on their way; the server works on them while more is gathered."""
        self._session.at(self._account)
        self.sent = self._session.wrote = True
        self.make_known()
        for statement in statements:
            self._session.connection.send(*statement)
