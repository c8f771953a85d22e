"""Writing one file: inside one IMMEDIATE transaction, each change writes its row, tags, vector and journal event."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from recollect import errors
from recollect.ports import Accesses
from recollect.store.graph import access_row, cluster_row, document_row
from recollect.store.index.account_index import AccountIndex
from recollect.store.index.columns import IndexEntry
from recollect.store.rows import dumped, event_row, micros, place_text, user_names
from recollect.store.secrets import checked
from recollect.store.sqlite.index_cache import Uncommitted
from recollect.store.sqlite.queries import queries
from recollect.store.sqlite.reader import OpenFile, SqliteReader
from recollect.store.sqlite.rows import blob_of, id_bytes, id_text, note_name, row_of, vectors_of
from recollect.store.sqlite.transfer import AccountTransfer
from recollect.values.cluster import Cluster, nearest_cluster, owner_of
from recollect.values.document import Access, Document, journal_sides
from recollect.values.enums import DocumentKind, EventKind
from recollect.values.event import Event, Image, Operation, difference, to_image
from recollect.values.ids import new_id
from recollect.values.memory import Record
from recollect.values.metadata import entries_of
from recollect.values.purge_digests import kept_digests
from recollect.values.scope import Place
from recollect.values.transfer import PurgedDigest


class SqliteTransaction(SqliteReader):
    """A reader that can also write, and sees what it wrote."""

    def __init__(
        self,
        file: OpenFile,
        connection: sqlite3.Connection,
        account: str,
        operation: Operation,
        uncommitted: Uncommitted,
    ) -> None:
        super().__init__(file, connection, operation.at)
        self.operation = operation
        self._account, self._uncommitted = account, uncommitted
        self._numbers: dict[str, int] = {}
        self._stamps: dict[str, str | None] = {}
        self._changes = connection.total_changes

    def warm(self, account: str) -> AccountIndex:
        """The account's index with what was written so far."""
        number = self._number(account)
        if self._connection.total_changes == self._changes:
            return self._indexes.as_of_view(self._connection, account, number, self._view)
        return self._indexes.as_of_transaction(self._connection, account, number, self._uncommitted)

    def index_bulk(self) -> None:
        """Before the commit of many new memories: bring them into the index while they are in hand."""
        if self._uncommitted.is_bulk:
            self.warm(self._account)

    def committed(self) -> None:
        """Share what this transaction learned."""
        self._file.accounts |= self._numbers
        self._indexes.commit(self._uncommitted)

    def insert(self, memory: Record, vectors: NDArray[np.float32] | None, kind: EventKind = "remember") -> None:
        number = self._own(memory.account)
        try:
            cursor = self._run("insert_memory", **row_of(memory, number, self.digest(memory.content)))
        except sqlite3.IntegrityError:
            field = "key" if memory.key is not None and self.by_key(memory.account, memory.key) else "id"
            raise errors.InvalidInput(field, "is taken by another memory", "leave it out or choose another") from None
        row = cursor.lastrowid or 0
        self._indexes.count_written(memory.account)
        self._put_tags(number, row, memory.tags)
        self._put_metadata(number, row, memory)
        self._put_links(number, row, memory)
        blob = self._put_vectors(row, vectors, memory)
        seq = self._journal(memory.id, row, kind, None, {})
        # What its row does not say by itself is left to be read.
        if (memory.account, memory.supersedes) == (self._account, None) and memory.status != "superseded":
            entry = IndexEntry(row, memory, vectors_of(blob, self._indexes.dimensions))
            self._uncommitted.note(seq, memory.account, entry)

    def change(
        self,
        before: Record,
        after: Record,
        kind: EventKind,
        *,
        vectors: NDArray[np.float32] | None = None,
        reason: str | None = None,
    ) -> None:
        number, row = self._own(after.account), self._row(after)
        self._run("update_memory", **row_of(after, number, self.digest(after.content)))
        if after.tags != before.tags:
            self._run("drop_tags", row=row)
            self._put_tags(number, row, after.tags)
        if after.metadata != before.metadata:
            self._run("drop_metadata", row=row)
            self._put_metadata(number, row, after)
        if (after.links, after.triggers) != (before.links, before.triggers):
            self._run("drop_links", row=row)
            self._run("drop_triggers", row=row, account=number)
            self._put_links(number, row, after)
        if after.content != before.content:
            self._put_vectors(row, vectors, after)
        elif owner_of(after.place) != owner_of(before.place):
            self._run("leave_cluster", row=row)
        self._journal(after.id, row, kind, *difference(before, after), reason=reason)

    def remove(self, memory: Record, kind: EventKind = "undo") -> None:
        row = self._row(memory)
        self._run("delete_memory", id=id_bytes(memory.id), account=self._own(memory.account))
        self._journal(memory.id, row, kind, to_image(memory), None)

    def purge(self, memory: Record, earlier: Sequence[str] = (), *, keep: bool = True) -> None:
        number, row = self._own(memory.account), self._row_or_zero(memory)
        # The name of a cluster is made of its members' words.
        if (cluster := self._run("cluster_of", row=row).fetchone()) is not None:
            self.drop_clusters(memory.account, [id_text(cluster["id"])])
        self._run("delete_memory", id=id_bytes(memory.id), account=number)
        self._run("scrub_events", memory=id_bytes(memory.id), account=number)
        for digest in kept_digests((memory.content, *earlier), self.secrets()[0]) if keep else ():
            self._run("add_purged", account=number, digest=digest, place=place_text(memory.place))
        # Where it lived stays, so that only those are shown the event who could have seen the memory.
        self._journal(memory.id, row, "purge", None, {"place": list(memory.place)} if keep else None)

    def set_vectors(self, account: str, memory_id: str, vectors: NDArray[np.float32] | None) -> None:
        (memory,) = self.get(account, [memory_id])
        if memory is not None:
            row = self._row(memory)
            self._put_vectors(row, vectors, memory)
            self._journal(memory_id, row, "embed", {}, {})

    def touch(self, account: str, accesses: Accesses) -> None:
        number = self._own(account)
        if not accesses:
            return
        touch = int(self.note("touches") or 0) + 1
        self.set_note("touches", str(touch))
        own = {"account": number, "number": touch}
        rows = [{**own, "row": row, "count": count, "at": micros(at)} for row, (count, at) in accesses.items()]
        self._connection.executemany(queries()["touch"], rows)
        self._uncommitted.forget_events()
        self._uncommitted.touches.append((account, accesses, touch))

    def switch(self, account: str, project: str, on: bool) -> None:
        self._run("switch_on" if on else "switch_off", account=self._own(account), project=project)

    def allow_again(self, account: str, text: str, places: Sequence[Place]) -> None:
        """A person's explicit wish outweighs an earlier purge of the same text."""
        digests = (one for found in self.purge_digests(text) for one in found.both)
        for digest, place in product(digests, places):
            self._run("drop_purged", account=self._own(account), digest=digest, place=place_text(place))

    def put_document(
        self, before: Document | None, after: Document | None, kind: EventKind | None, reason: str | None = None
    ) -> None:
        held = after or before
        assert held is not None
        number = self._own(held.account)
        self._document_changes(held)
        if after is None:
            self._run("drop_document", id=id_bytes(held.id), account=number)
        else:
            self._run("put_document", account=number, **document_row(after, id_bytes))
        if kind is not None:
            old, new = journal_sides(before, after)
            seq = self._journal(held.id, 0, kind, old, new, reason, held.kind)
            self._uncommitted.note(seq, self._account, None)

    def purge_document(self, document: Document) -> None:
        number = self._own(document.account)
        self._document_changes(document)
        self._run("drop_document", id=id_bytes(document.id), account=number)
        self._run("scrub_events", memory=id_bytes(document.id), account=number)
        self._journal(document.id, 0, "purge", None, None, document=document.kind)

    def log_access(self, account: str, document: str, access: Access) -> None:
        number = self._own(account)
        self._run("log_access", account=number, document=id_bytes(document), **access_row(access, id_bytes))

    def put_cluster(self, account: str, cluster: Cluster, rows: Sequence[int], model: str | None = None) -> None:
        number = self._own(account)
        self._run("put_cluster", account=number, **cluster_row(cluster, model or self._indexes.model, id_bytes))
        self._run("clear_cluster", id=id_bytes(cluster.id), account=number)
        values = [{"row": int(row), "id": id_bytes(cluster.id), "account": number} for row in rows]
        self._connection.executemany(queries()["join_cluster"], values)
        self._clusters_changed(account)

    def drop_clusters(self, account: str, ids: Sequence[str]) -> None:
        for cluster in ids:
            self._run("drop_cluster", id=id_bytes(cluster), account=self._own(account))
        self._clusters_changed(account)

    def set_undoes(self, operation: str) -> None:
        self.operation = replace(self.operation, undoes=operation)

    def set_note(self, name: str, value: str, account: str | None = None) -> None:
        self._run("set_note", name=note_name(name, account), value=value)

    def keep_vectors(self, memory: Record, model: str, vectors: NDArray[np.float32]) -> None:
        row = self._row(memory)
        self._uncommitted.forget_events()
        if model == self._indexes.model:
            self._put_vectors(row, checked(model, vectors, self._indexes.dimensions), memory)
        else:
            self._whole(memory.account).put_vectors(row, model, vectors)

    def rewrite_event(self, account: str, event: Event) -> None:
        images = {"before": dumped(event.before), "after": dumped(event.after)}
        self._run("rewrite_event", account=self._own(account), seq=event.seq, reason=event.reason, **images)

    def erase_name(self, account: str, user: str) -> None:
        for query in ("erase_actor", "erase_accessor", "drop_purged_of_user"):
            self._run(query, account=self._own(account), **user_names(user))

    def keep_purged(self, account: str, secrets: Sequence[str], digests: Sequence[PurgedDigest]) -> None:
        AccountTransfer(self._connection, account, self._own(account)).keep_purged(secrets, digests)
        self._secrets = []

    def replay(self, account: str, event: Event) -> int:
        return AccountTransfer(self._connection, account, self._own(account)).replay(event)

    def _number(self, account: str) -> int:
        """The number of an account; one that this transaction gave is shared when it commits."""
        return self._numbers.get(account) or super()._number(account)

    def _own(self, account: str) -> int:
        """The number of an account, which is given one when this is the first write to it."""
        number = self._number(account)
        if number == 0:
            number = self._numbers[account] = self._run("add_account", name=account).lastrowid or 0
        return number

    def _row(self, memory: Record) -> int:
        row = self._row_or_zero(memory)
        if not row:
            raise errors.NotFound("memory", memory.id)
        return row

    def _row_or_zero(self, memory: Record) -> int:
        """The row of a memory; 0, which no memory has, when it was removed."""
        found = self._run("row_of", id=id_bytes(memory.id), account=self._own(memory.account)).fetchone()
        return 0 if found is None else int(found["row"])

    def _put_tags(self, number: int, row: int, tags: tuple[str, ...]) -> None:
        for tag in tags:
            self._run("add_tag", account=number, tag=tag, row=row)

    def _put_metadata(self, number: int, row: int, memory: Record) -> None:
        if memory.metadata:
            values = [
                {"account": number, "path": path, "value": value, "row": row}
                for path, value in entries_of(memory.metadata)
            ]
            self._connection.executemany(queries()["add_metadata"], values)

    def _put_links(self, number: int, row: int, memory: Record) -> None:
        for link in memory.links:
            target = id_bytes(link.target)
            self._run("add_link", source=row, relation=link.relation, target=target, weight=link.weight)
        for pattern in memory.triggers:
            self._run("add_trigger", account=number, row=row, pattern=pattern)

    def _put_vectors(self, row: int, vectors: NDArray[np.float32] | None, memory: Record) -> bytes | None:
        """Write the vectors of a row, or that it has none; returns them as written."""
        blob = None if vectors is None else blob_of(vectors)
        if blob is None:
            self._run("drop_vector", row=row)
        else:
            self._run("put_vector", row=row, model=self._indexes.model, vector=blob)
        if not (known := self._known_clusters(memory.account)):
            return blob
        cluster = None if vectors is None else nearest_cluster(known, memory.place, np.atleast_2d(vectors)[0])
        if cluster is None:
            self._run("leave_cluster", row=row)
        else:
            self._run("join_cluster", row=row, id=id_bytes(cluster.id), account=self._own(memory.account))
        return blob

    def _known_clusters(self, account: str) -> list[Cluster]:
        """The clusters of an account, read anew only when somebody changed them."""
        # Nobody else writes while this transaction is open, so the note is read once.
        if account not in self._stamps:
            self._stamps[account] = self.note("clusters", account)
        stamp = (self._stamps[account], self._indexes.model)
        held = self._file.clusters.get(account)
        if held is None or held[0] != stamp:
            held = self._file.clusters[account] = (stamp, self.clusters(account))
        return held[1]

    def _document_changes(self, document: Document) -> None:
        if document.kind == "gap":
            self.set_note("gaps", new_id(self.operation.at), document.account)

    def _clusters_changed(self, account: str) -> None:
        self.set_note("clusters", new_id(self.operation.at), account)
        self._stamps.pop(account, None)

    def _journal(
        self,
        memory: str,
        row: int,
        kind: EventKind,
        before: Image | None,
        after: Image | None,
        reason: str | None = None,
        document: DocumentKind | None = None,
    ) -> int:
        values = event_row(self.operation, kind, memory, before, after, reason, document, id_bytes)
        return self._run("add_event", account=self._own(self._account), row=row, **values).lastrowid or 0
