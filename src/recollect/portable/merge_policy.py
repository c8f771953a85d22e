"""Decides what happens to one memory or document that is imported. Nothing is changed here, so a dry run decides the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from recollect.capture.tombstones import Incoming, Tombstone
from recollect.portable.stream import HalfVectors, MemoryItem
from recollect.ports import Clock, Reader
from recollect.tiers.pools import order_labels
from recollect.tiers.working import SEPARATOR
from recollect.values.document import Document, document_image
from recollect.values.event import difference
from recollect.values.memory import Record, side_texts
from recollect.values.plain import strings_in
from recollect.values.scope import RESERVED, Place
from recollect.values.statements import says_something


@dataclass(frozen=True, slots=True)
class ImportPolicy:
    """Who imports into which account, and the rules of other stages that apply.

    `screen` returns a memory as it may be stored, or the reason why it must not be; `clean` says whether any JSON value may be
    stored in something of a name, `named` whether some names may be, `gone` whether one of some texts was forgotten or purged.
    `blocked` returns, by id, the tombstones of texts that must not come back, without those of some forgotten memories; it gets
    the vectors that are of the `model` in use (its name and dimensions). `reach` says whether a memory may be written to a
    place, `owns` whether a document may be created or changed. The `owner` of the account may also import what
    belongs to the account as a whole: purged digests, switches, counters, history.
    """

    account: str
    actor: str
    clock: Clock
    screen: Callable[[Record], Record | str]
    clean: Callable[[Any, str], bool]
    named: Callable[[Iterable[str | None]], bool]
    gone: Callable[[Reader, Sequence[str]], Tombstone | None]
    blocked: Callable[[Reader, Incoming, Callable[[Record], bool]], Mapping[str, Tombstone]]
    reach: Callable[[Reader, Place], bool]
    owns: Callable[[Reader, Document], bool]
    owner: bool
    model: tuple[str, int] | None = None

    def excerpt(self, text: str) -> str:
        """How a refused text begins, for the report; nothing of one that must not be stored."""
        flat = " ".join(text.split())
        if not self.clean([text], ""):
            return "(not shown)"
        return flat if len(flat) <= _EXCERPT else f"{flat[: _EXCERPT - 1]}…"


_EXCERPT = 100
# Said of an id that is in use where the caller cannot look: it does not tell whose it is, nor that it exists.
NOT_HERE = "it cannot be stored here; export it again as a new memory"


@dataclass(frozen=True, slots=True)
class InsertMemory:
    """Store it as a new memory; `redacted` when the screen changed its text."""

    record: Record
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class UpdateMemory:
    """Replace the memory that has the same id here."""

    before: Record
    record: Record
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class KeepExisting:
    """It is here already; `newer` when it was changed here later than in the file."""

    newer: bool = False


@dataclass(frozen=True, slots=True)
class RefuseItem:
    """Do not import it, and why."""

    reason: str


MergeDecision = InsertMemory | UpdateMemory | KeepExisting | RefuseItem


class MergePlanner:
    """Decides about the memories of one page together, so that the store is asked once for all of them."""

    def __init__(
        self, reader: Reader, policy: ImportPolicy, *, fresh: bool, operation: str, contexts: Collection[str] = ()
    ) -> None:
        """`fresh`: the account was empty when this import began, so nothing here can conflict with it.

        `contexts` were imported earlier in the same stream as this identity's own, so their entries may be imported too.
        """
        self._reader, self._policy, self._fresh, self._operation = reader, policy, fresh, operation
        self._context_teams = frozenset(f"{RESERVED}{context}" for context in contexts)

    def decide(self, items: Sequence[MemoryItem]) -> list[MergeDecision]:
        """One decision per memory."""
        existing = self._reader.get(self._policy.account, [item.record.id for item in items])
        seen: set[tuple[object, ...]] = set()
        decisions = [
            self._refuse_repeated(seen, item.record) or self._decide_one(item.record, known)
            for item, known in zip(items, existing, strict=True)
        ]
        return decisions if self._fresh else self._refuse_blocked(items, decisions)

    def _refuse_blocked(self, items: Sequence[MemoryItem], decisions: list[MergeDecision]) -> list[MergeDecision]:
        """Refuse texts that were forgotten or purged here. A memory that changes is compared only if its text does."""
        new = [
            (decision.record, None if decision.redacted else self._comparable_vectors(item))
            for item, decision in zip(items, decisions, strict=True)
            if _brings_text(decision)
        ]
        blocked = self._policy.blocked(self._reader, new, self._is_from_this_import) if new else {}
        return [
            RefuseItem(blocked[item.record.id].reason)
            if _brings_text(decision) and item.record.id in blocked
            else decision
            for item, decision in zip(items, decisions, strict=True)
        ]

    def _refuse_repeated(self, seen: set[tuple[object, ...]], record: Record) -> RefuseItem | None:
        """Refuse the second use of an id or key in a page, before the store would refuse the whole page."""
        marks = {(record.id,)} | ({(record.key, record.place)} if record.key is not None else set())
        if seen & marks:
            return RefuseItem("its id or its key was used before in the same file")
        seen |= marks
        return None

    def _comparable_vectors(self, item: MemoryItem) -> HalfVectors | None:
        if item.vectors is None or (item.model, item.vectors.shape[1]) != self._policy.model:
            return None
        return item.vectors

    def _decide_one(self, record: Record, known: Record | None) -> MergeDecision:
        if not self._reaches(record.place):
            return RefuseItem(
                f"its scope ({record.scope}) is out of reach; import everything, or import as the identity it belongs to"
            )
        if known is not None and not self._reaches(known.place):
            return RefuseItem(NOT_HERE)
        if known is not None:
            known = known.with_(status="active", superseded_by=None) if known.status == "superseded" else known
            if record.updated_at <= known.updated_at or difference(known, record) == ({}, {}):
                return KeepExisting(newer=difference(known, record) != ({}, {}))
        screened = self._policy.screen(record)
        if isinstance(screened, str):
            return RefuseItem(screened)
        redacted = screened.content != record.content
        if known is None:
            return self._refuse_conflicting(screened) or InsertMemory(screened, redacted)
        return self._decide_update(known, screened, redacted=redacted)

    def _decide_update(self, known: Record, record: Record, *, redacted: bool) -> MergeDecision:
        if difference(known, record) == ({}, {}):
            return KeepExisting()
        if known.status == "forgotten" and record.status != "forgotten":
            return RefuseItem("forgotten: this was forgotten on purpose; restore it to import it again")
        changed = (record.content, record.key) != (known.content, known.key)
        refused = self._refuse_conflicting(record) if changed else None
        return refused or self._refuse_beside(known, record) or UpdateMemory(known, record, redacted)

    def _reaches(self, place: Place) -> bool:
        return (place[0] == "team" and place[1] in self._context_teams) or self._policy.reach(self._reader, place)

    def _refuse_conflicting(self, record: Record) -> RefuseItem | None:
        """Refuse a key that is taken here."""
        reader, account = self._reader, self._policy.account
        if record.key is not None and not self._fresh:
            other = reader.by_key(account, record.key, record.place)
            if other is not None and other.id != record.id:
                return RefuseItem(f"its key {record.key!r} is taken by another memory here")
        return None

    def _refuse_beside(self, known: Record, record: Record) -> RefuseItem | None:
        """Refuse a tag, a name or a reason that brings back what was forgotten or purged."""
        added = {text for _, text in side_texts(record)} - {text for _, text in side_texts(known)}
        found = self._policy.gone(self._reader, sorted(filter(says_something, added))) if added else None
        return None if found is None else RefuseItem(found.reason)

    def _is_from_this_import(self, old: Record) -> bool:
        """Whether a tombstone was itself imported by this operation."""
        created = self._reader.events(old.account, memory_id=old.id, limit=1)
        return bool(created) and created[0].operation == self._operation


def _brings_text(decision: MergeDecision) -> TypeGuard[InsertMemory | UpdateMemory]:
    match decision:
        case InsertMemory(record):
            return record.status != "forgotten"
        case UpdateMemory(before, record):
            return record.status != "forgotten" and record.content != before.content
    return False


def decide_document(
    reader: Reader, policy: ImportPolicy, document: Document, known: Document | None
) -> Document | RefuseItem | None:
    """The document to write, None when it is here already, or why it is refused."""
    if not policy.owns(reader, document) or (known is not None and not policy.owns(reader, known)):
        return RefuseItem(f"this {document.kind} belongs to another; import everything, or import as its owner")
    if known is not None and (
        document_image(known) == document_image(document) or document.updated_at <= known.updated_at
    ):
        return None
    parts = _screened_parts(document)
    body = document.body or {}
    if not policy.named([document.name, *document.place, body.get("owner"), body.get("run"), body.get("session")]):
        return RefuseItem(f"the name of this {document.kind} contains a secret")
    if not policy.clean(parts, str(body.get("session") or body.get("task") or document.name)):
        return RefuseItem(f"this {document.kind} contains text that must not be stored")
    names = [*document.place, body.get("owner"), body.get("run"), body.get("session"), *strings_in(body.get("access"))]
    own = document.name.split(SEPARATOR)
    gone = policy.gone(reader, [*own, *strings_in(parts), *filter(says_something, filter(None, names))])
    if gone is not None:
        return RefuseItem(gone.reason)
    namesakes = reader.documents(policy.account, document.kind, document.name)
    if any(each.place == document.place and each.id != document.id for each in namesakes):
        return RefuseItem(f"there is another {document.kind} named {document.name!r} here")
    if document.kind == "pool":
        # A file may leave out the label of what it brings.
        return replace(document, body={**body, "labels": order_labels(body.get("data"))})
    return document


def _screened_parts(document: Document) -> Any:
    """The parts of a document that a person or an agent wrote; keys are names, and a vector is not text."""
    body = dict(document.body or {})
    if document.kind in ("working", "short_term"):
        return {str(body.get("key", document.name)): body.get("value")}
    if document.kind == "pool":
        return body.get("data")
    return [document.name if document.kind == "tag" else "", {**body, "vector": None}]
