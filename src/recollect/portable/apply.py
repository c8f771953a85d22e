"""Writes the items of one page into the store, each kind in its own way; without a transaction it only counts (dry run)."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np

from recollect.errors import InvalidInput
from recollect.portable.exporter import ALL_ACCESSES, COUNTERS
from recollect.portable.import_report import ImportTally
from recollect.portable.merge_policy import (
    NOT_HERE,
    ImportPolicy,
    InsertMemory,
    KeepExisting,
    MergePlanner,
    RefuseItem,
    UpdateMemory,
    decide_document,
)
from recollect.portable.stream import (
    KIND_NAMES,
    AccessItem,
    ClusterItem,
    DocumentItem,
    HalfVectors,
    MemoryItem,
    NoteItem,
    SwitchItem,
)
from recollect.ports import Reader, Transaction, Vectors
from recollect.values.cluster import owner_of
from recollect.values.document import Access, Document
from recollect.values.enums import EventKind
from recollect.values.event import Event, Image
from recollect.values.plain import strings_in
from recollect.values.scope import Place

_EVENT_PAGE = 5000
_TEXT_FIELDS = ("content", "snippet", "reason", "tags", "triggers", "metadata")
_NAME_FIELDS = ("agent", "team", "user", "project", "task", "session", "speaker", "season", "key", "file_paths")


class ItemWriter:
    """Writes the items of one stream."""

    def __init__(
        self, policy: ImportPolicy, tally: ImportTally, operation: str, *, fresh: bool, has_clusters: bool
    ) -> None:
        """`fresh`: the account was empty when the import began. `has_clusters`: the account has clusters and keeps them."""
        self._policy, self._tally, self._operation = policy, tally, operation
        self._fresh, self._has_clusters = fresh, has_clusters
        # When a history is imported too, its own events tell how everything got here, so no "import" events are written.
        self.silent = False
        self._members: dict[str, list[tuple[str, Place]]] = {}
        self._logs: dict[str, Counter[Access]] = {}
        self._contexts: set[str] = set()
        self.refused: set[str] = set()

    def write(self, reader: Reader, tx: Transaction | None, items: Sequence[Any]) -> None:
        """Write some items of one kind."""
        match items[0]:
            case MemoryItem():
                self._write_memories(reader, tx, items)
            case ClusterItem():
                self._write_clusters(reader, tx, items)
            case AccessItem():
                self._write_accesses(reader, tx, items)
            case SwitchItem() | NoteItem() if self._policy.owner:
                self._write_settings(reader, tx, items)

    def write_documents(self, reader: Reader, tx: Transaction | None, items: Sequence[DocumentItem]) -> None:
        """Write documents of any kind."""
        kinds = {item.document.kind for item in items}
        known = {each.id: each for kind in kinds for each in reader.documents(self._policy.account, kind)}
        for item in items:
            document, existing = item.document, known.get(item.document.id)
            decided = decide_document(reader, self._policy, document, existing)
            if isinstance(decided, RefuseItem):
                self.refused.add(document.id)
                self._tally.refuse(item.where or document.name, document.id, decided.reason, memory=False)
            elif decided is not None:
                self._tally.others["document"] += 1
                known[decided.id] = decided
                self._contexts |= {decided.id} if decided.kind == "context" else set()
                if tx is not None:
                    # Short-term entries expire and are never journalled.
                    unjournalled = self.silent or decided.kind == "short_term"
                    tx.put_document(existing, decided, None if unjournalled else "import")

    def _write_memories(self, reader: Reader, tx: Transaction | None, items: Sequence[MemoryItem]) -> None:
        planner = MergePlanner(
            reader, self._policy, fresh=self._fresh, operation=self._operation, contexts=self._contexts
        )
        for item, decision in zip(items, planner.decide(items), strict=True):
            match decision:
                case RefuseItem(reason):
                    self._refuse(item, reason)
                    continue
                case KeepExisting(newer):
                    self._tally.memories["unchanged"] += 1
                    self._tally.memories["newer"] += newer
                case InsertMemory() | UpdateMemory() if not self._write_memory(tx, item, decision):
                    continue
            if item.cluster is not None and not self._has_clusters:
                self._members.setdefault(item.cluster, []).append((item.record.id, owner_of(item.record.place)))

    def _write_memory(self, tx: Transaction | None, item: MemoryItem, decision: InsertMemory | UpdateMemory) -> bool:
        kind: EventKind = "embed" if self.silent else "import"
        record, vectors = decision.record, None if decision.redacted else item.vectors
        if tx is not None:
            current = self._vectors_in_use(item, vectors)
            try:
                if isinstance(decision, UpdateMemory):
                    tx.change(decision.before, record, "update", vectors=current, reason="imported")
                else:
                    tx.insert(record, current, kind)
            except InvalidInput as error:
                self._refuse(item, NOT_HERE if error.field == "id" else f"{error.field}: {error.problem}")
                return False
            if vectors is not None and item.model is not None and current is None:
                vectors = self._keep_other_vectors(tx, decision, item.model, vectors)
        self._tally.memories["redacted"] += decision.redacted
        self._tally.memories["without_vector"] += vectors is None
        if isinstance(decision, UpdateMemory):
            self._tally.update(record.id)
        else:
            self._tally.memories["stored"] += 1
        return True

    def _vectors_in_use(self, item: MemoryItem, vectors: HalfVectors | None) -> Vectors | None:
        """The vectors, if they are of the model in use; those are stored together with the memory."""
        if vectors is None or (item.model, vectors.shape[1]) != self._policy.model:
            return None
        return vectors.astype(np.float32)

    def _keep_other_vectors(
        self, tx: Transaction, decision: InsertMemory | UpdateMemory, model: str, vectors: HalfVectors
    ) -> HalfVectors | None:
        """Store vectors of another model; None if they cannot be stored. A text that did not change has its vectors already."""
        if isinstance(decision, UpdateMemory) and decision.before.content == decision.record.content:
            return vectors
        try:
            tx.keep_vectors(decision.record, model, vectors)
        except InvalidInput:
            return None
        return vectors

    def _refuse(self, item: MemoryItem, reason: str) -> None:
        self.refused.add(item.record.id)
        text = self._policy.excerpt(item.record.content)
        self._tally.refuse(item.where or item.record.id, item.record.id, reason, text=text)

    def _write_clusters(self, reader: Reader, tx: Transaction | None, items: Sequence[ClusterItem]) -> None:
        """Clusters are derived data, so an account that has its own keeps them. Members must be of the cluster's own scope."""
        if self._has_clusters:
            return
        for item in items:
            cluster = item.cluster
            if not self._policy.reach(reader, cluster.owner) or not self._policy.clean([cluster.name], ""):
                continue
            inside = [member for member, wall in self._members.get(cluster.id, ()) if wall == cluster.owner]
            if tx is not None:
                tx.put_cluster(self._policy.account, cluster, tx.rows_of(self._policy.account, inside), item.model)
            self._tally.others["cluster"] += 1

    def _write_accesses(self, reader: Reader, tx: Transaction | None, items: Sequence[AccessItem]) -> None:
        """Write the lines of access logs that are not there yet."""
        account = self._policy.account
        mine = {found.id for found in reader.documents(account, "context") if self._policy.owns(reader, found)}
        mine |= self._contexts
        for item in items:
            if item.document not in mine or not self._policy.named([item.access.agent, item.access.action]):
                continue
            if item.document not in self._logs:
                self._logs[item.document] = Counter(reader.accesses(account, item.document, ALL_ACCESSES))
            if self._logs[item.document][item.access] > 0:
                self._logs[item.document][item.access] -= 1
                continue
            if tx is not None:
                tx.log_access(account, item.document, item.access)
            self._tally.others[KIND_NAMES[AccessItem]] += 1

    def _write_settings(self, reader: Reader, tx: Transaction | None, items: Sequence[SwitchItem | NoteItem]) -> None:
        account = self._policy.account
        for item in items:
            if isinstance(item, SwitchItem):
                if not self._policy.named([item.project]) or self._policy.gone(reader, [item.project]) is not None:
                    self._tally.refuse("off", None, "the name of the project must not be stored", memory=False)
                    continue
                is_new = item.project not in reader.switched_off(account)
                if is_new and tx is not None:
                    tx.switch(account, item.project, on=False)
            else:
                name = _counter_note(item)
                is_new = name is not None and reader.note(name, account) is None
                if is_new and tx is not None:
                    tx.set_note(str(name), item.value, account)
            self._tally.others[KIND_NAMES[type(item)]] += is_new


