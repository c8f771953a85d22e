"""Reading one file: rows become memories, filters become SQL, and searches go to the account's derived index."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.persist.sqlite.filter import compile_filter
from recollect.persist.sqlite.indexes import Indexes
from recollect.persist.sqlite.rows import event_of, id_text, memory_of, micros, time_of, vectors_of
from recollect.persist.sqlite.sql import queries
from recollect.values.event import Event
from recollect.values.filter import Filter
from recollect.values.ids import fingerprint
from recollect.values.memory import Record
from recollect.values.scope import Identity
from recollect.values.search import Candidates, Search


class SqliteReader:
    """Everything that can be asked, over one connection."""

    def __init__(self, connection: sqlite3.Connection, indexes: Indexes) -> None:
        self._connection = connection
        self._indexes = indexes
        self._accounts: dict[str, int] = {}
        self._secret = bytes.fromhex(self.note("secret") or "")

    def get(self, account: str, ids: Sequence[str]) -> list[Record | None]:
        rows = self._run("get_memories", account=self._number(account), ids=_hex_list(ids))
        found = {memory.id: memory for memory in self._settled(account, rows)}
        return [found.get(str(UUID(wanted))) for wanted in ids]

    def fetch(self, account: str, rows: Sequence[int]) -> list[Record]:
        found = self._run("fetch_rows", account=self._number(account), rows=json.dumps(list(rows))).fetchall()
        memories = dict(zip((row["row"] for row in found), self._settled(account, found), strict=True))
        return [memories[row] for row in rows if row in memories]

    def resolve(self, account: str, part: str) -> list[str]:
        digits = part.replace("-", "").lower()
        low, high = (bytes.fromhex(digits.ljust(32, pad)) for pad in "0f")
        number = self._number(account)
        found = [row["id"] for row in self._run("id_prefix", account=number, low=low, high=high)]
        if not found:
            found = [row["id"] for row in self._run("id_suffix", account=number, suffix=digits)]
        return [id_text(value) for value in found]

    def find(self, identity: Identity, wanted: Filter, now: datetime, *, limit: int, offset: int = 0) -> list[Record]:
        where, values = compile_filter(identity, wanted, micros(now))
        sql = f"SELECT m.* FROM memories AS m WHERE {where} ORDER BY m.row DESC LIMIT :limit OFFSET :offset"
        values |= {"account": self._number(identity.account), "limit": limit, "offset": offset}
        return self._settled(identity.account, self._connection.execute(sql, values), now)

    def candidates(self, search: Search) -> Candidates:
        account = search.viewer.account
        index = self._indexes.caught_up(self._connection, account, self._number(account))
        tagged: list[set[int]] = [
            {row["row"] for row in self._run("tagged", account=self._number(account), tag=tag)}
            for tag in search.filter.tags
        ]
        rows = np.array(sorted(set.intersection(*tagged)), np.int64) if tagged else None
        return index.search(search, rows)

    def holding(self, search: Search, phrases: Sequence[Sequence[str]], most: int) -> list[list[int]]:
        account = search.viewer.account
        return self._indexes.caught_up(self._connection, account, self._number(account)).holding(search, phrases, most)

    def same_text(self, account: str, text: str) -> list[Record]:
        rows = self._run("by_digest", account=self._number(account), digest=self.digest(text))
        return self._settled(account, rows)

    def purged(self, account: str, text: str) -> bool:
        return self._run("is_purged", account=self._number(account), digest=self.digest(text)).fetchone() is not None

    def by_key(self, account: str, key: str) -> Record | None:
        found = self._settled(account, self._run("by_key", account=self._number(account), key=key))
        return found[0] if found else None

    def tags_of(self, account: str, rows: Sequence[int]) -> list[tuple[int, str]]:
        found = self._run("tags_of", account=self._number(account), rows=json.dumps(list(rows)))
        return [(row["row"], row["tag"]) for row in found]

    def tag_members(self, account: str, tag: str, limit: int) -> list[int]:
        return [row["row"] for row in self._run("tag_members", account=self._number(account), tag=tag, limit=limit)]

    def vectors(self, account: str, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors of some memories, of the model in use."""
        rows = self._run("vectors_of", account=self._number(account), model=self._indexes.model, ids=_hex_list(ids))
        held = ((row["id"], vectors_of(row["vector"], self._indexes.dimensions)) for row in rows)
        return {id_text(key): np.asarray(found, np.float32) for key, found in held if found is not None}

    def events(
        self,
        account: str,
        *,
        memory_id: str | None = None,
        operation: str | None = None,
        after: int = 0,
        since: datetime | None = None,
        limit: int | None = None,
        newest_first: bool = False,
        embeds: bool = False,
    ) -> list[Event]:
        clauses, values = ["account = :account", "seq > :after"], {"account": self._number(account), "after": after}
        for name, column, value in (("memory", "memory", memory_id), ("operation", "operation", operation)):
            if value is not None:
                clauses.append(f"{column} = :{name}")
                values[name] = UUID(value).bytes  # type: ignore[assignment]
        if not embeds:
            clauses.append("kind <> 'embed'")
        if since is not None:
            clauses.append("at > :since")
            values["since"] = micros(since)
        order = "DESC" if newest_first else "ASC"
        sql = f"SELECT * FROM events WHERE {' AND '.join(clauses)} ORDER BY seq {order} LIMIT :limit"
        return [
            event_of(row) for row in self._connection.execute(sql, {**values, "limit": -1 if limit is None else limit})
        ]

    def undone(self, account: str, operations: Iterable[str]) -> frozenset[str]:
        """Those of some operations that a later one has undone."""
        rows = self._run("undone", account=self._number(account), ids=_hex_list(list(operations)))
        return frozenset(id_text(row["undoes"]) for row in rows)

    def count(self, account: str, now: datetime) -> dict[str, Any]:
        number, model = self._number(account), self._indexes.model
        by = {
            what: {row[0]: row[1] for row in self._run(f"count_{what}", account=number, now=micros(now))}
            for what in ("statuses", "types", "scopes", "projects", "tags", "models")
        }
        return {
            **by,
            "events": self._run("count_events", account=number).fetchone()[0],
            "unembedded": self._run("count_unembedded", account=number, model=model).fetchone()[0],
        }

    def unembedded(self, account: str, limit: int) -> list[Record]:
        rows = self._run("unembedded", account=self._number(account), model=self._indexes.model, limit=limit)
        return [memory_of(row, account) for row in rows]

    def switched_off(self, account: str) -> frozenset[str]:
        return frozenset(row["project"] for row in self._run("switched_off", account=self._number(account)))

    def note(self, name: str) -> str | None:
        row = self._run("get_note", name=name).fetchone()
        return None if row is None else str(row["value"])

    def digest(self, text: str) -> bytes:
        """The keyed fingerprint of a text in this store."""
        return fingerprint(text, self._secret)

    def _run(self, name: str, /, **values: Any) -> sqlite3.Cursor:
        return self._connection.execute(queries()[name], values)

    def _number(self, account: str) -> int:
        """The number of an account; 0, which owns nothing, when nobody wrote to it yet."""
        known = self._accounts.get(account)
        if known is None:
            row = self._run("find_account", name=account).fetchone()
            if row is None:
                return 0
            known = self._accounts[account] = row["account"]
        return known

    def _settled(self, account: str, rows: Iterable[sqlite3.Row], now: datetime | None = None) -> list[Record]:
        """Memories with what is worked out at read time: whether something in force supersedes them."""
        memories = [memory_of(row, account) for row in rows]
        heirs = self._heirs(account, [m.id for m in memories], now)
        return [
            m if m.id not in heirs or m.status != "active" else m.with_(status="superseded", superseded_by=heirs[m.id])
            for m in memories
        ]

    def _heirs(self, account: str, ids: Sequence[str], now: datetime | None) -> dict[str, str]:
        """For each superseded memory, the one in force that replaces it, found up the chain."""
        if not ids:
            return {}
        rows = self._run("superseders", account=self._number(account), ids=_hex_list(ids)).fetchall()
        if not rows:
            return {}
        above = self._heirs(account, [id_text(row["id"]) for row in rows], now)
        heirs: dict[str, str] = {}
        for row in rows:
            new, old = id_text(row["id"]), id_text(row["supersedes"])
            expired = row["expires_at"] is not None and now is not None and time_of(row["expires_at"]) <= now
            if row["status"] == "active" and not expired:
                heirs[old] = new
            elif new in above:
                heirs.setdefault(old, above[new])
        return heirs


def _hex_list(ids: Sequence[str]) -> str:
    return json.dumps([UUID(wanted).hex for wanted in ids])
