"""Every public verb opens at most one view and one transaction; the exceptions are listed with their reason."""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from recollect.config import load
from recollect.embed.store_embedder import StoreEmbedder
from recollect.engine import Memory
from recollect.store.sqlite.store import SqliteStore
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder
from recollect.tiers.contexts import Contexts
from recollect.tiers.narratives import Narratives
from recollect.tiers.pools import Pools
from recollect.tiers.router import Router
from recollect.tiers.short_term import ShortTerm
from recollect.tiers.working import WorkingMemory
from recollect.values.scope import Identity
from recollect.wiring import assemble

Setup = SimpleNamespace
Call = Callable[[Memory, Setup], Any]


class CountingStore:
    """A store that counts the views and transactions it opens."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self.views = self.transactions = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def view(self, *args: Any, **options: Any) -> Any:
        self.views += 1
        return self._store.view(*args, **options)

    def transaction(self, *args: Any, **options: Any) -> Any:
        self.transactions += 1
        return self._store.transaction(*args, **options)


@pytest.fixture
def store(tmp_path: Path) -> CountingStore:
    return CountingStore(SqliteStore(tmp_path / "memory.db", durable=False))


@pytest.fixture
def ada(store: CountingStore, tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    loaded = load({"XDG_CONFIG_HOME": str(tmp_path)}, db=str(tmp_path / "memory.db"), embedder="none")
    embedder = StoreEmbedder(HashingEmbedder(), store)  # type: ignore[arg-type]
    assert embedder.calibration and embedder.query_calibration  # measured once and stored, before anything is counted
    runtime = assemble(loaded, store, embedder, None, clock)  # type: ignore[arg-type]
    with Memory(runtime, Identity("default", "ada")) as memory:
        yield memory


@pytest.fixture
def there(ada: Memory, clock: FixedClock) -> Setup:
    """What the verbs work on."""
    first = ada.remember("The gateway listens on port 8080", tags=["network"], key="port").memory
    second = ada.remember("Kestrels nest on the tower in spring", tags=["birds"]).memory
    ada.pools.create("board", data={"todo": 1})
    ada.contexts.create("base", type="knowledge_base")
    entry = ada.contexts.add("base", "The harbour closes at nine").memory
    told = ada.narratives.write("We moved the gateway", session="s1", memories=[first.id])
    ada.short_term.write("k", "a value about gateways", session="s1")
    ada.working.store("k", 1)
    ada.contexts.snapshot("base", "first")
    archived = ada.archive(ada.remember("The attic is full of old maps").memory.id)
    clock.advance(timedelta(minutes=1))
    ada.flush()
    return Setup(
        archived=archived.id, first=first.id, second=second.id, entry=entry.id, narrative=told.id, before=clock()
    )


# name: (call, views, transactions); what happens before the verb is counted from zero.
MEMORY: dict[str, tuple[Call, int, int]] = {
    "remember": (lambda m, t: m.remember("The build takes nine minutes"), 0, 1),
    "remember_many": (lambda m, t: m.remember_many(["Nine builds ran", "The moon is far away"]), 0, 1),
    "update": (lambda m, t: m.update(t.first, importance=0.9), 0, 1),
    "tag": (lambda m, t: m.tag(t.first, "api"), 0, 1),
    "untag": (lambda m, t: m.untag(t.first, "network"), 0, 1),
    "forget": (lambda m, t: m.forget(t.first), 0, 1),
    "restore": (lambda m, t: m.restore(t.first), 0, 1),
    "archive": (lambda m, t: m.archive(t.first), 0, 1),
    "unarchive": (lambda m, t: m.unarchive(t.archived), 0, 1),
    "move": (lambda m, t: m.move(t.first, project="store"), 0, 1),
    "purge": (lambda m, t: m.purge(t.first), 1, 1),  # looks for what repeats the text before it takes the lock
    "recall": (lambda m, t: m.recall("gateway port"), 1, 0),
    "search": (lambda m, t: m.search("gateway"), 1, 0),
    "get": (lambda m, t: m.get(t.first), 1, 0),
    "list": (lambda m, t: m.list(total=True), 1, 0),
    "iter_all": (lambda m, t: list(m.iter_all()), 1, 0),
    "count": (lambda m, t: m.count(), 1, 0),
    "history": (lambda m, t: m.history(t.first), 1, 0),
    "log": (lambda m, t: m.log(), 1, 0),
    "undo": (lambda m, t: m.undo(), 0, 1),
    "as_of": (lambda m, t: m.as_of(t.before), 1, 0),
    "context": (lambda m, t: m.context("gateway"), 1, 0),
    "preview": (lambda m, t: m.preview("gateway"), 1, 0),
    "reinforce": (lambda m, t: m.reinforce(t.first), 0, 1),
    "demote": (lambda m, t: m.demote(t.first), 0, 1),
    "feedback": (lambda m, t: m.feedback(t.first, helpful=True), 0, 1),
    "feedback_many": (lambda m, t: m.feedback_many([t.first, t.second], "unhelpful"), 0, 1),
    "confirm": (lambda m, t: m.confirm(t.first, rejected=[t.second]), 0, 1),
    "contradictions": (lambda m, t: m.contradictions(), 1, 0),
    "resolve": (lambda m, t: m.resolve((t.first, t.second), "supersede"), 0, 1),
    "supersede": (lambda m, t: m.supersede(t.first, t.second), 0, 1),
    "gaps": (lambda m, t: m.gaps(), 1, 0),
    "link": (lambda m, t: m.link(t.first, t.second), 0, 1),
    "unlink": (lambda m, t: m.unlink(t.narrative, t.first), 0, 1),
    "related": (lambda m, t: m.related(t.first), 1, 0),
    "graph": (lambda m, t: m.graph(id=t.first), 1, 0),
    "provenance": (lambda m, t: m.provenance(t.narrative), 1, 0),
    "tags": (lambda m, t: m.tags(), 1, 0),
    "describe_tag": (lambda m, t: m.describe_tag("birds", "flying things"), 0, 1),
    "rename_tag": (lambda m, t: m.rename_tag("birds", "animals"), 0, 1),
    "merge_tags": (lambda m, t: m.merge_tags("things", "birds", "network"), 0, 1),
    "clusters": (lambda m, t: m.clusters(), 1, 0),
    "companion": (lambda m, t: m.companion(session="s1"), 0, 0),
    "turns": (lambda m, t: m.turns(session="s1"), 1, 0),
    "stats": (lambda m, t: m.stats(), 1, 0),
    "doctor": (lambda m, t: m.doctor(), 1, 0),
    "judge_usage": (lambda m, t: m.judge_usage(), 1, 0),
    "judge_test": (lambda m, t: m.judge_test(), 0, 0),
    "disable": (lambda m, t: m.disable("shop"), 0, 1),
    "enable": (lambda m, t: m.enable("shop"), 0, 1),
    "with_identity": (lambda m, t: m.with_identity(agent="eve"), 0, 0),
    "flush": (lambda m, t: m.flush(), 0, 0),
}
# One view of the switch per verb, whatever is done in working memory itself.
WORKING: dict[str, tuple[Call, int, int]] = {
    "store": (lambda m, t: m.working.store("a", 1), 1, 0),
    "retrieve": (lambda m, t: m.working.retrieve("k"), 1, 0),
    "exists": (lambda m, t: m.working.exists("k"), 1, 0),
    "remove": (lambda m, t: m.working.remove("k"), 1, 0),
    "keys": (lambda m, t: m.working.keys(), 1, 0),
    "clear": (lambda m, t: m.working.clear(), 1, 0),
    "task": (lambda m, t: m.working.task("t"), 0, 0),
    "workflow": (lambda m, t: m.working.workflow("r"), 0, 0),
    "store_task_state": (lambda m, t: m.working.store_task_state(1), 1, 0),
    "task_state": (lambda m, t: m.working.task_state(), 1, 0),
    "store_intermediate_result": (lambda m, t: m.working.store_intermediate_result("s", 1), 1, 0),
    "intermediate_result": (lambda m, t: m.working.intermediate_result("s"), 1, 0),
    "intermediate_results": (lambda m, t: m.working.intermediate_results(), 1, 0),
    "store_conversation_context": (lambda m, t: m.working.store_conversation_context(["hi"]), 1, 0),
    "append_to_conversation": (lambda m, t: m.working.append_to_conversation("hi"), 1, 0),
    "conversation_context": (lambda m, t: m.working.conversation_context(), 1, 0),
    "store_tool_state": (lambda m, t: m.working.store_tool_state("x", 1), 1, 0),
    "tool_state": (lambda m, t: m.working.tool_state("x"), 1, 0),
    "store_scratch_pad": (lambda m, t: m.working.store_scratch_pad("x"), 1, 0),
    "append_to_scratch_pad": (lambda m, t: m.working.append_to_scratch_pad("x"), 1, 0),
    "scratch_pad": (lambda m, t: m.working.scratch_pad(), 1, 0),
    "share_with_agent": (lambda m, t: m.working.share_with_agent("eve", "k", 1), 1, 0),
    "retrieve_shared": (lambda m, t: m.working.retrieve_shared("eve", "k"), 1, 0),
    "persist_to_database": (lambda m, t: m.working.persist_to_database(), 0, 1),
    "load_from_database": (lambda m, t: m.working.load_from_database(), 1, 0),
}
SHORT_TERM: dict[str, tuple[Call, int, int]] = {
    "write": (lambda m, t: m.short_term.write("a", 1, session="s1"), 0, 1),
    "read": (lambda m, t: m.short_term.read("k", "s1"), 1, 0),
    "peek": (lambda m, t: m.short_term.peek("k", "s1"), 1, 0),
    "exists": (lambda m, t: m.short_term.exists("k", "s1"), 1, 0),
    "touch": (lambda m, t: m.short_term.touch("k", "s1"), 0, 1),
    "refresh_ttl": (lambda m, t: m.short_term.refresh_ttl("k", "s1"), 0, 1),
    "remove": (lambda m, t: m.short_term.remove("k", "s1"), 0, 1),
    "entries": (lambda m, t: m.short_term.entries(), 1, 0),
    "sessions": (lambda m, t: m.short_term.sessions(), 1, 0),
    "cleanup_expired": (lambda m, t: m.short_term.cleanup_expired(), 0, 1),
}
POOLS: dict[str, tuple[Call, int, int]] = {
    "create": (lambda m, t: m.pools.create("new"), 0, 1),
    "get": (lambda m, t: m.pools.get("board"), 1, 0),
    "read": (lambda m, t: m.pools.read("board"), 1, 0),
    "write": (lambda m, t: m.pools.write("board", {"a": 1}), 0, 1),
    "write_key": (lambda m, t: m.pools.write_key("board", "a", 1), 0, 1),
    "merge": (lambda m, t: m.pools.merge("board", {"a": 1}), 0, 1),
    "remove_key": (lambda m, t: m.pools.remove_key("board", "todo"), 0, 1),
    "drop": (lambda m, t: m.pools.drop("board"), 0, 1),
    "list": (lambda m, t: m.pools.list(), 1, 0),
    "grant": (lambda m, t: m.pools.grant("board", "eve", "read"), 0, 1),
    "revoke": (lambda m, t: m.pools.revoke("shared", "eve"), 0, 1),
    "extend": (lambda m, t: m.pools.extend("board", 60), 0, 1),
    "statistics": (lambda m, t: m.pools.statistics("board"), 1, 0),
    # Found in a view when it exists; only the first use needs a transaction.
    "workflow": (lambda m, t: m.pools.workflow("run"), 1, 1),
    "sweep": (lambda m, t: m.pools.sweep(), 0, 1),
    "accessible_by": (lambda m, t: m.pools.accessible_by("board", "eve"), 1, 0),
}
CONTEXTS: dict[str, tuple[Call, int, int]] = {
    "create": (lambda m, t: m.contexts.create("new", type="tool_cache"), 0, 1),
    "get": (lambda m, t: m.contexts.get("base"), 1, 0),
    "list": (lambda m, t: m.contexts.list(), 1, 0),
    # The context is found before the text is embedded, and checked again in the transaction.
    "add": (lambda m, t: m.contexts.add("base", "The bridge opens at noon"), 1, 1),
    "entries": (lambda m, t: m.contexts.entries("base"), 1, 0),
    "search": (lambda m, t: m.contexts.search("base", "harbour"), 1, 0),
    "get_entry": (lambda m, t: m.contexts.get_entry("base", t.entry), 1, 0),
    "versions": (lambda m, t: m.contexts.versions("base", t.entry), 1, 0),
    "boost_importance": (lambda m, t: m.contexts.boost_importance("base", t.entry), 0, 1),
    "reduce_importance": (lambda m, t: m.contexts.reduce_importance("base", t.entry), 0, 1),
    "effective_relevance": (lambda m, t: m.contexts.effective_relevance("base", t.entry), 1, 0),
    "remove_entry": (lambda m, t: m.contexts.remove_entry("base", t.entry), 0, 1),
    "purge_entry": (lambda m, t: m.contexts.purge_entry("base", t.entry), 0, 1),
    "archive": (lambda m, t: m.contexts.archive("base"), 0, 1),
    "unarchive": (lambda m, t: m.contexts.unarchive("stored"), 0, 1),
    "grant": (lambda m, t: m.contexts.grant("base", "eve", "read"), 0, 1),
    "revoke": (lambda m, t: m.contexts.revoke("open", "eve"), 0, 1),
    "access_log": (lambda m, t: m.contexts.access_log("base"), 1, 0),
    "accessible_by": (lambda m, t: m.contexts.accessible_by("base", "eve"), 1, 0),
    "snapshot": (lambda m, t: m.contexts.snapshot("base", "second"), 0, 1),
    "snapshots": (lambda m, t: m.contexts.snapshots("base"), 1, 0),
    "diff": (lambda m, t: m.contexts.diff("base", "first"), 1, 0),
    "restore": (lambda m, t: m.contexts.restore("base", "first"), 0, 1),
}
NARRATIVES: dict[str, tuple[Call, int, int]] = {
    "write": (lambda m, t: m.narratives.write("We moved on", session="s2"), 0, 1),
    "latest": (lambda m, t: m.narratives.latest(), 1, 0),
    "get": (lambda m, t: m.narratives.get(t.narrative), 1, 0),
    "chain": (lambda m, t: m.narratives.chain(), 1, 0),
    "search": (lambda m, t: m.narratives.search("gateway"), 1, 0),
    "of": (lambda m, t: m.narratives.of(t.first), 1, 0),
    "memories": (lambda m, t: m.narratives.memories(t.narrative), 1, 0),
}
ROUTER: dict[str, tuple[Call, int, int]] = {
    "read": (lambda m, t: m.router.read("todo", session="s1"), 1, 0),
    "write": (lambda m, t: m.router.write("a", "The tide is high", tier="long_term"), 0, 1),
    "delete": (lambda m, t: m.router.delete("k", session="s1"), 0, 1),
    "semantic_search": (lambda m, t: m.router.semantic_search("gateway", session="s1"), 1, 0),
    # The entries are read, their texts are embedded, then all are promoted in one transaction.
    "consolidate": (lambda m, t: m.router.consolidate("often"), 1, 1),
    "stats": (lambda m, t: m.router.stats(), 1, 0),
}
GROUPS: dict[str, tuple[type, dict[str, tuple[Call, int, int]]]] = {
    "memory": (Memory, MEMORY),
    "working": (WorkingMemory, WORKING),
    "short_term": (ShortTerm, SHORT_TERM),
    "pools": (Pools, POOLS),
    "contexts": (Contexts, CONTEXTS),
    "narratives": (Narratives, NARRATIVES),
    "router": (Router, ROUTER),
}
# Verbs that may open more, and why.
EXCEPTIONS = {
    "memory.select": "opens nothing; what it selects is changed in one transaction per page",
    "memory.erase_user": "reads everything in one view, erases in one transaction, looks again in one view",
    "memory.export": "one view per page",
    "memory.import_data": "one transaction per batch",
    "memory.import_from": "one transaction per batch",
    "memory.extract": "one view per session, one transaction per page",
    "memory.vacuum": "rewrites the files; the store is not read or changed",
    "memory.reembed": "one view and one transaction per batch",
    "memory.members": "needs clusters, which need scikit-learn; one view",
    "memory.called_by": "opens nothing",
    "memory.close": "flushes, and may start the clustering that is due",
    "contexts.update_content": "runs again once its new text is embedded",
}
CALLS = [(f"{group}.{verb}", *call) for group, (_, calls) in GROUPS.items() for verb, call in calls.items()]


def _prepare(memory: Memory) -> None:
    """What only a few verbs need."""
    memory.pools.create("shared", access={"read": ["eve"]})
    memory.contexts.create("open", type="tool_cache", access={"read": ["eve"]})
    memory.contexts.create("stored", type="tool_cache")
    memory.contexts.archive("stored")
    memory.short_term.write("tide", "The tide turns at six", session="often")
    for _ in range(3):
        memory.short_term.touch("tide", "often")
    memory.remember("The last change that undo reverts is this one")
    memory.flush()


@pytest.mark.parametrize(("name", "call", "views", "transactions"), CALLS, ids=[name for name, *_ in CALLS])
def test_a_verb_opens_one_unit_of_work(
    ada: Memory, store: CountingStore, there: Setup, name: str, call: Call, views: int, transactions: int
) -> None:
    _prepare(ada)
    store.views = store.transactions = 0
    call(ada, there)
    assert (store.views, store.transactions) == (views, transactions)


@pytest.mark.parametrize("group", GROUPS)
def test_every_public_verb_is_counted_or_an_exception(group: str) -> None:
    shape, calls = GROUPS[group]
    verbs = {name for name, _ in inspect.getmembers(shape, inspect.isfunction) if not name.startswith("_")}
    exceptions = {name.partition(".")[2] for name in EXCEPTIONS if name.startswith(f"{group}.")}
    assert verbs == set(calls) | exceptions


def test_a_change_that_needs_a_new_vector_runs_again_once(ada: Memory, store: CountingStore, there: Setup) -> None:
    for call, transactions in (
        (lambda: ada.update(there.first, content="The gateway listens on port 9090"), 1),
        (lambda: ada.contexts.update_content("base", there.entry, "The harbour closes at ten"), 1),
        (lambda: ada.resolve((there.second, there.first), "update"), 2),
    ):
        store.views = store.transactions = 0
        call()
        assert (store.views, store.transactions) == (0, transactions)


def test_a_graph_of_a_question_adds_the_view_of_its_recall(ada: Memory, store: CountingStore, there: Setup) -> None:
    store.views = store.transactions = 0
    ada.graph("gateway")
    assert store.views <= 2 and store.transactions == 0


def test_deferred_writes_are_flushed_before_a_change_that_must_see_them(
    ada: Memory, store: CountingStore, there: Setup
) -> None:
    ada.pools.get("board")
    store.views = store.transactions = 0
    ada.pools.statistics("board")
    assert (store.views, store.transactions) == (1, 1)


def test_an_export_opens_a_view_per_page_and_writes_nothing(ada: Memory, store: CountingStore, there: Setup) -> None:
    store.views = store.transactions = 0
    ada.export(io.BytesIO(), format="jsonl")
    assert store.views >= 1 and store.transactions == 0
