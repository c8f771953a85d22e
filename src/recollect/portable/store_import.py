"""Imports the whole store of another product as memories that keep what they were: scores, hits, times, chains, owners.

They pass the same importer as an export of our own: the screen, the tombstones and the rights apply. Ids are stable, so a second
import adds nothing, and a memory that changed there since is updated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np

from recollect.errors import EmbedderError, InvalidInput
from recollect.portable import item_validation as validate
from recollect.portable.drafts import IngestedItem, IngestOutcome, IngestReport, SourceReport
from recollect.portable.import_report import ImportTally
from recollect.portable.importer import import_items
from recollect.portable.importers.common import origin_label
from recollect.portable.importers.stored import SourceMemory, StoredSource
from recollect.portable.masking import has_password, metadata_problem
from recollect.portable.merge_policy import ImportPolicy
from recollect.portable.permissions import TransferPermissions
from recollect.portable.stream import MemoryItem
from recollect.ports import Progress, Reader
from recollect.unit_of_work import UnitOfWork, flush
from recollect.values.event import from_image
from recollect.values.link import MOST_LINKS
from recollect.values.memory import Record

_PAGE = 96
_EXCERPT = 100
_PASSWORD = "the text holds a secret (password); take it out"  # noqa: S105 - a reason, not a password
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class StoreImport:
    """One import: the ids that memories get here, and what became of each."""

    uow: UnitOfWork
    product: str
    dry_run: bool = False
    _ids: dict[str, str] = field(default_factory=dict)
    _told: list[IngestedItem] = field(default_factory=list)
    _tally: ImportTally = field(default_factory=lambda: ImportTally(outcomes={}))

    def run(self, source: StoredSource, progress: Progress | None = None) -> IngestReport:
        """Import every memory of a source."""
        # Rooms of agents and teams belong to the account; only an agent or a user of it is kept out of those of others.
        identity = self.uow.viewer.identity
        permissions = TransferPermissions(self.uow, identity, everything=identity.name is None)
        policy = permissions.import_policy()
        self._ids = {one.id: self._id(one) for one in source.memories}
        with self.uow.view() as reader:
            stored = self._stored(reader)
        memories = sorted(source.memories, key=lambda one: str(one.image.get("created_at") or ""))
        replaced = _replaced(memories)
        made = [(one, found) for one in memories if (found := self._record(one, stored, replaced, policy)) is not None]
        if not self.dry_run:
            flush(self.uow.runtime)
        items = self._items(made, stored)
        import_items(self.uow.runtime.store, items, policy, dry_run=self.dry_run, progress=progress, tally=self._tally)
        told = [self._item(one, record, policy) for one, record in made]
        skipped = [IngestedItem(one.where, "left_out", policy.quoted(one.text), one.reason) for one in source.skipped]
        links = 0 if self.dry_run else sum(len(record.links) for _, record in made if self._is_new(record))
        report = SourceReport(source.name, (*self._told, *told, *skipped))
        return IngestReport((report,), self.dry_run, links)

    def _id(self, one: SourceMemory) -> str:
        """A stable id: the time of its creation, and a hash of what it is there and where it goes to."""
        viewer = self.uow.viewer
        name = "\n".join((self.product, viewer.account, viewer.project or "", one.id))
        created = one.image.get("created_at")
        at = _NO_TIME if created is None else datetime.fromisoformat(created)
        milliseconds = max(int(at.timestamp() * 1000), 0) & (1 << 48) - 1
        bits = int.from_bytes(hashlib.sha256(name.encode("utf-8", "replace")).digest()[:10]) >> 6
        value = milliseconds << 80 | 7 << 76 | bits >> 62 << 64 | 2 << 62 | bits & (1 << 62) - 1
        digits = f"{value:032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"

    def _stored(self, reader: Reader) -> dict[str, Record]:
        """What was imported before, by id."""
        ids = list(self._ids.values())
        pages = (reader.get(self.uow.viewer.account, ids[at : at + 1000]) for at in range(0, len(ids), 1000))
        return {record.id: record for page in pages for record in page if record is not None}

    def _record(
        self, one: SourceMemory, stored: Mapping[str, Record], replaced: Mapping[str, str], policy: ImportPolicy
    ) -> Record | None:
        """The memory, unless it is refused before the store is asked; that is reported."""
        viewer = self.uow.viewer
        own, now = self._ids[one.id], self.uow.runtime.clock()
        known = stored.get(own)
        begun = (known.created_at if known else now).isoformat()
        image = {
            "created_at": begun,
            "updated_at": begun,
            "accessed_at": begun,
            "source": "migrated",
            "trust": 0.8,
            **self._default_place(),
            "reason": origin_label(self.product),
            **{name: value for name, value in one.image.items() if value is not None},
            "id": own,
        }
        supersedes = one.supersedes or replaced.get(one.id)
        image["supersedes"] = self._ids.get(supersedes or "")
        image["links"] = self._links(one)
        image["metadata"] = self._metadata(one, image["metadata"], policy)
        if supersedes and image["supersedes"] is None:
            image["metadata"] = {**image["metadata"], "supersedes": supersedes}
        try:
            record = from_image({**validate.MEMORY(one.where, image), "account": viewer.account})
        except InvalidInput as error:
            self._refuse(one, policy, f"{error.field} {error.problem}")
            return None
        if has_password(record.content) and self.uow.runtime.gate.policy.get("secret") != "allow":
            self._refuse(one, policy, _PASSWORD)
            return None
        if record.expires_at is not None and record.expires_at <= now and known is None:
            self._refuse(one, policy, "it has expired", "left_out")
            return None
        return record

    def _default_place(self) -> dict[str, Any]:
        """Where a memory without an owner goes: as with `remember`, what is stored for a user is that user's."""
        viewer = self.uow.viewer
        if viewer.identity.user:
            return {"scope": "user", "user": viewer.identity.user, "project": viewer.project}
        return {"scope": "project" if viewer.project else "global", "project": viewer.project}

    def _links(self, one: SourceMemory) -> list[dict[str, Any]]:
        found = {
            (self._ids[target], relation): weight
            for target, relation, weight in one.links
            if target in self._ids and target != one.id
        }
        return [
            {"target": target, "relation": relation, "weight": weight}
            for (target, relation), weight in list(found.items())[:MOST_LINKS]
        ]

    def _metadata(self, one: SourceMemory, metadata: Mapping[str, Any], policy: ImportPolicy) -> dict[str, Any]:
        """The columns we have no field for; if they must not be stored, only the id is kept, and that is reported."""
        problem = metadata_problem(self.uow.runtime.gate, metadata)
        if problem is None:
            return dict(metadata)
        text = policy.quoted("; ".join(f"{name}: {value}" for name, value in metadata.items()))
        self._told.append(IngestedItem(f"{one.where}, metadata", "refused", text, problem))
        return {}

    def _refuse(self, one: SourceMemory, policy: ImportPolicy, reason: str, outcome: IngestOutcome = "refused") -> None:
        self._told.append(IngestedItem(one.where, outcome, policy.quoted(str(one.image["content"])), reason))

    def _items(self, made: Sequence[tuple[SourceMemory, Record]], stored: Mapping[str, Record]) -> Iterator[MemoryItem]:
        """The memories with their vectors, which are made page by page while nothing is open."""
        for at in range(0, len(made), _PAGE):
            page = made[at : at + _PAGE]
            vectors = self._vectors([record for _, record in page if not _has_text(stored.get(record.id), record)])
            for one, record in page:
                model, found = vectors.get(record.id, (None, None))
                yield MemoryItem(record, model, found, where=one.where)

    def _vectors(self, records: Sequence[Record]) -> dict[str, tuple[str, Any]]:
        runtime = self.uow.runtime
        if runtime.embed_many is None or runtime.embedder is None or self.dry_run or not records:
            return {}
        try:
            found = runtime.embed_many(list(records))
            model = runtime.embedder.model
        except EmbedderError:  # they are found by their words until `reembed`
            return {}
        return {record.id: (model, each.astype(np.float16)) for record, each in zip(records, found, strict=True)}

    def _is_new(self, record: Record) -> bool:
        return (self._tally.outcomes or {}).get(record.id, ("", ""))[0] in ("kept", "replaced")

    def _item(self, one: SourceMemory, record: Record, policy: ImportPolicy) -> IngestedItem:
        outcome, reason = (self._tally.outcomes or {})[record.id]
        text = policy.quoted(record.content)
        if outcome == "refused":
            return IngestedItem(one.where, "refused", text, reason)
        flat = " ".join(text.split())
        return IngestedItem(
            one.where, outcome, flat if len(flat) <= _EXCERPT else f"{flat[: _EXCERPT - 1]}…", reason, record.id
        )


def import_stores(
    uow: UnitOfWork, product: str, sources: Iterable[StoredSource], progress: Progress | None, *, dry_run: bool
) -> IngestReport:
    """Import some stores of one product, one after the other."""
    reports = [StoreImport(uow, product, dry_run).run(source, progress) for source in sources]
    batches = tuple(batch for report in reports for batch in report.batches)
    return IngestReport(batches, dry_run, sum(report.links for report in reports))


def _has_text(known: Record | None, record: Record) -> bool:
    """Whether a memory is here with this text, so that it has its vectors."""
    return known is not None and known.content == record.content


def _replaced(memories: Sequence[SourceMemory]) -> dict[str, str]:
    """For products that note the successor on the old memory: which memory each successor supersedes, the first of them."""
    found: dict[str, str] = {}
    for one in memories:
        if one.superseded_by is not None:
            found.setdefault(one.superseded_by, one.id)
    return found
