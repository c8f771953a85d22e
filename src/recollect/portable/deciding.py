"""Deciding: what is to become of one memory or document that comes in. Nothing is changed here, so a dry run decides the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recollect.portable.stream import HalfVectors, Remembered
from recollect.ports import Clock, Reader
from recollect.values.document import Document, document_image
from recollect.values.image import difference
from recollect.values.memory import Record
from recollect.values.scope import RESERVED, Place

Comes = Sequence[tuple[Record, HalfVectors | None]]


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms a stream is taken in, and what other stages have a say in it.

    `screen` gives a memory as it may be stored, or why it must not be; `clean` says of any JSON whether it may be kept.
    `restated` gives, by id, which forgotten memories some that are about to be stored would bring back; it is told the vectors
    that are of the `model` in use (its name and dimensions). `reach` says whether a memory may be placed somewhere, `owns`
    whether a document may be made or changed. The `owner` of the account may also bring what belongs to no room: purged
    digests, switches, counters, history.
    """

    account: str
    actor: str
    clock: Clock
    screen: Callable[[Record], Record | str]
    clean: Callable[[Any], bool]
    restated: Callable[[Reader, Comes], Mapping[str, Sequence[Record]]]
    reach: Callable[[Reader, Place], bool]
    owns: Callable[[Reader, Document], bool]
    owner: bool
    model: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class New:
    """To be stored."""

    record: Record
    reworded: bool = False


@dataclass(frozen=True, slots=True)
class Newer:
    """To replace what is here under the same id."""

    before: Record
    record: Record
    reworded: bool = False


@dataclass(frozen=True, slots=True)
class Same:
    """Here already; `newer` when what is here was changed later than what comes in."""

    newer: bool = False


@dataclass(frozen=True, slots=True)
class Left:
    """Not to be taken, and why."""

    reason: str


Decision = New | Newer | Same | Left
_RESTATES = Left("forgotten: the same was forgotten on purpose, in other words")


class Judged:
    """The memories of one page of the stream, decided together: what is asked of the store is asked once for all."""

    def __init__(
        self, reader: Reader, terms: Terms, *, fresh: bool, operation: str, contexts: Collection[str] = ()
    ) -> None:
        """`fresh`: the account held nothing when this import began, so nothing here can be against it.

        `contexts` came in before, as this identity's own: their entries may.
        """
        self._reader, self._terms, self._fresh, self._operation = reader, terms, fresh, operation
        self._rooms = frozenset(f"{RESERVED}{context}" for context in contexts)

    def decide(self, items: Sequence[Remembered]) -> list[Decision]:
        """What is to become of each."""
        held = self._reader.get(self._terms.account, [item.record.id for item in items])
        taken: set[tuple[object, ...]] = set()
        first = [
            self._once(taken, item.record) or self._one(item.record, known)
            for item, known in zip(items, held, strict=True)
        ]
        if self._fresh:
            return first
        coming = [
            (made.record, None if made.reworded else self._comparable(item))
            for item, made in zip(items, first, strict=True)
            if isinstance(made, New) and made.record.status != "forgotten"
        ]
        found = self._terms.restated(self._reader, coming) if coming else {}
        back = {new for new, buried in found.items() if not all(map(self._came_along, buried))}
        return [_RESTATES if isinstance(made, New) and made.record.id in back else made for made in first]

    def _once(self, taken: set[tuple[object, ...]], record: Record) -> Left | None:
        """A page that tells an id or a key twice is refused the second one, before the store would refuse the page."""
        marks = {(record.id,)} | ({(record.key, record.place)} if record.key is not None else set())
        if taken & marks:
            return Left("its id or its key was there before, in the same file")
        taken |= marks
        return None

    def _comparable(self, item: Remembered) -> HalfVectors | None:
        if item.vectors is None or (item.model, item.vectors.shape[1]) != self._terms.model:
            return None
        return item.vectors

    def _one(self, record: Record, known: Record | None) -> Decision:
        if not self._reaches(record.place):
            return Left(
                f"its room ({record.scope}) is out of reach; take everything, or import as whoever it belongs to"
            )
        if known is not None and not self._reaches(known.place):
            return Left("its id is taken")
        if known is not None:
            known = known.with_(status="active", superseded_by=None) if known.status == "superseded" else known
            if record.updated_at <= known.updated_at or difference(known, record) == ({}, {}):
                return Same(newer=difference(known, record) != ({}, {}))
        screened = self._terms.screen(record)
        if isinstance(screened, str):
            return Left(screened)
        reworded = screened.content != record.content
        if known is None:
            return self._against(screened) or New(screened, reworded)
        if difference(known, screened) == ({}, {}):
            return Same()
        if known.status == "forgotten" and screened.status != "forgotten":
            return Left("forgotten: this was forgotten on purpose; restore it if it is to come back")
        if (screened.content, screened.key) != (known.content, known.key) and (
            left := self._against(screened)
        ) is not None:
            return left
        return Newer(known, screened, reworded)

    def _reaches(self, place: Place) -> bool:
        return (place[0] == "team" and place[1] in self._rooms) or self._terms.reach(self._reader, place)

    def _against(self, record: Record) -> Left | None:
        """What here stands against a text or a key that comes in."""
        reader, account = self._reader, self._terms.account
        if record.key is not None and not self._fresh:
            other = reader.by_key(account, record.key, record.place)
            if other is not None and other.id != record.id:
                return Left(f"its key {record.key!r} is taken by another memory here")
        if self._fresh or record.status == "forgotten":
            return None
        if reader.purged(account, record.content):
            return Left("purged: this text was erased for good")
        for old in reader.same_text(account, record.content):
            if old.status == "forgotten" and old.place == record.place and not self._came_along(old):
                return Left("forgotten: this was forgotten on purpose")
        return None

    def _came_along(self, old: Record) -> bool:
        """Whether a tombstone was itself brought by this import."""
        made = self._reader.events(old.account, memory_id=old.id, limit=1)
        return bool(made) and made[0].operation == self._operation


def decided_document(
    reader: Reader, terms: Terms, document: Document, known: Document | None
) -> Document | Left | None:
    """The document to put in the place of the known one, None when it is here already, or why it is left out."""
    if not terms.owns(reader, document) or (known is not None and not terms.owns(reader, known)):
        return Left(f"this {document.kind} belongs to another; take everything, or import as its owner")
    if known is not None and (
        document_image(known) == document_image(document) or document.updated_at <= known.updated_at
    ):
        return None
    if not terms.clean(_told(document)):
        return Left(f"this {document.kind} holds what must not be kept")
    namesakes = reader.documents(terms.account, document.kind, document.name)
    if any(each.place == document.place and each.id != document.id for each in namesakes):
        return Left(f"there is another {document.kind} named {document.name!r} here")
    return document


def _told(document: Document) -> Any:
    """What of a document somebody said: keys name things, and a vector is no text."""
    body = dict(document.body or {})
    if document.kind in ("working", "short_term"):
        return {str(body.get("key", document.name)): body.get("value")}
    if document.kind == "pool":
        return body.get("data")
    return [document.name if document.kind == "tag" else "", {**body, "vector": None}]
