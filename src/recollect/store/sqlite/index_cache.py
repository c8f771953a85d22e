"""The derived indexes of one file, shared by all views of this process: one index per account, caught up from the journal.

A view searches an index as of its own snapshot. Catching up asks one question (where do the journal and the count of accesses
stand?) and reads only what changed since, whoever changed it. Only committed rows reach a shared index:

- An index that another open view may still search is never changed; the newer one is a fork that shares what is equal.
- A transaction that searches after it wrote works on a fork of its own, which becomes the shared index when it commits.

A missing, stale or broken snapshot file only costs the time to read the rows again.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from time import perf_counter

from recollect.log import info
from recollect.ports import Accesses
from recollect.store.index.account_index import AccountIndex
from recollect.store.index.columns import IndexEntry
from recollect.store.index.snapshot import Stamp, read_snapshot, snapshot_path, write_snapshot
from recollect.store.sqlite.queries import queries
from recollect.store.sqlite.rows import hex_list, memory_of, vectors_of
from recollect.values.memory import Record

_BATCH = 20_000
_WORTH_KEEPING = 500
# Two batches of a bulk load, which the index takes from memory instead of reading them back.
_MOST_OWN_EVENTS = 1024
# From so many events on, a transaction is a bulk load: the index grows with it, not at the next search.
_BULK = 256

# Events by sequence number: of which account, and the new memory if the event stored one.
OwnEvents = dict[int, tuple[str, IndexEntry | None]]


@dataclass(slots=True)
class Uncommitted:
    """What one transaction derived and noted; it reaches the shared indexes when the transaction commits."""

    model: str
    forks: dict[str, AccountIndex] = field(default_factory=dict)
    events: OwnEvents = field(default_factory=dict)
    touches: list[tuple[str, Accesses, int]] = field(default_factory=list)
    only_mine: bool = False

    def note(self, seq: int, account: str, entry: IndexEntry | None) -> None:
        """An event that stored one new memory exactly as its row has it, or that is about no memory."""
        self.events[seq] = (account, entry)
        _keep_latest(self.events)

    @property
    def is_bulk(self) -> bool:
        """Whether there are many events, and all of them are still in hand."""
        return _BULK <= len(self.events) < _MOST_OWN_EVENTS

    def forget_events(self) -> None:
        """Rows change without an event: what is known of earlier events is no longer true of them."""
        self.events.clear()
        self.only_mine = True


# Seconds after which loading an index is told.
_WORTH_TELLING = 0.5


class IndexCache:
    """All account indexes that this process has needed so far. Whoever uses one holds `lock` while searching it."""

    def __init__(self, folder: Path | None, store: str) -> None:
        self.model, self.dimensions = "none", 1
        self.lock = threading.RLock()
        self.snapshot_problem: str | None = None
        self._folder, self._store = folder, store
        self._current: dict[str, AccountIndex] = {}
        self._written: Counter[str] = Counter()
        self._own_events: OwnEvents = {}
        # Open views by number, each with the version that was current when it began; and the indexes replaced since,
        # which those views may still need: (version that replaced it, account, index).
        self._views: dict[int, int] = {}
        self._last_view = self._version = 0
        self._replaced: list[tuple[int, str, AccountIndex]] = []

    def use_model(self, model: str, dimensions: int) -> None:
        """Compare vectors of this model from now on; those of others are left alone."""
        with self.lock:
            if (model, dimensions) != (self.model, self.dimensions):
                self.model, self.dimensions = model, dimensions
                self._current.clear()
                self._replaced.clear()
                self._own_events.clear()

    def begin_view(self) -> int:
        """Number a view. Called before its snapshot is taken, so that no index from before is newer than the snapshot."""
        with self.lock:
            self._last_view += 1
            self._views[self._last_view] = self._version
            return self._last_view

    def end_view(self, view: int) -> None:
        """Let go of the indexes that only this view may have needed."""
        with self.lock:
            del self._views[view]
            if self._replaced:
                oldest = min(self._views.values(), default=self._version)
                self._replaced = [kept for kept in self._replaced if kept[0] > oldest]

    def count_written(self, account: str) -> None:
        """Count a row written to an account."""
        self._written[account] += 1

    def worth_building(self) -> list[str]:
        """Accounts that got many rows, whose index would save the next process time."""
        return [account for account, count in self._written.items() if self._folder and count >= _WORTH_KEEPING]

    def as_of_view(self, connection: sqlite3.Connection, account: str, number: int, view: int) -> AccountIndex:
        """The index of an account as of the snapshot that a view reads; nobody changes it while the view is open."""
        with self.lock:
            seq, touches = _position(connection)
            index = self._current.get(account)
            if index is not None and index.seq > seq:
                return self._older(connection, account, number, view)
            if index is None or index.seq < seq or index.touches < touches:
                alone = len(self._views) == (view in self._views)
                base = index if index is None or alone or index.seq == seq else index.fork()
                started = perf_counter()
                index = self._caught_up(connection, base, account, number, self._own_events)
                self._publish(account, index)
                if (seconds := perf_counter() - started) > _WORTH_TELLING:
                    info("index: %s in %.2f s", "built" if base is None else "caught up", seconds)
            return index

    def as_of_transaction(
        self, connection: sqlite3.Connection, account: str, number: int, mine: Uncommitted
    ) -> AccountIndex:
        """The index of an account with what an open transaction wrote; nobody else sees it before the commit."""
        with self.lock:
            index = mine.forks.get(account)
            if index is None and (shared := self._current.get(account)) is not None:
                index = shared.fork()
            events = mine.events if mine.only_mine else self._own_events | mine.events
            mine.forks[account] = index = self._caught_up(connection, index, account, number, events)
            return index

    def commit(self, mine: Uncommitted) -> None:
        """A transaction is committed: what it derived is shared from now on."""
        with self.lock:
            for account, index in mine.forks.items() if mine.model == self.model else ():
                current = self._current.get(account)
                if current is None or current.seq <= index.seq:
                    self._publish(account, index)
            if mine.only_mine:
                self._own_events.clear()
            self._own_events |= mine.events
            _keep_latest(self._own_events)
            for account, accesses, count in mine.touches:
                self._touch(account, accesses, count)

    def save(self, connection: sqlite3.Connection, numbers: Mapping[str, int]) -> None:
        """Write the snapshots that would save the next process time. A failure costs time later, nothing else."""
        with self.lock:
            for account, index in self._current.items():
                few = index.changes < max(_WORTH_KEEPING, index.table.size // 20)
                if self._folder is None or few or index.wasted > 0.2:
                    continue
                path, number = snapshot_path(self._folder, account), numbers.get(account, 0)
                if _purged_since(connection, index.seq, number):
                    continue
                try:
                    write_snapshot(path, index, self._stamp(index.seq))
                    index.changes = 0
                except OSError as error:
                    self.snapshot_problem = str(error)
                if _purged_since(connection, index.seq, number):
                    path.unlink(missing_ok=True)

    def discard(self, account: str) -> None:
        """Drop everything derived of an account, its snapshot too: it may hold what was purged."""
        with self.lock:
            if self._folder is not None:
                snapshot_path(self._folder, account).unlink(missing_ok=True)
            self._current.pop(account, None)
            self._replaced = [kept for kept in self._replaced if kept[1] != account]
            self._own_events.clear()

    def _publish(self, account: str, index: AccountIndex) -> None:
        before = self._current.get(account)
        self._current[account] = index
        if before is not None and before is not index and self._views:
            self._version += 1
            self._replaced.append((self._version, account, before))

    def _older(self, connection: sqlite3.Connection, account: str, number: int, view: int) -> AccountIndex:
        """The index for a view that began before others made the shared one newer than its snapshot."""
        seq, _ = _position(connection)
        began = self._views.get(view, self._version)
        kept = [
            index
            for version, owner, index in self._replaced
            if owner == account and version > began and index.seq <= seq
        ]
        newest = max(kept, key=lambda index: index.seq, default=None)
        base = newest if newest is None or newest.seq == seq else newest.fork()
        return self._caught_up(connection, base, account, number, {})

    def _caught_up(
        self, connection: sqlite3.Connection, index: AccountIndex | None, account: str, number: int, events: OwnEvents
    ) -> AccountIndex:
        """An index brought to what a connection sees, or a new one; the one given is changed."""
        seq, touches = _position(connection)
        own = None if index is None else _own_since(connection, events, index.seq, seq, account, number)
        if index is not None and own is None and _purged_since(connection, index.seq, number):
            # Its vocabulary may still hold words of what was purged: it is made anew, without them.
            index = None
        if index is None or index.wasted > 0.5:
            index, own = self._start(connection, account, number, seq, touches), None
        if index.seq < seq:
            if own is None:
                self._replay(connection, index, account, number)
            elif own:
                _apply(index, own)
            index.seq = seq
        if index.touches < touches:
            _read_touches(connection, index, number, touches)
        return index

    def _touch(self, account: str, accesses: Accesses, count: int) -> None:
        """Mirror a count of accesses; an index that missed an earlier count reads it when it is next searched."""
        self._own_events.clear()
        index = self._current.get(account)
        if index is not None and index.touches == count - 1:
            index.touch(accesses)
            index.touches = count

    def _stamp(self, seq: int) -> Stamp:
        return Stamp(self._store, self.model, self.dimensions, seq)

    def _start(self, connection: sqlite3.Connection, account: str, number: int, seq: int, touches: int) -> AccountIndex:
        if self._folder is not None:
            index = read_snapshot(snapshot_path(self._folder, account), self._stamp(seq))
            if index is not None:
                # Ahead of the file, which was restored from a backup then: read every count again.
                index.touches = index.touches if index.touches <= touches else 0
                return index
        index = AccountIndex(self.dimensions, seq=seq, touches=touches)
        values = {"account": number, "model": self.model}
        entries = self._entries(connection.execute(queries()["all_entries"], values), account)
        while batch := list(islice(entries, _BATCH)):
            index.upsert(batch)
        return index

    def _replay(self, connection: sqlite3.Connection, index: AccountIndex, account: str, number: int) -> None:
        values = {"account": number, "seq": index.seq}
        touched = connection.execute(queries()["changed_since"], values).fetchall()
        if not touched:
            return
        ids = json.dumps(sorted({event["memory"].hex() for event in touched}))
        rows = connection.execute(queries()["some_entries"], {"account": number, "model": self.model, "ids": ids})
        entries = list(self._entries(rows, account))
        # A row number may have been given to another memory since: what is there now is brought in, the rest is gone.
        _apply(index, entries, {event["row"] for event in touched} - {entry.row for entry in entries})

    def _entries(self, rows: Iterator[sqlite3.Row], account: str) -> Iterator[IndexEntry]:
        for row in rows:
            vector, supersedes = row[-2:]  # by position: names are looked up one after the other
            yield IndexEntry(row["row"], memory_of(row, account), vectors_of(vector, self.dimensions), supersedes or 0)


def _apply(index: AccountIndex, entries: Sequence[IndexEntry], gone: Iterable[int] = ()) -> None:
    index.drop(gone)
    index.upsert(entries)


def _keep_latest(events: OwnEvents) -> None:
    while len(events) > _MOST_OWN_EVENTS:
        del events[next(iter(events))]


def _own_since(
    connection: sqlite3.Connection, events: OwnEvents, known: int, seq: int, account: str, number: int
) -> list[IndexEntry] | None:
    """The new memories of an account since an event, by row, where this process wrote every event; None when they must be read."""
    if seq - known > len(events):
        return None
    since = [events.get(each) for each in range(known + 1, seq + 1)]
    if None in since:
        return None  # somebody else wrote, or something else
    own = [event[1] for event in since if event and event[0] == account and event[1]]
    if _any_superseded(connection, [entry.memory for entry in own], number):
        return None
    return sorted(own, key=lambda entry: entry.row)


def _read_touches(connection: sqlite3.Connection, index: AccountIndex, number: int, touches: int) -> None:
    """Accesses are no events: those that other processes counted, or that came after a snapshot, are read here."""
    values = {"account": number, "since": index.touches}
    for row, count, at in connection.execute(queries()["touched_since"], values):
        index.set_access(row, count, at / 1_000_000)
    index.touches = touches


def _position(connection: sqlite3.Connection) -> tuple[int, int]:
    """The sequence number of the last event, and how often accesses were counted."""
    seq, touches = connection.execute(queries()["position"]).fetchone()
    return seq or 0, touches or 0


def _any_superseded(connection: sqlite3.Connection, memories: Sequence[Record], number: int) -> bool:
    """Whether something that came before new memories supersedes one of them."""
    values = {"ids": hex_list(memory.id for memory in memories), "account": number}
    return bool(memories) and connection.execute(queries()["any_superseded"], values).fetchone() is not None


def _purged_since(connection: sqlite3.Connection, seq: int, number: int) -> bool:
    """Whether another process purged something that an index as of `seq` may still hold words of."""
    values = {"account": number, "seq": seq}
    return connection.execute(queries()["purged_since"], values).fetchone() is not None
