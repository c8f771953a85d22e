"""Writing: inside one transaction that holds the account's lock, each change writes its row, tags, vectors and journal event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from recollect import errors
from recollect.persist.graph import access_row, cluster_row, document_row
from recollect.persist.postgres.ahead import Ahead, begun
from recollect.persist.postgres.arriving import ArrivingWriter
from recollect.persist.postgres.link import Shared
from recollect.persist.postgres.pending import Pending
from recollect.persist.postgres.rows import STORE, row_of
from recollect.persist.postgres.session import Session
from recollect.persist.postgres.sql import queries
from recollect.persist.rows import event_row, micros
from recollect.values.access import Access
from recollect.values.cluster import Cluster, nearest_cluster, wall_of
from recollect.values.document import Document, journal_sides
from recollect.values.event import Image, Operation
from recollect.values.first import First
from recollect.values.ids import new_id
from recollect.values.image import difference, to_image
from recollect.values.memory import Record
from recollect.values.search import Near, Search
from recollect.values.words import DocumentKind, EventKind


class PostgresTransaction(ArrivingWriter):
    """A reader that may also change; what it wrote it sees."""

    def __init__(
        self, session: Session, shared: Shared, account: str, operation: Operation, first: First | None = None
    ) -> None:
        super().__init__(session, shared, operation.at)
        self._ahead = None if first is None else begun(session, shared, account, operation, first)
        self._first, self._new = first, False
        if self._ahead is not None:
            self._links[account] = self._ahead.link
        self.operation = operation
        self._account = account
        self._pending = Pending(session, account, shared.model)
        self.held = session.at(account).held  # memories, before this change
        self._clusters: list[Cluster] | None = None
        self._reclustered = False
        session.before_reads(self._pending.flush)
        shared.secrets = session.secrets()

    def same_text(self, account: str, text: str) -> list[Record]:
        ahead = self._asked_ahead(account)
        rows = None if ahead is None else ahead.said(text, self._session.secrets())
        return super().same_text(account, text) if rows is None else self._settled(account, rows)

    def near(self, search: Search, vectors: Sequence[NDArray[np.float32]]) -> list[Near]:
        ahead = self._asked_ahead(search.viewer.account)
        leg = None if ahead is None else ahead.near(search, vectors)
        return super().near(search, vectors) if leg is None else self._look(search).found([leg])

    def insert(self, memory: Record, vectors: NDArray[np.float32] | None, kind: EventKind = "remember") -> None:
        self._own(memory.account)
        self._new |= self._first is not None and memory is self._first.memory
        if self._proposed(memory, vectors, kind):
            self._session.connection.accept()
            self._session.wrote = True
            row = self._pending.number()
            cluster = self._nearest(memory, vectors)
        else:
            cluster = self._nearest(memory, vectors)
            row = self._pending.number()
            self._pending.store(row, memory, self.digests(memory.content)[0], vectors, self.operation, kind)
        if cluster is not None:
            self._pending.join(row, cluster.id)

    def change(
        self,
        before: Record,
        after: Record,
        kind: EventKind,
        *,
        vectors: NDArray[np.float32] | None = None,
        reason: str | None = None,
    ) -> None:
        row, pending = self._row(after), self._pending
        values = row_of(after, pending.account_id, self.digests(after.content)[0])
        pending.later("update_memory", **{**values, "row": row})
        if after.tags != before.tags:
            pending.later("drop_tags", row=row)
            pending.tag(row, after)
        if (after.links, after.triggers) != (before.links, before.triggers):
            pending.later("drop_links", row=row)
            pending.later("drop_triggers", row=row)
            pending.link(row, after)
        pending.derived.change(row, before, after)
        pending.moved()
        if after.content != before.content:
            self._put_vectors(row, vectors, after)
        elif wall_of(after.place) != wall_of(before.place):
            pending.later("leave_cluster", row=row)
        self._journal(after.id, row, kind, *difference(before, after), reason=reason)

    def remove(self, memory: Record, kind: EventKind = "undo") -> None:
        row = self._row(memory)
        self._take_out(row, memory)
        self._journal(memory.id, row, kind, to_image(memory), None)

    def purge(self, memory: Record) -> None:
        row = self._row(memory)
        # The name of a cluster is made of its members' words.
        if cluster := self._ask(memory.account, "cluster_of", row=row):
            self.drop_clusters(memory.account, [cluster[0][0]])
        self._take_out(row, memory)
        self._pending.later("scrub_events", memory=memory.id)
        self._pending.later("add_purged", digests=self.digests(memory.content)[:1])
        # Where it lived stays, so that only those are shown the event who could have seen the memory.
        self._journal(memory.id, row, "purge", None, {"place": list(memory.place)})

    def set_vectors(self, account: str, memory_id: str, vectors: NDArray[np.float32] | None) -> None:
        (memory,) = self.get(account, [memory_id])
        if memory is not None:
            row = self._row(memory)
            self._put_vectors(row, vectors, memory)
            self._journal(memory_id, row, "embed", {}, {})

    def touch(self, account: str, counts: Mapping[int, int], at: datetime) -> None:
        self._own(account)
        rows = sorted(int(row) for row in counts)
        often = np.array([counts[row] for row in rows], np.int32)
        self._pending.later("touch", rows=np.array(rows, np.int64), counts=often, at=micros(at))

    def switch(self, account: str, project: str, on: bool) -> None:
        self._own(account)
        self._pending.later("switch_on" if on else "switch_off", project=project)

    def allow_again(self, account: str, text: str) -> None:
        """A person's explicit wish outweighs an earlier purge of the same text."""
        self._own(account)
        self._pending.later("drop_purged", digests=self.digests(text))

    def put_document(
        self, before: Document | None, after: Document | None, kind: EventKind | None, reason: str | None = None
    ) -> None:
        held = after or before
        assert held is not None
        self._own(held.account)
        if after is None:
            self._pending.later("drop_document", id=held.id)
        else:
            self._pending.later("put_document", **document_row(after))
        if kind is not None:
            old, new = journal_sides(before, after)
            self._journal(held.id, 0, kind, old, new, reason, held.kind)

    def documents(
        self, account: str, kind: DocumentKind, name: str | None = None, *, prefix: str | None = None
    ) -> list[Document]:
        if self._pending.only_rows:
            if kind == "gap" and not self._pending.sent and not self._session.at(account).gaps:
                return []
            with self._session.unsettled():
                return super().documents(account, kind, name, prefix=prefix)
        return super().documents(account, kind, name, prefix=prefix)

    def purge_document(self, document: Document) -> None:
        self._own(document.account)
        self._pending.later("drop_document", id=document.id)
        self._pending.later("scrub_events", memory=document.id)
        self._journal(document.id, 0, "purge", None, None, document=document.kind)

    def log_access(self, account: str, document: str, access: Access) -> None:
        self._own(account)
        self._pending.later("log_access", document=document, **access_row(access))

    def put_cluster(self, account: str, cluster: Cluster, rows: Sequence[int], model: str | None = None) -> None:
        self._own(account)
        self._pending.later("put_cluster", **cluster_row(cluster, model or self._shared.model))
        self._pending.later("clear_cluster", id=cluster.id)
        members = [int(row) for row in rows]
        self._pending.later("join_clusters", rows=members, ids=[cluster.id] * len(members))
        self._clusters_changed()

    def drop_clusters(self, account: str, ids: Sequence[str]) -> None:
        if account != self._account:
            return  # what another account may have is not there
        self._pending.later("drop_clusters", ids=list(ids))
        self._clusters_changed()

    def set_note(self, name: str, value: str) -> None:
        self._session.settle()
        values = {"account_id": STORE, "name": name, "value": value}
        self._session.connection.ask(queries()["set_note"], values)

    def finish(self) -> None:
        """Send what is left and commit, in one round trip."""
        self._session.commit(self._pending.flush)
        if self._first is not None:
            likely = self._new and not self._session.at(self._account).bars
            self._shared.was_new(self._pending.account_id, likely)

    def abandon(self) -> None:
        """Send nothing more; the store takes everything back."""
        self._pending.abandon()

    def _asked_ahead(self, account: str) -> Ahead | None:
        """What was asked with the beginning, while nothing was written."""
        self._session.settle()
        return None if self._session.wrote or account != self._account else self._ahead

    def _proposed(self, memory: Record, vectors: NDArray[np.float32] | None, kind: EventKind) -> bool:
        """Whether a memory is with the server already and nothing else was asked or written since."""
        if kind != "remember" or not self._session.connection.proposed or not self._pending.empty:
            return False
        return self._ahead is not None and self._ahead.holds(memory, vectors, self._session.secrets())

    def _own(self, account: str) -> int:
        """The number of the account this transaction holds the lock of; no other may be changed in it."""
        if account != self._account:
            raise errors.InvalidInput("account", f"{account!r} is not the one of this change", "change one at a time")
        return self._pending.account_id

    def _row(self, memory: Record) -> int:
        self._own(memory.account)
        found = self.rows_of(memory.account, [memory.id])
        if not found:
            raise errors.NotFound("memory", memory.id)
        return found[0]

    def _take_out(self, row: int, memory: Record) -> None:
        self._session.settle()
        self._pending.derived.remove(row, memory)
        self._pending.moved()
        self._pending.later("drop_tags", row=row)
        self._pending.later("delete_memory", row=row)

    def _put_vectors(self, row: int, vectors: NDArray[np.float32] | None, memory: Record) -> None:
        self._pending.derived.set_vectors(row, memory, vectors)
        self._pending.moved()
        cluster = self._nearest(memory, vectors)
        if cluster is not None:
            self._pending.join(row, cluster.id)
        elif self._known_clusters():
            self._pending.later("leave_cluster", row=row)

    def _nearest(self, memory: Record, vectors: NDArray[np.float32] | None) -> Cluster | None:
        """The cluster a memory falls into, when there are any."""
        known = self._known_clusters()
        if not known or vectors is None:
            return None
        return nearest_cluster(known, memory.place, np.atleast_2d(vectors)[0])

    def _known_clusters(self) -> list[Cluster]:
        """The clusters of the account, read anew only when somebody changed them."""
        if self._clusters is None:
            standing, known = self._session.at(self._account), self._shared.known
            key, stamp = ("clusters", standing.account_id), (standing.clusters, self._shared.model)
            if self._reclustered:
                self._clusters = self.clusters(self._account)
            elif standing.clusters is None:
                self._clusters = []
            elif (held := known.get(key, stamp)) is not None:
                self._clusters = held
            else:
                self._clusters = self.clusters(self._account)
                known.keep(key, stamp, self._clusters)
        return self._clusters

    def _clusters_changed(self) -> None:
        self._pending.later("change_clusters", stamp=new_id(self.operation.at))
        self._clusters, self._reclustered = None, True

    def _journal(
        self,
        memory: str,
        row: int,
        kind: EventKind,
        before: Image | None,
        after: Image | None,
        reason: str | None = None,
        document: DocumentKind | None = None,
    ) -> None:
        values = event_row(self.operation, kind, memory, before, after, reason, document)
        self._pending.event({"row": row, **values})
