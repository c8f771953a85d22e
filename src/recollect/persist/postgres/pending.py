"""Pending: what a transaction changed and did not send yet. It goes in one round trip, before the next read or the commit.

Of a load of thousands, what is gathered is sent now and then, so that the server works while more is gathered.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from recollect.persist.postgres.derived import Derived
from recollect.persist.postgres.rows import in_json
from recollect.persist.postgres.session import Session
from recollect.persist.postgres.sql import queries
from recollect.values.memory import Record

_MANY = 128
_BLOCK = 512
_NEW = ("memories", "tags", "links", "triggers", "events")  # in the order in which they refer to each other


class Pending:
    """The changes of one account in one transaction, in their order: statements first, then new rows, then the journal."""

    def __init__(self, session: Session, account: str, model: str) -> None:
        self._session, self._account = session, account
        standing = session.at(account)
        self.account_id = standing.account_id
        self.derived = Derived(session.connection, standing.account_id, model)
        self._unknown = not standing.known
        self._rows = [session.reserved]
        self._statements: list[tuple[str, dict[str, Any]]] = []
        self._new: dict[str, list[dict[str, Any]]] = {name: [] for name in _NEW}
        self._joined: dict[int, str] = {}
        self._derives = self._journalled = False

    @property
    def only_rows(self) -> bool:
        """Whether nothing waits but new memories, on which no document depends."""
        return not self._statements

    def later(self, statement: str, /, **values: Any) -> None:
        """A statement about the account; new rows that came before it are sent first."""
        if self._new["memories"]:
            self.flush()
        self._statements.append((statement, {"account_id": self.account_id, **values}))

    def insert(self, memory: Record, values: Mapping[str, Any], vectors: NDArray[np.float32] | None) -> int:
        """A new row; returns its number."""
        if len(self._new["memories"]) >= _MANY:
            self._send()
        row = self._row()
        self._new["memories"].append({**values, "row": row})
        self.tag(row, memory)
        self.link(row, memory)
        self.derived.insert(row, memory, vectors, values["words"])
        self._derives = True
        return row

    def make_known(self) -> None:
        """The account gets its row before anything refers to it."""
        if self._unknown:
            self._unknown = False
            self._session.at(self._account)
            values = {"account_id": self.account_id, "name": self._account}
            self._session.connection.send(queries()["add_account"], values)

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

    def flush(self, last: str | None = None) -> None:
        """Send everything and hear that it arrived; with a last statement, that too, in the same round trip."""
        if self._statements or self._derives or self._joined or any(self._new.values()):
            self._send()
            connection, found = self._session.connection, queries()
            if self._derives:
                self._derives = False
                self.derived.flush()
            if self._joined:
                values = {"account_id": self.account_id, "rows": list(self._joined), "ids": list(self._joined.values())}
                connection.send(found["join_clusters"], values)
                self._joined = {}
            if self._journalled:
                self._journalled = False
                connection.send(found["move_account"], {"account_id": self.account_id})
        if last is not None:
            self._session.connection.send(last, {})
        self._session.connection.settle()

    def abandon(self) -> None:
        """Send nothing more; what the server says of what it got already no longer matters."""
        with suppress(psycopg.Error):
            self._session.connection.settle()

    def _send(self) -> None:
        """Send statements, rows and journal; the server works on them while more is gathered."""
        self._session.at(self._account)
        self._session.wrote = True
        connection, found = self._session.connection, queries()
        self.make_known()
        statements, self._statements = self._statements, []
        for name, values in statements:
            connection.send(found[name], values)
        new, self._new = self._new, {name: [] for name in self._new}
        values = {"account_id": self.account_id, **{name: in_json(rows) for name, rows in new.items()}}
        # A new memory always comes with its line of the journal.
        together = ("memories", "tags", "events") if new["memories"] else ()
        if together:
            connection.send(found["insert_whole"], values)
        for name, rows in new.items():
            if rows and name not in together:
                connection.send(found[f"insert_{name}"], values)
        self._journalled |= bool(new["events"]) and not together

    def _row(self) -> int:
        if not self._rows:
            found = self._session.connection.ask(queries()["more_rows"], {"count": _BLOCK})
            self._rows = [number for (number,) in reversed(found)]
        return self._rows.pop()
