"""Reading one file: rows become memories, filters become SQL, and searches go to the account's derived index."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.persist.graph import GraphReader
from recollect.persist.index.account import AccountIndex
from recollect.persist.index.look import Look
from recollect.persist.rows import event_of, micros
from recollect.persist.settling import settled, with_standing
from recollect.persist.sqlite.filter import compile_filter, reach
from recollect.persist.sqlite.graph import FileGraph
from recollect.persist.sqlite.indexes import Indexes
from recollect.persist.sqlite.rows import hex_list, id_text, memory_of, vectors_of
from recollect.persist.sqlite.settling import replacements_of
from recollect.persist.sqlite.sql import queries
from recollect.persist.sqlite.whole import WholeReader
from recollect.persist.tally import counts
from recollect.values.cluster import Cluster
from recollect.values.document import Document
from recollect.values.event import Event
from recollect.values.filter import Filter
from recollect.values.memory import Record
from recollect.values.scope import Identity, Place
from recollect.values.search import Candidates, Embedded, Glimpse, Near, Search
from recollect.values.supersession import Replacement, heirs
from recollect.values.words import DocumentKind


@dataclass(slots=True)
class OpenFile:
    """What every reader and transaction of one open file shares."""

    connection: sqlite3.Connection
    indexes: Indexes
    accounts: dict[str, int] = field(default_factory=dict)
    clusters: dict[str, tuple[object, list[Cluster]]] = field(default_factory=dict)
    gaps: dict[str, tuple[int, list[Document]]] = field(default_factory=dict)

    def forget(self) -> None:
        """Drop what was read; after a rollback it may hold what never was."""
        self.indexes.forget()
        for read in (self.accounts, self.clusters, self.gaps):
            read.clear()


class SqliteReader(WholeReader, GraphReader):
    """Everything that can be asked, over one connection."""

    def __init__(self, file: OpenFile, now: datetime | None) -> None:
        self._file, self._now = file, now
        self._connection, self._indexes = file.connection, file.indexes
        self._warmed: dict[str, AccountIndex] = {}
        self._secrets: list[bytes] = []

    def get(self, account: str, ids: Sequence[str]) -> list[Record | None]:
        rows = self._run("get_memories", account=self._number(account), ids=hex_list(ids))
        found = {memory.id: memory for memory in self._settled(account, rows)}
        return [found.get(str(UUID(wanted))) for wanted in ids]

    def fetch(self, account: str, rows: Sequence[int]) -> list[Record]:
        found = self._run("fetch_rows", account=self._number(account), rows=json.dumps(list(rows))).fetchall()
        memories = {row["row"]: memory_of(row, account) for row in found}
        return [memories[row] for row in rows if row in memories]

    def glimpse(self, account: str, rows: Sequence[int]) -> list[Glimpse]:
        number = self._number(account)
        # A question a row: of the few that are asked for, a list to take apart costs more.
        found = [self._run("glimpse_row", account=number, row=row).fetchone() for row in rows]
        return [Glimpse(row, id_text(key), content) for row, key, content in filter(None, found)]

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
        where, values = compile_filter(identity, wanted, micros(now), hex_list(replaced))
        sql = f"{queries()['find_memories']} {where} {queries()['page']}"
        values |= {"account": self._number(identity.account), "limit": limit, "offset": offset}
        rows = self._connection.execute(sql, values)
        return [with_standing(memory_of(row, identity.account), replaced) for row in rows]

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

    def documents(
        self, account: str, kind: DocumentKind, name: str | None = None, *, prefix: str | None = None
    ) -> list[Document]:
        if kind != "gap" or name is not None or prefix is not None:
            return super().documents(account, kind, name, prefix=prefix)
        # Every remember asks for all gaps: they are read anew only after another process changed something.
        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        held = self._file.gaps.get(account)
        if held is None or held[0] != version:
            held = self._file.gaps[account] = (version, super().documents(account, kind))
        return list(held[1])

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
        where, values = compile_filter(identity, Filter(), micros(now), hex_list(replaced))
        sql = f"{queries()['count_tags']} {where} {queries()['by_tag']}"
        return dict(self._connection.execute(sql, values | {"account": self._number(identity.account)}).fetchall())

    def embedded(self, account: str) -> Embedded:
        return self.warm(account).embedded()

    def how_many_embedded(self, account: str) -> int:
        return len(self.warm(account).held_vectors())

    def vectors(self, account: str, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors of some memories, of the model in use."""
        rows = self._run("vectors_of", account=self._number(account), model=self._indexes.model, ids=hex_list(ids))
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
        clauses = ["account = :account", "seq > :after"]
        values: dict[str, Any] = {"account": self._number(account), "after": after}
        for name, value in (("memory", memory_id), ("operation", operation)):
            if value is not None:
                clauses.append(f"{name} = :{name}")
                values[name] = UUID(value).bytes
        if not embeds:
            clauses.append("kind <> 'embed'")
        if since is not None:
            clauses.append("at > :since")
            values["since"] = micros(since)
        order = "DESC" if newest_first else "ASC"
        sql = f"{queries()['find_events']} {' AND '.join(clauses)} ORDER BY seq {order} LIMIT :limit"
        values["limit"] = -1 if limit is None else limit
        return [event_of(row, id_text) for row in self._connection.execute(sql, values)]

    def undone(self, account: str, operations: Iterable[str]) -> frozenset[str]:
        """Those of some operations that a later one has undone."""
        rows = self._run("undone", account=self._number(account), ids=hex_list(operations))
        return frozenset(id_text(row["undoes"]) for row in rows)

    def count(self, account: str, now: datetime, identity: Identity | None = None) -> dict[str, Any]:
        replaced = hex_list(heirs(self._replacements("all_replacements", account, now)))
        values = {"account": self._number(account), "model": self._indexes.model, "replaced": replaced}
        reached = "1" if identity is None else reach(identity, values)

        def ask(name: str) -> list[sqlite3.Row]:
            return self._connection.execute(queries()[name].replace("{reached}", reached), values).fetchall()

        return counts(ask)

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
        return settled(memories, lambda ids: self._replacements("replacements", account, self._now, ids))

    def _replacements(
        self, query: str, account: str, now: datetime | None, ids: Sequence[str] = ()
    ) -> list[Replacement]:
        """Who replaces whom, where the one covers the other."""
        return replacements_of(self._run(query, account=self._number(account), ids=hex_list(ids)), account, now)
