"""Memory: every verb of recollect, one short call each. Doors (CLI, MCP, HTTP) call these and add nothing.

Verbs that change something return after the change is durable. Verbs that find nothing raise `NotFound`; a draft that is
not stored comes back as `Refused` with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from recollect.capture.fields import clean_name, clean_tags, clean_time, one_of
from recollect.errors import InvalidInput
from recollect.handle import known_filters
from recollect.lookup import narrowed, seen, seen_events
from recollect.ports import Progress
from recollect.recall.profiles import Lexical, Profile, Semantic
from recollect.showing import shown
from recollect.tiers.access import require_undo, still_open, with_contexts
from recollect.upkeep.as_of import believed_at, documents_at
from recollect.upkeep.doctor import examine
from recollect.upkeep.reembed import reembed
from recollect.upkeep.undo import undo
from recollect.values.event import Event
from recollect.values.hit import Recalled
from recollect.values.memory import Record
from recollect.values.scope import RESERVED, Identity
from recollect.values.words import SEARCH_MODES
from recollect.verbs.assembling import AssemblingVerbs
from recollect.verbs.importing import ImportingVerbs
from recollect.verbs.judging import JudgingVerbs
from recollect.verbs.linking import LinkingVerbs
from recollect.verbs.moving import MovingVerbs
from recollect.verbs.tiers import TierVerbs

if TYPE_CHECKING:
    from recollect.values.draft import Draft, DraftFields
    from recollect.values.outcome import Outcome, Refused

# The verb `list` hides the built-in inside the class, so its results are named here.
Records = list[Record]
Events = list[Event]
Ids = list[str]


class Memory(LinkingVerbs, JudgingVerbs, AssemblingVerbs, TierVerbs, ImportingVerbs, MovingVerbs):
    """One open store, seen by one identity. Use it as a context manager, or close it."""

    # Writing

    def remember(self, content: str, **fields: Unpack[DraftFields]) -> Outcome:
        """Keep one thing; the outcome says what became of it."""
        return self.remember_many([{"content": content, **fields}])[0]

    def remember_many(
        self,
        drafts: Sequence[Draft | Mapping[str, Any] | str],
        *,
        verbatim: bool = False,
        progress: Progress | None = None,
    ) -> list[Outcome]:
        """Keep many things, in order; with `verbatim`, each exactly as it is, one memory a draft."""
        drafts = list(drafts)
        self._handle.settle_questions()
        viewer = self._viewer
        projects = {viewer.project, *map(_project_of, drafts)}
        outcomes = self._parts.capture.remember(
            drafts,
            viewer.identity,
            viewer.project,
            verbatim=verbatim,
            progress=progress,
            guard=lambda reader: self._handle.let_in(reader, *projects),
        )
        return self._handle.told(outcomes)

    def update(self, id: str, **changes: Any) -> Record | Refused:
        """Change fields of a memory; a new text passes the same screen as a new memory."""
        from recollect.capture.edit import edited

        vetting, now = self._parts.vetting.by(self._viewer.identity), self._parts.clock()
        return self._handle.edit(id, "update", lambda old: edited(old, changes, vetting, now))

    def tag(self, id: str, *tags: str) -> Record:
        """Add tags."""
        added = _some_tags(tags)
        return self._handle.edited(id, "tag", lambda old: old.with_(tags=tuple(dict.fromkeys((*old.tags, *added)))))

    def untag(self, id: str, *tags: str) -> Record:
        """Take tags away."""
        gone = _some_tags(tags)
        return self._handle.edited(
            id, "untag", lambda old: old.with_(tags=tuple(tag for tag in old.tags if tag not in gone))
        )

    def forget(self, id: str, reason: str | None = None) -> Record:
        """Hide a memory and keep it from coming back, in these or other words, until it is restored."""
        return self._handle.edited(id, "forget", lambda old: old.with_(status="forgotten"), reason=reason)

    def restore(self, id: str) -> Record:
        """Bring a forgotten or archived memory back."""
        return self._handle.edited(id, "restore", lambda old: old.with_(status="active"))

    def purge(self, id: str) -> None:
        """Erase a memory for good: row, vector, words, journal images; only a keyed hash stays."""
        from recollect.upkeep.gaps import erase

        record = self.get(id)
        self._handle.settle()
        with self._parts.store.transaction(record.account, self._handle.actor, self._parts.clock()) as tx:
            tx.purge(record)
            erase(tx, record)
        self._parts.recalled.clear()
        self._parts.store.erase_traces(record.account)

    # Reading

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        profile: str | None = None,
        explain: bool = False,
        now: datetime | None = None,
        context: str | None = None,
        true_at: datetime | str | None = None,
        season: str | None = None,
        named: bool = False,
        project: str | None = None,
        session: str | None = None,
        task: str | None = None,
        **filters: Any,
    ) -> Recalled:
        """What is known about something, best first. `explain=True` adds the whole reason to every hit.

        `context` is what you work on: triggers look at it too. `true_at` asks what was true then, `season` what a season
        needs. `named` returns only what the question names by a tag, and what that is linked to.
        """
        settings = self._parts.loaded.settings
        chosen = self._handle.profile(profile or settings.profile)
        viewer = self._handle.at(project, session, task)
        asked = {**filters, "explain": explain, "now": now, "context": context, "true_at": true_at}
        asked |= {"season": season, "named": named}
        return self._handle.ask(
            self._handle.asked(query, viewer, chosen, settings.limit if limit is None else limit, asked)
        )

    def search(
        self, query: str, *, mode: str = "hybrid", limit: int = 10, project: str | None = None, **filters: Any
    ) -> Recalled:
        """Look by words (lexical), by meaning (semantic) or both (hybrid)."""
        one_of("mode", mode, SEARCH_MODES)
        plain: dict[str, Profile] = {"lexical": Lexical(), "semantic": Semantic()}
        profile = plain.get(mode) or self._handle.profile("hybrid")
        viewer = self._handle.at(project, filters.pop("session", None), filters.pop("task", None))
        return self._handle.ask(self._handle.asked(query, viewer, profile, limit, filters))

    def get(self, id: str) -> Record:
        """One memory by its id, or by a unique beginning or end of it."""
        self._handle.settle_for_a_look()
        return self._handle.one(id)

    def list(self, *, limit: int = 50, offset: int = 0, **filters: Any) -> Records:
        """Memories, newest first, narrowed by type, tag, scope, project, session, status, source, since and until."""
        wanted = narrowed(**known_filters(filters))
        _page(limit, offset)
        self._handle.awake(self._viewer.project, wanted.project)
        self._handle.settle_for_a_look()
        with self._parts.store.reading() as reader:
            wanted = replace(wanted, without=tuple(reader.switched_off(self._viewer.account)))
            found = reader.find(self._viewer.identity, wanted, self._parts.clock(), limit=limit, offset=offset)
            return shown(reader, self._viewer.identity, found)

    def history(self, id: str) -> Events:
        """Every change of one memory, oldest first."""
        record = self._handle.one(id)
        with self._handle.reading() as reader:
            return seen(reader, self._viewer.identity, reader.events(record.account, memory_id=record.id))

    def log(self, *, limit: int = 20) -> Events:
        """The journal, newest first."""
        _page(limit, 0)
        with self._handle.reading() as reader:
            return seen_events(reader, self._viewer.identity, limit=limit)

    def undo(self, operation: str | None = None) -> Ids:
        """Take back one operation, by default the last one; returns the ids of the memories it changed."""
        self._handle.awake(self._viewer.project)
        self._handle.settle()
        account, now = self._viewer.account, self._parts.clock()
        with self._parts.store.reading() as reader:
            wanted = self._handle.operation(reader, operation)
            require_undo(reader, self._viewer.identity, reader.events(account, operation=wanted))
        with self._parts.store.transaction(account, self._handle.actor, now, undoes=wanted) as tx:
            return undo(tx, account, wanted, self._parts.embed)

    def as_of(self, moment: datetime | str) -> Memory:
        """A read-only view of what was believed at an earlier moment."""
        time = clean_time("as_of", moment)
        if time is None or time > self._parts.clock():
            raise InvalidInput("as_of", f"{moment} is not in the past", "give an earlier time")
        identity, parts = self._viewer.identity, self._parts
        with self._handle.reading() as reader:
            records, reworded = believed_at(reader, with_contexts(reader, identity), time, parts.clock())
            vectors = reader.vectors(identity.account, [r.id for r in records if r.id not in reworded])
            documents = still_open(reader, identity, documents_at(reader, identity.account, time))
        view = parts.blank(f"the view as of {time.isoformat()}", lambda: time)
        with view.store.transaction(identity.account, "as_of", time) as tx:
            for record in records:
                tx.insert(record, vectors.get(record.id) if record.id not in reworded else parts.embed(record))
            for document in documents:
                tx.put_document(None, document, "describe")
        view.store.freeze()
        return Memory(view, identity, self._viewer.project)

    # Housekeeping

    def stats(self) -> dict[str, Any]:
        """How many memories there are, of what kinds, and how long the journal is."""
        self._handle.settle_for_a_look()
        with self._parts.store.reading() as reader:
            off = sorted(reader.switched_off(self._viewer.account))
            counted = reader.count(self._viewer.account, self._parts.clock(), self._viewer.identity)
        return {**counted, "off": off, "account": self._viewer.account}

    def doctor(self) -> dict[str, Any]:
        """The health of the store, the embedder and its calibration, and working memory."""
        parts = self._parts
        account, now = self._viewer.account, parts.clock()
        found = examine(parts.store, account, now, parts.embedder, parts.missing, parts.working)
        found["problems"] += [told for told in (parts.gardener.problem, parts.waiting.problem) if told]
        return found

    def reembed(self, progress: Progress | None = None) -> int:
        """Give every memory a vector of the embedder in use; can be stopped and run again."""
        parts = self._parts
        if parts.embed_many is None:
            raise InvalidInput("embedder", parts.missing or "there is none", "set one up first (`recollect doctor`)")
        return reembed(parts.store, self._viewer.account, parts.embed_many, self._handle.actor, parts.clock, progress)

    def off(self, project: str | None = None, *, everywhere: bool = False) -> None:
        """Switch memory off for a project, or for all: nothing is stored or recalled."""
        self._handle.switch(project, everywhere, on=False)

    def on(self, project: str | None = None, *, everywhere: bool = False) -> None:
        """Switch memory on again."""
        self._handle.switch(project, everywhere, on=True)

    def as_(self, *, account: str | None = None, agent: str | None = None, teams: Sequence[str] = ()) -> Memory:
        """The same store seen by another identity."""
        mine = self._viewer.identity
        if isinstance(teams, str):
            raise InvalidInput("teams", f"{teams!r} is not a list of teams", 'give a list, like ["core"]')
        rooms = tuple(clean_name("teams", team) or "" for team in teams)
        if any(room.startswith(RESERVED) for room in rooms):
            raise InvalidInput("teams", f"a name that begins with {RESERVED!r} is a context's", "give a team")
        identity = Identity(clean_name("account", account) or mine.account, clean_name("agent", agent), rooms)
        return Memory(self._parts, identity, self._viewer.project)

    def close(self) -> None:
        """Write what is waiting and let go of the store."""
        self._parts.gardener.closing = True
        if self._parts.store.writable:
            self._handle.settle()
        self._parts.gardener.finish()
        self._parts.working.close()
        self._parts.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _project_of(draft: Draft | Mapping[str, Any] | str) -> str | None:
    value = draft.get("project") if isinstance(draft, Mapping) else getattr(draft, "project", None)
    return value if isinstance(value, str) else None


def _page(limit: Any, offset: Any) -> None:
    if not isinstance(limit, int) or limit < 1 or not isinstance(offset, int) or offset < 0:
        raise InvalidInput(
            "limit", f"{limit!r} from {offset!r} is not a page", "give a limit above 0 and an offset from 0"
        )


def _some_tags(tags: Sequence[str]) -> tuple[str, ...]:
    cleaned = clean_tags(tags)
    if not cleaned:
        raise InvalidInput("tags", "there is none", "name at least one tag")
    return cleaned