def _counter_note(item: NoteItem) -> str | None:
    """The name of the note that keeps a counter; a file can write no other note of a store."""
    kind, _, key = item.name.partition(":")
    if item.name in COUNTERS:
        return item.name if item.value.isdigit() and len(item.value) < 12 else None
    try:
        if kind == "pool" and str(UUID(key)) == key and isinstance(json.loads(item.value), dict):
            return item.name
    except ValueError:
        pass
    return None


class JournalReplay:
    """Writes the journal of a stream into an account that has none, with its own operations, times and actors.

    `done` is the number of its events that are written.
    """

    def __init__(self, policy: ImportPolicy, tally: ImportTally, done: int) -> None:
        self._policy, self._tally = policy, tally
        self.done, self._skip = done, done
        self._seqs: array[int] | None = None

    def write(self, reader: Reader, tx: Transaction | None, events: Sequence[Event], refused: Collection[str]) -> None:
        """Write some events; skips those that an earlier run wrote, and those of memories that were refused."""
        for event in events:
            if self._skip:
                self._skip -= 1
                continue
            self.done += 1
            if event.memory_id in refused:
                # Snapshots that follow in the file count this event too.
                seqs = self._sequence_numbers(reader)
                seqs.append(seqs[-1] if seqs else 0)
                continue
            made = self._localised_event(reader, self._screened(event))
            if tx is not None:
                self._sequence_numbers(reader).append(tx.replay(self._policy.account, made))
            self._tally.others["event"] += 1

    def localised(self, reader: Reader, document: Document) -> Document:
        """A snapshot that refers to a sequence number of this journal."""
        return replace(document, body=self._localised_body(reader, document.body or {}))

    def _sequence_numbers(self, reader: Reader) -> array[int]:
        """The sequence number each event got here; those of an earlier run are read back once."""
        if self._seqs is None:
            self._seqs, after = array("q"), 0
            while page := reader.events(self._policy.account, after=after, limit=_EVENT_PAGE):
                self._seqs.extend(event.seq for event in page)
                after = page[-1].seq
        return self._seqs

    def _localised_body(self, reader: Reader, body: Mapping[str, Any]) -> dict[str, Any]:
        count, seqs = body.get("seq"), self._sequence_numbers(reader)
        known = isinstance(count, int) and 0 < count <= len(seqs)
        return {**body, "seq": seqs[int(count or 0) - 1] if known else 0}

    def _localised_event(self, reader: Reader, event: Event) -> Event:
        if event.document != "snapshot":
            return event
        before, after = (self._localised_image(reader, image) for image in (event.before, event.after))
        return replace(event, before=before, after=after)

    def _localised_image(self, reader: Reader, image: Image | None) -> Image | None:
        return None if image is None else {**image, "body": self._localised_body(reader, image["body"])}

    def _screened(self, event: Event) -> Event:
        """An event whose images hold text that must not be stored loses them, as after a purge."""
        if not self._policy.named([event.actor]):
            self._tally.refuse(f"event {event.operation}", event.memory_id, "its actor contains a secret", memory=False)
            event = replace(event, actor=self._policy.actor)
        texts = [part for image in (event.before, event.after) if image and (part := self._texts(event, image))]
        texts += [event.reason] if event.reason else []
        named = [name for image in (event.before, event.after) if image for name in _names(event, image)]
        if self._policy.named(named) and (not texts or self._policy.clean(texts, "")):
            return self._with_own_account(event)
        reason = "its images contain text that must not be stored"
        self._tally.refuse(f"event {event.operation}", event.memory_id, reason, memory=False)
        return replace(event, before=None, after=None, reason=None)

    def _with_own_account(self, event: Event) -> Event:
        """The whole image of a memory names its account; here that is the account it is imported into."""
        if not any("account" in image for image in (event.before, event.after) if image):
            return event
        before, after = (
            {**image, "account": self._policy.account} if image and "account" in image else image
            for image in (event.before, event.after)
        )
        return replace(event, before=before, after=after)

    def _texts(self, event: Event, image: Image) -> Any:
        if event.document is None:
            return [image[name] for name in _TEXT_FIELDS if image.get(name)]
        return {**image["body"], "vector": None}


def _names(event: Event, image: Image) -> list[str]:
    """The names in the image of an event: of a memory its places and keys, of a document its own and its place."""
    if event.document is not None:
        return [str(image.get("name") or ""), *map(str, image.get("place") or ())]
    return [name for field in _NAME_FIELDS if image.get(field) for name in strings_in(image[field])]
