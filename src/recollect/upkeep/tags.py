"""Tags as nodes: what a tag means, and renaming or merging it on every memory that carries it, as one operation."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from recollect.errors import NotFound
from recollect.ports import Reader, Transaction
from recollect.values.document import Document
from recollect.values.filter import Filter
from recollect.values.ids import new_id
from recollect.values.scope import GLOBAL, Identity, Place, reaches
from recollect.values.words import Status

_EVERY_STATUS: tuple[Status, ...] = ("active", "superseded", "archived", "forgotten")


@dataclass(frozen=True, slots=True)
class Tag:
    """A label that memories share: its name, what it means, and how many memories carry it."""

    name: str
    count: int
    description: str | None = None


def tags(reader: Reader, identity: Identity, now: datetime) -> list[Tag]:
    """Every tag of what an identity reaches, the most used first; described ones are told even when nothing carries them."""
    counts = reader.tag_counts(identity, now)
    held = [document for document in reader.documents(identity.account, "tag") if reaches(identity, document.place)]
    # What an agent says of a tag goes before what all say of it.
    meanings = {document.name: _text(document) for document in sorted(held, key=lambda d: d.place != GLOBAL)}
    known = [Tag(name, count, meanings.get(name)) for name, count in counts.items()]
    return known + [Tag(name, 0, text) for name, text in sorted(meanings.items()) if name not in counts]


def describe(tx: Transaction, identity: Identity, tag: str, text: str | None, now: datetime) -> None:
    """Say what a tag means, an agent for itself, anybody else for all; without a text, say nothing of it any more."""
    held, place = _held(tx, identity, tag), _place(identity)
    if text is None:
        if held is None:
            raise NotFound("description of", tag, "`tags` shows which have one")
        tx.put_document(held, None, "describe")
        return
    made = held or Document(new_id(now), identity.account, "tag", tag, now, now, place)
    tx.put_document(held, made.with_body(now, text=text), "describe")


def merge(tx: Transaction, identity: Identity, old: Collection[str], into: str, now: datetime) -> int:
    """Put one tag in the place of others on every memory within reach; returns on how many."""
    changed: dict[str, None] = {}
    for tag in old:
        wanted = Filter(tags=(tag,), statuses=_EVERY_STATUS)
        for record in tx.find(identity, wanted, now, limit=-1):
            names = (into if name in old else name for name in record.tags)
            tx.change(record, record.with_(tags=tuple(dict.fromkeys(names))), "tag")
            changed[record.id] = None
        _hand_over(tx, identity, tag, into, now)
    if not changed:
        raise NotFound("memory with the tag", " or ".join(sorted(old)), "`tags` shows which there are")
    return len(changed)


def _hand_over(tx: Transaction, identity: Identity, tag: str, into: str, now: datetime) -> None:
    """What the old tag meant is kept, unless the new one says what it means itself."""
    held = _held(tx, identity, tag)
    if held is None:
        return
    tx.put_document(held, None, "describe")
    if _held(tx, identity, into) is None:
        describe(tx, identity, into, _text(held), now)


def _held(tx: Transaction, identity: Identity, tag: str) -> Document | None:
    place = _place(identity)
    return next((held for held in tx.documents(identity.account, "tag", tag) if held.place == place), None)


def _place(identity: Identity) -> Place:
    return ("agent", identity.agent, "") if identity.agent else GLOBAL


def _text(document: Document) -> str:
    return str((document.body or {}).get("text", ""))
