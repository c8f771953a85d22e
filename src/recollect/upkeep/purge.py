"""Purge: erase a memory for good, with all that the store keeps of it, and find what else repeats its text.

Always erased: the memory with its history, gaps that ask about it, what expired, and what only the journal still has of the text
(undone memories, overwritten or dropped values, withdrawn descriptions). What is in use and repeats the text, or was derived
from it, is listed, and erased on demand. Nothing that the caller may not see is listed or changed, except gaps and what expired.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from recollect.access import Level, may, within_contexts
from recollect.capture.duplicates import bury_superseded
from recollect.errors import AmbiguousId, NotFound, WorkingUnavailable
from recollect.ports import Namespace, Reader, Transaction
from recollect.recall.gaps import asks_about
from recollect.redaction import visible_events
from recollect.unit_of_work import UnitOfWork
from recollect.validation import clean_id
from recollect.values.document import Document
from recollect.values.event import Event, from_image, to_image
from recollect.values.ids import normalised
from recollect.values.memory import Record
from recollect.values.purge import ERASED, Erasure, Purged, Repeat, RepeatKind
from recollect.values.scope import RESERVED, Identity, Place, owner_key, reaches
from recollect.values.terms import query_terms
from recollect.values.tiers import is_narrative

# A text of fewer content words is only looked for as a whole: it would be part of texts about anything.
_FEWEST_TERMS = 3
# Earlier texts of the memory that are looked up one by one; with more, everything is read once.
_MOST_TEXTS = 4
_MOST_EDGES = 1000
_PAGE = 500
WorkingValue = tuple[Repeat, Namespace, str]
_ASCII_WORD = re.compile(r"[a-z0-9]+")
# Documents that are about one thing and are erased as a whole; in others, only the strings that repeat the text are.
_WHOLE = ("tag", "working", "short_term", "snapshot")


@dataclass(frozen=True, slots=True)
class Matcher:
    """Finds some texts in others: case, spacing, width and a final full stop do not matter."""

    texts: tuple[str, ...]
    _whole: frozenset[str] = field(init=False)
    _parts: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        whole = frozenset(map(normalised, self.texts))
        object.__setattr__(self, "_whole", whole)
        telling = tuple(part for part in whole if len(query_terms(part)) >= _FEWEST_TERMS)
        object.__setattr__(self, "_parts", telling)

    def __call__(self, text: str) -> bool:
        said = normalised(text)
        return said in self._whole or any(part in said for part in self._parts)

    def within(self, value: Any) -> bool:
        """Whether any string of a JSON value repeats the text."""
        return any(map(self, _strings(value)))

    def without(self, value: Any) -> Any:
        """A JSON value in which every string that repeats the text is replaced."""
        match value:
            case str():
                return ERASED if self(value) else value
            case Mapping():
                return {self.without(key): self.without(inside) for key, inside in value.items()}
            case list() | tuple():
                return [self.without(inside) for inside in value]
        return value


@dataclass(frozen=True, slots=True)
class Findings:
    """What there is of the texts of some memories besides themselves, after the event `seq`.

    `memories` and `documents` are in use; `residue` are documents that nobody uses any more, `history` events of what does not
    repeat the text any more, `events` those of the documents in use.
    """

    records: list[Record]
    # Every text that each of them has had, by id.
    texts: Mapping[str, tuple[str, ...]]
    match: Matcher
    seq: int
    memories: list[tuple[Repeat, Record]]
    documents: list[tuple[Repeat, Document]]
    residue: list[tuple[Repeat | None, Document]]
    history: list[tuple[Repeat, Event]]
    events: list[Event]
    # The ids of what the caller may see but not change.
    kept: frozenset[str]


def purge(uow: UnitOfWork, id: str, *, repeats: bool, dry_run: bool) -> Purged:
    """Erase a memory; with `repeats`, also what repeats its text."""
    batch = PurgeBatch(uow, repeats=repeats)
    with uow.view() as reader:
        record = _memory(uow, reader, id)
        found = look_up(uow, reader, [record])
    batch.read_working(found.match)
    batch.note(found)
    if not dry_run:
        with uow.transaction() as tx:
            if tx.last_event(record.account) != found.seq:
                record = _memory(uow, tx, id)
                found = look_up(uow, tx, [record])
                batch = replace(batch, erased={}, repeated={})
                batch.note(found)
            batch.erase(tx, found)
    left = Erasure() if dry_run else batch.finish()
    erased, repeated = batch.listed()
    return Purged(record.id, erased, repeated, left.pending, left.out_of_reach, dry_run)


@dataclass(frozen=True, slots=True)
class PurgeBatch:
    """Erases memories, some at a time, and tells what went with them and what repeats them."""

    uow: UnitOfWork
    repeats: bool
    purged: set[str] = field(default_factory=set)
    erased: dict[Repeat, None] = field(default_factory=dict)
    repeated: dict[Repeat, None] = field(default_factory=dict)
    working: dict[WorkingValue, None] = field(default_factory=dict)
    problems: dict[str, None] = field(default_factory=dict)

    def read_working(self, match: Matcher) -> None:
        """Find the values of the caller's working memory that repeat the texts; nothing may be open."""
        values, problem = _working_values(self.uow, match, self.uow.runtime.clock())
        self.working.update(dict.fromkeys(values))
        self.problems.update({} if problem is None else {problem: None})

    def note(self, found: Findings) -> None:
        """Take over what was found of some memories."""
        self.purged.update(record.id for record in found.records)
        residue = [repeat for repeat, _ in found.residue if repeat is not None]
        self.erased.update(dict.fromkeys((*residue, *(repeat for repeat, _ in found.history))))
        for repeat, _ in (*found.memories, *found.documents):
            goes = self.repeats and repeat.id not in found.kept
            (self.erased if goes else self.repeated)[repeat] = None

    def erase(self, tx: Transaction, found: Findings) -> None:
        """Erase them, in the transaction in which they were looked up, or before anything was written since."""
        _erase(tx, found, self.uow.runtime.clock(), repeats=self.repeats)
        for record in found.records:
            bury_superseded(tx, self.uow.viewer.identity, record)

    def finish(self) -> Erasure:
        """After the last transaction: erase what is not in the store, and the traces in the files."""
        uow = self.uow
        uow.runtime.recent_recalls.clear()
        uow.runtime.companions.purged()
        problem = _erase_working(uow, self.working if self.repeats else (), uow.runtime.clock())
        self.problems.update({} if problem is None else {problem: None})
        left = uow.runtime.store.erase_traces(uow.viewer.account)
        return replace(left, pending=(*left.pending, *self.problems))

    def listed(self) -> tuple[tuple[Repeat, ...], tuple[Repeat, ...]]:
        """What is erased with the memories, and what repeats their texts and stays."""
        working = [repeat for repeat, *_ in self.working]
        erased = dict.fromkeys((*self.erased, *(working if self.repeats else ())))
        staying = dict.fromkeys((*self.repeated, *(() if self.repeats else working)))
        gone = self.purged | {repeat.id for repeat in erased}
        return (
            tuple(repeat for repeat in erased if repeat.id not in self.purged),
            tuple(repeat for repeat in staying if repeat.id not in gone),
        )


