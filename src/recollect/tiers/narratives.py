"""Narratives: the chain of session summaries. Each is a memory that is derived from the memories it is about.

A session has one narrative per place: a new text supersedes the earlier one, whose history is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.capture.gate import screen_record
from recollect.capture.intake import record_of
from recollect.errors import InvalidInput, NotFound
from recollect.log import logged
from recollect.ports import Reader, Transaction, Vectors
from recollect.recall.run import build_request, profile_named, run
from recollect.unit_of_work import Embed, Verbs, find_visible
from recollect.validation import MAX_CONTENT, clean_list, clean_position, clean_text, one_of, shown
from recollect.values.draft import Draft
from recollect.values.enums import Scope
from recollect.values.link import MOST_LINKS, Link
from recollect.values.memory import Record
from recollect.values.outcome import Refused
from recollect.values.recalled import Recalled
from recollect.values.scope import Identity, Viewer, reaches
from recollect.values.search import DeliveryQuery, Filter, Search
from recollect.values.tiers import NARRATIVE_TAG, NARRATIVE_TYPE, is_narrative

_NO_LIMIT = 100_000
_HIDDEN = ("forgotten", "archived")


def narrative_filter(off: Sequence[str] = (), session: str | None = None) -> Filter:
    """A filter for narratives, of one session or of all, without those of projects for which memory is off."""
    return Filter(types=(NARRATIVE_TYPE,), tags=(NARRATIVE_TAG,), session=session, without=tuple(sorted(off)))


def chain(reader: Reader, search: Search, limit: int) -> list[Record]:
    """The narratives of the viewer's project, newest first."""
    # Row numbers grow with every insert, so the newest narratives have the highest; only these are fetched.
    (listed,) = reader.list_by_delivery(search, [DeliveryQuery(_NO_LIMIT)])
    rows = sorted(listed, reverse=True)
    found: list[Record] = []
    while rows and len(found) < limit:
        some, rows = rows[: 2 * limit], rows[2 * limit :]
        page = reader.fetch(search.viewer.account, some)
        found += [memory for memory in page if memory.project == search.viewer.project]
    return sorted(found, key=lambda memory: (memory.created_at, memory.id), reverse=True)[:limit]


def write(
    tx: Transaction, record: Record, vectors: Vectors | None, sources: Sequence[Record], viewer: Viewer
) -> Record:
    """Store the narrative of a session, linked with the memories it is about; it supersedes an earlier one of the session."""
    _check(sources)
    search = Search(viewer, narrative_filter(session=record.session), record.created_at.timestamp())
    (listed,) = tx.fetch_by_delivery(search, [DeliveryQuery(_NO_LIMIT)])
    same_place = [memory for _, memory in sorted(listed.items()) if memory.place == record.place]
    earlier = same_place[-1] if same_place else None
    links = tuple(dict.fromkeys(Link(source.id, "derived_from") for source in sources))
    if (
        earlier is not None
        and earlier.content == record.content
        and set(earlier.derived_from) == {x.target for x in links}
    ):
        return earlier
    trust = min((record.trust, *(source.trust for source in sources)))
    made = record.with_(links=links, trust=trust, supersedes=None if earlier is None else earlier.id)
    tx.insert(made, vectors)
    return made


def narratives_of(reader: Reader, identity: Identity, memory: Record) -> list[Record]:
    """The narratives about a memory, newest first."""
    (row,) = reader.rows_of(memory.account, [memory.id])
    edges = reader.edges(memory.account, [("memory", row)], _NO_LIMIT, upwards=False)
    rows = [int(edge.target[1]) for edge in edges if edge.relation == "derived_from"]
    ids = [found.id for found in reader.fetch(memory.account, rows) if memory.id in found.derived_from]
    about = [found for found in _visible(reader, identity, memory.account, ids) if is_narrative(found)]
    active = [found for found in about if found.status == "active"]
    return sorted(active, key=lambda found: (found.created_at, found.id), reverse=True)


def memories_of(reader: Reader, identity: Identity, narrative: Record) -> list[Record]:
    """The memories a narrative is about, in its order; what was forgotten since is left out."""
    return _visible(reader, identity, narrative.account, narrative.derived_from)


def _visible(reader: Reader, identity: Identity, account: str, ids: Sequence[str]) -> list[Record]:
    off = reader.switched_off(account)
    return [
        memory
        for memory in reader.get(account, ids)
        if memory is not None
        and memory.status not in _HIDDEN
        and memory.project not in off
        and reaches(identity, memory.place)
    ]


