"""Placing: the items of a page into the store, each kind in its way; without a transaction, only what would become of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np

from recollect.errors import InvalidInput
from recollect.portable.deciding import Judged, Left, New, Newer, Same, Terms, decided_document
from recollect.portable.giving import COUNTERS
from recollect.portable.stream import NAMES, Accessed, Filed, Grouped, HalfVectors, Noted, Remembered, Switched
from recollect.portable.tallying import Tally
from recollect.ports import Reader, Transaction, Vectors
from recollect.values.access import Access
from recollect.values.cluster import wall_of
from recollect.values.scope import Place
from recollect.values.words import EventKind

_EVERY_ACCESS = 10_000_000


class Placing:
    """Where the items of one stream go."""

    def __init__(self, terms: Terms, tally: Tally, operation: str, *, fresh: bool, grouped: bool) -> None:
        """`grouped`: the account has clusters of its own, which are derived and stay."""
        self._terms, self._tally, self._operation = terms, tally, operation
        self._fresh, self._grouped = fresh, grouped
        # With a history coming, its own events tell how everything got here.
        self.silent = False
        self._members: dict[str, list[tuple[str, Place]]] = {}
        self._logs: dict[str, Counter[Access]] = {}
        self._contexts: set[str] = set()
        self.refused: set[str] = set()

    def take(self, reader: Reader, tx: Transaction | None, items: Sequence[Any]) -> None:
        """Some items of one kind."""
        match items[0]:
            case Remembered():
                self._memories(reader, tx, items)
            case Grouped():
                self._clusters(reader, tx, items)
            case Accessed():
                self._accesses(reader, tx, items)
            case Switched() | Noted() if self._terms.owner:
                self._settings(reader, tx, items)

    def documents(self, reader: Reader, tx: Transaction | None, items: Sequence[Filed]) -> None:
        """Documents of any kind."""
        kinds = {item.document.kind for item in items}
        held = {each.id: each for kind in kinds for each in reader.documents(self._terms.account, kind)}
        for item in items:
            document, known = item.document, held.get(item.document.id)
            made = decided_document(reader, self._terms, document, known)
            if isinstance(made, Left):
                self.refused.add(document.id)
                self._tally.leave(item.where or document.name, document.id, made.reason, memory=False)
            elif made is not None:
                self._tally.others["document"] += 1
                held[made.id] = made
                self._contexts |= {made.id} if made.kind == "context" else set()
                if tx is not None:
                    # What lives for a while only is never journalled.
                    unsaid = self.silent or made.kind == "short_term"
                    tx.put_document(known, made, None if unsaid else "import")

    def _memories(self, reader: Reader, tx: Transaction | None, items: Sequence[Remembered]) -> None:
        judged = Judged(reader, self._terms, fresh=self._fresh, operation=self._operation, contexts=self._contexts)
        for item, decision in zip(items, judged.decide(items), strict=True):
            match decision:
                case Left(reason):
                    self._leave(item, reason)
                    continue
                case Same(newer):
                    self._tally.memories["unchanged"] += 1
                    self._tally.memories["newer"] += newer
                case New() | Newer() if not self._stored(tx, item, decision):
                    continue
            if item.cluster is not None and not self._grouped:
                self._members.setdefault(item.cluster, []).append((item.record.id, wall_of(item.record.place)))

    def _stored(self, tx: Transaction | None, item: Remembered, decision: New | Newer) -> bool:
        kind: EventKind = "embed" if self.silent else "import"
        record, vectors = decision.record, None if decision.reworded else item.vectors
        if tx is not None:
            ready = self._ready(item, vectors)
            try:
                if isinstance(decision, Newer):
                    tx.change(decision.before, record, "update", vectors=ready, reason="imported")
                else:
                    tx.insert(record, ready, kind)
            except InvalidInput as error:
                self._leave(item, f"{error.field}: {error.problem}")
                return False
            if vectors is not None and item.model is not None and ready is None:
                vectors = self._embedded(tx, item, decision)
        self._tally.memories["redacted"] += decision.reworded
        self._tally.memories["bare"] += vectors is None
        if isinstance(decision, Newer):
            self._tally.update(record.id)
        else:
            self._tally.memories["stored"] += 1
        return True

    def _ready(self, item: Remembered, vectors: HalfVectors | None) -> Vectors | None:
        """Vectors of the model in use, which are stored along with the memory."""
        if vectors is None or (item.model, vectors.shape[1]) != self._terms.model:
            return None
        return vectors.astype(np.float32)

    def _leave(self, item: Remembered, reason: str) -> None:
        self.refused.add(item.record.id)
        self._tally.leave(item.where or item.record.id, item.record.id, reason)

    def _embedded(self, tx: Transaction, item: Remembered, decision: New | Newer) -> Any:
        """The vectors, if they can be kept; those of a text that did not change are here already."""
        if isinstance(decision, Newer) and decision.before.content == decision.record.content:
            return item.vectors
        try:
            tx.keep_vectors(decision.record, str(item.model), item.vectors)  # type: ignore[arg-type]
        except InvalidInput:
            return None
        return item.vectors

    def _clusters(self, reader: Reader, tx: Transaction | None, items: Sequence[Grouped]) -> None:
        """Derived, so an account that has its own keeps them; nobody becomes a member across a wall."""
        if self._grouped:
            return
        for item in items:
            cluster = item.cluster
            if not self._terms.reach(reader, cluster.wall) or not self._terms.clean([cluster.name]):
                continue
            inside = [member for member, wall in self._members.get(cluster.id, ()) if wall == cluster.wall]
            if tx is not None:
                tx.put_cluster(self._terms.account, cluster, tx.rows_of(self._terms.account, inside), item.model)
            self._tally.others["cluster"] += 1

    def _accesses(self, reader: Reader, tx: Transaction | None, items: Sequence[Accessed]) -> None:
        """Lines of a log that are not in it yet."""
        account = self._terms.account
        mine = {held.id for held in reader.documents(account, "context") if self._terms.owns(reader, held)}
        mine |= self._contexts
        for item in items:
            if item.document not in mine:
                continue
            if item.document not in self._logs:
                self._logs[item.document] = Counter(reader.accesses(account, item.document, _EVERY_ACCESS))
            if self._logs[item.document][item.access] > 0:
                self._logs[item.document][item.access] -= 1
                continue
            if tx is not None:
                tx.log_access(account, item.document, item.access)
            self._tally.others[NAMES[Accessed]] += 1

    def _settings(self, reader: Reader, tx: Transaction | None, items: Sequence[Switched | Noted]) -> None:
        account = self._terms.account
        for item in items:
            if isinstance(item, Switched):
                fresh = item.project not in reader.switched_off(account)
                if fresh and tx is not None:
                    tx.switch(account, item.project, on=False)
            else:
                name = _note(item, account)
                fresh = name is not None and reader.note(name) is None
                if fresh and tx is not None:
                    tx.set_note(str(name), item.value)
            self._tally.others[NAMES[type(item)]] += fresh


def _note(item: Noted, account: str) -> str | None:
    """The note a counter is kept in; nothing else of a store is written through here."""
    kind, _, key = item.name.partition(":")
    if item.name in COUNTERS:
        return f"{item.name}:{account}" if item.value.isdigit() and len(item.value) < 12 else None
    try:
        if kind == "pool" and str(UUID(key)) == key and isinstance(json.loads(item.value), dict):
            return item.name
    except ValueError:
        pass
    return None
