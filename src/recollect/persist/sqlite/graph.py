"""The graph of one file: how it answers what the graph of an account asks."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from recollect.persist.graph import AccountGraph, End
from recollect.persist.sqlite.rows import id_bytes, id_text
from recollect.persist.sqlite.sql import queries


class FileGraph(AccountGraph):
    """The edges, clusters and documents of one account of a file, by its name and its number."""

    def __init__(self, connection: sqlite3.Connection, account: str, number: int, model: str) -> None:
        super().__init__(self._answer, account, model, id_bytes, id_text)
        self._connection, self._number = connection, number

    def _answer(self, name: str, /, **values: Any) -> list[Any]:
        """Rows as bare tuples: a walk reads thousands."""
        cursor = self._connection.cursor()
        cursor.row_factory = None
        return cursor.execute(queries()[name], {"account": self._number, **values}).fetchall()

    def _several(self, rows: Sequence[int]) -> str:
        return json.dumps(rows)

    def _links_to(self, rows: Sequence[int], limit: int) -> Iterator[End]:
        # One row a query, so that a hub is read no further than its limit.
        for row in rows:
            yield from self._answer("links_to", row=row, limit=limit)
