"""The derived indexes of one file: one an account, caught up from the journal before every search.

Catching up asks one question (where do the journal and the count of accesses stand?) and reads only what changed since, whoever
changed it. Where this process wrote every event since, and only new memories, what it wrote is taken as it was told, not read
back. A missing, stale or broken snapshot only costs the time to read the rows again.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from recollect.persist.index.account import AccountIndex
from recollect.persist.index.rows import Entry
from recollect.persist.index.snapshot import Stamp, read_snapshot, snapshot_path, write_snapshot
from recollect.persist.sqlite.rows import id_bytes, memory_of, vectors_of
from recollect.persist.sqlite.sql import queries
from recollect.values.memory import Record

_BATCH = 20_000
_WORTH_KEEPING = 500
_MOST_TOLD = 64


class Indexes:
    """All account indexes that this process has needed so far."""

    def __init__(self, folder: Path | None, store: str) -> None:
        self.model, self.dimensions = "none", 1
        self._folder, self._store = folder, store
        self._open: dict[str, AccountIndex] = {}
        self._written: Counter[str] = Counter()
        # Events this process wrote, by their numbers: of which account, and the new memory if it was one.
        self._told: dict[int, tuple[str, Entry | None]] = {}
        self.snapshot_problem: str | None = None

    def use_model(self, model: str, dimensions: int) -> None:
        """Compare vectors of this model from now on; those of others are left alone."""
        if (model, dimensions) != (self.model, self.dimensions):
            self.model, self.dimensions = model, dimensions
            self.forget()

    def wrote(self, account: str) -> None:
        """Count a row written to an account."""
        self._written[account] += 1

    def tell(self, seq: int, account: str, entry: Entry | None) -> None:
        """Take note of an event that brought one new memory as its row has it, or that no memory has a part in."""
        self._told[seq] = (account, entry)
        if len(self._told) > _MOST_TOLD:
            del self._told[next(iter(self._told))]

    def untell(self) -> None:
        """Rows are changed without an event: what was told of them is no longer so."""
        self._told.clear()

    def worth_building(self) -> list[str]:
        """Accounts that got many rows, whose index would save the next process time."""
        return [account for account, count in self._written.items() if self._folder and count >= _WORTH_KEEPING]

    def forget(self) -> None:
        """Drop everything derived; after a rollback it may hold what never was."""
        self._open.clear()
        self._told.clear()

    def caught_up(self, connection: sqlite3.Connection, account: str, number: int) -> AccountIndex:
        """The index of an account, as of now."""
        seq, touches = _stand(connection)
        index = self._open.get(account)
        own = None if index is None else self._own_since(connection, index.seq, seq, account)
        if index is not None and own is None and _purged_since(connection, index.seq, number):
            # Its vocabulary may still hold words of what was purged: it is made anew, without them.
            index = None
        if index is None or index.wasted > 0.5:
            index, own = self._start(connection, account, number, seq, touches), None
            self._open[account] = index
        if index.seq < seq:
            if own is None:
                self._replay(connection, index, account, number)
            elif own:
                _bring(index, own)
            index.seq = seq
        if index.touches != touches:
            self._count_touches(connection, index, number, touches)
        return index

    def touch(self, account: str, counts: Mapping[int, int], at: float, number: int) -> None:
        """Mirror a count of accesses; the index of another account, or one that missed an earlier count, reads it."""
        self.untell()
        index = self._open.get(account)
        if index is not None:
            index.touch(counts, at)
            if index.touches == number - 1:
                index.touches = number

    def save(self, connection: sqlite3.Connection, numbers: Mapping[str, int]) -> None:
        """Write the snapshots that would save the next process time. A failure costs time later, nothing else."""
        for account, index in self._open.items():
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
        """Delete the snapshot of an account: it may hold what was purged."""
        if self._folder is not None:
            snapshot_path(self._folder, account).unlink(missing_ok=True)
        self._open.pop(account, None)

    def _stamp(self, seq: int) -> Stamp:
        return Stamp(self._store, self.model, self.dimensions, seq)

    def _start(self, connection: sqlite3.Connection, account: str, number: int, seq: int, touches: int) -> AccountIndex:
        if self._folder is not None:
            index = read_snapshot(snapshot_path(self._folder, account), self._stamp(seq))
            if index is not None:
                return index
        index = AccountIndex(self.dimensions, seq=seq, touches=touches)
        values = {"account": number, "model": self.model}
        entries = self._entries(connection.execute(queries()["all_entries"], values), account)
        while batch := list(islice(entries, _BATCH)):
            index.upsert(batch)
        return index

    def _count_touches(self, connection: sqlite3.Connection, index: AccountIndex, number: int, touches: int) -> None:
        """Accesses are no events: those that other processes counted, or that came after a snapshot, are read here."""
        since = index.touches if index.touches < touches else 0
        for row, count, at in connection.execute(queries()["touched_since"], {"account": number, "since": since}):
            index.set_access(row, count, at / 1_000_000)
        index.touches = touches

    def _own_since(self, connection: sqlite3.Connection, known: int, seq: int, account: str) -> list[Entry] | None:
        """The new memories of an account since an event, by row; None when they have to be read."""
        if seq - known > len(self._told):
            return None
        since = [self._told.get(number) for number in range(known + 1, seq + 1)]
        if None in since:
            return None  # somebody else wrote, or something else
        own = [told[1] for told in since if told and told[0] == account and told[1]]
        if any(_is_superseded(connection, entry.memory) for entry in own):
            return None
        return sorted(own, key=lambda entry: entry.row)

    def _replay(self, connection: sqlite3.Connection, index: AccountIndex, account: str, number: int) -> None:
        values = {"account": number, "seq": index.seq}
        touched = connection.execute(queries()["changed_since"], values).fetchall()
        if not touched:
            return
        ids = json.dumps(sorted({event["memory"].hex() for event in touched}))
        rows = connection.execute(queries()["some_entries"], {"account": number, "model": self.model, "ids": ids})
        entries = list(self._entries(rows, account))
        # A row number may have been given to another memory since: what is there now is brought in, the rest is gone.
        _bring(index, entries, {event["row"] for event in touched} - {entry.row for entry in entries})

    def _entries(self, rows: Iterator[sqlite3.Row], account: str) -> Iterator[Entry]:
        for row in rows:
            vector, supersedes = row[-2:]  # by place: names are looked up one after the other
            yield Entry(row["row"], memory_of(row, account), vectors_of(vector, self.dimensions), supersedes or 0)


def _bring(index: AccountIndex, entries: Sequence[Entry], gone: Iterable[int] = ()) -> None:
    index.drop(gone)
    index.upsert(entries)


def _stand(connection: sqlite3.Connection) -> tuple[int, int]:
    """Where the journal stands, and how often accesses were counted."""
    seq, touches = connection.execute(queries()["stand"]).fetchone()
    return seq or 0, touches or 0


def _is_superseded(connection: sqlite3.Connection, memory: Record) -> bool:
    """Whether something that came before a new memory supersedes it."""
    return connection.execute(queries()["is_superseded"], {"id": id_bytes(memory.id)}).fetchone() is not None


def _purged_since(connection: sqlite3.Connection, seq: int, number: int) -> bool:
    """Whether another process purged something that an index as of `seq` may still hold words of."""
    values = {"account": number, "seq": seq}
    return connection.execute(queries()["purged_since"], values).fetchone() is not None
