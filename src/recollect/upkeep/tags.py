"""Tags: their descriptions, and renaming or merging a tag on all memories as one operation."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from recollect.capture.screen.named_values import value_in
from recollect.capture.screen.policy import Refusal, apply_policy
from recollect.errors import InvalidInput, NotFound
from recollect.ports import Reader, Transaction
from recollect.unit_of_work import Embed, UnitOfWork
from recollect.validation import MAX_CONTENT, clean_tags, clean_text
from recollect.values.document import Document
from recollect.values.enums import Status
from recollect.values.ids import new_id
from recollect.values.scope import GLOBAL, Identity, Viewer, reaches
from recollect.values.search import Filter
from recollect.values.tag import Tag

_EVERY_STATUS: tuple[Status, ...] = ("active", "superseded", "archived", "forgotten")


def tags(reader: Reader, viewer: Viewer, now: datetime) -> list[Tag]:
    """Every tag of the visible memories, the most used first, then tags that only have a description."""
    identity = viewer.identity
    counts = reader.tag_counts(identity, now, viewer.visit)
    described = [
        document for document in reader.documents(identity.account, "tag") if reaches(identity, document.place)
    ]
    # An agent's own description of a tag overrides the one for all.
    meanings = {document.name: _text(document) for document in sorted(described, key=lambda d: d.place != GLOBAL)}
    known = [Tag(name, count, meanings.get(name)) for name, count in counts.items()]
    return known + [Tag(name, 0, text) for name, text in sorted(meanings.items()) if name not in counts]


def describe(tx: Transaction, identity: Identity, tag: str, text: str | None, now: datetime) -> None:
    """Describe a tag, for the agent itself or (without an agent) for all; without a text, delete the description."""
    document, place = _description_of(tx, identity, tag), identity.private_place()
    if text is None:
        if document is None:
            raise NotFound("description of", tag, "`tags` lists them")
        tx.put_document(document, None, "describe")
        return
    made = document or Document(new_id(now), identity.account, "tag", tag, now, now, place)
    tx.put_document(document, made.with_body(now, text=text), "describe")


def merge(uow: UnitOfWork, tx: Transaction, old: Collection[str], into: str) -> int:
    """Replace some tags by another on every visible memory; returns on how many."""
    identity, now = uow.viewer.identity, uow.runtime.clock()
    changed: dict[str, None] = {}
    for tag in old:
        wanted = Filter(tags=(tag,), statuses=_EVERY_STATUS)
        for record in tx.find(identity, wanted, now, limit=-1):
            names = (into if name in old else name for name in record.tags)
            renamed = record.with_(tags=tuple(dict.fromkeys(names)))
            uow.runtime.gate.require_no_naming(record, renamed)
            tx.change(record, renamed, "tag")
            changed[record.id] = None
        _move_description(tx, identity, tag, into, now)
    if not changed:
        raise NotFound("memory with the tag", " or ".join(sorted(old)), "`tags` lists them")
    return len(changed)


def _move_description(tx: Transaction, identity: Identity, tag: str, into: str, now: datetime) -> None:
    """Move the description of the old tag to the new one, unless that has its own."""
    document = _description_of(tx, identity, tag)
    if document is None:
        return
    tx.put_document(document, None, "describe")
    if _description_of(tx, identity, into) is None:
        describe(tx, identity, into, _text(document), now)


def _description_of(tx: Transaction, identity: Identity, tag: str) -> Document | None:
    place = identity.private_place()
    return next((document for document in tx.documents(identity.account, "tag", tag) if document.place == place), None)


def _text(document: Document) -> str:
    return str((document.body or {}).get("text", ""))


def describe_tag(uow: UnitOfWork, tag: str, description: str | None) -> None:
    """Describe a tag; None deletes the description."""
    (name,) = uow.tags([tag])
    text = None if description is None else _screened(uow, "description", description)
    if text is not None and " " not in text.strip():
        uow.runtime.gate.require_value("description", value_in(text), name)

    def write(tx: Transaction, embed: Embed) -> None:
        describe(tx, uow.viewer.identity, name, text, uow.runtime.clock())
        uow.require_no_tombstones(tx, "description", [name, text or ""], embed)

    uow.transact(write)


def merge_tags(uow: UnitOfWork, into: str, others: Sequence[str]) -> int:
    """Replace several tags by one; returns on how many memories."""
    (name,), old = uow.tags([into]), set(clean_tags(others))
    if not old - {name}:
        raise InvalidInput("tags", "there is nothing to merge", "name at least one other tag")
    with uow.transaction() as tx:
        uow.require_no_tombstones(tx, "tags", [name])
        return merge(uow, tx, old - {name}, name)


def _screened(uow: UnitOfWork, field: str, given: str) -> str:
    cleaned = apply_policy(clean_text(field, given, MAX_CONTENT), uow.runtime.gate.policy)
    if isinstance(cleaned, Refusal):
        raise InvalidInput(field, cleaned.reason, "leave it out")
    return cleaned.text
