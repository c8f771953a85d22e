"""Writing: inside one transaction that holds the account's lock, each change writes its row, tags, vectors and journal event.

Nothing is sent until the next read or the commit; see `write_batch.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from secrets import token_bytes

import numpy as np
from numpy.typing import NDArray

from recollect import errors
from recollect.ports import Accesses
from recollect.store.graph import access_row, cluster_row, document_row
from recollect.store.postgres.account import Shared
from recollect.store.postgres.connections import Statement
from recollect.store.postgres.reader import PostgresReader
from recollect.store.postgres.rows import STORE, account_number, row_of
from recollect.store.postgres.session import PostgresSession
from recollect.store.postgres.write_batch import Counters, WriteBatch
from recollect.store.rows import dumped, event_row, micros, place_text, replayed_row, user_names
from recollect.store.secrets import checked, joined_secrets
from recollect.values.cluster import Cluster, nearest_cluster, owner_of
from recollect.values.document import Access, Document, journal_sides
from recollect.values.enums import DocumentKind, EventKind
from recollect.values.event import Event, Image, Operation, difference, to_image
from recollect.values.ids import fingerprint, new_id
from recollect.values.memory import Record
from recollect.values.purge_digests import kept_digests, purge_digests
from recollect.values.scope import Place
from recollect.values.transfer import PurgedDigest

Vectors = NDArray[np.float32]


class PostgresTransaction(PostgresReader):
    """A reader that can also change; it sees what it wrote."""

    def __init__(self, session: PostgresSession, shared: Shared, account: str, operation: Operation) -> None:
        super().__init__(session, shared, operation.at)
        self.operation = operation
        self._account = account
        self.batch = WriteBatch(session, account, account_number(account), shared.model)
        self._clusters: list[Cluster] | None = None
        self._reclustered = self._wrote_documents = False
        session.before_reads(self._statements)

    # Memories

    def insert(self, memory: Record, vectors: Vectors | None, kind: EventKind = "remember") -> None:
        self._own(memory.account)
        self._session.wrote_tombstones |= memory.status == "forgotten"
        cluster = self._nearest_cluster(memory, vectors)
        row = self.batch.number()
        self.batch.insert(row, memory, self._digest(memory.content), vectors, self.operation, kind)
        self._rows[memory.id] = row
        self._forget_read(memory.id, memory.supersedes is not None)
        if cluster is not None:
            self.batch.join(row, cluster.id)

    def change(
        self,
        before: Record,
        after: Record,
        kind: EventKind,
        *,
        vectors: Vectors | None = None,
        reason: str | None = None,
    ) -> None:
        row, batch = self._row(after), self.batch
        self._session.wrote_tombstones |= after.status == "forgotten"
        values = row_of(after, batch.account_id, self._digest(after.content))
        batch.later("update_memory", **{**values, "row": row})
        if after.tags != before.tags:
            batch.later("drop_tags", row=row)
            batch.tag(row, after)
        if after.metadata != before.metadata:
            batch.later("drop_metadata", row=row)
            batch.describe(row, after)
        if (after.links, after.triggers) != (before.links, before.triggers):
            batch.later("drop_links", row=row)
            batch.later("drop_triggers", row=row)
            batch.link(row, after)
        batch.counters.change(row, before, after)
        if after.content != before.content:
            self._put_vectors(row, vectors, after)
        elif owner_of(after.place) != owner_of(before.place):
            batch.later("leave_cluster", row=row)
        self._forget_read(after.id, (before.supersedes or after.supersedes) is not None)
        self._journal(after, row, kind, *difference(before, after), reason=reason)

    def remove(self, memory: Record, kind: EventKind = "undo") -> None:
        row = self._row(memory)
        self._delete(row, memory)
        self._journal(memory, row, kind, to_image(memory), None, gone=True)

    def purge(self, memory: Record, earlier: Sequence[str] = (), *, keep: bool = True) -> None:
        self._own(memory.account)
        # A memory that was removed before has no row, only images in the journal.
        row = next(iter(self.rows_of(memory.account, [memory.id])), 0)
        if row and self._known_clusters():
            # The name of a cluster is made of its members' words.
            self.batch.later("drop_cluster_of", row=row)
            self._clusters_changed()
        if row:
            self._delete(row, memory)
        self._session.wrote_tombstones = True
        self.batch.later("scrub_events", memory=memory.id)
        if keep:
            digests = kept_digests((memory.content, *earlier), self._keys(self._account)[0])
            self.batch.later("add_purged", digests=list(digests), places=[place_text(memory.place)] * len(digests))
        # Where it was stays, so that only those who could have seen the memory are shown the event.
        self._journal(memory, row, "purge", None, {"place": list(memory.place)} if keep else None, gone=True)

    def set_vectors(self, account: str, memory_id: str, vectors: Vectors | None) -> None:
        (memory,) = self.get(account, [memory_id])
        if memory is not None:
            row = self._row(memory)
            self._put_vectors(row, vectors, memory)
            self._journal(memory, row, "embed", {}, {})

    def touch(self, account: str, accesses: Accesses) -> None:
        self._own(account)
        rows = sorted(int(row) for row in accesses)
        counts = np.array([accesses[row][0] for row in rows], np.int32)
        times = np.array([micros(accesses[row][1]) for row in rows], np.int64)
        self._session.records.clear()
        self.batch.later("touch", rows=np.array(rows, np.int64), counts=counts, times=times)

    def allow_again(self, account: str, text: str, places: Sequence[Place]) -> None:
        """A person's explicit wish outweighs an earlier purge of the same text."""
        self._own(account)
        digests = [one for secret in self._keys(account) for one in purge_digests(text, secret).both]
        self.batch.later("drop_purged", digests=digests, places=[place_text(place) for place in places])

    # Documents and clusters

    def put_document(
        self, before: Document | None, after: Document | None, kind: EventKind | None, reason: str | None = None
    ) -> None:
        document = after or before
        assert document is not None
        self._own(document.account)
        self._wrote_documents = True
        if after is None:
            self.batch.later("drop_document", id=document.id)
        else:
            self.batch.later("put_document", **document_row(after))
        if kind is not None:
            self._journal(document, 0, kind, *journal_sides(before, after), reason=reason)

    def documents(
        self, account: str, kind: DocumentKind, name: str | None = None, *, prefix: str | None = None
    ) -> list[Document]:
        state = self._session.known_state(account)
        if kind == "gap" and state is not None and not state.gaps and not self._wrote_documents:
            return []
        return super().documents(account, kind, name, prefix=prefix)

    def purge_document(self, document: Document) -> None:
        self._own(document.account)
        self.batch.later("drop_document", id=document.id)
        self.batch.later("scrub_events", memory=document.id)
        event = event_row(self.operation, "purge", document.id, None, None, None, document.kind)
        self.batch.event({"row": 0, **event}, None, None)

    def log_access(self, account: str, document: str, access: Access) -> None:
        self._own(account)
        self.batch.later("log_access", document=document, **access_row(access))

    def put_cluster(self, account: str, cluster: Cluster, rows: Sequence[int], model: str | None = None) -> None:
        self._own(account)
        self.batch.later("put_cluster", **cluster_row(cluster, model or self._shared.model))
        self.batch.later("clear_cluster", id=cluster.id)
        members = [int(row) for row in rows]
        self.batch.later("join_clusters", rows=members, ids=[cluster.id] * len(members))
        self._clusters_changed()

    def drop_clusters(self, account: str, ids: Sequence[str]) -> None:
        if account != self._account:
            return  # there is nothing of another account to drop
        self.batch.later("drop_clusters", ids=list(ids))
        self._clusters_changed()

    # The store and the journal

    def switch(self, account: str, project: str, on: bool) -> None:
        self._own(account)
        self._session.switched = True
        self.batch.later("switch_on" if on else "switch_off", project=project)

    def set_undoes(self, operation: str) -> None:
        self.operation = replace(self.operation, undoes=operation)

    def set_note(self, name: str, value: str, account: str | None = None) -> None:
        if account is not None:
            self._own(account)
        self.batch.later(
            "set_note", account_id=STORE if account is None else self.batch.account_id, name=name, value=value
        )

    # What comes from another store

    def keep_vectors(self, memory: Record, model: str, vectors: Vectors) -> None:
        row = self._row(memory)
        if model == self._shared.model:
            self._put_vectors(row, checked(model, vectors, self._shared.dimensions), memory)
            return
        counters = Counters(self.batch.account_id, model)
        counters.set_vectors(row, memory, vectors)
        self._session.changed()
        self._session.run(self._account, *counters.before_rows(), *counters.after_rows())

    def rewrite_event(self, account: str, event: Event) -> None:
        self._own(account)
        images = {"before": dumped(event.before), "after": dumped(event.after)}
        self.batch.later("rewrite_event", seq=event.seq, reason=event.reason, **images)

    def erase_name(self, account: str, user: str) -> None:
        self._own(account)
        self._session.wrote_tombstones = True
        names = user_names(user)
        self.batch.later("erase_actor", name=names["name"], erased=names["erased"])
        self.batch.later("erase_accessor", name=names["name"])
        self.batch.later("drop_purged_of_user", place=names["place"])

    def keep_purged(self, account: str, secrets: Sequence[str], digests: Sequence[PurgedDigest]) -> None:
        self._own(account)
        empty = bool(self._read(account, "has_no_texts")[0][0])
        own, *former = joined_secrets(self.digest_keys(account), secrets, empty=empty)
        self.set_note("former_secrets", json.dumps(former), account)
        self._use_key(bytes.fromhex(own), *map(bytes.fromhex, former))
        self._session.wrote_tombstones = True
        places = [place_text(purged.place) for purged in digests]
        self.batch.later("add_purged", digests=[purged.digest for purged in digests], places=places)

    def replay(self, account: str, event: Event) -> int:
        self._own(account)
        self._session.state(account)
        self.batch.later("add_account", name=account)
        return int(self._read(account, "replay_event", **replayed_row(event))[0][0])

    def _statements(self) -> list[Statement]:
        return self.batch.statements()

    def _own(self, account: str) -> None:
        """Refuse a change of any account but the one whose lock this transaction holds."""
        if account != self._account:
            raise errors.InvalidInput("account", f"{account!r} is not the one of this change", "change one at a time")

    def _forget_read(self, memory_id: str, supersedes: bool) -> None:
        """Read again what a change of a memory may have changed: itself, and what it supersedes."""
        known = self._session.records
        for key in list(known) if supersedes else [key for key in known if key[1] == memory_id]:
            del known[key]

    def _digest(self, text: str) -> bytes:
        return fingerprint(text, self._keys(self._account)[0])

    def _keys(self, account: str) -> tuple[bytes, ...]:
        """The keys of the hashes of an account's texts; its own is made when the first text arrives."""
        if account == self._account and not self._session.secrets(account):
            self._use_key(token_bytes(32))
        return super()._keys(account)

    def _use_key(self, own: bytes, *former: bytes) -> None:
        self.set_note("secret", own.hex(), self._account)
        self._session.set_secrets(self._account, (own, *former))
        self._shared.secrets.pop(self._account, None)

    def _row(self, memory: Record) -> int:
        self._own(memory.account)
        found = self.rows_of(memory.account, [memory.id])
        if not found:
            raise errors.NotFound("memory", memory.id)
        return found[0]

    def _delete(self, row: int, memory: Record) -> None:
        self.batch.counters.remove(row, memory)
        self.batch.later("drop_tags", row=row)
        self.batch.later("drop_metadata", row=row)
        self.batch.later("delete_memory", row=row)
        self._rows.pop(memory.id, None)
        self._forget_read(memory.id, memory.supersedes is not None)

    def _put_vectors(self, row: int, vectors: Vectors | None, memory: Record) -> None:
        self.batch.counters.set_vectors(row, memory, vectors)
        self._session.changed()
        cluster = self._nearest_cluster(memory, vectors)
        if cluster is not None:
            self.batch.join(row, cluster.id)
        elif self._known_clusters():
            self.batch.later("leave_cluster", row=row)

    def _nearest_cluster(self, memory: Record, vectors: Vectors | None) -> Cluster | None:
        """The cluster a memory belongs to, when there are any."""
        known = self._known_clusters()
        if not known or vectors is None:
            return None
        return nearest_cluster(known, memory.place, np.atleast_2d(vectors)[0])

    def _known_clusters(self) -> list[Cluster]:
        """The clusters of the account, read again only when they were changed."""
        if self._clusters is None:
            state, cache = self._session.state(self._account), self._shared.cache
            key, stamp = ("clusters", state.account_id), (state.clusters, self._shared.model)
            if self._reclustered:
                self._clusters = self.clusters(self._account)
            elif state.clusters is None:
                self._clusters = []
            elif (held := cache.get(key, stamp)) is not None:
                self._clusters = held
            else:
                self._clusters = self.clusters(self._account)
                cache.keep(key, stamp, self._clusters)
        return self._clusters

    def _clusters_changed(self) -> None:
        self.batch.later("change_clusters", stamp=new_id(self.operation.at))
        self._clusters, self._reclustered = None, True

    def _journal(
        self,
        subject: Record | Document,
        row: int,
        kind: EventKind,
        before: Image | None,
        after: Image | None,
        reason: str | None = None,
        *,
        gone: bool = False,
    ) -> None:
        """Write the event of a change; `gone` when the memory is not there any more."""
        document = subject.kind if isinstance(subject, Document) else None
        values = {"row": row, **event_row(self.operation, kind, subject.id, before, after, reason, document)}
        if isinstance(subject, Document):
            self.batch.event(values, None, None)
        else:
            self.batch.event(values, subject.id, None if gone else subject.place)