def _check(sources: Sequence[Record]) -> None:
    if len(sources) > MOST_LINKS:
        raise InvalidInput("memories", f"there are {len(sources):,}", f"name the {MOST_LINKS} that matter most")
    for source in sources:
        if source.status in _HIDDEN:
            raise InvalidInput("memories", f"{source.short_id} is {source.status}", "leave it out, or restore it first")


_SCOPES = ("global", "team", "agent", "user", "project")
_MOST = 1000


@logged
class Narratives(Verbs):
    """The narratives that one identity sees, of one project or of none."""

    def write(
        self,
        text: str,
        *,
        session: str,
        memories: Sequence[str] = (),
        project: str | None = None,
        scope: Scope | None = None,
    ) -> Record:
        """Store what a session was about, and which memories belong to it; a second text replaces the first."""
        about = clean_list("memories", memories)
        record = self._draft(text, session, project, scope)
        viewer = self._uow.at(record.project, None, None).viewer

        def change(tx: Transaction, embed: Embed) -> Record:
            sources = [find_visible(tx, viewer.identity, memory) for memory in about]
            self._uow.require_no_tombstone(tx, "text", record, embed)
            return self._uow.redact(tx, write(tx, record, embed(record), sources, viewer))

        return self._uow.transact(change, record.project, texts=[record.content])

    def latest(self, project: str | None = None) -> Record | None:
        """The newest narrative of a project; without one, of no project."""
        return next(iter(self.chain(1, project=project)), None)

    def get(self, id: str) -> Record:
        """One narrative by its id, or by a unique beginning or end of it."""
        with self._uow.view() as reader:
            return self._uow.redact(reader, self._narrative(reader, id))

    def chain(self, limit: int = 20, *, project: str | None = None) -> list[Record]:
        """The narratives of a project, newest first; without one, those of no project."""
        if clean_position("limit", limit) not in range(1, _MOST + 1):
            raise InvalidInput("limit", f"{shown(limit)} is out of range", f"give a whole number from 1 to {_MOST}")
        here = self._uow.at(project, None, None)
        with here.view() as reader:
            wanted = narrative_filter(tuple(reader.switched_off(here.viewer.account)))
            found = chain(reader, Search(here.viewer, wanted, self._runtime.clock().timestamp()), limit)
            return here.redact(reader, found)

    def search(self, text: str, limit: int = 5, *, project: str | None = None) -> Recalled:
        """Search narratives, best first."""
        here = self._uow.at(project, None, None)
        filters = {"type": NARRATIVE_TYPE, "tags": NARRATIVE_TAG}
        return run(here, build_request(here, text, profile_named(here, "hybrid"), limit, {}, filters))

    def of(self, memory_id: str) -> list[Record]:
        """The narratives about a memory, newest first."""
        with self._uow.view() as reader:
            memory = self._uow.find(reader, memory_id)
            return self._uow.redact(reader, narratives_of(reader, self._viewer.identity, memory))

    def memories(self, narrative_id: str) -> list[Record]:
        """The memories a narrative is about."""
        with self._uow.view() as reader:
            narrative = self._narrative(reader, narrative_id)
            return self._uow.redact(reader, memories_of(reader, self._viewer.identity, narrative))

    def _narrative(self, reader: Reader, id: str) -> Record:
        record = self._uow.find(reader, id)
        if not is_narrative(record):
            raise NotFound("narrative", id, "`chain` shows which there are")
        return record

    def _draft(self, text: Any, session: Any, project: str | None, scope: Scope | None) -> Record:
        """The narrative as it will be stored, screened."""
        one_of("scope", scope, _SCOPES)
        name = self._uow.name("session", session)
        if name is None:
            raise InvalidInput("session", "is missing", "name the session it is about")
        teams = self._viewer.identity.teams
        if scope == "team" and len(teams) != 1:
            raise InvalidInput("scope", f"you are in {len(teams)} teams", "write as one team: with_identity(teams=[…])")
        draft = Draft(
            clean_text("text", text, MAX_CONTENT),
            type=NARRATIVE_TYPE,
            tags=(NARRATIVE_TAG,),
            session=name,
            project=project,
            scope=scope,
            team=teams[0] if scope == "team" else None,
            source="derived",
        )
        record = record_of(draft, self._viewer.identity, self._viewer.project, self._runtime.clock())
        vetted = screen_record(record, self._runtime.gate)
        if isinstance(vetted, Refused):
            raise InvalidInput("text", vetted.reason, "write another text")
        return vetted.record