def look_up(uow: UnitOfWork, reader: Reader, records: list[Record]) -> Findings:
    """Everything that repeats the texts of some memories, or was derived from them."""
    account, viewer, ids = uow.viewer.account, uow.viewer.identity, [record.id for record in records]
    mentions = reader.mentions(account, _words([record.content for record in records]), ids)
    own: dict[str, list[Event]] = {record.id: [] for record in records}
    for event in mentions.events:
        if event.memory_id in own:
            own[event.memory_id].append(event)
    texts = {record.id: _texts(record, own[record.id]) for record in records}
    match = Matcher(tuple(dict.fromkeys(text for each in texts.values() for text in each)))
    if set(match.texts) - {record.content for record in records}:
        mentions = reader.mentions(account, _words(match.texts), ids)
    contexts = {one.id: one for one in mentions.documents if one.kind == "context"}
    wide = within_contexts(viewer, contexts.values())
    saying = [one for one in mentions.memories if match.within(to_image(one))]
    sources = [*ids, *(one.id for one in saying if one.id not in texts and reaches(wide, one.place))]
    every = {one.id: one for one in (*saying, *_derived(reader, account, sources))}.values()
    memories = [one for one in every if one.id not in texts and reaches(wide, one.place)]
    used, residue = _sorted_documents(viewer, mentions.documents, contexts, match, uow.runtime.clock())
    living = {*sources, *(one.id for _, one in used)}
    events = _visible_repeats(reader, viewer, mentions.events, match)
    gone = living | {document.id for _, document in residue}
    return Findings(
        records=records,
        texts=texts,
        match=match,
        seq=reader.last_event(account),
        memories=[(_repeat_of(one, contexts, one.id in sources), one) for one in memories],
        documents=used,
        residue=residue,
        history=[
            (Repeat(event.memory_id, "history", _where_event(event)), event)
            for event in events
            if event.memory_id not in gone
        ],
        events=[event for event in events if event.memory_id in living],
        kept=frozenset(one.id for one in memories if not _may_erase(viewer, one, contexts))
        | frozenset(one.id for _, one in used if not _may(viewer, one, contexts, "write")),
    )


