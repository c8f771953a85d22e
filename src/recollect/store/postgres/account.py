"""What a process knows of an account, and how a search asks for the rest.

Knowledge is valid while the account's last event stays the same. A search is made from what was valid last and sent together with
the question whether it still is, so that a warm process needs no round trip to find out.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from recollect.store.postgres.connections import Rows, Statement
from recollect.store.postgres.rows import account_number, room_text
from recollect.store.postgres.session import PostgresSession
from recollect.store.postgres.sql import Array, TextArray, queries
from recollect.store.postgres.vector_index import INDEXED_FROM, index_name
from recollect.store.postgres.visibility import NO_REPLACEMENTS, Replacements, replacements_of_row
from recollect.store.rows import place_text
from recollect.values.search import Floats, Search, Snippet

T = TypeVar("T")
_MOST, _LITTLE = 4096, 0.1


@dataclass(frozen=True, slots=True)
class Facts:
    """An account in numbers, for one viewer.

    `held` memories of `words` terms, `replacing` of which supersede another; `considered` are outside the rooms of other
    agents, teams and users. `mean` is the mean of its `embedded` vectors. `memories` and `vectors` are in the places that the
    viewer reaches.
    """

    held: int = 0
    words: int = 0
    replacing: int = 0
    considered: int = 0
    indexed: bool = False
    mean: Floats | None = None
    embedded: int = 0
    memories: int = 0
    vectors: int = 0


class AccountCache:
    """What one process knows of accounts, each entry with the state it was valid for; least recently used entries are dropped."""

    def __init__(self) -> None:
        self._kept: OrderedDict[object, tuple[object, Any]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: object, stamp: object) -> Any:
        """The value of a key, if it was kept for this state."""
        kept, value = self.latest(key)
        return value if kept == stamp else None

    def latest(self, key: object) -> tuple[Any, Any]:
        """The last value of a key and the state it was kept for; (None, None) without one."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key, (None, None))

    def keep(self, key: object, stamp: object, value: object) -> None:
        """Keep a value for a state."""
        with self._lock:
            self._kept[key] = (stamp, value)
            self._kept.move_to_end(key)
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)


