"""Handle: an open store as one viewer holds it. What the verbs share: reading while awake, asking, editing, counting accesses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.capture.intake import clean_name, clean_time, one_of
from recollect.errors import Disabled, InvalidInput
from recollect.lookup import narrowed, one_record, operation_of, seen_events
from recollect.parts import Parts
from recollect.ports import Reader
from recollect.recall.pipeline import Ask
from recollect.recall.profiles import Profile
from recollect.upkeep.undo import last_operation
from recollect.values.hit import Recalled
from recollect.values.memory import Record
from recollect.values.outcome import Refused
from recollect.values.scope import Viewer
from recollect.values.words import EventKind

EVERYWHERE = "*"
_MANY_TOUCHES = 256
_MANY_EVENTS = 1000


@dataclass(frozen=True, slots=True)
class Handle:
    """The parts of an open store, and who is looking at it from where."""

    parts: Parts
    viewer: Viewer

    @property
    def actor(self) -> str:
        """Who the journal says made a change."""
        return self.viewer.identity.agent or self.parts.loaded.settings.actor

    def at(self, project: str | None, session: str | None, task: str | None) -> Viewer:
        """The same identity, asking from somewhere."""
        return self.viewer.within(
            clean_name("project", project) or self.viewer.project,
            clean_name("session", session),
            clean_name("task", task),
        )

    def profile(self, name: str) -> Profile:
        """A ranking profile by its name."""
        one_of("profile", name, tuple(self.parts.profiles))
        return self.parts.profiles[name]

    def ask(
        self,
        query: str,
        viewer: Viewer,
        profile: Profile,
        limit: int,
        explain: bool,
        now: datetime | None,
        filters: Mapping[str, Any],
    ) -> Recalled:
        """Put one question, and count an access on what comes back."""
        parts = self.parts
        self.awake(viewer.project)
        asked_at = clean_time("now", now) or parts.clock()
        ask = Ask(query, viewer, narrowed(**known_filters(filters)), asked_at, profile, limit, explain, now is not None)
        prepared = parts.recall.prepare(ask)
        with parts.store.reading() as reader:
            answer = parts.recall.answer(reader, ask, prepared)
        parts.recalled.extend(hit.memory.content for hit in answer.recalled)
        counted = parts.loaded.settings.touch and parts.store.writable and answer.rows
        if counted and parts.touches.add(viewer.account, answer.rows, parts.clock()) >= _MANY_TOUCHES:
            self.settle()
        return answer.recalled

    def edit(
        self, id: str, kind: EventKind, change: Callable[[Record], Record | Refused], reason: str | None = None
    ) -> Record | Refused:
        """Change one memory by its id; a new text gets a new vector."""
        self.settle()
        old = self.one(id)
        new = change(old)
        if isinstance(new, Refused):
            return new
        vectors = self.parts.embed(new) if new.content != old.content else None
        with self.parts.store.transaction(old.account, self.actor, self.parts.clock()) as tx:
            # Decided outside the lock; what another process changed meanwhile is taken as it is now.
            now_old = one_record(tx, self.viewer.identity, old.id)
            new = change(now_old)
            if isinstance(new, Refused):
                return new
            tx.change(now_old, new, kind, vectors=vectors, reason=reason)
        return new

    def edited(self, id: str, kind: EventKind, change: Callable[[Record], Record], reason: str | None = None) -> Record:
        """Change one memory in a way the screen has no say in."""
        done = self.edit(id, kind, change, reason)
        assert isinstance(done, Record)
        return done

    def one(self, id: str) -> Record:
        """One memory by its id; switched off with its project."""
        with self.reading() as reader:
            record = one_record(reader, self.viewer.identity, id)
        self.awake(record.project)
        return record

    def operation(self, reader: Reader, wanted: str | None) -> str:
        """The operation to undo: a whole one that this identity may see."""
        identity = self.viewer.identity
        if wanted is not None:
            return operation_of(reader, identity, wanted)
        events = seen_events(reader, identity, limit=_MANY_EVENTS)
        return last_operation(events, reader.undone(identity.account, {event.operation for event in events}))

    def reading(self) -> AbstractContextManager[Reader]:
        """One consistent view of this moment, unless memory is off here."""
        self.awake(self.viewer.project)
        return self.parts.store.reading(self.parts.clock())

    def awake(self, *projects: str | None) -> None:
        """Refuse to go on when memory is off for all, or for one of some projects."""
        with self.parts.store.reading() as reader:
            off = reader.switched_off(self.viewer.account)
        if EVERYWHERE in off:
            raise Disabled("every project")
        for project in projects:
            if project in off:
                raise Disabled(str(project))

    def switch(self, project: str | None, everywhere: bool, *, on: bool) -> None:
        """Switch memory on or off, for a project or for all."""
        where = EVERYWHERE if everywhere else clean_name("project", project) or self.viewer.project
        if where is None:
            raise InvalidInput("project", "is missing", "name one, or switch every project with everywhere=True")
        with self.parts.store.transaction(self.viewer.account, self.actor, self.parts.clock()) as tx:
            tx.switch(self.viewer.account, where, on)

    def settle(self) -> None:
        """Write the access counts that are waiting, in one transaction."""
        touches = self.parts.touches
        if not touches.counts or touches.at is None or not self.parts.store.writable:
            return
        for account, counts in touches.take().items():
            with self.parts.store.transaction(account, self.actor, touches.at) as tx:
                tx.touch(account, counts, touches.at)


def known_filters(filters: Mapping[str, Any]) -> dict[str, Any]:
    """The filters a caller named; an unknown one is refused with the list."""
    names = ("type", "tag", "scope", "project", "session", "status", "source", "since", "until", "min_trust")
    for name in filters:
        if name not in names:
            raise InvalidInput(name, "is not a filter", f"filters: {', '.join(names)}")
    return dict(filters)
