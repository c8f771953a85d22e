"""Reading: rows become memories, filters become SQL, and searches go to `search.py`. Every question names its account."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.errors import StoreError
from recollect.store.graph import AccountGraph, GraphQueries, among_visible, document_of
from recollect.store.journal import NOT_UNDOABLE, last_place
from recollect.store.postgres.account import AccountView, Plan, Shared
from recollect.store.postgres.connections import Rows, Statement
from recollect.store.postgres.rows import room_text, stacked
from recollect.store.postgres.search import TableSearch
from recollect.store.postgres.session import PostgresSession, SwitchCheck
from recollect.store.postgres.sql import queries
from recollect.store.postgres.visibility import compile_filter, heirs_of_rows
from recollect.store.rows import event_of, memory_of, micros, place_of_text, with_standing
from recollect.values.cluster import Cluster
from recollect.values.document import Document
from recollect.values.enums import SCOPES, LinkRelation
from recollect.values.event import Event
from recollect.values.ids import fingerprint
from recollect.values.link import Edge, Node
from recollect.values.memory import Record, StoredText
from recollect.values.purge import Mentions
from recollect.values.purge_digests import purge_digests
from recollect.values.scope import OWNED_SCOPES, Identity, Place, Visit, reaches
from recollect.values.search import Candidates, DeliveryQuery, Embedded, Filter, Near, Search, Snippet
from recollect.values.transfer import PurgedDigest, StoredRow

_PAGE = 10_000
_NO_ROW = 2**63 - 1
_TAIL = 12
# So many memories at most are read before it is known whether they are needed.
_FEW = 32
_NAMED_ROOMS = (room_text("session", ""), room_text("task", ""))
# Always the same list, for an account without any.
_NO_TRIGGERS: list[tuple[int, str]] = []


class PostgresReader(GraphQueries):
    """Everything that can be read, in one session."""

    def __init__(self, session: PostgresSession, shared: Shared, now: datetime | None) -> None:
        self._session, self._shared, self._now = session, shared, now
        self._views: dict[str, AccountView] = {}
        # Row numbers of memories that were read or written in this session, by id; and records by row, in a view.
        self._rows: dict[str, int] = {}
        self._records: dict[tuple[str, int], Record] = {}
        # The events of operations that were found by a part of their id.
        self._operations: dict[str | None, list[Event]] = {}

    # Memories

    def get(self, account: str, ids: Sequence[str]) -> list[Record | None]:
        wanted = [str(UUID(one)) for one in ids]
        if not wanted:
            return []
        known = self._session.records
        missing = [one for one in wanted if (account, one, self._now) not in known]
        if missing:
            known |= {(account, one, self._now): None for one in missing}
            self._current(account, "get_memories", "ids_given", ids=missing)
        return [known[account, one, self._now] for one in wanted]

    def find_by_id(self, account: str, part: str) -> list[Record]:
        digits = part.replace("-", "").lower()
        low, high = (str(UUID(digits.ljust(32, pad))) for pad in "0f")
        tail = digits[-_TAIL:][::-1]
        values = {"low": low, "high": high, "suffix": digits, "tail": tail, "tail_end": tail + "g"}
        return self._current(account, "memories_like", "ids_like", **values)

    def fetch(self, account: str, rows: Sequence[int]) -> list[Record]:
        numbers = [int(row) for row in rows]
        known = {} if self._session.writes else self._records
        missing = [number for number in numbers if (account, number) not in known]
        if missing:
            known |= self._by_row(account, self._session.run(account, _fetch_statement(missing))[0])
        return [known[account, number] for number in numbers if (account, number) in known]

    def read_snippets(self, account: str, rows: Sequence[int]) -> Sequence[Snippet | Record]:
        known = self._view(account).snippets
        return [known[row] for row in rows] if known.keys() >= set(rows) else self.fetch(account, rows)

    def snippets_with_vectors(
        self, account: str, rows: Sequence[int]
    ) -> tuple[Sequence[Snippet | Record], dict[int, NDArray[np.float32]]]:
        wanted = {"rows": np.array(rows, np.int64), "model": self._shared.model}
        records, vectors = self._session.run(
            account, _fetch_statement(rows), Statement(queries()["vectors_of_rows"], wanted)
        )
        parts: dict[int, list[Any]] = {}
        for row, vector in vectors:
            parts.setdefault(row, []).append(vector)
        found = self._by_row(account, records)
        return [found[account, row] for row in rows], {row: stacked(vectors) for row, vectors in parts.items()}

    def rows_of(self, account: str, ids: Sequence[str]) -> list[int]:
        wanted = [str(UUID(one)) for one in ids]
        missing = [one for one in wanted if one not in self._rows]
        if missing:
            self._rows |= dict(self._read(account, "rows_of", ids=missing))
        return [self._rows[one] for one in wanted if one in self._rows]

    def last_row_of(self, account: str, memory_id: str) -> int | None:
        ((row,),) = self._read(account, "last_row_of", memory=str(UUID(memory_id)))
        return None if row is None else int(row)

    def find(
        self, identity: Identity, wanted: Filter, now: datetime, *, limit: int, before: int | None = None
    ) -> list[Record]:
        page = {"limit": limit if limit >= 0 else None, "before": _NO_ROW if before is None else before}

        def plan(replaced: dict[str, str]) -> Plan:
            where, values = compile_filter(identity, wanted, micros(now), sorted(replaced))
            sql = f"{queries()['find_memories']} {where} {queries()['page']}"
            return Plan((where, values.get("replaced")), [Statement(sql, {**values, **page})], lambda found: found[0])

        rows, replaced = self._with_replaced(identity.account, now, plan)
        return [with_standing(self._memory(row, identity.account), replaced) for row in rows]

    def count_found(self, identity: Identity, wanted: Filter, now: datetime) -> int:
        def plan(replaced: dict[str, str]) -> Plan:
            where, values = compile_filter(identity, wanted, micros(now), sorted(replaced))
            statement = Statement(f"{queries()['count_memories']} {where}", values)
            return Plan((where, values.get("replaced")), [statement], lambda found: found[0][0][0])

        return int(self._with_replaced(identity.account, now, plan)[0])

    def same_text(self, account: str, text: str) -> list[Record]:
        return list(self.texts_of(account, [text])[text].memories)

    def by_key(self, account: str, key: str, place: Place | None = None) -> Record | None:
        return next((record for record in self.with_key(account, key) if place in (None, record.place)), None)

    def with_key(self, account: str, key: str) -> list[Record]:
        return self._current(account, "by_key", "ids_by_key", key=key)

    def has_tombstones(self, account: str) -> bool:
        state = self._session.state(account)
        return state.purged or state.forgotten or self._session.wrote_tombstones

    def places_of(self, account: str, ids: Sequence[str]) -> dict[str, Place]:
        wanted = [str(UUID(one)) for one in ids]
        found: dict[str, Place] = {}
        for memory, place, kind, before, after in self._read(account, "places_of", ids=wanted) if wanted else ():
            images = (None if image is None else json.loads(image) for image in (before, after))
            last = place_of_text(place) if kind is None else last_place(kind, *images)
            if last is not None:
                found[memory] = last
        return found

    def vectors(self, account: str, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors of some memories, of the model in use."""
        parts: dict[str, list[Any]] = {}
        wanted = [str(UUID(one)) for one in ids]
        for key, vector in self._read(account, "vectors_of", model=self._shared.model, ids=wanted):
            parts.setdefault(key, []).append(vector)
        return {key: stacked(vectors) for key, vectors in parts.items()}

    def unembedded(self, account: str, limit: int) -> list[Record]:
        rows = self._read(account, "unembedded", model=self._shared.model, limit=limit if limit >= 0 else None)
        return [self._memory(row, account) for row in rows]

    def count(self, account: str, now: datetime, identity: Identity | None = None) -> dict[str, Any]:
        own = None if identity is None else _rooms_of(identity)

        def plan(_: dict[str, str]) -> Plan:
            # The tags of sessions and tasks are told only where they are named.
            open_rooms = None if own is None else [room for room in own if room not in _NAMED_ROOMS]
            statements = [
                Statement(queries()["tallies"], {"rooms": own}),
                Statement(queries()["most_tags"], {"rooms": open_rooms}),
            ]
            return Plan(None, statements, lambda found: found)

        (tallies, tags), replaced = self._with_replaced(account, now, plan)
        places = map(place_of_text, self._view(account).replacements().active_places(replaced) if replaced else ())
        superseded = sum(identity is None or reaches(identity, place) for place in places)
        return _counts(tallies, tags, superseded, self._shared.model)

    # Searches

    def candidates(self, search: Search) -> Candidates:
        account = search.viewer.account
        missing = [row for row in search.rows if (account, row) not in self._records]
        if search.depth or self._session.writes or not 0 < len(missing) <= _FEW:
            return self._search(search).candidates()
        # A few memories that are asked for by number are fetched next, as far as they are ranked high.
        found, rows = self._search(search).candidates_with(_fetch_statement(missing))
        self._records |= self._by_row(account, rows[0] if rows else [])
        return found

    def near(self, search: Search, vectors: Sequence[NDArray[np.float32]]) -> list[Near]:
        return self._search(search).near(vectors)

    def neighbours(
        self, search: Search, vectors: Sequence[NDArray[np.float32]], phrases: Sequence[Sequence[str]], most: int
    ) -> tuple[list[Near], list[list[int]]]:
        return self._search(search).neighbours(vectors, phrases, most)

    def rows_with_terms(self, search: Search, phrases: Sequence[Sequence[str]], most: int) -> list[list[int]]:
        return self._search(search).rows_with_terms(phrases, most)

    def filter_visible(self, search: Search, rows: Sequence[int]) -> list[int]:
        return self._search(search).filter_visible(rows)

    def fetch_visible(self, search: Search, rows: Sequence[int]) -> dict[int, Record]:
        account = search.viewer.account
        found = self._search(search).visible_memories(rows)
        return {row: record for (_, row), record in self._by_row(account, found).items()}

    def list_by_delivery(self, search: Search, queries: Sequence[DeliveryQuery]) -> list[list[int]]:
        return [[row for (row,) in rows] for rows in self._search(search).rows_by_delivery(queries, "m.row")]

    def fetch_by_delivery(self, search: Search, lists: Sequence[DeliveryQuery]) -> list[dict[int, Record]]:
        found = self._search(search).rows_by_delivery(lists, queries()["memory"])
        return [{row[0]: self._memory(row, search.viewer.account) for row in rows} for rows in found]

    def triggers(self, account: str) -> list[tuple[int, str]]:
        if not self._session.wrote and not self._session.state(account).triggers:
            return _NO_TRIGGERS
        return self._view(account).listed("all_triggers", lambda rows: [(row, pattern) for row, pattern in rows])

    def tag_names(self, account: str) -> list[str]:
        return self._view(account).listed("tag_names", lambda rows: [tag for (tag,) in rows])

    def tag_counts(self, identity: Identity, now: datetime, visit: Visit | None = None) -> dict[str, int]:
        def plan(replaced: dict[str, str]) -> Plan:
            where, values = compile_filter(identity, Filter(visit=visit), micros(now), sorted(replaced))
            statement = Statement(f"{queries()['count_tags']} {where} {queries()['by_tag']}", values)
            return Plan((where, values.get("replaced")), [statement], lambda found: dict(found[0]))

        counts: dict[str, int] = self._with_replaced(identity.account, now, plan)[0]
        return counts

    def embedded(self, account: str) -> Embedded:
        """Every active memory with a vector of the model in use; read in pages."""
        rows, vectors = [np.empty(0, np.int64)], [np.empty((0, self._shared.dimensions), np.float16)]
        places: list[Place] = []
        while True:
            after = int(rows[-1][-1]) if len(rows[-1]) else 0
            values = {"model": self._shared.model, "after": after, "limit": _PAGE}
            found, texts, raw = self._view(account).one(Statement(queries("search.sql")["embedded"], values))
            if found is None:
                return Embedded(np.concatenate(rows), np.concatenate(vectors), tuple(places))
            rows.append(found)
            vectors.append(np.frombuffer(raw, ">f2").astype(np.float16).reshape(len(found), -1))
            places += map(place_of_text, texts)

    def how_many_embedded(self, account: str) -> int:
        statement = Statement(queries("search.sql")["how_many_embedded"], {"model": self._shared.model})
        return int(self._view(account).one(statement)[0])

    # Documents, graph and journal

    def visible_edges(self, search: Search, nodes: Sequence[Node], most: int, *, upwards: bool = True) -> list[Edge]:
        visible: set[int] = set()

        def ask_all(asked: Sequence[tuple[str, dict[str, Any]]]) -> list[Rows]:
            rows, shown = self._search(search).graph_rows(asked)
            visible.update(shown)
            return rows

        account = search.viewer.account
        graph = AccountGraph(partial(self._read, account), account, self._shared.model, ask_all=ask_all)
        return among_visible(graph.edges(nodes, most, upwards=upwards), visible)

    def clusters(self, account: str) -> list[Cluster]:
        state = self._session.known_state(account)
        if state is not None and state.clusters is None and not self._session.wrote:
            return []
        return super().clusters(account)

    def get_documents(self, account: str, ids: Sequence[str]) -> list[Document]:
        return self._graph(account).documents_by_id(list(ids))

    def linked_by(self, account: str, relation: LinkRelation) -> list[str]:
        return [row[1] for row in self._read(account, "linked_by", relation=relation)]

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
        plain = (memory_id, before, since, limit) == (None,) * 4 and not (after or newest_first or embeds)
        if operation in self._operations and plain and not self._session.wrote:
            return self._operations[operation]
        sql = queries()["find_events"]
        values: dict[str, Any] = {
            "after": after,
            "before": _NO_ROW if before is None else before,
            "since": -(2**63) if since is None else micros(since),
            "limit": None if limit is None or limit < 0 else limit,
            "embeds": embeds,
        }
        for name, wanted in (("memory", memory_id), ("operation", operation)):
            if wanted is not None:
                sql += f" {queries()[f'events_of_{name}']}"
                values[name] = str(UUID(wanted))
        sql += f" {queries()['newest_events' if newest_first else 'oldest_events']}"
        return [event_of(row) for row in self._session.run(account, Statement(sql, values))[0]]

    def last_event(self, account: str) -> int:
        if self._session.wrote:
            return int(self._read(account, "last_event")[0][0])
        return self._session.state(account).seq

    def mentions(self, account: str, words: Sequence[str], memory_id: str) -> Mentions:
        names = ("memories_mentioning", "documents_mentioning", "events_mentioning")
        values = {"words": [f"%{word}%" for word in words], "memory": memory_id}
        memories, documents, events = self._session.run(
            account, *(Statement(queries()[name], values) for name in names)
        )
        return Mentions(
            [self._memory(row, account) for row in memories],
            [document_of(row, account) for row in documents],
            [event_of(row) for row in events],
        )

    def operations_like(self, account: str, part: str, limit: int) -> list[str]:
        digits = part.replace("-", "").lower()
        low, high = (str(UUID(digits.ljust(32, pad))) for pad in "0f")
        tail = digits[-_TAIL:][::-1]
        values = {"low": low, "high": high, "suffix": digits, "tail": tail, "tail_end": tail + "g", "limit": limit}
        like = queries()["operations_like"]
        # What is asked of an operation next comes with it: its events, and whether it was undone.
        names = ("events_of_operations", "undone_among")
        more = [Statement(queries()[name].replace("{asked}", like), values) for name in names]
        found, events, undone = self._session.run(account, Statement(like, values), *more)
        operations = [row[0] for row in found]
        self._operations = {operation: [] for operation in operations}
        for event in map(event_of, events):
            self._operations[event.operation].append(event)
        self._session.not_undone |= set(operations) - {row[0] for row in undone}
        return operations

    def latest_operations(
        self, account: str, limit: int, before: int | None = None, *, actor: str | None = None
    ) -> list[list[Event]]:
        until = _NO_ROW if before is None else before
        values = {"limit": limit, "before": until, "kinds": list(NOT_UNDOABLE), "actor": actor}
        found: dict[str, list[Event]] = {}
        for event in map(event_of, self._read(account, "latest_operations", **values)):
            found.setdefault(event.operation, []).append(event)
        self._session.not_undone |= found.keys()
        return list(found.values())

    def undone(self, account: str, operations: Iterable[str]) -> frozenset[str]:
        """Those of some operations that a later one has undone."""
        asked = [one for one in operations if one not in self._session.not_undone]
        return frozenset(row[0] for row in self._read(account, "undone", ids=asked)) if asked else frozenset()

    # Accounts and the store

    def check_switches(self, account: str, check: SwitchCheck) -> None:
        self._session.check_switches(account, check)

    def switched_off(self, account: str) -> frozenset[str]:
        if self._session.switched:
            return frozenset(row[0] for row in self._read(account, "switched_off"))
        return self._session.state(account).off

    def note(self, name: str, account: str | None = None) -> str | None:
        session = self._session
        found = (
            session.read_store("get_note", name=name)
            if account is None
            else session.read("get_note", account, name=name)
        )
        return str(found[0][0]) if found else None

    def digest_keys(self, account: str) -> tuple[str, ...]:
        return tuple(key.hex() for key in self._session.secrets(account))

    def accounts(self) -> list[str]:
        if not self._session.sees_all():
            raise StoreError(
                "only the owner of the schema may list the accounts; give the URL of that role, or name the account"
            )
        with self._session.as_login_role():
            return [name for (name,) in self._session.read_store("all_accounts")]

    def scan(self, account: str, after: int, limit: int) -> list[StoredRow]:
        values = {"after": after, "limit": limit}
        rows, vectors = self._session.run(
            account, *(Statement(queries()[name], values) for name in ("scan", "scan_vectors"))
        )
        parts: dict[int, list[Any]] = {}
        models: dict[int, str] = {}
        for row, model, vector in vectors:
            parts.setdefault(row, []).append(vector.to_numpy().astype(np.float16))
            models[row] = model
        return [
            StoredRow(
                row[0],
                memory_of(row, account),
                models.get(row[0]),
                np.stack(parts[row[0]]) if row[0] in parts else None,
                row[-1],
            )
            for row in rows
        ]

    def purged_digests(self, account: str) -> list[PurgedDigest]:
        rows = self._read(account, "purged_digests")
        return sorted(PurgedDigest(digest, place_of_text(place)) for digest, place in rows)

    def texts_of(self, account: str, texts: Sequence[str]) -> dict[str, StoredText]:
        if not texts:
            return {}
        # The digests are made with the keys the process saw last; which ones are in use now is read together with the texts.
        secrets = self._shared.secrets.get(account) or self._keys(account)
        found = self._read_texts(account, texts, secrets)
        if self._keys(account) != secrets:
            found = self._read_texts(account, texts, self._keys(account))
        self._shared.secrets[account] = self._keys(account)
        return found

    def _keys(self, account: str) -> tuple[bytes, ...]:
        """The keys of the hashes of an account's texts. Before its first text there is none, and any key finds nothing."""
        return self._session.secrets(account) or (b"none",)

    def _read_texts(self, account: str, texts: Sequence[str], secrets: Sequence[bytes]) -> dict[str, StoredText]:
        """What there is of some texts, by their digests under the key in use; former keys count for what was purged."""
        digests = {text: fingerprint(text, secrets[0]) for text in texts}
        gone = {text: {one for secret in secrets for one in purge_digests(text, secret).sought} for text in texts}
        values = {"all": list(set().union(*gone.values())), "digests": list(set(digests.values()))}
        names = ("purged_among", "by_digests", "replacing")
        purged, rows, replacing = self._session.run_with_secrets(
            account,
            *(Statement(queries()[name].replace("{asked}", queries()["ids_by_digest"]), values) for name in names),
        )
        found: dict[bytes, list[Record]] = {}
        records = self._with_status(account, [row[:-1] for row in rows], replacing)
        for row, record in zip(rows, records, strict=True):
            found.setdefault(row[-1], []).append(record)
        places: dict[bytes, list[Place]] = {}
        for digest, place in purged:
            places.setdefault(digest, []).append(place_of_text(place))
        return {
            text: StoredText(
                tuple(dict.fromkeys(place for one in gone[text] for place in places.get(one, ()))),
                tuple(found.get(digest, ())),
            )
            for text, digest in digests.items()
        }

    def _read(self, account: str, name: str, /, **values: Any) -> Rows:
        return self._session.read(name, account, **values)

    def _current(self, account: str, name: str, selecting: str, /, **values: Any) -> list[Record]:
        """The memories of a named query, each with what supersedes it now, followed to the end of the chain.

        `selecting` names the query that selects the ids of the same memories.
        """
        statements = [Statement(queries()[name], values)]
        state = self._session.known_state(account)
        if state is None or state.replacing or self._session.wrote:
            statements.append(Statement(queries()["replacing"].replace("{asked}", queries()[selecting]), values))
        rows, *replacing = self._session.run(account, *statements)
        return self._with_status(account, rows, replacing[0] if replacing else [])

    def _with_status(self, account: str, rows: Rows, replacing: Rows) -> list[Record]:
        replaced = heirs_of_rows(replacing, self._now) if replacing else {}
        found = [with_standing(self._memory(row, account), replaced) for row in rows]
        self._session.records |= {(account, record.id, self._now): record for record in found}
        return found

    def _by_row(self, account: str, rows: Rows) -> dict[tuple[str, int], Record]:
        return {(account, row[0]): self._memory(row, account) for row in rows}

    def _memory(self, row: Sequence[Any], account: str) -> Record:
        record = memory_of(row, account)
        self._rows[record.id] = row[0]
        return record

    def _with_replaced(
        self, account: str, now: datetime, make: Callable[[dict[str, str]], Plan]
    ) -> tuple[Any, dict[str, str]]:
        """Run a plan made from the memories that are superseded at a moment, and return these too.

        It is made from what was known last; if that has changed meanwhile, it is made and run again.
        """
        view = self._view(account)
        state = self._session.known_state(account)
        if state is not None:
            replaced = view.replacements().successors(now)
            plan = make(replaced)
            return plan.read(view.run(*plan.statements)), replaced
        stamp, latest = view.latest_replacements()
        plan = make(latest.successors(now))
        found, *rows = view.run(view.replacements_statement(stamp), *plan.statements)
        replaced = view.fresh_replacements(stamp, found[0]).successors(now)
        fresh = make(replaced)
        return fresh.read(rows if fresh.key == plan.key else view.run(*fresh.statements)), replaced

    def _graph(self, account: str) -> AccountGraph:
        return AccountGraph(
            partial(self._read, account), account, self._shared.model, ask_all=partial(self._read_all, account)
        )

    def _read_all(self, account: str, asked: Sequence[tuple[str, dict[str, Any]]]) -> list[Rows]:
        return self._session.run(account, *(Statement(queries()[name], values) for name, values in asked))

    def _view(self, account: str) -> AccountView:
        """What a search works on; another one after every change."""
        found = self._views.get(account)
        if found is None or found.version != self._session.version:
            found = self._views[account] = AccountView(self._session, self._shared, account)
        return found

    def _search(self, search: Search) -> TableSearch:
        return TableSearch(self._view(search.viewer.account), search)


