"""Reading one SQLite file: rows become memories, filters become SQL, and searches use the derived index of the account."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from heapq import merge
from itertools import islice
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.store.graph import AccountGraph, GraphQueries, document_of
from recollect.store.index.account_index import AccountIndex
from recollect.store.index.search import IndexSearch
from recollect.store.journal import last_place, latest_operations
from recollect.store.rows import micros, place_of_text, settled, with_standing
from recollect.store.sqlite.damage import find_damage
from recollect.store.sqlite.index_cache import IndexCache
from recollect.store.sqlite.queries import queries
from recollect.store.sqlite.rows import damaged, event_of, hex_list, id_bytes, id_text, memory_of, note_name, vectors_of
from recollect.store.sqlite.transfer import TransferQueries
from recollect.store.visibility import SQLITE, HasEntry, LookedUp, Tagged, compile_list, compile_reach
from recollect.values.cluster import Cluster
from recollect.values.document import Document
from recollect.values.enums import DocumentKind, LinkRelation
from recollect.values.event import Event
from recollect.values.memory import Record, Replacement, StoredText, covers, is_current, successors
from recollect.values.purge import Mentions
from recollect.values.scope import OWNED_SCOPES, Identity, Place, Visit, place_of
from recollect.values.search import Candidates, DeliveryQuery, Embedded, Filter, Near, Search, Snippet

_FIRST_PAGE, _LARGEST_PAGE, _NO_ROW = 32, 1024, 2**63 - 1
_ENDING = 4  # the last digits of an id that are indexed
_MOST_TAGS = 20


@dataclass(slots=True)
class OpenFile:
    """What all views and transactions of one open file share; only what is committed is in it."""

    indexes: IndexCache
    accounts: dict[str, int] = field(default_factory=dict)
    clusters: dict[str, tuple[object, list[Cluster]]] = field(default_factory=dict)
    gaps: dict[str, tuple[str | None, list[Document]]] = field(default_factory=dict)


class SqliteReader(TransferQueries, GraphQueries):
    """Everything that can be read, over one connection that holds one snapshot."""

    def __init__(self, file: OpenFile, connection: sqlite3.Connection, now: datetime | None, view: int = 0) -> None:
        self._file, self._connection, self._now, self._view = file, connection, now, view
        self._indexes = file.indexes
        self._warmed: dict[str, AccountIndex] = {}
        self._secrets: list[bytes] = []

    def at(self, now: datetime | None) -> SqliteReader:
        """The same snapshot, with what is superseded worked out for another moment."""
        other = SqliteReader(self._file, self._connection, now, self._view)
        other._warmed = self._warmed
        return other

    def check(self) -> dict[str, Any]:
        """What SQLite says about the file."""
        return {
            "integrity": find_damage(self._connection, self.secrets()[0]),
            "orphans": len(self._connection.execute("PRAGMA foreign_key_check").fetchall()),
            "schema": self._connection.execute("PRAGMA user_version").fetchone()[0],
        }

    def get(self, account: str, ids: Sequence[str]) -> list[Record | None]:
        rows = self._run("get_memories", account=self._number(account), ids=hex_list(ids))
        found = {memory.id: memory for memory in self._settled(account, rows)}
        return [found.get(str(UUID(wanted))) for wanted in ids]

    def fetch(self, account: str, rows: Sequence[int]) -> list[Record]:
        found = self._run("fetch_rows", account=self._number(account), rows=json.dumps(list(rows))).fetchall()
        memories = {row["row"]: memory_of(row, account) for row in found}
        return [memories[row] for row in rows if row in memories]

    def read_snippets(self, account: str, rows: Sequence[int]) -> list[Snippet]:
        number = self._number(account)
        # One query per row: for so few rows it costs less than unpacking a list.
        found = [self._run("glimpse_row", account=number, row=row).fetchone() for row in rows]
        for row, key, content in filter(None, found):
            if not isinstance(content, str) or not isinstance(key, bytes):
                raise damaged(row)
        return [Snippet(row, id_text(key), content) for row, key, content in filter(None, found)]

    def snippets_with_vectors(
        self, account: str, rows: Sequence[int]
    ) -> tuple[list[Snippet], dict[int, NDArray[np.float32]]]:
        found = self.read_snippets(account, rows)
        vectors = self.vectors(account, [one.id for one in found])
        return found, {row: vectors[one.id] for row, one in zip(rows, found, strict=True) if one.id in vectors}

    def rows_of(self, account: str, ids: Sequence[str]) -> list[int]:
        number = self._number(account)
        found = (self._run("row_of", id=UUID(wanted).bytes, account=number).fetchone() for wanted in ids)
        return [int(row["row"]) for row in found if row is not None]

    def last_row_of(self, account: str, memory_id: str) -> int | None:
        found = self._run("last_row_of", memory=UUID(memory_id).bytes, account=self._number(account)).fetchone()
        return None if found["row"] is None else int(found["row"])

    def find_by_id(self, account: str, part: str) -> list[Record]:
        return [record for record in self.get(account, self._ids_like(account, part)) if record is not None]

    def places_of(self, account: str, ids: Sequence[str]) -> dict[str, Place]:
        rows = self._run("places_of", account=self._number(account), ids=hex_list(ids))
        found = {id_text(row["id"]): place_of(row["scope"], dict(row)) for row in rows}
        gone = [wanted for wanted in ids if wanted not in found]
        removed = self._run("removals_of", account=self._number(account), ids=hex_list(gone)) if gone else ()
        for event in (event_of(row) for row in removed):
            place = last_place(event.kind, event.before, event.after)
            if place is not None:
                found[event.memory_id] = place
        return found

    def get_documents(self, account: str, ids: Sequence[str]) -> list[Document]:
        return self._graph(account).documents_by_id(hex_list(ids))

    def operations_like(self, account: str, part: str, limit: int) -> list[str]:
        digits = part.replace("-", "").lower()
        values = {"account": self._number(account), "limit": limit, **_id_bounds(digits)}
        query = "operations_like" if len(digits) >= _ENDING else "operations_short"
        return [id_text(row["operation"]) for row in self._run(query, **values)]

    def latest_operations(
        self, account: str, limit: int, before: int | None = None, *, actor: str | None = None
    ) -> list[list[Event]]:
        return latest_operations(self, account, limit, before, actor)

    def _ids_like(self, account: str, part: str) -> list[str]:
        digits = part.replace("-", "").lower()
        values = {"account": self._number(account), **_id_bounds(digits)}
        found = [row["id"] for row in self._run("id_prefix", **values)]
        if not found:
            found = [row["id"] for row in self._run("id_suffix", **values)]
        return [id_text(value) for value in found]

    def find(
        self, identity: Identity, wanted: Filter, now: datetime, *, limit: int, before: int | None = None
    ) -> list[Record]:
        first = _NO_ROW if before is None else before
        found = merge(*self._by_status(identity, wanted, now, first), key=lambda pair: -pair[0])
        return [record for _, record in islice(found, None if limit < 0 else limit)]

    def count_found(self, identity: Identity, wanted: Filter, now: datetime) -> int:
        replaced = successors(self._replacements("all_replacements", identity.account, now))
        where, values = compile_list(SQLITE, identity, wanted, micros(now), hex_list(replaced) if replaced else None)
        sql = f"{queries()['count_memories']} {where}"
        return int(self._connection.execute(sql, values | {"account": self._number(identity.account)}).fetchone()[0])

    def _by_status(
        self, identity: Identity, wanted: Filter, now: datetime, before: int
    ) -> Iterator[Iterator[tuple[int, Record]]]:
        """For each status that rows are stored with, what passes a filter, newest first: an index has them in this order."""
        named = set(wanted.statuses)
        for status in ("archived", "forgotten"):
            if status in named:
                yield self._listed(identity, replace(wanted, statuses=(status,)), now, before)
        if "active" in named:
            both = tuple(status for status in ("active", "superseded") if status in named)
            yield self._listed(identity, replace(wanted, statuses=both), now, before)
        elif "superseded" in named:
            yield self._superseded(identity, replace(wanted, statuses=("superseded",)), now, before)

    def _listed(self, identity: Identity, wanted: Filter, now: datetime, before: int) -> Iterator[tuple[int, Record]]:
        """Rows of one status, page by page; of each page it is worked out what is superseded."""
        replaced = None
        if wanted.tells_status_inside:
            replaced = hex_list(successors(self._replacements("all_replacements", identity.account, now)))
        where, values = compile_list(SQLITE, identity, wanted, micros(now), replaced)
        sql = f"{queries()['find_memories']} {where} {queries()['page']}"
        values |= {"account": self._number(identity.account), "before": before, "limit": _FIRST_PAGE}
        while rows := self._connection.execute(sql, values).fetchall():
            for row, record in zip(rows, self._settled(identity.account, rows, now), strict=True):
                if record.status in wanted.statuses:
                    yield row["row"], record
            values |= {"before": rows[-1]["row"], "limit": min(2 * int(values["limit"]), _LARGEST_PAGE)}

    def _superseded(
        self, identity: Identity, wanted: Filter, now: datetime, before: int
    ) -> Iterator[tuple[int, Record]]:
        """Rows that something in force supersedes: all that does is read, which is little beside all rows."""
        replaced = successors(self._replacements("all_replacements", identity.account, now))
        where, values = compile_list(SQLITE, identity, wanted, micros(now), hex_list(replaced))
        sql = f"{queries()['find_memories']} {where} {queries()['page']}"
        values |= {"account": self._number(identity.account), "before": before, "limit": -1}
        for row in self._connection.execute(sql, values) if replaced else ():
            yield row["row"], with_standing(memory_of(row, identity.account), replaced)

    def candidates(self, search: Search) -> Candidates:
        with self._searching(search) as found:
            return found.candidates()

    def near(self, search: Search, vectors: Sequence[NDArray[np.float32]]) -> list[Near]:
        with self._searching(search) as found:
            return found.near(vectors)

    def rows_with_terms(self, search: Search, phrases: Sequence[Sequence[str]], most: int) -> list[list[int]]:
        with self._searching(search) as found:
            return found.rows_with_terms(phrases, most)

    def neighbours(
        self, search: Search, vectors: Sequence[NDArray[np.float32]], phrases: Sequence[Sequence[str]], most: int
    ) -> tuple[list[Near], list[list[int]]]:
        return self.near(search, vectors), self.rows_with_terms(search.among_active(), phrases, most)

    def warm(self, account: str) -> AccountIndex:
        """The account's index as of this view."""
        index = self._warmed.get(account)
        if index is None:
            number = self._number(account)
            index = self._warmed[account] = self._indexes.as_of_view(self._connection, account, number, self._view)
        return index

    def same_text(self, account: str, text: str) -> list[Record]:
        rows = self._run("by_digest", account=self._number(account), digest=self.digest(text))
        return self._settled(account, rows)

    def texts_of(self, account: str, texts: Sequence[str]) -> dict[str, StoredText]:
        # One query per text and digest: each is a look-up in an index.
        return {text: StoredText(self._purged(account, text), tuple(self.same_text(account, text))) for text in texts}

    def _purged(self, account: str, text: str) -> tuple[Place, ...]:
        number = self._number(account)
        digests = (one for found in self.purge_digests(text) for one in found.sought)
        rows = (row for one in digests for row in self._run("purged_places", account=number, digest=one))
        return tuple(dict.fromkeys(place_of_text(row["place"]) for row in rows))

    def has_tombstones(self, account: str) -> bool:
        return bool(self._run("has_tombstones", account=self._number(account)).fetchone()[0])

    def by_key(self, account: str, key: str, place: Place | None = None) -> Record | None:
        return next((record for record in self.with_key(account, key) if place in (None, record.place)), None)

    def with_key(self, account: str, key: str) -> list[Record]:
        return self._settled(account, self._run("by_key", account=self._number(account), key=key))

    def filter_visible(self, search: Search, rows: Sequence[int]) -> list[int]:
        with self._searching(search) as found:
            return found.filter_visible(rows)

    def fetch_visible(self, search: Search, rows: Sequence[int]) -> dict[int, Record]:
        visible = self.filter_visible(search, rows)
        return dict(zip(visible, self.fetch(search.viewer.account, visible), strict=True))

    def list_by_delivery(self, search: Search, queries: Sequence[DeliveryQuery]) -> list[list[int]]:
        with self._searching(search) as found:
            return [found.list_by_delivery(query) for query in queries]

    def fetch_by_delivery(self, search: Search, lists: Sequence[DeliveryQuery]) -> list[dict[int, Record]]:
        account, listed = search.viewer.account, self.list_by_delivery(search, lists)
        every = list({row: None for rows in listed for row in rows})
        known = dict(zip(every, self.fetch(account, every), strict=True))
        return [{row: known[row] for row in rows} for rows in listed]

    def documents(
        self, account: str, kind: DocumentKind, name: str | None = None, *, prefix: str | None = None
    ) -> list[Document]:
        if kind != "gap" or name is not None or prefix is not None:
            return super().documents(account, kind, name, prefix=prefix)
        # Every remember asks for all gaps: they are read again only after one of them changed.
        version = self.note("gaps", account)
        known = self._file.gaps.get(account)
        if known is None or known[0] != version:
            known = self._file.gaps[account] = (version, super().documents(account, kind))
        return list(known[1])

    def linked_by(self, account: str, relation: LinkRelation) -> list[str]:
        rows = self._run("linked_by", account=self._number(account), relation=relation)
        return [id_text(row["id"]) for row in rows]

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

    def tag_counts(self, identity: Identity, now: datetime, visit: Visit | None = None) -> dict[str, int]:
        replaced = successors(self._replacements("all_replacements", identity.account, now))
        where, values = compile_list(
            SQLITE, identity, Filter(visit=visit), micros(now), hex_list(replaced) if replaced else None
        )
        sql = f"{queries()['count_tags']} {where} {queries()['by_tag']}"
        return dict(self._connection.execute(sql, values | {"account": self._number(identity.account)}).fetchall())

    def embedded(self, account: str) -> Embedded:
        with self._indexes.lock:
            index = self.warm(account)
        # Without the lock, for which recalls would wait: nobody changes the vectors of an index while a view of it is open.
        return index.embedded()

    def how_many_embedded(self, account: str) -> int:
        with self._indexes.lock:
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
        before: int | None = None,
        since: datetime | None = None,
        limit: int | None = None,
        newest_first: bool = False,
        embeds: bool = False,
    ) -> list[Event]:
        # The index of a memory's or an operation's events is the better one.
        own = "account" if memory_id is None and operation is None else "+account"
        clauses = [f"{own} = :account", "seq > :after"]
        values: dict[str, Any] = {"account": self._number(account), "after": after}
        for name, value in (("memory", memory_id), ("operation", operation)):
            if value is not None:
                clauses.append(f"{name} = :{name}")
                values[name] = UUID(value).bytes
        if before is not None:
            clauses.append("seq < :before")
            values["before"] = before
        if not embeds:
            clauses.append("kind <> 'embed'")
        if since is not None:
            clauses.append("at > :since")
            values["since"] = micros(since)
        order = "DESC" if newest_first else "ASC"
        part = f"{' AND '.join(clauses)} ORDER BY seq {order} LIMIT :limit"
        values["limit"] = -1 if limit is None else limit
        found: list[Event] = []
        try:
            found.extend(map(event_of, self._connection.execute(f"{queries()['find_events']} {part}", values)))
        except sqlite3.OperationalError as error:
            if "decode" not in str(error):
                raise
            numbers = self._connection.execute(f"{queries()['find_event_numbers']} {part}", values).fetchall()
            raise damaged(numbers[len(found)]["seq"], "event") from error
        return found

    def last_event(self, account: str) -> int:
        return int(self._run("last_event", account=self._number(account)).fetchone()[0])

    def mentions(self, account: str, words: Sequence[str], memory_id: str) -> Mentions:
        values = {"account": self._number(account), "words": json.dumps(words), "memory": UUID(memory_id).bytes}
        return Mentions(
            [memory_of(row, account) for row in self._run("memories_mentioning", **values)],
            [document_of(row, account, id_text) for row in self._run("documents_mentioning", **values)],
            [event_of(row) for row in self._run("events_mentioning", **values)],
        )

    def undone(self, account: str, operations: Iterable[str]) -> frozenset[str]:
        """Those of some operations that a later one has undone."""
        rows = self._run("undone", account=self._number(account), ids=hex_list(operations))
        return frozenset(id_text(row["undoes"]) for row in rows)

    def count(self, account: str, now: datetime, identity: Identity | None = None) -> dict[str, Any]:
        replaced = hex_list(successors(self._replacements("all_replacements", account, now)))
        values: dict[str, Any] = {"account": self._number(account), "replaced": replaced}

        def ask(name: str, what: str = "", rooms: bool = True) -> list[Any]:
            # In the counts, `room` is the agent, the team or the user.
            columns = dict.fromkeys(OWNED_SCOPES, "m.room") if rooms else {}
            reached = "1" if identity is None else compile_reach(SQLITE, identity, values, columns)
            if what == "tag" and identity is not None:
                # The tags of sessions and tasks are told only where they are named.
                reached += " AND m.scope NOT IN ('session', 'task')"
            sql = queries()[name].replace("{reached}", reached)
            return self._connection.execute(sql, values | {"what": what}).fetchall()

        ((superseded,),) = ask("count_replaced", rooms=False)
        return counted(
            [tuple(row) for row in ask("count_kinds")],
            superseded=superseded,
            tags=[tuple(row) for row in ask("count_names", "tag")],
            models=[tuple(row) for row in ask("count_names", "model")],
            events=sum(number for _, number in ask("count_names", "event")),
            model=self._indexes.model,
        )

    def unembedded(self, account: str, limit: int) -> list[Record]:
        rows = self._run("unembedded", account=self._number(account), model=self._indexes.model, limit=limit)
        return [memory_of(row, account) for row in rows]

    def switched_off(self, account: str) -> frozenset[str]:
        return frozenset(row["project"] for row in self._run("switched_off", account=self._number(account)))

    def check_switches(self, account: str, check: Callable[[frozenset[str]], None]) -> None:
        check(self.switched_off(account))

    def note(self, name: str, account: str | None = None) -> str | None:
        row = self._run("get_note", name=note_name(name, account)).fetchone()
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

    @contextmanager
    def _searching(self, search: Search) -> Iterator[IndexSearch]:
        """A search of the account's index; other threads wait until it is done, since it fills what the index caches."""
        with self._indexes.lock:
            account = search.viewer.account
            yield IndexSearch(self.warm(account), search, partial(self._look_up, self._number(account)))

    def _look_up(self, number: int, condition: LookedUp, first: int) -> list[int]:
        """The rows that a condition holds for, of those from a row number on."""
        match condition:
            case Tagged(tag):
                rows = self._run("tagged", account=number, tag=tag, first=first)
            case HasEntry(path, values, None):
                rows = self._run("with_values", account=number, path=path, values=json.dumps(values), first=first)
            case HasEntry(path, _, (least, below)):
                rows = self._run("with_span", account=number, path=path, least=least, below=below, first=first)
        return [row["row"] for row in rows]

    def _settled(self, account: str, rows: Iterable[sqlite3.Row], now: datetime | None = None) -> list[Record]:
        """Memories with what is worked out at read time: whether something in force supersedes them."""
        memories = [memory_of(row, account) for row in rows]
        return settled(memories, lambda ids: self._replacements("replacements", account, now or self._now, ids))

    def _replacements(
        self, query: str, account: str, now: datetime | None, ids: Sequence[str] = ()
    ) -> list[Replacement]:
        """Who replaces whom, where the one covers the other."""
        return replacements_of(self._run(query, account=self._number(account), ids=hex_list(ids)), account, now)


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

    def _links_to(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        # One row per query, so that a hub is read no further than its limit.
        return [{"row": row} for row in rows]


def _id_bounds(digits: str) -> dict[str, Any]:
    """Between which values the ids lie that begin with some digits, and the last two bytes of those that end with them."""
    first, last = (bytes.fromhex(digits.ljust(32, pad)) for pad in "0f")
    ending = bytes.fromhex(digits[-_ENDING:]) if len(digits) >= _ENDING else b""
    return {"first": first, "last": last, "ending": ending, "suffix": digits}


def counted(
    kinds: Sequence[tuple[str, str, str, str, int]],
    *,
    superseded: int,
    tags: Sequence[tuple[str, int]],
    models: Sequence[tuple[str, int]],
    events: int,
    model: str,
) -> dict[str, Any]:
    """What `count` returns, of rows (stored status, type, scope, "=" and the project, how many)."""
    statuses, types, scopes, projects = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for status, kind, scope, project, number in kinds:
        statuses[status] += number
        if status == "active":
            types[kind] += number
            scopes[scope] += number
            if project:
                projects[project[1:]] += number
    total = sum(statuses.values())
    statuses += Counter(active=-superseded, superseded=superseded)
    return {
        "statuses": dict(statuses),
        "types": dict(types),
        "scopes": dict(scopes),
        "projects": dict(sorted(projects.items(), key=lambda pair: (-pair[1], pair[0]))),
        "tags": dict(tags[:_MOST_TAGS]),
        "models": dict(models),
        "events": events,
        "unembedded": total - dict(models).get(model, 0),
    }


def replacements_of(rows: Iterable[sqlite3.Row], account: str, now: datetime | None) -> list[Replacement]:
    """Who replaces whom, where the one covers the other."""
    pairs = [(memory_of(row, account), _place_of_target(row)) for row in rows]
    return [
        Replacement(new.id, str(new.supersedes), is_current(new, now))
        for new, under in pairs
        if covers(new.place, under)
    ]


def _place_of_target(row: sqlite3.Row) -> Place:
    names = ("agent", "team", "user", "project", "session", "task")
    return place_of(row["target_scope"], {name: row[f"target_{name}"] for name in names})
