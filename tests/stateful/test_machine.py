"""Random operations, played on the reference and on a SQLite file side by side: no answer may differ, ever."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from recollect.config import load
from recollect.embed.store_embedder import StoreEmbedder
from recollect.engine import Memory
from recollect.errors import RecollectError
from recollect.ports import Clock, Store
from recollect.runtime import Runtime
from recollect.store.sqlite.store import SqliteStore
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder
from recollect.testing.in_memory import InMemoryStore
from recollect.testing.twins import Act, Ids, Twins
from recollect.values.enums import LINK_RELATIONS, MEMORY_TYPES, RESOLUTIONS
from recollect.values.scope import Identity
from recollect.wiring import assemble

PROFILES = ("hybrid", "belief", "hebbian", "composite", "relevance", "cascade")
MANY = 200

texts = st.builds(
    "{} {} {} {}".format,
    st.sampled_from(("The staging database", "The deploy window", "Our style guide", "The billing service", "Never")),
    st.sampled_from(("runs on", "is", "prefers", "no longer uses", "talks to")),
    st.sampled_from(("postgres", "mysql", "friday", "tabs", "spaces", "port 9001", "port 9002", "kafka")),
    st.sampled_from(("in production", "for now", "since march", "", "as Zoë Barnes said")),
)
queries = st.sampled_from(
    (
        "which database does staging run on",
        "deploy friday",
        "tabs or spaces for me please",
        "billing port 9001",
        "kafka #infra",
        "what did Zoë Barnes say in january",
        "what changed yesterday",
    )
)
pick = st.integers(0, 60)
projects = st.sampled_from((None, "atlas", "zephyr"))
identities = st.fixed_dictionaries(
    {"agent": st.sampled_from((None, "ada", "bob")), "teams": st.sampled_from(((), ("core",)))}
)
statuses = st.sampled_from((None, None, None, None, "superseded", "forgotten", ("active", "superseded"), "all"))
spans = st.sampled_from((timedelta(seconds=1), timedelta(minutes=50), timedelta(days=1), timedelta(days=40)))
lives = st.sampled_from((None, None, 1800, 90_000, 4_000_000))
edits = st.fixed_dictionaries(
    {"weight": st.sampled_from((0.2, 1.0))},
    optional={"content": texts, "ttl": st.sampled_from((1800, 90_000)), "tags": st.sampled_from(((), ("style",)))},
)


@st.composite
def drafts(draw: st.DrawFn) -> dict[str, Any]:
    """The fields of a draft, with the coordinate its scope needs."""
    scope = draw(st.sampled_from((None, None, "global", "project", "agent", "team", "session", "task")))
    coordinate = {"project": "atlas", "agent": "ada", "team": "core", "session": "s1", "task": "t1"}.get(scope or "")
    fields = {
        "scope": scope,
        "project": draw(projects),
        "session": draw(st.sampled_from((None, "s1"))),
        "position": draw(st.sampled_from((None, 0, 1, 2, 5))),
        "speaker": draw(st.sampled_from((None, None, "Zoë", "assistant"))),
        "type": draw(st.sampled_from((None, None, *MEMORY_TYPES[:4]))),
        "tags": draw(st.sampled_from((None, ("infra",), ("infra", "style")))),
        "weight": draw(st.sampled_from((None, 0.5))),
        "ttl": draw(lives),
        "key": draw(st.sampled_from((None, None, None, "k1", "k2"))),
        "revive": draw(st.sampled_from((None, None, True))),
    }
    named = {scope: fields.get(scope) or coordinate} if scope and coordinate else {}
    return {name: value for name, value in (fields | named).items() if value is not None}


class TwinEngines(RuleBasedStateMachine):
    """The rules are the verbs of `Memory`; a memory is picked by number, modulo how many there are."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="recollect-twins-"))
        self.clock = FixedClock()
        self.moments: list[datetime] = [self.clock.now]
        self.reference = InMemoryStore()
        self.twins = Twins(*self._opened())
        self.others = self._opened()

    def _opened(self) -> tuple[Memory, Memory]:
        subject = SqliteStore(self.folder / "memory.db", durable=False)
        return self._engine(self.reference), self._engine(subject)

    def _engine(self, store: Store) -> Memory:
        return Memory(self._wired(store, self.clock), Identity())

    def _wired(self, store: Store, clock: Clock) -> Runtime:
        """The parts of any engine, on a given store; the reference looks at the past through its own kind too."""
        loaded = load({"XDG_CONFIG_HOME": str(self.folder)}, db=str(self.folder / "memory.db"), embedder="none")
        parts = assemble(loaded, store, StoreEmbedder(HashingEmbedder(), store), None, clock)
        if not isinstance(store, InMemoryStore):
            return parts
        return replace(parts, blank=lambda name, then: self._wired(InMemoryStore(name), then))

    def teardown(self) -> None:
        for engine in (*self.twins.engines, *self.others):
            engine.close()
        shutil.rmtree(self.folder)

    def _number(self, pick: int) -> int:
        return pick % len(self.twins)

    # Writing

    @initialize(many=st.lists(st.tuples(texts, drafts()), min_size=8, max_size=14))
    def begin(self, many: Sequence[tuple[str, dict[str, Any]]]) -> None:
        self.remember(many, None)

    @rule(many=st.lists(st.tuples(texts, drafts()), min_size=1, max_size=3), replaced=st.none() | pick)
    def remember(self, many: Sequence[tuple[str, dict[str, Any]]], replaced: int | None) -> None:
        for text, draft in many:
            named = replaced is not None and len(self.twins) > 0
            self.twins.remember(text, **draft, supersedes=self._number(replaced or 0) if named else None)
            self.clock.advance(1)

    @precondition(lambda self: len(self.twins))
    @rule(pick=pick, changes=edits)
    def update(self, pick: int, changes: dict[str, Any]) -> None:
        number = self._number(pick)
        self.twins.same(lambda memory, ids: memory.update(ids[number], **changes))
        self.clock.advance(1)

    @precondition(lambda self: len(self.twins))
    @rule(pick=pick, verb=st.sampled_from(("forget", "restore", "reinforce", "demote", "forget", "restore")))
    def change(self, pick: int, verb: str) -> None:
        number = self._number(pick)
        self.twins.same(lambda memory, ids: getattr(memory, verb)(ids[number]))
        self.clock.advance(1)

    @precondition(lambda self: len(self.twins))
    @rule(pick=pick, helpful=st.booleans())
    def feedback(self, pick: int, helpful: bool) -> None:
        self.twins.same(lambda memory, ids: memory.feedback(ids[self._number(pick)], helpful))

    @precondition(lambda self: len(self.twins))
    @rule(pick=pick, verb=st.sampled_from(("tag", "untag")), tag=st.sampled_from(("infra", "style")))
    def tag(self, pick: int, verb: str, tag: str) -> None:
        number = self._number(pick)
        self.twins.same(lambda memory, ids: getattr(memory, verb)(ids[number], tag))
        self.clock.advance(1)

    @precondition(lambda self: len(self.twins) > 1)
    @rule(old=pick, new=pick)
    def supersede(self, old: int, new: int) -> None:
        first, second = self._number(old), self._number(new)
        self.twins.same(lambda memory, ids: memory.supersede(ids[first], ids[second]))
        self.clock.advance(1)

    @precondition(lambda self: len(self.twins) > 1)
    @rule(one=pick, other=pick, relation=st.sampled_from(LINK_RELATIONS), weight=st.sampled_from((0.2, 0.5, 1.0)))
    def link(self, one: int, other: int, relation: str, weight: float) -> None:
        first, second = self._number(one), self._number(other)
        self.twins.same(lambda memory, ids: memory.link(ids[first], ids[second], relation, weight))  # type: ignore[arg-type]
        self.clock.advance(1)

    @precondition(lambda self: len(self.twins) > 1)
    @rule(one=pick, other=pick)
    def unlink(self, one: int, other: int) -> None:
        first, second = self._number(one), self._number(other)
        self._same_or_nothing(lambda memory, ids: memory.unlink(ids[first], ids[second]))

    @precondition(lambda self: len(self.twins) > 1)
    @rule(one=pick, other=pick, rejected=pick)
    def confirm(self, one: int, other: int, rejected: int) -> None:
        first, second, third = self._number(one), self._number(other), self._number(rejected)
        self.twins.same(
            lambda memory, ids: memory.confirm(
                ids[first], ids[second], rejected=[ids[third]], query="the staging database in production"
            )
        )
        self.clock.advance(1)

    @precondition(lambda self: len(self.twins) > 1)
    @rule(one=pick, other=pick, way=st.sampled_from(RESOLUTIONS))
    def resolve(self, one: int, other: int, way: str) -> None:
        first, second = self._number(one), self._number(other)
        self._same_or_nothing(lambda memory, ids: memory.resolve((ids[first], ids[second]), way))  # type: ignore[arg-type]

    @rule(old=st.sampled_from(("infra", "style", "none")), new=st.sampled_from(("infra", "ops")))
    def rename_a_tag(self, old: str, new: str) -> None:
        self.twins.same(lambda memory, _: memory.rename_tag(old, new))
        self.clock.advance(1)

    @rule(tag=st.sampled_from(("infra", "ops")), text=st.sampled_from(("what runs where", "who is on call", None)))
    def describe_a_tag(self, tag: str, text: str | None) -> None:
        self.twins.same(lambda memory, _: memory.describe_tag(tag, text))
        self.clock.advance(1)

    def _same_or_nothing(self, act: Act) -> None:
        """Both do it, or both refuse; a message names a memory by an id of its own."""

        def tried(memory: Memory, ids: Ids) -> Any:
            try:
                return act(memory, ids)
            except RecollectError as error:
                return type(error).__name__

        self.twins.same(tried)
        self.clock.advance(1)

    @rule()
    def undo(self) -> None:
        self.twins.same(lambda memory, _: memory.undo(force=True).memories)
        self.clock.advance(1)

    @precondition(lambda self: len(self.twins))
    @rule(pick=pick)
    def undo_an_earlier_operation(self, pick: int) -> None:
        def act(memory: Memory, _: object) -> tuple[str, ...]:
            events = memory.log(limit=500)
            return memory.undo(events[pick % len(events)].operation, force=True).memories if events else ()

        self.twins.same(act)
        self.clock.advance(1)

    @precondition(lambda self: len(self.twins) > 3)
    @rule(pick=pick)
    def purge(self, pick: int) -> None:
        number = self._number(pick)
        self.twins.same(lambda memory, ids: memory.purge(ids[number]).repeats)
        self.clock.advance(1)

    @rule(project=projects, verb=st.sampled_from(("disable", "enable", "enable", "enable")))
    def switch(self, project: str | None, verb: str) -> None:
        self.twins.same(lambda memory, _: getattr(memory, verb)(project, everywhere=project is None))

    @rule(span=spans)
    def time_passes(self, span: timedelta) -> None:
        self.moments.append(self.clock.now)
        self.clock.advance(span)

    # The graph

    @precondition(lambda self: len(self.twins))
    @rule(pick=pick, depth=st.integers(1, 2), who=identities)
    def related(self, pick: int, depth: int, who: dict[str, Any]) -> None:
        number = self._number(pick)

        def act(memory: Memory, ids: Ids) -> Any:
            return [
                (found.memory, round(found.score, 4))
                for found in memory.with_identity(**who).related(ids[number], depth)
            ]

        self._same_or_nothing(act)

    @rule(who=identities)
    def what_is_known_of_the_whole(self, who: dict[str, Any]) -> None:
        def act(memory: Memory, _: Ids) -> Any:
            seen = memory.with_identity(**who)
            gaps = [
                [(gap.question, gap.count, gap.answered_by) for gap in topic.gaps] for topic in seen.gaps(answered=True)
            ]
            return seen.tags(), sorted(map(sorted, gaps), key=str), [(c.newer, c.older) for c in seen.contradictions()]

        self.twins.same(act)

    @rule(query=st.sampled_from(("what about infra", "stile guide rules", "ops or style")), project=projects)
    def named(self, query: str, project: str | None) -> None:
        self.twins.recall(lambda memory: memory.recall(query, named=True, project=project, limit=40))

    @rule(snapshot=st.booleans())
    def reopen(self, snapshot: bool) -> None:
        self.twins.same(lambda memory, _: memory.stats())
        self.twins.engines[1].close()
        if not snapshot:
            shutil.rmtree(self.folder / "memory.db.index", ignore_errors=True)
        self.twins.engines = self._opened()

    @rule()
    def another_process_goes_on(self) -> None:
        """It has what is stored from the store alone, and counts of its own that are not written yet."""
        self.twins.same(lambda memory, _: memory.stats())
        self.twins.engines, self.others = self.others, self.twins.engines

    # Reading

    @rule(query=queries, who=identities, profile=st.sampled_from(PROFILES), status=statuses, explain=st.booleans())
    def recall(self, query: str, who: dict[str, Any], profile: str, status: Any, explain: bool) -> None:
        asked = {"profile": profile, "status": status, "explain": explain, "session": "s1" if explain else None}
        for project in (None, "atlas", "zephyr"):
            self.twins.recall(
                lambda memory, project=project: memory.with_identity(**who).recall(
                    query, limit=MANY, project=project, **asked
                )
            )

    @rule(who=identities, status=statuses, tag=st.sampled_from((None, "infra")), project=projects)
    def list(self, who: dict[str, Any], status: Any, tag: str | None, project: str | None) -> None:
        conditions = {"status": status, "tags": tag, "in_project": project}
        self.twins.same(lambda memory, _: memory.with_identity(**who).list(limit=MANY, **conditions))

    @precondition(lambda self: len(self.twins))
    @rule(pick=pick)
    def get_and_history(self, pick: int) -> None:
        number = self._number(pick)
        self.twins.same(lambda memory, ids: memory.get(ids[number]))
        self.twins.same(lambda memory, ids: memory.history(ids[number]))

    @rule(pick=pick, query=queries)
    def as_of(self, pick: int, query: str) -> None:
        moment = self.moments[pick % len(self.moments)]
        if self.twins.same(lambda memory, _: memory.as_of(moment).close()) is not None:
            return
        with ExitStack() as stack:
            past = Twins(*(stack.enter_context(engine.as_of(moment)) for engine in self.twins.engines))
            past.ids = self.twins.ids
            past.same(lambda memory, _: memory.list(limit=MANY, status="all"))
            past.recall(lambda memory: memory.recall(query, limit=MANY, project="atlas", explain=True))

    @invariant()
    def counts_and_lists_agree(self) -> None:
        self.twins.same(lambda memory, _: memory.stats())
        self.twins.same(lambda memory, _: memory.with_identity(agent="ada").list(limit=MANY))
        self.twins.same(lambda memory, _: memory.list(limit=MANY, status="superseded"))


TestTwinEngines = TwinEngines.TestCase
TestTwinEngines.settings = settings(
    max_examples=50, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