def _fetch_statement(rows: Sequence[int]) -> Statement:
    return Statement(queries()["fetch_rows"], {"rows": np.array(rows, np.int64)})


def _rooms_of(identity: Identity) -> list[str]:
    """The rooms whose memories an identity reaches."""
    shared = [room_text(scope, "") for scope in SCOPES if scope not in OWNED_SCOPES]
    return [*shared, *(room_text(scope, name) for scope, name in identity.owners())]


def _counts(tallies: Rows, tags: Rows, superseded: int, model: str) -> dict[str, Any]:
    """What `stats` tells, from the counters of the rooms that are reached."""
    by_kind: dict[str, dict[str, int]] = {}
    scopes: dict[str, int] = {}
    for kind, name, room, held in tallies:
        counted = by_kind.setdefault(kind, {})
        counted[name] = counted.get(name, 0) + held
        if kind == "status" and name == "active":
            scope = json.loads(f'{room}""]')[0]
            scopes[scope] = scopes.get(scope, 0) + held
    statuses = by_kind.get("status", {})
    models, projects = by_kind.get("model", {}), by_kind.get("project", {})
    total = sum(statuses.values())
    if superseded:
        statuses = {**statuses, "active": statuses["active"] - superseded, "superseded": superseded}
    return {
        "statuses": {name: count for name, count in statuses.items() if count},
        "types": by_kind.get("type", {}),
        "scopes": scopes,
        "projects": dict(sorted(projects.items(), key=lambda pair: (-pair[1], pair[0]))),
        "tags": dict(tags),
        "models": models,
        "events": by_kind.get("event", {}).get("", 0),
        "unembedded": total - models.get(model, 0),
    }
