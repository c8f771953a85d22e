"""Reading: rows become memories, filters become SQL, and searches go to `look`. Every question names its account."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.persist.graph import AccountGraph, GraphReader
from recollect.persist.postgres.ahead import Outlook, looked
from recollect.persist.postgres.embeddings import embedded, how_many_embedded
from recollect.persist.postgres.filter import compile_filter, reach
from recollect.persist.postgres.link import Link, Shared
from recollect.persist.postgres.look import Look
from recollect.persist.postgres.rows import stacked
from recollect.persist.postgres.session import Rows, Session
from recollect.persist.postgres.settling import replacements_of
from recollect.persist.postgres.sql import queries
from recollect.persist.postgres.whole import WholeReader
from recollect.persist.rows import event_of, memory_of, micros
from recollect.persist.settling import settled, with_standing
from recollect.persist.tally import counts
from recollect.values.event import Event
from recollect.values.filter import Filter
from recollect.values.ids import fingerprint
from recollect.values.memory import Record
from recollect.values.scope import Identity, Place
from recollect.values.search import Candidates, Embedded, Glimpse, Near, Search

T = TypeVar("T")


class PostgresReader(WholeReader, GraphReader):
    """Everything that can be asked, over one session."""

    def __init__(self, session: Session, shared: Shared, now: datetime | None, first: Search | None = None) -> None:
        self._session, self._shared, self._now = session, shared, now
        self._links: dict[str, Link] = {}
        ahead = None if first is None else looked(session, shared, first)
        self._outlook = ahead if isinstance(ahead, Outlook) else None
        if ahead is not None:
            link = ahead.link if isinstance(ahead, Outlook) else ahead
            self._links[link.account] = link

    def get(self, account: str, ids: Sequence[str]) -> list[Record | None]:
        whole = [str(UUID(wanted)) for wanted in ids]
        found = {memory.id: memory for memory in self._settled(account, self._ask(account, "get_memories", ids=whole))}
        return [found.get(wanted) for wanted in whole]

    def fetch(self, account: str, rows: Sequence[int]) -> list[Record]:
        numbers = [int(row) for row in rows]
        found = {
            row[0]: memory_of(row, account)
            for row in self._ask(account, "fetch_rows", rows=np.array(numbers, np.int64))
        }
        return [found[number] for number in numbers if number in found]

    def glimpse(self, account: str, rows: Sequence[int]) -> Sequence[Glimpse | Record]:
        seen = self._link(account).glimpsed
        return [seen[row] for row in rows] if seen.keys() >= set(rows) else self.fetch(account, rows)

    def rows_of(self, account: str, ids: Sequence[str]) -> list[int]:
        whole = [str(UUID(wanted)) for wanted in ids]
        found: dict[str, int] = dict(self._ask(account, "rows_of", ids=whole))
        return [found[wanted] for wanted in whole if wanted in found]

    def resolve(self, account: str, part: str) -> list[str]:
        digits = part.replace("-", "").lower()
        low, high = (str(UUID(digits.ljust(32, pad))) for pad in "0f")
        found = self._ask(account, "id_prefix", low=low, high=high) or self._ask(account, "id_suffix", suffix=digits)
        return [row[0] for row in found]

    def find(self, identity: Identity, wanted: Filter, now: datetime, *, limit: int, offset: int = 0) -> list[Record]:
        replaced = self._link(identity.account).replaced().heirs(now)
        where, values = compile_filter(identity, wanted, micros(now), list(replaced))
        values |= {"limit": limit if limit >= 0 else None, "offset": offset}
        sql = f"{queries()['find_memories']} {where} {queries()['page']}"
        rows = self._session.read(sql, identity.account, values)
        return [with_standing(memory_of(row, identity.account), replaced) for row in rows]

    def candidates(self, search: Search) -> Candidates:
        outlook, self._outlook = self._outlook, None
        if outlook is not None and outlook.serves(search):
            self._session.at(search.viewer.account)  # another account may have been looked at meanwhile
            return outlook.look.candidates(search.rows, outlook.legs)
        return self._look(search).candidates(search.rows)

    def near(self, search: Search, vectors: Sequence[NDArray[np.float32]]) -> list[Near]:
        return self._look(search).near(vectors)

    def holding(self, search: Search, phrases: Sequence[Sequence[str]], most: int) -> list[list[int]]:
        return self._look(search).holding(phrases, most)

    def same_text(self, account: str, text: str) -> list[Record]:
        return self._settled(account, self._ask(account, "by_digest", digest=self.digests(text)[0]))

    def purged(self, account: str, text: str) -> bool:
        if not self._session.wrote and not self._session.at(account).purged:
            return False
        return bool(self._ask(account, "is_purged", digests=self.digests(text)))

    def by_key(self, account: str, key: str, place: Place | None = None) -> Record | None:
        found = self._settled(account, self._ask(account, "by_key", key=key))
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

    def triggers(self, account: str) -> list[tuple[int, str]]:
        return self._listed(account, "all_triggers", lambda rows: [(row, pattern) for row, pattern in rows])

    def tag_names(self, account: str) -> list[str]:
        return self._listed(account, "tag_names", lambda rows: [tag for (tag,) in rows])

    def tag_counts(self, identity: Identity, now: datetime) -> dict[str, int]:
        replaced = self._link(identity.account).replaced().heirs(now)
        where, values = compile_filter(identity, Filter(), micros(now), list(replaced))
        rows = self._session.read(f"{queries()['count_tags']} {where} {queries()['by_tag']}", identity.account, values)
        return dict(rows)

    def embedded(self, account: str) -> Embedded:
        return embedded(self._link(account))

    def how_many_embedded(self, account: str) -> int:
        return how_many_embedded(self._link(account))

    def vectors(self, account: str, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors of some memories, of the model in use."""
        values = {"model": self._shared.model, "ids": [str(UUID(wanted)) for wanted in ids]}
        parts: dict[str, list[Any]] = {}
        for key, vector in self._session.read(queries()["vectors_of"], account, values, binary=True):
            parts.setdefault(key, []).append(vector)
        return {key: stacked(vectors) for key, vectors in parts.items()}

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
        values = {
            "memory": None if memory_id is None else str(UUID(memory_id)),
            "operation": None if operation is None else str(UUID(operation)),
            "after": after,
            "since": None if since is None else micros(since),
            "limit": None if limit is None or limit < 0 else limit,
            "embeds": embeds,
        }
        return [
            event_of(row) for row in self._ask(account, f"{'newest' if newest_first else 'oldest'}_events", **values)
        ]

    def undone(self, account: str, operations: Iterable[str]) -> frozenset[str]:
        """Those of some operations that a later one has undone."""
        return frozenset(row[0] for row in self._ask(account, "undone", ids=list(operations)))

    def count(self, account: str, now: datetime, identity: Identity | None = None) -> dict[str, Any]:
        values = {"model": self._shared.model, "replaced": list(self._link(account).replaced().heirs(now))}
        reached = "true" if identity is None else reach(identity, values)

        def ask(name: str) -> Rows:
            return self._session.read(queries()[name].replace("{reached}", reached), account, values)

        return counts(ask)

    def unembedded(self, account: str, limit: int) -> list[Record]:
        rows = self._ask(account, "unembedded", model=self._shared.model, limit=limit if limit >= 0 else None)
        return [memory_of(row, account) for row in rows]

    def switched_off(self, account: str) -> frozenset[str]:
        self._session.settle()
        if self._session.wrote:
            return frozenset(row[0] for row in self._ask(account, "switched_off"))
        return self._session.at(account).off

    def note(self, name: str) -> str | None:
        found = self._session.read_store("get_note", {"name": name})
        return str(found[0][0]) if found else None

    def digests(self, text: str) -> list[bytes]:
        """The keyed fingerprint of a text in this store, then those under each former key."""
        return [fingerprint(text, secret) for secret in self._session.secrets()]

    def _ask(self, account: str, name: str, /, **values: Any) -> Rows:
        return self._session.read(queries()[name], account, values)

    def _listed(self, account: str, name: str, made: Callable[[Rows], list[T]]) -> list[T]:
        link, known = self._link(account), self._shared.known
        held: list[T] | None = None if link.stamp is None else known.get((name, link.account_id), link.stamp)
        if held is None:
            held = made(self._ask(account, name))
            if link.stamp is not None:
                known.keep((name, link.account_id), link.stamp, held)
        return held

    def _graph(self, account: str) -> AccountGraph:
        return AccountGraph(partial(self._ask, account), account, self._shared.model)

    def _link(self, account: str) -> Link:
        """What a search works on, after what waits to be written."""
        self._session.settle()
        standing, shared = self._session.at(account), self._shared
        if self._session.wrote:
            self._links.clear()
        found = self._links.get(account)
        if found is None:
            stamp = None if self._session.wrote else standing.seq
            found = shared.link(self._session.connection, standing, stamp, still=not self._session.writes)
            self._links[account] = found
        return found

    def _look(self, search: Search) -> Look:
        return Look(self._link(search.viewer.account), search)

    def _settled(self, account: str, rows: Rows) -> list[Record]:
        """Memories with what is worked out at read time: whether something in force supersedes them."""
        memories = [memory_of(row, account) for row in rows]
        return settled(memories, lambda ids: replacements_of(self._ask(account, "replacing", ids=list(ids)), self._now))
