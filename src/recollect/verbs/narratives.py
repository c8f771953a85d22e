"""`memory.narratives`: what each session was about, in a chain, linked with the memories it tells of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.capture.fields import MAX_CONTENT, clean_name, clean_text, one_of, whole
from recollect.capture.intake import record_of
from recollect.capture.vetting import vet
from recollect.errors import InvalidInput, NotFound
from recollect.lookup import one_record
from recollect.showing import shown
from recollect.tiers import narratives
from recollect.values.draft import Draft
from recollect.values.hit import Recalled
from recollect.values.memory import Record
from recollect.values.narrative import TAG, TYPE, is_narrative
from recollect.values.outcome import Refused
from recollect.values.search import Search
from recollect.values.words import Scope
from recollect.verbs.view import View

_SCOPES = ("global", "team", "agent", "project")
_MOST = 1000


class Narratives(View):
    """The narratives one identity reaches, of one project or of none."""

    def write(
        self,
        text: str,
        *,
        session: str,
        memories: Sequence[str] = (),
        project: str | None = None,
        scope: Scope | None = None,
    ) -> Record:
        """Tell what a session was about, and of which memories; told again, the new text replaces the earlier one."""
        if isinstance(memories, str):
            raise InvalidInput("memories", "is not a list of ids", "give a list of the memories it tells of")
        record = self._drafted(text, session, project, scope)
        self._handle.awake(record.project)
        vectors = self._parts.embed(record)
        viewer = self._handle.at(record.project, None, None)
        with self._handle.changing() as tx:
            sources = [one_record(tx, viewer.identity, memory) for memory in memories]
            return shown(tx, viewer.identity, narratives.write(tx, record, vectors, sources, viewer))

    def latest(self, project: str | None = None) -> Record | None:
        """The newest narrative of a project, or of what belongs to none."""
        return next(iter(self.chain(1, project=project)), None)

    def get(self, id: str) -> Record:
        """One narrative by its id, or by a unique beginning or end of it."""
        record = self._handle.one(id)
        if not is_narrative(record):
            raise NotFound("narrative", id, "`narratives.chain` shows which there are")
        return record

    def chain(self, limit: int = 20, *, project: str | None = None) -> list[Record]:
        """The narratives of a project, or of what belongs to none, newest first."""
        if whole("limit", limit) not in range(1, _MOST + 1):
            raise InvalidInput("limit", f"{limit!r} is out of range", f"give a whole number from 1 to {_MOST}")
        viewer = self._handle.at(project, None, None)
        self._handle.awake(viewer.project)
        with self._handle.reading() as reader:
            wanted = narratives.narratives(tuple(reader.switched_off(viewer.account)))
            found = narratives.chain(reader, Search(viewer, wanted, self._parts.clock().timestamp()), limit)
            return shown(reader, viewer.identity, found)

    def search(self, text: str, limit: int = 5, *, project: str | None = None) -> Recalled:
        """The narratives that bear on something, best first."""
        viewer, profile = self._handle.at(project, None, None), self._handle.profile("hybrid")
        return self._handle.ask(self._handle.asked(text, viewer, profile, limit, {"type": TYPE, "tag": TAG}))

    def of(self, memory_id: str) -> list[Record]:
        """The narratives that tell of a memory, newest first."""
        memory = self._handle.one(memory_id)
        with self._handle.reading() as reader:
            identity = self._viewer.identity
            return shown(reader, identity, narratives.telling_of(reader, identity, memory))

    def memories(self, narrative_id: str) -> list[Record]:
        """The memories a narrative tells of."""
        narrative = self.get(narrative_id)
        with self._handle.reading() as reader:
            identity = self._viewer.identity
            return shown(reader, identity, narratives.told_by(reader, identity, narrative))

    def _drafted(self, text: Any, session: Any, project: str | None, scope: Scope | None) -> Record:
        """The narrative as it would be stored, past the screen."""
        one_of("scope", scope, _SCOPES)
        name = clean_name("session", session)
        if name is None:
            raise InvalidInput("session", "is missing", "name the session it tells of")
        teams = self._viewer.identity.teams
        if scope == "team" and len(teams) != 1:
            raise InvalidInput("scope", f"you are in {len(teams)} teams", "write as one team: as_(teams=[…])")
        draft = Draft(
            clean_text("text", text, MAX_CONTENT),
            type=TYPE,
            tags=(TAG,),
            session=name,
            project=project,
            scope=scope,
            team=teams[0] if scope == "team" else None,
            source="derived",
        )
        record = record_of(draft, self._viewer.identity, self._viewer.project, self._parts.clock())
        vetted = vet(record, self._parts.vetting)
        if isinstance(vetted, Refused):
            raise InvalidInput("text", vetted.reason, "tell it in another way")
        return vetted.record