def _sorted_documents(
    viewer: Identity, documents: Iterable[Document], contexts: Mapping[str, Document], match: Matcher, now: datetime
) -> tuple[list[tuple[Repeat, Document]], list[tuple[Repeat | None, Document]]]:
    """Documents that repeat the text: those in use that the viewer may see, and what nobody uses any more."""
    used: list[tuple[Repeat, Document]] = []
    residue: list[tuple[Repeat | None, Document]] = []
    for document in documents:
        if not _repeats(match, document.kind, document.name, document.body or {}):
            continue
        seen = _may(viewer, document, contexts, "read")
        repeat = Repeat(document.id, document.kind, _where_document(document, contexts))
        if document.kind == "gap" or _is_expired(document, now):
            residue.append((repeat if seen else None, document))
        elif seen:
            used.append((repeat, document))
    return used, residue


def _visible_repeats(reader: Reader, viewer: Identity, events: Iterable[Event], match: Matcher) -> list[Event]:
    """Those of some events that repeat the text and that the viewer may see."""
    repeating = [event for event in events if _event_repeats(match, event)]
    visible = {event.seq for event in visible_events(reader, viewer, repeating)} if repeating else set()
    return [event for event in repeating if event.seq in visible]


def _memory(uow: UnitOfWork, reader: Reader, id: str) -> Record:
    """The memory that an id names; one that was removed, by an undo for example, is read from the journal."""
    try:
        return uow.find(reader, id)
    except NotFound:
        part, account = clean_id("id", id).replace("-", "").lower(), uow.viewer.account
    removed: dict[str, Record] = {}
    before: int | None = None
    while page := reader.events(account, before=before, limit=_PAGE, newest_first=True):
        before = page[-1].seq
        for event in page:
            digits = event.memory_id.replace("-", "")
            named = event.document is None and (digits.startswith(part) or digits.endswith(part))
            if named and event.after is None and event.before is not None:
                removed.setdefault(event.memory_id, from_image(event.before))
    visible = [one for one in removed.values() if reaches(uow.viewer.identity, one.place)]
    if not visible:
        raise NotFound("memory", id)
    if len(visible) > 1:
        raise AmbiguousId(id, len(visible))
    uow.require_enabled(reader, visible[0].project)
    return visible[0]


def _texts(record: Record, own: Sequence[Event]) -> tuple[str, ...]:
    """Every text that a memory has had."""
    images = [image for event in own for image in (event.before, event.after) if image]
    earlier = [image["content"] for image in images if image.get("content") not in (None, ERASED)]
    return tuple(dict.fromkeys((record.content, *earlier)))


def _words(texts: Sequence[str]) -> list[str]:
    """A word of each text, the longest of ASCII characters: what repeats a text contains its word."""
    if len(texts) > _MOST_TEXTS:
        return [""]
    return list(dict.fromkeys(max(_ASCII_WORD.findall(text.lower()), key=len, default="") for text in texts))


def _derived(reader: Reader, account: str, sources: list[str]) -> list[Record]:
    """The memories that were derived from some: narratives and merged ones, and what was derived from those.

    What superseded a memory says something else, so it is none of these.
    """
    found: dict[str, Record] = {}
    known = set(sources)
    while rows := reader.rows_of(account, sources) if sources else []:
        edges = reader.edges(account, [("memory", row) for row in rows], _MOST_EDGES, upwards=False)
        ends = sorted({int(edge.target[1]) for edge in edges if edge.target[0] == "memory"} - set(rows))
        near = [one for one in reader.fetch(account, ends) if one.id not in known] if ends else []
        new = [one for one in near if set(one.derived_from) & set(sources)]
        found |= {one.id: one for one in new}
        sources = [one.id for one in new]
        known.update(sources)
    return list(found.values())


def _erase(tx: Transaction, found: Findings, now: datetime, *, repeats: bool) -> None:
    account = found.records[0].account
    for record in found.records:
        tx.purge(record, found.texts[record.id])
    for _, document in found.residue:
        tx.purge_document(document)
    for _, event in found.history:
        tx.rewrite_event(account, _cut(found.match, event))
    if not repeats:
        return
    for _, memory in found.memories:
        if memory.id not in found.kept:
            tx.purge(memory)
    cut = [document for _, document in found.documents if document.id not in found.kept]
    for document in cut:
        _erase_document(tx, document, found.match, now)
    partly = {document.id for document in cut if not _goes_whole(document, found.match)}
    for event in found.events:
        if event.memory_id in partly:
            tx.rewrite_event(account, _cut(found.match, event))


def _erase_document(tx: Transaction, document: Document, match: Matcher, now: datetime) -> None:
    if _goes_whole(document, match):
        tx.purge_document(document)
        return
    body = match.without(document.body or {})
    if "version" in body:
        body["version"] += 1  # who writes with the version it read before is told that the data changed
    tx.put_document(document, replace(document, body=body, updated_at=now), None)


