"""Handle: an open store as one viewer holds it. What the verbs share: reading while awake, asking, editing, counting accesses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recollect.capture.fields import clean_context, clean_name, clean_season, clean_time, one_of
from recollect.errors import Disabled, InvalidInput
from recollect.lookup import narrowed, one_record, operation_of, seen_events, whole
from recollect.parts import Parts
from recollect.ports import Reader, Transaction, Vectors
from recollect.recall.pipeline import Ask
from recollect.recall.profiles import Profile
from recollect.showing import Shown, names_others, shown
from recollect.values.filter import Filter
from recollect.values.hit import Recalled
from recollect.values.memory import Record
from recollect.values.scope import Viewer
from recollect.values.search import Search
from recollect.values.words import EventKind

if TYPE_CHECKING:
    from recollect.values.outcome import Refused
    from recollect.waiting import Taken

EVERYWHERE = "*"
_MANY_EVENTS = 1000
_OF_THE_QUESTION = ("explain", "now", "context", "true_at", "season", "named")


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

    def ask(self, ask: Ask) -> Recalled:
        """Put one question, count an access on what comes back, and keep what nothing answered as a need."""
        parts, settings = self.parts, self.parts.loaded.settings
        prepared = parts.recall.prepare(ask)
        with parts.store.reading(first=prepared.first) as reader:
            self.let_in(reader, ask.viewer.project)
            answer = parts.recall.answer(reader, ask, prepared)
            at = Search(ask.viewer, ask.filter, ask.now.timestamp())
            recalled = shown(reader, ask.viewer.identity, answer.recalled, at)
        parts.recalled.add(ask.viewer.identity, [hit.memory.content for hit in recalled])
        self.counted(ask.viewer.account, [hit.memory.id for hit in recalled], answer.rows)
        if parts.store.writable and settings.gaps and answer.missed and ask.filter == Filter() and not ask.named:
            self._miss(ask, prepared.query.terms, answer.vector)
        return recalled

    def counted(self, account: str, ids: Sequence[str], rows: Sequence[int]) -> None:
        """Take note of what a question brought, and count an access on its rows; nobody waits for that."""
        parts, now = self.parts, self.parts.clock()
        parts.waiting.recalled(account, ids, now)
        if not parts.store.writable or not parts.loaded.settings.touch or not rows:
            return
        parts.waiting.touch(account, rows, now)
        self.settle_soon()

    def asked(
        self,
        query: str,
        viewer: Viewer,
        profile: Profile,
        limit: int,
        filters: Mapping[str, Any],
    ) -> Ask:
        """A question from plain arguments, checked."""
        more = {name: filters[name] for name in filters if name in _OF_THE_QUESTION}
        rest = {name: value for name, value in filters.items() if name not in _OF_THE_QUESTION}
        now = clean_time("now", more.get("now"))
        context = more.get("context")
        return Ask(
            query,
            viewer,
            narrowed(**known_filters(rest)),
            now or self.parts.clock(),
            profile,
            limit,
            explain=bool(more.get("explain")),
            exact=now is not None,
            context="" if context is None else clean_context(context),
            true_at=clean_time("true_at", more.get("true_at")),
            season=clean_season(more.get("season")),
            named=bool(more.get("named")),
        )

    def _miss(self, ask: Ask, terms: tuple[str, ...], vector: Vectors | None) -> None:
        """A question that holds something the screen would not let through is not kept."""
        from recollect.capture.screen.policy import Refusal, apply_policy
        from recollect.values.gap import Miss

        cleaned = apply_policy(ask.text.strip(), self.parts.vetting.policy)
        if not isinstance(cleaned, Refusal) and not cleaned.redacted:
            self.parts.waiting.miss(Miss(cleaned.text, terms, vector, ask.viewer, ask.now))

    def edit(
        self, id: str, kind: EventKind, change: Callable[[Record], Record | Refused], reason: str | None = None
    ) -> Record | Refused:
        """Change one memory by its id; a new text gets a new vector."""
        self.settle()
        old = self.one(id)
        new = change(old)
        if not isinstance(new, Record):
            return new
        vectors = self.parts.embed(new) if new.content != old.content else None
        with self.parts.store.transaction(old.account, self.actor, self.parts.clock()) as tx:
            # Decided outside the lock; what another process changed meanwhile is taken as it is now.
            now_old = one_record(tx, self.viewer.identity, old.id)
            new = change(now_old)
            if not isinstance(new, Record):
                return new
            tx.change(now_old, new, kind, vectors=vectors, reason=reason)
            return shown(tx, self.viewer.identity, new)

    def edited(self, id: str, kind: EventKind, change: Callable[[Record], Record], reason: str | None = None) -> Record:
        """Change one memory in a way the screen has no say in."""
        done = self.edit(id, kind, change, reason)
        assert isinstance(done, Record)
        return done

    def one(self, id: str) -> Record:
        """One memory by its id, to be shown; switched off with its project."""
        with self.reading() as reader:
            record = shown(reader, self.viewer.identity, one_record(reader, self.viewer.identity, id))
        self.awake(record.project)
        return record

    def told(self, value: Shown) -> Shown:
        """What a change gave back, as this viewer may be told it."""
        if not names_others(value):
            return value
        with self.parts.store.reading() as reader:
            return shown(reader, self.viewer.identity, value)

    def operation(self, reader: Reader, wanted: str | None) -> str:
        """The operation to undo: a whole one that this identity may see."""
        from recollect.upkeep.undo import last_operation

        identity = self.viewer.identity
        if wanted is not None:
            return operation_of(reader, identity, wanted)
        events = seen_events(reader, identity, limit=_MANY_EVENTS)
        undone = reader.undone(identity.account, {event.operation for event in events})
        while not whole(reader, identity, last := last_operation(events, undone)):
            undone |= {last}
        return last

    @contextmanager
    def changing(self) -> Iterator[Transaction]:
        """One change of several memories, all or nothing, unless memory is off here."""
        self.settle()
        with self.parts.store.transaction(self.viewer.account, self.actor, self.parts.clock()) as tx:
            self.let_in(tx, self.viewer.project)
            yield tx

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """One consistent view of this moment, unless memory is off here."""
        with self.parts.store.reading(self.parts.clock()) as reader:
            self.let_in(reader, self.viewer.project)
            yield reader

    def awake(self, *projects: str | None) -> None:
        """Refuse to go on when memory is off for all, or for one of some projects."""
        with self.parts.store.reading() as reader:
            self.let_in(reader, *projects)

    def let_in(self, reader: Reader, *projects: str | None) -> None:
        """The same inside a view that is open already."""
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
        """Write what is waiting: access counts, reads of pools, unanswered questions; one transaction an account."""
        if self.parts.store.writable:
            self._write_waiting()
            self._tend()

    def settle_for_a_look(self) -> None:
        """The same for whoever only looks: an answer that is there is not refused because a count cannot be written now."""
        if self.parts.store.writable:
            self.parts.waiting.attempt(self._write_waiting)
            self._tend()

    def settle_questions(self) -> None:
        """The same if a question waits: what is stored next may answer it. Counts alone can wait longer."""
        if self.parts.waiting.missed(self.viewer.account):
            self.settle()

    def settle_soon(self) -> None:
        """The same in the background, once there is much of it: nobody who reads waits for a writer."""
        self.parts.waiting.soon(self._write_waiting)
        self._tend()

    def _write_waiting(self) -> None:
        with self.parts.waiting.taken() as waiting:
            while waiting:
                account, taken = next(iter(waiting.items()))
                with self.parts.store.transaction(account, self.actor, taken.at) as tx:
                    tx.touch(account, taken.counts, taken.at)
                    _write_down(tx, taken)
                    due = self._count_recalls(tx, account, taken.recalls)
                del waiting[account]
                if due:
                    self.parts.waiting.due.add(account)

    def _tend(self) -> None:
        """Have clusters found anew where that is due; never begun by a thread that may end with the process."""
        while self.parts.waiting.due:
            self.parts.gardener.tend(self.parts.waiting.due.pop())

    def _count_recalls(self, tx: Transaction, account: str, recalls: int) -> bool:
        """Count recalls over all processes; whether the clusters are due to be found anew."""
        every = self.parts.loaded.settings.refresh_clusters
        if not every or not recalls:
            return False
        before = int(tx.note(f"recalls:{account}") or 0)
        tx.set_note(f"recalls:{account}", str(before + recalls))
        return (before + recalls) // every > before // every


def _write_down(tx: Transaction, taken: Taken) -> None:
    if taken.misses:
        from recollect.upkeep.gaps import note

        note(tx, taken.misses)
    if taken.reads:
        from recollect.tiers.pools import count_reads

        count_reads(tx, taken.reads)


def known_filters(filters: Mapping[str, Any]) -> dict[str, Any]:
    """The filters a caller named; an unknown one is refused with the list."""
    names = ("type", "tag", "scope", "project", "session", "status", "source", "since", "until", "min_trust")
    for name in filters:
        if name not in names:
            raise InvalidInput(name, "is not a filter", f"filters: {', '.join(names)}")
    return dict(filters)