@dataclass(slots=True)
class Shared:
    """What all readers and transactions of one open store share."""

    model: str = "none"
    dimensions: int = 1
    cache: AccountCache = field(default_factory=AccountCache)
    # The keys of the hashes of texts, by account, as they were read last.
    secrets: dict[str, tuple[bytes, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Known:
    """What a search is made from: the facts of the account, and who supersedes whom."""

    facts: Facts
    replacements: Replacements


@dataclass(frozen=True, slots=True)
class Plan:
    """Statements made from what is known, and how their rows are read.

    Two plans with the same `key` send the same statements.
    """

    key: object
    statements: Sequence[Statement]
    read: Callable[[Sequence[Rows]], Any]


class AccountView:
    """One account inside one session. After the session has written, nothing it reads is kept for later ones."""

    def __init__(self, session: PostgresSession, shared: Shared, account: str) -> None:
        self.session, self.account, self.account_id = session, account, account_number(account)
        self.model, self.dimensions = shared.model, shared.dimensions
        # What some rows say, read together with where they are.
        self.snippets: dict[int, Snippet] = {}
        self._cache = shared.cache
        self._own: dict[object, Any] = {}
        # Another view is made after the next change.
        self.version = session.version

    def run(self, *statements: Statement) -> list[Rows]:
        """The rows of statements about this account, in one round trip."""
        return self.session.run(self.account, *statements)

    def one(self, statement: Statement) -> Any:
        """The only row of a statement."""
        ((row,),) = self.run(statement)
        return row

    @property
    def stamp(self) -> int | None:
        """The state to keep knowledge for; None while that is not known, and after this session has written."""
        state = self.session.known_state(self.account)
        return None if state is None or self.session.wrote else state.seq

    def run_plan(self, search: Search, make: Callable[[Known], Plan], *, roughly: bool = False) -> Any:
        """Run a plan made from what was known last, together with the question whether that is still true; if not, run it again.

        A plan whose answer does not depend on the facts, only the way to it, is made from what is `roughly` true without asking.
        """
        known = self._known(search)
        asked = [] if roughly and known is not None and self._is_roughly(known) else self._questions(search)
        if known is None:
            known = self._answered(search, self.run(*asked))
            asked = []
        plan = make(known)
        found = self.run(*asked, *plan.statements)
        if asked:
            fresh = make(self._answered(search, found[: len(asked)]))
            if fresh.key != plan.key:
                return fresh.read(self.run(*fresh.statements))
            plan = fresh
        return plan.read(found[len(asked) :])

    def _is_roughly(self, known: Known) -> bool:
        """Whether an account has hardly grown or shrunk since its facts were read, and nothing in it supersedes anything."""
        state = self.session.known_state(self.account)
        if state is None or self.session.wrote or state.replacing or known.facts.replacing:
            return False
        return abs(state.held - known.facts.held) <= _LITTLE * known.facts.held

    def facts(self, search: Search) -> Facts:
        """The account in numbers, as of this session."""
        return self.known(search).facts

    def known(self, search: Search) -> Known:
        """Facts and replacements as of this session."""
        asked = self._questions(search)
        return self._answered(search, self.run(*asked)) if asked else self._current(search)

    def replacements(self) -> Replacements:
        """Who supersedes whom, as of this session."""
        state = self.session.state(self.account)
        if state.replacing == 0 and not self.session.wrote:
            return NO_REPLACEMENTS
        found = self._get("replacements")
        if found is None:
            found = self._keep("replacements", replacements_of_row(self.one(self.replacements_statement(-1))))
        return found  # type: ignore[no-any-return]

    def latest_replacements(self) -> tuple[int, Replacements]:
        """Who superseded whom when a session last asked, and after which event that was; -1 when nobody asked."""
        stamp, found = self._cache.latest((self.account_id, "replacements"))
        return (-1, NO_REPLACEMENTS) if stamp is None else (stamp, found)

    def replacements_statement(self, unless: int) -> Statement:
        """Who supersedes whom, unless the account's last event is the given one."""
        return Statement(queries("search.sql")["replacements"], {"account_id": self.account_id, "unless": unless})

    def fresh_replacements(self, unless: int, row: tuple[Any, ...]) -> Replacements:
        """The answer to that statement, kept."""
        kept, latest = self._cache.latest((self.account_id, "replacements"))
        if self.stamp is not None and kept == unless == self.stamp:
            return latest  # type: ignore[no-any-return]
        return self._keep("replacements", replacements_of_row(row))  # type: ignore[no-any-return]

    def passing(self, search: Search, count: int | None = None) -> int | None:
        """How many rows pass a filter, if it was counted; kept for the other searches of the same question."""
        key = ("passing", search.viewer, search.filter, search.now, search.past)
        return self._get(key) if count is None else self._keep(key, count)  # type: ignore[no-any-return]

    def memories_with_terms(self, marks: NDArray[np.int32]) -> NDArray[np.int64]:
        """How many memories have each of some terms."""
        if len(marks) == 0:
            return np.empty(0, np.int64)
        counts = self._get(("terms", marks.tobytes()))
        if counts is None:
            statement = Statement(queries("search.sql")["memories_of_words"], {"marks": marks})
            counts = self.keep_term_counts(marks, *self.one(statement))
        return counts  # type: ignore[no-any-return]

    def keep_term_counts(self, marks: NDArray[np.int32], found: Array | None, memories: Array) -> NDArray[np.int64]:
        """The same from the terms that any memory has; kept for the other searches of the same question."""
        held = {} if found is None else dict(zip(found.tolist(), memories.tolist(), strict=True))
        counts = np.array([held.get(mark, 0) for mark in marks.tolist()], np.int64)
        self._keep(("terms", marks.tobytes()), counts)
        return counts

    def listed(self, name: str, made: Callable[[Rows], list[T]]) -> list[T]:
        """What a named query lists; the same list object while nothing changed."""
        self.session.state(self.account)
        found: list[T] | None = self._get(name)
        if found is None:
            found = self._keep(name, made(self.session.read(name, self.account)))
        return found

    def _known(self, search: Search) -> Known | None:
        """What was known last, whatever the state of the account was then."""
        facts = self._own.get(_key(self.model, search))
        if facts is None:
            _, facts = self._cache.latest((self.account_id, _key(self.model, search)))
        return None if facts is None else Known(facts, self._own.get("replacements") or self.latest_replacements()[1])

    def _questions(self, search: Search) -> list[Statement]:
        """What to ask to know the facts and replacements of now; nothing when they are known."""
        if self._current_or_none(search) is not None:
            return []
        facts = Statement(queries("search.sql")["facts"], self._facts_values(search))
        return [facts, self.replacements_statement(-1 if self.session.wrote else self.latest_replacements()[0])]

    def _answered(self, search: Search, found: Sequence[Rows]) -> Known:
        if not found:
            return self._current(search)
        facts = _facts_of(found[0])
        if search.viewer.everywhere:
            facts = replace(facts, memories=facts.held, vectors=facts.embedded)
        key = _key(self.model, search)
        self._own[key] = facts
        # An index is made without an event: as long as one is due, the facts are asked for again.
        if facts.indexed or facts.embedded < INDEXED_FROM:
            self._keep(key, facts)
        elif self.stamp is not None:
            self._cache.keep((self.account_id, key), None, facts)
        unless = -1 if self.session.wrote else self.latest_replacements()[0]
        return Known(facts, self.fresh_replacements(unless, found[1][0]))

    def _current(self, search: Search) -> Known:
        found = self._current_or_none(search)
        assert found is not None
        return found

    def _current_or_none(self, search: Search) -> Known | None:
        key = _key(self.model, search)
        facts = self._own.get(key)
        if facts is None and self.stamp is not None:
            facts = self._get(key)
        replacements = self._get("replacements")
        if facts is None or (replacements is None and facts.replacing):
            return None
        return Known(facts, replacements or NO_REPLACEMENTS)

    def _facts_values(self, search: Search) -> dict[str, Any]:
        places, identity = search.viewer.places(), search.viewer.identity
        return {
            "places": TextArray(place_text(place) for place in sorted(places)),
            "own": TextArray(room_text(scope, room) for scope, room in identity.owners()),
            "model": self.model,
            "index": index_name(self.account_id, self.model),
        }

    def _get(self, key: object) -> Any:
        stamp = self.stamp
        return self._own.get(key) if stamp is None else self._cache.get((self.account_id, key), stamp)

    def _keep(self, key: object, value: Any) -> Any:
        stamp = self.stamp
        if stamp is None:
            self._own[key] = value
        else:
            self._cache.keep((self.account_id, key), stamp, value)
        return value


def _key(model: str, search: Search) -> object:
    return ("facts", model, search.viewer)


def _facts_of(rows: Rows) -> Facts:
    if not rows:
        return Facts()
    held, words, replacing, considered, indexed, embedded, total, memories, vectors = rows[0]
    mean = None if not embedded else (total / np.float32(embedded)).astype(np.float32)
    return Facts(held, words, replacing, considered, indexed, mean, embedded or 0, memories, vectors)
