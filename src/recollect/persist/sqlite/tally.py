"""Tally: how many memories of what kinds one identity reaches; numbers tell of others too, so they stop at the same walls."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Any

from recollect.persist.sqlite.filter import reach
from recollect.values.scope import Identity

_MANY_TAGS = 20
_WITH_VECTOR = "memories AS m LEFT JOIN vectors AS v ON v.row = m.row AND v.model = :model"


class Tally:
    """The counts of one account, as one identity may know them; without an identity, of all of it."""

    def __init__(self, connection: sqlite3.Connection, values: dict[str, Any], identity: Identity | None) -> None:
        self._connection, self._values = connection, dict(values)
        self._where = "m.account = :account"
        if identity is not None:
            self._where += f" AND {reach(identity, self._values)}"

    def counts(self, replaced: str) -> dict[str, Any]:
        """Everything; `replaced` is the JSON list of the memories that something in force supersedes."""
        self._values["replaced"] = replaced
        superseded = "m.status = 'active' AND m.id IN (SELECT id_bytes(value) FROM json_each(:replaced))"
        rows = self._rows(
            f"SELECT CASE WHEN {superseded} THEN 'superseded' ELSE m.status END, m.status, m.type, m.scope, m.project, count(*)"
            f" FROM memories AS m WHERE {self._where} GROUP BY 1, 2, 3, 4, 5"
        )
        active = [row for row in rows if row[1] == "active"]
        return {
            "statuses": _summed(rows, 0),
            "types": _summed(active, 2),
            "scopes": _summed(active, 3),
            "projects": dict(_most(_summed([row for row in active if row[4] is not None], 4))),
            "tags": self._tags(),
            "models": self._models(),
            "events": self._number("events AS e JOIN memories AS m ON m.id = e.memory", "e.account = :account"),
            "unembedded": self._number(_WITH_VECTOR, "v.row IS NULL"),
        }

    def _tags(self) -> dict[str, int]:
        rows = self._rows(
            f"SELECT t.tag, count(*) FROM tags AS t JOIN memories AS m ON m.row = t.row WHERE {self._where}"
            f" GROUP BY t.tag ORDER BY count(*) DESC, t.tag LIMIT {_MANY_TAGS}"
        )
        return {row[0]: row[1] for row in rows}

    def _models(self) -> dict[str, int]:
        rows = self._rows(
            f"SELECT v.model, count(*) FROM vectors AS v JOIN memories AS m ON m.row = v.row WHERE {self._where} GROUP BY v.model"
        )
        return {row[0]: row[1] for row in rows}

    def _number(self, tables: str, condition: str) -> int:
        return int(self._rows(f"SELECT count(*) FROM {tables} WHERE {self._where} AND {condition}")[0][0])

    def _rows(self, sql: str) -> list[sqlite3.Row]:
        return self._connection.execute(sql, self._values).fetchall()


def _summed(rows: list[sqlite3.Row], column: int) -> dict[str, int]:
    totals: Counter[str] = Counter()
    for row in rows:
        totals[row[column]] += row[5]
    return dict(totals)


def _most(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