def _goes_whole(document: Document, match: Matcher) -> bool:
    return document.kind in _WHOLE or match(document.name)


def _cut(match: Matcher, event: Event) -> Event:
    """An event without the text. What is known of a gap is all about one question, so that nothing of it stays."""
    if event.document == "gap":
        return replace(event, before=None, after=None, reason=None)
    images = {side: match.without(getattr(event, side)) for side in ("before", "after")}
    return replace(event, **images, reason=match.without(event.reason))


def _repeats(match: Matcher, kind: str, name: str, body: Mapping[str, Any]) -> bool:
    about = kind == "gap" and any(asks_about(body, text) for text in match.texts)
    return about or match.within([name, body])


def _event_repeats(match: Matcher, event: Event) -> bool:
    if event.document == "gap":
        sides = [image for image in (event.before, event.after) if image is not None]
        return any(_repeats(match, "gap", "", image.get("body") or {}) for image in sides)
    return match.within([event.before, event.after, event.reason])


# Working memory, which is not in the store


def _working_values(uow: UnitOfWork, match: Matcher, now: datetime) -> tuple[list[WorkingValue], str | None]:
    """The values of the caller's own working memory that repeat the text, and why they could not be read."""
    working, identity = uow.runtime.working, uow.viewer.identity
    try:
        return [
            (Repeat(key, "working", "working memory"), namespace, key)
            for namespace in working.namespaces(identity.account, owner_key(identity))
            for key, value, _ in working.items(namespace, now.timestamp())
            if match.within([key, value])
        ], None
    except WorkingUnavailable as error:
        return [], f"{error}; run `recollect purge` again for what is there"


def _erase_working(uow: UnitOfWork, values: Iterable[WorkingValue], now: datetime) -> str | None:
    working, at = uow.runtime.working, now.timestamp()
    try:
        for _, namespace, key in values:
            working.remove(namespace, key, at)
        working.erase_traces(at)
    except WorkingUnavailable as error:
        return str(error)
    return None


# Who may see and change what, and where it is in words


def _may(identity: Identity, document: Document, contexts: Mapping[str, Document], level: Level) -> bool:
    """Whether an identity may read or change a document; working and short-term entries belong to their writer alone."""
    body = document.body or {}
    match document.kind:
        case "working" | "short_term":
            return document.place == identity.private_place()
        case "snapshot":
            context = contexts.get(str(body.get("context")))
            return context is not None and may(identity, context, level)
        case "pool" | "context":
            if body.get("run") is not None:
                return bool(body.get("owner") == identity.name)
            return may(identity, document, level)
    return reaches(identity, document.place)


def _may_erase(identity: Identity, memory: Record, contexts: Mapping[str, Document]) -> bool:
    context = contexts.get((memory.team or "").removeprefix(RESERVED)) if _is_entry(memory) else None
    return not _is_entry(memory) or (context is not None and may(identity, context, "write"))


def _is_entry(memory: Record) -> bool:
    return memory.scope == "team" and (memory.team or "").startswith(RESERVED)


def _repeat_of(memory: Record, contexts: Mapping[str, Document], repeats: bool) -> Repeat:
    kind: RepeatKind = "narrative" if is_narrative(memory) else "entry" if _is_entry(memory) else "memory"
    context = contexts.get((memory.team or "").removeprefix(RESERVED))
    where = f"context {context.name}" if kind == "entry" and context is not None else _where(memory.place)
    return Repeat(memory.id, kind, where, "repeats" if repeats else "derived")


def _where(place: Place) -> str:
    scope, key, project = place
    return " ".join(part for part in (scope, key, f"of project {project}" if project else "") if part)


def _where_document(document: Document, contexts: Mapping[str, Document]) -> str:
    body = document.body or {}
    match document.kind:
        case "pool" | "context" | "tag":
            return f"{document.kind} {document.name}"
        case "snapshot":
            context = contexts.get(str(body.get("context")))
            return "a snapshot" if context is None else f"a snapshot of context {context.name}"
        case "working" | "short_term":
            return f"{document.kind.replace('_', '-')} memory"
    return "a question without an answer"


def _where_event(event: Event) -> str:
    return f"the journal of a {(event.document or 'memory').replace('_', '-')}"


def _is_expired(document: Document, now: datetime) -> bool:
    end = (document.body or {}).get("expires_at")
    if end is None:
        return False
    return (end <= now.timestamp()) if isinstance(end, (int, float)) else datetime.fromisoformat(end) <= now


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for key, inside in value.items():
                yield from _strings(key)
                yield from _strings(inside)
        case list() | tuple():
            for inside in value:
                yield from _strings(inside)
