"""Link: one account seen in one view of the database, with what is known of it already.

What a process knows of an account is good while the account's journal stands still, so it is kept by that number; inside a
transaction that has written nothing is kept beyond the link itself.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from recollect.persist.postgres.columns import Array, Texts
from recollect.persist.postgres.places import place_text, room_text
from recollect.persist.postgres.replacements import NO_ROWS, Replacements, replacements
from recollect.persist.postgres.sql import queries
from recollect.persist.postgres.vector_index import INDEXED_FROM, index_name
from recollect.values.search import Floats, Glimpse, Search

if TYPE_CHECKING:
    from recollect.persist.postgres.legs import Ask
    from recollect.persist.postgres.session import Standing
    from recollect.persist.postgres.wire import Wire

_MANY, _LITTLE = 4096, 0.1


@dataclass(frozen=True, slots=True)
class Facts:
    """An account in numbers: its memories and their words, those of them that are behind no wall to the viewer, the mean of
    its vectors and how many, and what is in the places looked in."""

    held: int
    words: int
    replacing: int
    considered: int
    indexed: bool
    mean: Floats | None
    embedded: int
    memories: int
    vectors: int


NOTHING = Facts(0, 0, 0, 0, indexed=False, mean=None, embedded=0, memories=0, vectors=0)


class Known:
    """What one process knows of accounts, the least recently used forgotten first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[object, tuple[object, Any]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: object, stamp: object) -> Any:
        """What is kept under a key, if it is of this state."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept[0] != stamp:
                return None
            self._kept.move_to_end(key)
            return kept[1]

    def latest(self, key: object) -> tuple[Any, Any]:
        """The last state under which something was kept, and what."""
        with self._lock:
            return self._kept.get(key, (None, None))

    def keep(self, key: object, stamp: object, value: object) -> None:
        """Remember something of a state."""
        with self._lock:
            self._kept[key] = (stamp, value)
            self._kept.move_to_end(key)
            if len(self._kept) > _MANY:
                self._kept.popitem(last=False)


@dataclass(slots=True)
class Link:
    """The way to one account. `stamp` is where its journal stands, None once this transaction has written; `still` says that all
    that is asked is of one moment; `glimpsed` is what some rows say, told with where they are."""

    connection: Wire
    account_id: int
    account: str
    model: str
    dimensions: int
    known: Known
    stamp: int | None
    standing: Standing
    still: bool = False
    glimpsed: dict[int, Glimpse] = field(default_factory=dict)
    _own: dict[object, Any] = field(default_factory=dict)

    def replaced(self) -> Replacements:
        """Who supersedes whom."""
        found = self._remembered("replaced")
        if found is None:
            found = self._keep("replaced", replacements(self.connection, self.account_id))
        return found  # type: ignore[no-any-return]

    def superseded(self, search: Search) -> NDArray[np.int64]:
        """The rows replaced for a viewer at a moment."""
        if (self.facts(search) if self.stamp is None else self.standing).replacing == 0:
            return NO_ROWS
        key = (search.viewer, search.now, search.past)
        if self._own.get("superseded", (None,))[0] != key:
            self._own["superseded"] = (key, self.replaced().superseded(search))
        return self._own["superseded"][1]  # type: ignore[no-any-return]

    def facts(self, search: Search) -> Facts:
        """The account in numbers, for what this viewer looks at."""
        key = self._facts_key(search)
        found = self._own.get(key) or self._remembered(key)
        return self.told_facts(search, self.row("facts", self.facts_of(search))) if found is None else found

    def facts_of(self, search: Search) -> dict[str, Any]:
        """What is bound when the facts are asked for."""
        places, identity = search.viewer.places(), search.viewer.identity
        rooms = [("agent", identity.agent), *(("team", team) for team in identity.teams)]
        return {
            "account_id": self.account_id,
            "places": Texts(place_text(place) for place in sorted(places)),
            "own": Texts(room_text(scope, room) for scope, room in rooms if room),
            "model": self.model,
            "index": index_name(self.account_id, self.model),
        }

    def told_facts(self, search: Search, row: tuple[Any, ...] | None) -> Facts:
        """The facts as the server tells them, remembered."""
        key, found = self._facts_key(search), NOTHING if row is None else _facts(row)
        # An index may be made at any moment without a line in the journal: as long as one is due, look again.
        if found.indexed or found.embedded < INDEXED_FROM:
            self._keep(key, found)
        self._own[key] = found
        return found

    def roughly(self, search: Search) -> Facts:
        """The same for choosing a way only: of an earlier moment, while the account has grown or shrunk little since."""
        _, earlier = self.lately(search)
        return earlier if earlier is not None and self.still_tell(earlier) else self.facts(search)

    def lately(self, search: Search) -> tuple[int | None, Facts | None]:
        """The same of an earlier moment, if there was one, and where the journal stood."""
        return self.known.latest((self.account_id, self._facts_key(search)))

    def still_tell(self, earlier: Facts) -> bool:
        """Whether facts of an earlier moment choose a way as those of now would: the account has hardly grown or shrunk."""
        return abs(earlier.held - self.standing.held) <= _LITTLE * earlier.held

    def knows_replaced(self) -> bool:
        """Whether who supersedes whom need not be asked for."""
        return self.standing.replacing == 0 or self._remembered("replaced") is not None

    def _facts_key(self, search: Search) -> object:
        return ("facts", self.model, search.viewer)

    def counted(self, search: Search, passing: int | None = None) -> Any:
        """How many rows pass this filter, remembered for the further looks of the same question; None when nobody counted."""
        key = ("passing", search.viewer, search.filter, search.now, search.past)
        return self._remembered(key) if passing is None else self._keep(key, passing)

    def memories_of(self, marks: NDArray[np.int32]) -> NDArray[np.int64]:
        """How many memories hold each of some words."""
        counts = self._remembered(("words", marks.tobytes())) if len(marks) else np.empty(0, np.int64)
        return self.met(marks, *self.row("memories_of_words", {"marks": marks})) if counts is None else counts

    def met(self, marks: NDArray[np.int32], known: Array | None, memories: Array) -> NDArray[np.int64]:
        """The same from the words that any memory holds, remembered for the further looks of the same question."""
        held = {} if known is None else dict(zip(known.tolist(), memories.tolist(), strict=True))
        counts = np.array([held.get(mark, 0) for mark in marks.tolist()], np.int64)
        self._keep(("words", marks.tobytes()), counts)
        return counts

    def row(self, name: str, values: Mapping[str, Any], statement: str | None = None) -> Any:
        """The one row of a statement, its arrays as numpy's."""
        sql = queries("search.sql")[name] if statement is None else statement
        found = self.connection.ask(sql, {"account_id": self.account_id, **values})
        return found[0] if found else None

    def rows(self, asked: Sequence[Ask]) -> list[Any]:
        """The one row of each of several statements, in one round trip."""
        own = {"account_id": self.account_id}
        found = self.connection.ask_all([(ask.statement, own | ask.values) for ask in asked])
        return [rows[0] if rows else None for rows in found]

    def _remembered(self, key: object) -> Any:
        if self.stamp is None:
            return self._own.get(key)
        return self.known.get((self.account_id, key), self.stamp)

    def _keep(self, key: object, value: Any) -> Any:
        if self.stamp is None:
            self._own[key] = value
        else:
            self.known.keep((self.account_id, key), self.stamp, value)
        return value


@dataclass(slots=True)
class Shared:
    """What every reader and transaction of one open store shares."""

    model: str = "none"
    dimensions: int = 1
    known: Known = field(default_factory=Known)
    secrets: tuple[bytes, ...] = ()
    """As the last change found them."""

    def likely_new(self, account_id: int) -> bool:
        """Whether what an account is told next is likely to be new to it: as the last was."""
        return self.known.latest(("new", account_id))[1] is not False

    def was_new(self, account_id: int, new: bool) -> None:
        """Take note of whether what an account was told was new to it."""
        self.known.keep(("new", account_id), None, new)

    def link(self, connection: Wire, standing: Standing, stamp: int | None, *, still: bool) -> Link:
        """The way to an account, over a connection that looks at it."""
        number, account = standing.account_id, standing.account
        return Link(connection, number, account, self.model, self.dimensions, self.known, stamp, standing, still)


def _facts(row: tuple[Any, ...]) -> Facts:
    held, words, replacing, considered, indexed, embedded, total, memories, vectors = row
    mean = None if not embedded else (total / np.float32(embedded)).astype(np.float32)
    return Facts(held, words, replacing, considered, indexed, mean, embedded or 0, memories, vectors)
