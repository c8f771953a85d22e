"""Writes a stream of items into a store, page by page, each page in its own transaction. Import and copy both end here.

So the screen, the tombstones and the access rules apply to both. All pages share one operation and are undone together. A
history is imported only into an account that has none: two journals cannot be merged into one that is correct.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from typing import Any

from recollect.errors import Interrupted
from recollect.portable.apply import ItemWriter, JournalReplay
from recollect.portable.import_report import ImportTally
from recollect.portable.merge_policy import ImportPolicy
from recollect.portable.stream import (
    DocumentItem,
    EventItem,
    FooterItem,
    HeaderItem,
    PurgedItem,
    SecretsItem,
    StreamItem,
)
from recollect.ports import Progress, Reader, Store, Transaction
from recollect.values.ids import new_id
from recollect.values.transfer import Imported, PurgedDigest

PAGE = 1000
# The note of an account that says how far an import got.
_CHECKPOINT = "import"


@dataclass(frozen=True, slots=True)
class ImportCheckpoint:
    """How far an import got, kept as a note in the target store, so that an interrupted import can resume.

    `stream` identifies the stream, `fresh` says that the account had no journal when the import began, `events` is the number
    of journal events written so far.
    """

    stream: str
    operation: str
    fresh: bool
    events: int = 0


def import_items(
    store: Store,
    items: Iterable[StreamItem],
    policy: ImportPolicy,
    *,
    stream_id: str = "",
    dry_run: bool = False,
    progress: Progress | None = None,
    tally: ImportTally | None = None,
) -> Imported:
    """Import a stream. With a `stream_id`, an interrupted import of the same stream resumes under the same operation."""
    run = StreamImport(store, policy, stream_id, tally or ImportTally(), dry_run=dry_run)
    report = progress or _silent
    done = total = 0
    page: list[StreamItem] = []
    try:
        for item in items:
            if page and (len(page) >= PAGE or type(item) is not type(page[0])):
                run.write_page(page)
                done += len(page)
                page = []
                report(done, max(total, done))
            if isinstance(item, HeaderItem):
                total = sum(item.counts.values())
                run.begin(item)
                report(0, total)
            else:
                page.append(item)
        if page:
            run.write_page(page)
        report(max(total, done), max(total, done))
        return run.finish()
    except KeyboardInterrupt:
        raise Interrupted(run.operation, done, total) from None


def _silent(done: int, total: int) -> None:
    """The default progress: nothing."""


class StreamImport:
    """The import of one stream into one account."""

    def __init__(
        self, store: Store, policy: ImportPolicy, stream_id: str, tally: ImportTally, *, dry_run: bool
    ) -> None:
        self._store, self._policy, self._dry_run = store, policy, dry_run
        self._at = policy.clock()
        self._tally = tally
        with store.view(self._at) as reader:
            earlier = _read_checkpoint(reader, policy.account, stream_id)
            fresh = not reader.events(policy.account, limit=1)
            self._checkpoint = earlier or ImportCheckpoint(stream_id, new_id(self._at), fresh)
            has_clusters = bool(reader.all_clusters(policy.account)) and earlier is None
        self._writer = ItemWriter(
            policy,
            self._tally,
            self._checkpoint.operation,
            fresh=self._checkpoint.fresh,
            has_clusters=has_clusters,
        )
        self._replay: JournalReplay | None = None
        self._secrets: tuple[str, ...] = ()
        self._digests: list[PurgedDigest] = []

    @property
    def operation(self) -> str:
        """The operation of all its changes, also of those of an earlier run that was interrupted."""
        return self._checkpoint.operation

    def begin(self, header: HeaderItem) -> None:
        """Prepare for what the header announces."""
        if not header.history:
            return
        if self._checkpoint.fresh and self._policy.owner:
            self._replay = JournalReplay(self._policy, self._tally, self._checkpoint.events)
            self._writer.silent = True
        else:
            why = (
                "this account has one of its own"
                if self._policy.owner
                else "it belongs to the account, not to an agent"
            )
            self._tally.notes.append(f"the history was left out: {why}")

    def write_page(self, items: Sequence[StreamItem]) -> None:
        """Import some items of one kind, in one transaction."""
        if isinstance(items[0], FooterItem):
            return
        if isinstance(items[0], (SecretsItem, PurgedItem)):
            self._collect_digests(items)
        elif self._dry_run:
            with self._store.view(self._at) as reader:
                self._write(reader, None, items)
        else:
            with self._transaction() as tx:
                self._write(tx, tx, items)
                self._save_checkpoint(tx, self._replay.done if self._replay else 0)

    def finish(self) -> Imported:
        """Write what had to wait for the end and return the report."""
        if self._dry_run:
            with self._store.view() as reader:
                self._tally.others["purged"] += len(self._new_digests(reader))
        elif self._digests or self._checkpoint.stream:
            with self._transaction() as tx:
                self._write_digests(tx)
                if self._checkpoint.stream:
                    tx.set_note(_CHECKPOINT, "", self._policy.account)
        return self._tally.report(None if self._replay else self._checkpoint.operation, dry_run=self._dry_run)

    def _write_digests(self, tx: Transaction) -> None:
        digests = self._new_digests(tx)
        self._tally.others["purged"] += len(digests)
        if digests:
            tx.keep_purged(self._policy.account, self._secrets, digests)

    def _new_digests(self, reader: Reader) -> list[PurgedDigest]:
        """Those of the stream that are not here yet, and of places that the importer may write to."""
        known = set(reader.purged_digests(self._policy.account)) if self._digests else set()
        places = {purged.place for purged in self._digests}
        reached = {place for place in places if self._policy.reach(reader, place)}
        return [purged for purged in self._digests if purged.place in reached and purged not in known]

    def _transaction(self) -> AbstractContextManager[Transaction]:
        policy = self._policy
        operation = self._checkpoint.operation
        return self._store.transaction(policy.account, policy.actor, self._at, operation=operation, origin="import")

    def _write(self, reader: Reader, tx: Transaction | None, items: Sequence[Any]) -> None:
        if isinstance(items[0], EventItem):
            if self._replay is not None:
                self._replay.write(reader, tx, [item.event for item in items], self._writer.refused)
        elif isinstance(items[0], DocumentItem):
            documents = [found for item in items if (found := self._localised(reader, item))]
            self._writer.write_documents(reader, tx, documents)
        else:
            self._writer.write(reader, tx, items)

    def _localised(self, reader: Reader, item: DocumentItem) -> DocumentItem | None:
        """A snapshot refers to a point of the journal, so it is imported only together with the journal."""
        if item.document.kind != "snapshot":
            return item
        return None if self._replay is None else DocumentItem(self._replay.localised(reader, item.document), item.where)

    def _collect_digests(self, items: Sequence[Any]) -> None:
        """Keep the secrets now, because the first memory needs them; keep the digests for the end.

        A digest written earlier would refuse a memory of the same stream that was revived after its text was purged.
        """
        for item in items:
            if isinstance(item, PurgedItem):
                self._digests.append(PurgedDigest(item.digest, item.place))
                continue
            self._secrets = item.secrets
            if not self._dry_run:
                with self._transaction() as tx:
                    tx.keep_purged(self._policy.account, item.secrets, ())

    def _save_checkpoint(self, tx: Transaction, events: int) -> None:
        if self._checkpoint.stream:
            self._checkpoint = replace(self._checkpoint, events=events)
            tx.set_note(_CHECKPOINT, json.dumps(asdict(self._checkpoint)), self._policy.account)


def _read_checkpoint(reader: Reader, account: str, stream_id: str) -> ImportCheckpoint | None:
    """Where an earlier, interrupted import of the same stream stopped."""
    kept = reader.note(_CHECKPOINT, account)
    found = ImportCheckpoint(**json.loads(kept)) if kept else None
    return found if found is not None and found.stream == stream_id else None
