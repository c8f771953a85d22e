"""Erasing a user: everything that an account holds of one user goes, of all scopes and tiers, and a search proves it.

The user's are the memories that name the user, also those that others see; what lives in the user's place or that the user
owns (pools, contexts with their entries and snapshots, values, short-term entries, descriptions, questions, clusters); and the
name wherever the journal, grants, access logs and counts have it. Unlike a purge it keeps no hash of a text: others may say the
same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from recollect.access import entries_team
from recollect.errors import ReadOnly, WorkingUnavailable
from recollect.ports import Namespace, Reader, Transaction
from recollect.unit_of_work import UnitOfWork, flush
from recollect.validation import require_name
from recollect.values.document import Document, document_of
from recollect.values.enums import DOCUMENT_KINDS, STATUSES
from recollect.values.erased import Erased
from recollect.values.event import Event, from_image, to_image
from recollect.values.memory import Record
from recollect.values.plain import strings_in
from recollect.values.purge import ERASED, Erasure
from recollect.values.scope import USER_PREFIX, Identity, owner_place
from recollect.values.search import Filter

_PAGE = 500
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_POOL_NOTE = "pool:{}"


@dataclass(frozen=True, slots=True)
class UserName:
    """A user as rows, images and texts name it."""

    user: str

    @property
    def actor(self) -> str:
        """The name in the journal, of an owner and in grants."""
        return f"{USER_PREFIX}{self.user}"

    @property
    def word(self) -> str:
        """A word of ASCII letters that whatever names the user contains; empty without one."""
        return max(_ASCII_WORD.findall(self.user.lower()), key=len, default="")

    def has(self, place: Sequence[str]) -> bool:
        """Whether a place is the user's own."""
        return tuple(place[:2]) == ("user", self.user) or place[2] == self.actor

    def owns(self, document: Document) -> bool:
        """Whether a document is the user's."""
        return self.has(document.place) or (document.body or {}).get("owner") == self.actor

    def without(self, value: Any) -> Any:
        """A JSON value that does not name the user: not as an owner or actor, nor in lists of names."""
        match value:
            case str():
                return re.sub(rf"{re.escape(self.actor)}(?!\w)", ERASED, value)
            case Mapping():
                return {self.without(key): self.without(inside) for key, inside in value.items()}
            case list() | tuple():
                return [self.without(inside) for inside in value if inside != self.actor]
        return value

    def without_in(self, image: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """An image of the journal that does not name the user."""
        if image is None:
            return None
        cut = {name: self.without(value) for name, value in image.items()}
        if image.get("user") == self.user:
            cut["user"] = ERASED
        if image.get("place") and self.has(image["place"]):
            cut["place"] = [ERASED if part in (self.user, self.actor) else part for part in image["place"]]
        return cut

    def cut(self, event: Event) -> Event:
        """An event that does not name the user, but as its actor."""
        before, after = self.without_in(event.before), self.without_in(event.after)
        return replace(event, before=before, after=after, reason=self.without(event.reason))

    def is_said_in(self, value: Any) -> bool:
        """Whether a text of a JSON value contains the name."""
        said = re.compile(rf"(?<!\w){re.escape(self.user)}(?!\w)", re.IGNORECASE)
        return any(said.search(text) for text in strings_in(value))


@dataclass(frozen=True, slots=True)
class Belongings:
    """What an account holds of a user at one moment."""

    memories: list[Record]
    documents: list[Document]
    # What names the user and belongs to others.
    naming: list[Document]
    events: list[Event]
    clusters: list[str]
    notes: list[str]
    rows: Mapping[str, int]
    mentioned: int

    def counts(self) -> Counter[str]:
        """How many there are of each kind."""
        found = Counter(document.kind for document in self.documents)
        counts: Counter[str] = Counter({str(kind): count for kind, count in found.items()})
        counts["memory"] = len(self.memories)
        counts["event"], counts["cluster"] = len(self.events), len(self.clusters)
        counts["grant"] = len(self.naming) + len(self.notes)
        return Counter({kind: count for kind, count in (counts + Counter(self.rows)).items() if count})


def erase_user(uow: UnitOfWork, name: str, *, dry_run: bool) -> Erased:
    """Erase everything of a user, and search for what is left."""
    if uow.viewer.identity.name is not None or uow.viewer.identity.teams:
        raise ReadOnly("what belongs to a user", "erase it as the owner of the account, without an agent, user or team")
    who, runtime, account = UserName(require_name("name", name)), uow.runtime, uow.viewer.account
    if not dry_run:
        flush(runtime)
    with runtime.store.view(runtime.clock()) as reader:
        found = look_for(reader, account, who, runtime.clock())
    values, problem = _working_values(uow, who)
    counts = found.counts() + Counter(working=len(values))
    if dry_run:
        return Erased(who.user, dict(counts), mentioned=found.mentioned, dry_run=True)
    _erase_memories(uow, found.memories)
    _erase_rest(uow, who)
    runtime.recent_recalls.clear()
    runtime.companions.purged()
    problem = problem or _erase_working(uow, who)
    traces = runtime.store.erase_traces(account)
    return _proved(uow, who, counts, replace(traces, pending=(*traces.pending, *((problem,) if problem else ()))))


def look_for(reader: Reader, account: str, who: UserName, now: datetime) -> Belongings:
    """Everything of a user, whoever may see it."""
    documents = [each for kind in DOCUMENT_KINDS for each in reader.documents(account, kind)]  # type: ignore[arg-type]
    contexts = {each.id for each in documents if each.kind == "context" and who.owns(each)}
    own = [each for each in documents if who.owns(each) or (each.body or {}).get("context") in contexts]
    mentions = reader.mentions(account, [who.word])
    memories = {each.id: each for each in mentions.memories if each.user == who.user}
    memories |= {each.id: each for each in _entries(reader, account, contexts, now)}
    removed, gone = _removed(reader, account, who, mentions.events, {each.id for each in documents})
    taken = {each.id for each in (*own, *gone)} | memories.keys() | removed.keys()
    others = [each for each in documents if each.id not in taken]
    notes = (_POOL_NOTE.format(each.id) for each in documents if each.kind == "pool")
    texts = [each for each in mentions.memories if each.id not in memories]
    return Belongings(
        memories=[*memories.values(), *removed.values()],
        documents=[*own, *gone],
        naming=[each for each in others if who.without([each.name, each.body]) != [each.name, each.body]],
        events=[event for event in mentions.events if event.memory_id not in taken and who.cut(event) != event],
        clusters=[cluster.id for _, cluster in reader.all_clusters(account) if who.has(cluster.owner)],
        notes=[note for note in notes if who.actor in (reader.note(note, account) or "")],
        rows=reader.rows_naming(account, who.user),
        mentioned=sum(who.is_said_in(to_image(each)) for each in texts)
        + sum(who.is_said_in([each.name, each.body]) for each in others),
    )


def _entries(reader: Reader, account: str, contexts: set[str], now: datetime) -> list[Record]:
    """The entries of some contexts."""
    if not contexts:
        return []
    teams = tuple(entries_team(context) for context in sorted(contexts))
    wanted = Filter(scopes=("team",), statuses=STATUSES)  # type: ignore[arg-type]
    return reader.find(Identity(account, teams=teams), wanted, now, limit=-1)


def _removed(
    reader: Reader, account: str, who: UserName, events: Sequence[Event], known: set[str]
) -> tuple[dict[str, Record], list[Document]]:
    """The user's memories and documents that only the journal still has."""
    memories: dict[str, Record] = {}
    documents: dict[str, Document] = {}
    for event in events:
        image = event.before if event.after is None else None
        if image is None or event.memory_id in known:
            continue
        if event.document is not None:
            document = document_of(image, account)
            if who.owns(document):
                documents[document.id] = document
        elif image.get("user") == who.user:
            memories[event.memory_id] = replace(from_image(image), account=account)
    found = reader.get(account, list(memories)) if memories else []
    for record in found:
        if record is not None:
            memories.pop(record.id, None)
    return memories, list(documents.values())


def _erase_memories(uow: UnitOfWork, memories: Sequence[Record]) -> None:
    """Erase memories page by page, so that others can write meanwhile; what fails is erased when it is called again."""
    for first in range(0, len(memories), _PAGE):
        page = memories[first : first + _PAGE]
        with _transaction(uow) as tx:
            there = {each.id: each for each in tx.get(uow.viewer.account, [one.id for one in page]) if each is not None}
            for record in page:
                tx.purge(there.get(record.id, record), keep=False)


def _erase_rest(uow: UnitOfWork, who: UserName) -> None:
    """Erase in one transaction what is not a memory, what arrived meanwhile, and the name."""
    account, now = uow.viewer.account, uow.runtime.clock()
    with _transaction(uow) as tx:
        found = look_for(tx, account, who, now)
        for record in found.memories:
            tx.purge(record, keep=False)
        for document in found.documents:
            tx.purge_document(document)
            if document.kind == "pool":
                tx.set_note(_POOL_NOTE.format(document.id), "", account)
        for document in found.naming:
            name, body = who.without([document.name, document.body])
            tx.put_document(document, replace(document, name=name, body=body, updated_at=now), None)
        for event in found.events:
            tx.rewrite_event(account, who.cut(event))
        for note in found.notes:
            tx.set_note(note, (tx.note(note, account) or "").replace(who.actor, ERASED), account)
        tx.drop_clusters(account, found.clusters)
        tx.erase_name(account, who.user)


def _transaction(uow: UnitOfWork) -> AbstractContextManager[Transaction]:
    """A transaction also where memory is switched off: that is no reason to keep what shall go."""
    runtime = uow.runtime
    return runtime.store.transaction(uow.viewer.account, uow.actor, runtime.clock(), origin=uow.origin)


def _proved(uow: UnitOfWork, who: UserName, counts: Mapping[str, int], traces: Erasure) -> Erased:
    """The result, with what a search for the user still finds."""
    runtime = uow.runtime
    with runtime.store.view(runtime.clock()) as reader:
        found = look_for(reader, uow.viewer.account, who, runtime.clock())
    values, problem = _working_values(uow, who)
    left = Counter({kind: count for kind, count in (found.counts() + Counter(working=len(values))).items() if count})
    pending = tuple(dict.fromkeys((*traces.pending, *((problem,) if problem else ()))))
    return Erased(who.user, dict(counts), dict(left), found.mentioned, pending, traces.out_of_reach)


# Working memory, which is not in the store


def _namespaces(uow: UnitOfWork, who: UserName) -> list[Namespace]:
    working, account = uow.runtime.working, uow.viewer.account
    return [space for space in working.namespaces(account) if who.has(owner_place(space[1]))]


def _working_values(uow: UnitOfWork, who: UserName) -> tuple[list[str], str | None]:
    """The keys of the user's values, also expired ones, and why they could not be read."""
    try:
        spaces = _namespaces(uow, who)
        return [key for space in spaces for key, *_ in uow.runtime.working.items(space, 0.0)], None
    except WorkingUnavailable as error:
        return [], _again(error)


def _erase_working(uow: UnitOfWork, who: UserName) -> str | None:
    working = uow.runtime.working
    try:
        for space in _namespaces(uow, who):
            working.clear(space)
        working.erase_traces(uow.runtime.clock().timestamp())
    except WorkingUnavailable as error:
        return _again(error)
    return None


def _again(error: WorkingUnavailable) -> str:
    return f"{error}; erase the user again for the values that are there"
