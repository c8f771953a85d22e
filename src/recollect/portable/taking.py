"""Taking: a stream into a store, page by page, each page durable by itself. Import and copy both end here.

So the screen, the tombstones and the rooms hold for both. All pages share one operation, and are undone together. A history is
taken over only by an account that has none of its own: two journals cannot be merged into one that tells the truth.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from recollect.portable.deciding import Terms
from recollect.portable.placing import Placing
from recollect.portable.replaying import Replay
from recollect.portable.stream import Filed, Footer, Happened, Header, Item, Purged, Secrets
from recollect.portable.tallying import Tally
from recollect.ports import Progress, Reader, Store, Transaction
from recollect.values.ids import new_id
from recollect.values.moved import Imported

PAGE = 1000


@dataclass(frozen=True, slots=True)
class Bookmark:
    """How far an import got, kept in the store it goes into: of which stream, in which operation, up to where.

    `fresh`: the account had no journal when it began.
    """

    of: str
    operation: str
    fresh: bool
    events: int = 0


def take(
    store: Store,
    items: Iterable[Item],
    terms: Terms,
    *,
    of: str = "",
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Take a stream in; `of` names it, so that one that was interrupted goes on as the same operation."""
    taking = Taking(store, terms, of, dry_run=dry_run)
    done = total = 0
    page: list[Item] = []
    for item in items:
        if page and (len(page) >= PAGE or type(item) is not type(page[0])):
            taking.page(page)
            done += len(page)
            page = []
            if progress is not None:
                progress(done, max(total, done))
        if isinstance(item, Header):
            total = sum(item.counts.values())
            taking.begin(item)
        else:
            page.append(item)
    if page:
        taking.page(page)
    if progress is not None:
        progress(max(total, done), max(total, done))
    return taking.finish()


class Taking:
    """One stream on its way into one account."""

    def __init__(self, store: Store, terms: Terms, of: str, *, dry_run: bool) -> None:
        self._store, self._terms, self._dry = store, terms, dry_run
        self._at = terms.clock()
        self._tally = Tally()
        with store.reading(self._at) as reader:
            earlier = _bookmark(reader, terms.account, of)
            fresh = not reader.events(terms.account, limit=1)
            self._mark = earlier or Bookmark(of, new_id(self._at), fresh)
            grouped = bool(reader.all_clusters(terms.account)) and earlier is None
        self._placing = Placing(terms, self._tally, self._mark.operation, fresh=self._mark.fresh, grouped=grouped)
        self._replay: Replay | None = None
        self._secrets: tuple[str, ...] = ()
        self._digests: list[bytes] = []

    def begin(self, header: Header) -> None:
        """Hear what comes."""
        if not header.history:
            return
        if self._mark.fresh and self._terms.owner:
            self._replay = Replay(self._terms, self._tally, self._mark.events)
            self._placing.silent = True
        else:
            why = "this account has one of its own" if self._terms.owner else "it is the account's, not an agent's"
            self._tally.notes.append(f"the history was left out: {why}")

    def page(self, items: Sequence[Item]) -> None:
        """Take some items of one kind."""
        if isinstance(items[0], Footer):
            return
        if isinstance(items[0], (Secrets, Purged)):
            self._keep_digests(items)
        elif self._dry:
            with self._store.reading(self._at) as reader:
                self._take(reader, None, items)
        else:
            with self._writing() as tx:
                self._take(tx, tx, items)
                self._remember_place(tx, self._replay.done if self._replay else 0)

    def finish(self) -> Imported:
        """Take what had to wait for the end; returns what became of it all."""
        account = self._terms.account
        with self._store.reading() as reader:
            known = set(reader.purged_digests(account)) if self._digests else set()
        digests = [digest for digest in self._digests if digest not in known]
        self._tally.others["purged"] += len(digests)
        if not self._dry and (digests or self._mark.of):
            with self._writing() as tx:
                if digests:
                    tx.keep_purged(account, self._secrets, digests)
                if self._mark.of:
                    tx.set_note(_note(account), "")
        return self._tally.report(None if self._replay else self._mark.operation, dry_run=self._dry)

    def _writing(self) -> Any:
        terms = self._terms
        return self._store.transaction(terms.account, terms.actor, self._at, operation=self._mark.operation)

    def _take(self, reader: Reader, tx: Transaction | None, items: Sequence[Any]) -> None:
        if isinstance(items[0], Happened):
            if self._replay is not None:
                self._replay.events(reader, tx, [item.event for item in items], self._placing.refused)
        elif isinstance(items[0], Filed):
            self._placing.documents(reader, tx, [made for item in items if (made := self._placed(reader, item))])
        else:
            self._placing.take(reader, tx, items)

    def _placed(self, reader: Reader, item: Filed) -> Filed | None:
        """A snapshot is a point of the journal: without that it is nothing."""
        if item.document.kind != "snapshot":
            return item
        return None if self._replay is None else Filed(self._replay.pointed(reader, item.document), item.where)

    def _keep_digests(self, items: Sequence[Any]) -> None:
        """The secret is needed before the first memory; what it made must not stand against what comes along with it."""
        if not self._terms.owner:
            return
        for item in items:
            if isinstance(item, Purged):
                self._digests.append(item.digest)
                continue
            self._secrets = item.secrets
            if not self._dry:
                with self._writing() as tx:
                    tx.keep_purged(self._terms.account, item.secrets, ())

    def _remember_place(self, tx: Transaction, events: int) -> None:
        if self._mark.of:
            self._mark = replace(self._mark, events=events)
            tx.set_note(_note(self._terms.account), json.dumps(asdict(self._mark)))


def _bookmark(reader: Reader, account: str, of: str) -> Bookmark | None:
    """Where an earlier, interrupted import of the same stream stopped."""
    kept = reader.note(_note(account))
    found = Bookmark(**json.loads(kept)) if kept else None
    return found if found is not None and found.of == of else None


def _note(account: str) -> str:
    return f"import:{account}"
