"""Reading one file: rows become memories, filters become SQL, and searches go to the account's derived index."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.persist.index.account import AccountIndex
from recollect.persist.index.look import Look
from recollect.persist.sqlite.filter import compile_filter
from recollect.persist.sqlite.graph import FileGraph
from recollect.persist.sqlite.indexes import Indexes
from recollect.persist.sqlite.rows import event_of, id_text, memory_of, micros, place_of_target, vectors_of
from recollect.persist.sqlite.sql import queries
from recollect.persist.sqlite.tally import Tally
from recollect.persist.sqlite.whole import WholeReader
from recollect.values.access import Access
from recollect.values.cluster import Cluster
from recollect.values.document import Document
from recollect.values.event import Event
from recollect.values.filter import Filter
from recollect.values.link import Edge, Node
from recollect.values.memory import Record
from recollect.values.scope import Identity, Place
from recollect.values.search import Candidates, Embedded, Near, Search
from recollect.values.supersession import Replacement, covers, heirs, in_force
from recollect.values.words import DocumentKind


@dataclass(slots=True)
class OpenFile:
    """What every reader and transaction of one open file shares."""

    connection: sqlite3.Connection
    indexes: Indexes
    accounts: dict[str, int] = field(default_factory=dict)
    clusters: dict[str, tuple[object, list[Cluster]]] = field(default_factory=dict)


class SqliteReader(WholeReader):
    """Everything that can be asked, over one connection."""

    def __init__(self, file: OpenFile, now: datetime | None) -> None:
        self._file, self._now = file, now
        self._connection, self._indexes = file.connection, file.indexes
        self._warmed: dict[str, AccountIndex] = {}
        self._secrets: list[bytes] = []

    def get(self, account: str, ids: Sequence[str]) -> list[Record | None]:
        rows = self._run("get_memories", account=self._number(account), ids=_hex_list(ids))
        found = {memory.id: memory for memory in self._settled(account, rows)}
        return [found.get(str(UUID(wanted))) for wanted in ids]

    def fetch(self, account: str, rows: Sequence[int]) -> list[Record]:
        found = self._run("fetch_rows", account=self._number(account), rows=json.dumps(list(rows))).fetchall()
        memories = {row["row"]: memory_of(row, account) for row in found}
        return [memories[row] for row in rows if row in memories]

    def rows_of(self, account: str, ids: Sequence[str]) -> list[int]:
        number = self._number(account)
        found = (self._run("row_of", id=UUID(wanted).bytes, account=number).fetchone() for wanted in ids)
        return [int(row["row"]) for row in found if row is not None]

    def resolve(self, account: str, part: str) -> list[str]:
        digits = part.replace("-", "").lower()
        low, high = (bytes.fromhex(digits.ljust(32, pad)) for pad in "0f")
        number = self._number(account)
        found = [row["id"] for row in self._run("id_prefix", account=number, low=low, high=high)]
        if not found:
            found = [row["id"] for row in self._run("id_suffix", account=number, suffix=digits)]
        return [id_text(value) for value in found]

    def find(self, identity: Identity, wanted: Filter, now: datetime, *, limit: int, offset: int = 0) -> list[Record]:
        replaced = heirs(self._replacements("all_replacements", identity.account, now))
        where, values = compile_filter(identity, wanted, micros(now), _hex_list(list(replaced)))
        sql = f"SELECT m.* FROM memories AS m WHERE {where} ORDER BY m.row DESC LIMIT :limit OFFSET :offset"
        values |= {"account": self._number(identity.account), "limit": limit, "offset": offset}
        rows = self._connection.execute(sql, values)
        return [_standing(memory_of(row, identity.account), replaced) for row in rows]

    def candidates(self, search: Search) -> Candidates:
        return self._look(search).candidates()

    def near(self, search: Search, vectors: Sequence[NDArray[np.float32]]) -> list[Near]:
        return self._look(search).near(vectors)

    def holding(self, search: Search, phrases: Sequence[Sequence[str]], most: int) -> list[list[int]]:
        return self._look(search).holding(phrases, most)

    def warm(self, account: str) -> AccountIndex:
        """The account's index, brought up to date; once for one view, in which nothing changes."""
        index = self._warmed.get(account)
        if index is None:
            index = self._warmed[account] = self._indexes.caught_up(self._connection, account, self._number(account))
        return index

    def same_text(self, account: str, text: str) -> list[Record]:
        rows = self._run("by_digest", account=self._number(account), digest=self.digest(text))
        return self._settled(account, rows)

    def purged(self, account: str, text: str) -> bool:
        number = self._number(account)
        return any(self._run("is_purged", account=number, digest=one).fetchone() for one in self.digests(text))

    def by_key(self, account: str, key: str, place: Place | None = None) -> Record | None:
        found = self._settled(account, self._run("by_key", account=self._number(account), key=key))
        return next((record for record in found if place in (None, record.place)), None)

    def among(self, search: Search, rows: Sequence[int]) -> list[int]:
        return self._look(search).among(rows)

    def standing(
        self,
        search: Search,
        *,
        deliveries: Sequence[str] = (),
        types: Sequence[str] = (),
        since: float | None = None,
        limit: int,
    ) -> list[int]:
        return self._look(search).standing(deliveries, types, since, limit)

    def edges(self, account: str, nodes: Sequence[Node], most: int, *, upwards: bool = True) -> list[Edge]:
        return self._graph(account).edges(nodes, most, upwards=upwards)

    def triggers(self, account: str) -> list[tuple[int, str]]:
        index = self.warm(account)
        if index.triggers is None:
            found = self._run("all_triggers", account=self._number(account))
            index.triggers = [(row["row"], row["pattern"]) for row in found]
        return index.triggers

    def tag_names(self, account: str) -> list[str]:
        index = self.warm(account)
        if index.tags is None:
            index.tags = [row["tag"] for row in self._run("tag_names", account=self._number(account))]
        return index.tags

    def tag_counts(self, identity: Identity, now: datetime) -> dict[str, int]:
        replaced = heirs(self._replacements("all_replacements", identity.account, now))
        where, values = compile_filter(identity, Filter(), micros(now), _hex_list(list(replaced)))
        sql = (
            "SELECT t.tag, count(*) FROM tags AS t JOIN memories AS m ON m.row = t.row"
            f" WHERE t.account = :account AND {where} GROUP BY t.tag ORDER BY count(*) DESC, t.tag"
        )
        rows = self._connection.execute(sql, {**values, "account": self._number(identity.account)})
        return {row[0]: row[1] for row in rows}

    def embedded(self, account: str) -> Embedded:
        return self.warm(account).embedded()

    def how_many_embedded(self, account: str) -> int:
        return len(self.warm(account).held_vectors())

    def clusters(self, account: str) -> list[Cluster]:
        return self._graph(account).clusters()

    def documents(
        self, account: str, kind: DocumentKind, name: str | None = None, *, prefix: str | None = None
    ) -> list[Document]:
        return self._graph(account).documents(kind, name, prefix)

    def accesses(self, account: str, document: str, limit: int) -> list[Access]:
        return self._graph(account).accesses(document, limit)

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

    def count(self, account: str, now: datetime, identity: Identity | None = None) -> dict[str, Any]:
        values = {"account": self._number(account), "model": self._indexes.model}
        tally = Tally(self._connection, values, identity)
        replaced = heirs(self._replacements("all_replacements", account, now))
        return tally.counts(_hex_list(list(replaced)))

    def unembedded(self, account: str, limit: int) -> list[Record]:
        rows = self._run("unembedded", account=self._number(account), model=self._indexes.model, limit=limit)
        return [memory_of(row, account) for row in rows]

    def switched_off(self, account: str) -> frozenset[str]:
        return frozenset(row["project"] for row in self._run("switched_off", account=self._number(account)))

    def note(self, name: str) -> str | None:
        row = self._run("get_note", name=name).fetchone()
        return None if row is None else str(row["value"])

    def _run(self, name: str, /, **values: Any) -> sqlite3.Cursor:
        return self._connection.execute(queries()[name], values)

    def _number(self, account: str) -> int:
        """The number of an account; 0, which owns nothing, when nobody wrote to it yet."""
        known = self._file.accounts.get(account)
        if known is None:
            row = self._run("find_account", name=account).fetchone()
            if row is None:
                return 0
            known = self._file.accounts[account] = row["account"]
        return known

    def _graph(self, account: str) -> FileGraph:
        return FileGraph(self._connection, account, self._number(account), self._indexes.model)

    def _look(self, search: Search) -> Look:
        return Look(self.warm(search.viewer.account), search, self._tagged(search))

    def _tagged(self, search: Search) -> NDArray[np.int64] | None:
        """The rows that carry every tag asked for; None when none is asked for."""
        if not search.filter.tags:
            return None
        number = self._number(search.viewer.account)
        rows = [{row["row"] for row in self._run("tagged", account=number, tag=tag)} for tag in search.filter.tags]
        return np.array(sorted(set.intersection(*rows)), np.int64)

    def _settled(self, account: str, rows: Iterable[sqlite3.Row]) -> list[Record]:
        """Memories with what is worked out at read time: whether something in force supersedes them."""
        memories = [memory_of(row, account) for row in rows]
        links: dict[str, Replacement] = {}
        above = [memory.id for memory in memories]
        while above:
            fresh = [
                link for link in self._replacements("replacements", account, self._now, above) if link.new not in links
            ]
            links |= {link.new: link for link in fresh}
            above = [link.new for link in fresh]
        replaced = heirs(links.values()) if links else {}
        return [_standing(memory, replaced) for memory in memories]

    def _replacements(
        self, query: str, account: str, now: datetime | None, ids: Sequence[str] = ()
    ) -> list[Replacement]:
        """Who replaces whom, where the one covers the other."""
        rows = self._run(query, account=self._number(account), ids=_hex_list(ids)).fetchall()
        return [
            Replacement(id_text(row["id"]), id_text(row["supersedes"]), in_force(new, now))
            for row in rows
            if covers((new := memory_of(row, account)).place, place_of_target(row))
        ]


def _standing(memory: Record, replaced: Mapping[str, str]) -> Record:
    if memory.status != "active" or memory.id not in replaced:
        return memory
    return memory.with_(status="superseded", superseded_by=replaced[memory.id])


def _hex_list(ids: Sequence[str]) -> str:
    return json.dumps([UUID(wanted).hex for wanted in ids])
