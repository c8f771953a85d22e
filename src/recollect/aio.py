"""AsyncMemory: every verb of `Memory` as a coroutine, run in a worker thread. Made by `python -m tools.generate_async`.

SQLite, the local model and numpy wait or compute outside the event loop, so a small pool of threads serves all callers.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TypeVar, Unpack

from recollect.engine import Memory
from recollect.tiers.pools import MISSING
from recollect.tiers.working import HOUR
from recollect.wiring import open_memory

if TYPE_CHECKING:
    from recollect.companion.companion import Companion, Said
    from recollect.companion.report import ExtractionReport
    from recollect.config import SettingsFields
    from recollect.engine import Clusters, Contradictions, Events, Outcomes, Records, RelatedList, Tags, Topics, Turns
    from recollect.portable.drafts import IngestReport
    from recollect.ports import Clock, Progress
    from recollect.recall.context import BlockFields
    from recollect.selection import Selection
    from recollect.tiers.containers import Containers
    from recollect.tiers.contexts import AccessLog, ContextList, Contexts, Entries, SnapshotVerbs, When
    from recollect.tiers.narratives import Narratives
    from recollect.tiers.pools import PoolList, Pools
    from recollect.tiers.router import Router
    from recollect.tiers.short_term import ShortTerm
    from recollect.tiers.working import Lifetime, WorkingMemory
    from recollect.upkeep.contradictions import Disputed
    from recollect.values.changed import Changed
    from recollect.values.companion import Surfaced, Turn
    from recollect.values.conversation import Message
    from recollect.values.draft import Draft, DraftFields, UpdateFields
    from recollect.values.enums import (
        AccessLevel,
        ContextType,
        JudgeWhen,
        LinkRelation,
        PoolType,
        Resolution,
        Scope,
        SearchMode,
        ShortTermType,
        Tier,
        Verdict,
    )
    from recollect.values.erased import Erased
    from recollect.values.judging import JudgeTest, JudgeUsage
    from recollect.values.link import Graph
    from recollect.values.memory import Page, ProvenanceChain, Record
    from recollect.values.outcome import Outcome, Refused
    from recollect.values.purge import Erasure, Purged
    from recollect.values.recalled import Block, Recalled
    from recollect.values.search import FilterFields
    from recollect.values.tiers import (
        Consolidated,
        Context,
        ContextFields,
        Difference,
        Pool,
        PoolFields,
        Routed,
        RunPool,
        ShortTermEntry,
        Snapshot,
        TierHit,
    )
    from recollect.values.transfer import Exported, Imported
    from recollect.values.undone import Undone
    from recollect.wiring import EmbedderArgument, FetchProgress, JudgeArgument, RerankerArgument


T = TypeVar("T")
# More threads would only queue at the store's lock.
_THREADS = 4
_PAGE = 500


class AsyncVerbs:
    """A group of verbs and the threads they run in."""

    _sync: Any

    def __init__(self, sync: Any, threads: ThreadPoolExecutor) -> None:
        self._sync, self._threads = sync, threads

    async def _call(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def _each(self, found: Iterator[T]) -> AsyncIterator[T]:
        while page := await self._call(lambda: list(islice(found, _PAGE))):
            for one in page:
                yield one


class AsyncWorkingMemory(AsyncVerbs):
    """The values of one namespace."""

    _sync: WorkingMemory

    async def store(self, key: str, value: Any, ttl: Lifetime = HOUR) -> None:
        """Store a value under a key for `ttl` seconds, at most a day; an existing value is replaced."""
        await self._call(lambda: self._sync.store(key, value, ttl))

    async def retrieve(self, key: str, default: Any = None) -> Any:
        """The value of a key, or the default when there is none or it expired."""
        return await self._call(lambda: self._sync.retrieve(key, default))

    async def exists(self, key: str) -> bool:
        """Whether a key has a value now."""
        return await self._call(lambda: self._sync.exists(key))

    async def remove(self, key: str) -> bool:
        """Remove a key; returns whether it existed."""
        return await self._call(lambda: self._sync.remove(key))

    async def keys(self) -> list[str]:
        """The keys stored with `store`, sorted; task state, results, conversation and the like are not among them."""
        return await self._call(lambda: self._sync.keys())

    async def clear(self) -> int:
        """Remove every value of this namespace, task state included; returns how many there were."""
        return await self._call(lambda: self._sync.clear())

    async def task(self, name: str) -> AsyncWorkingMemory:
        """The working memory of one task of this agent."""
        return AsyncWorkingMemory(await self._call(lambda: self._sync.task(name)), self._threads)

    async def workflow(self, run_id: str) -> AsyncWorkingMemory:
        """The working memory of one workflow run, shared by all agents of the account that name the run."""
        return AsyncWorkingMemory(await self._call(lambda: self._sync.workflow(run_id)), self._threads)

    async def store_task_state(self, state: Any, ttl: Lifetime = HOUR) -> None:
        """Store the state of the task."""
        await self._call(lambda: self._sync.store_task_state(state, ttl))

    async def task_state(self) -> Any:
        """The state of the task, or None."""
        return await self._call(lambda: self._sync.task_state())

    async def store_intermediate_result(self, step: str, result: Any, ttl: Lifetime = HOUR) -> None:
        """Store the result of a step."""
        await self._call(lambda: self._sync.store_intermediate_result(step, result, ttl))

    async def intermediate_result(self, step: str) -> Any:
        """The result of a step, or None."""
        return await self._call(lambda: self._sync.intermediate_result(step))

    async def intermediate_results(self) -> dict[str, Any]:
        """The results of all steps, by name."""
        return await self._call(lambda: self._sync.intermediate_results())

    async def store_conversation_context(self, messages: list[Any], ttl: Lifetime = HOUR) -> None:
        """Store the messages of a conversation."""
        await self._call(lambda: self._sync.store_conversation_context(messages, ttl))

    async def append_to_conversation(self, message: Any, ttl: Lifetime = HOUR) -> int:
        """Append one message atomically; returns how many messages there are."""
        return await self._call(lambda: self._sync.append_to_conversation(message, ttl))

    async def conversation_context(self) -> list[Any]:
        """The messages of the conversation, oldest first."""
        return await self._call(lambda: self._sync.conversation_context())

    async def store_tool_state(self, tool: str, state: Any, ttl: Lifetime = HOUR) -> None:
        """Store the state of a tool."""
        await self._call(lambda: self._sync.store_tool_state(tool, state, ttl))

    async def tool_state(self, tool: str) -> Any:
        """The state of a tool, or None."""
        return await self._call(lambda: self._sync.tool_state(tool))

    async def store_scratch_pad(self, text: str, ttl: Lifetime = HOUR) -> None:
        """Store free text; existing text is replaced."""
        await self._call(lambda: self._sync.store_scratch_pad(text, ttl))

    async def append_to_scratch_pad(self, text: str, ttl: Lifetime = HOUR) -> None:
        """Append free text atomically, on a new line."""
        await self._call(lambda: self._sync.append_to_scratch_pad(text, ttl))

    async def scratch_pad(self) -> str:
        """The free text, or an empty string."""
        return await self._call(lambda: self._sync.scratch_pad())

    async def share_with_agent(self, agent: str, key: str, value: Any, ttl: Lifetime = HOUR) -> None:
        """Store a value that only one other agent can read."""
        await self._call(lambda: self._sync.share_with_agent(agent, key, value, ttl))

    async def retrieve_shared(self, from_agent: str, key: str, default: Any = None) -> Any:
        """The value another agent shared with this one under a key, or the default."""
        return await self._call(lambda: self._sync.retrieve_shared(from_agent, key, default))

    async def persist_to_database(self) -> int:
        """Copy this namespace into the store, as one operation that can be undone; returns how many values it has."""
        return await self._call(lambda: self._sync.persist_to_database())

    async def load_from_database(self) -> int:
        """Load persisted values that have not expired and are not in working memory; returns how many."""
        return await self._call(lambda: self._sync.load_from_database())


class AsyncShortTerm(AsyncVerbs):
    """The entries of one agent, or of one agent for a user; without either, those of the account."""

    _sync: ShortTerm

    async def write(
        self, key: str, value: Any, *, session: str, type: ShortTermType = "general", ttl: Lifetime = HOUR
    ) -> ShortTermEntry:
        """Store a value under a key of a session for `ttl` seconds, at most 30 days; replacing keeps the access count."""
        return await self._call(lambda: self._sync.write(key, value, session=session, type=type, ttl=ttl))

    async def read(self, key: str, session: str) -> ShortTermEntry:
        """An entry, counted as accessed; in a read-only store nothing is counted."""
        return await self._call(lambda: self._sync.read(key, session))

    async def peek(self, key: str, session: str) -> ShortTermEntry:
        """An entry, without counting an access."""
        return await self._call(lambda: self._sync.peek(key, session))

    async def exists(self, key: str, session: str) -> bool:
        """Whether a key of a session has an entry now."""
        return await self._call(lambda: self._sync.exists(key, session))

    async def touch(self, key: str, session: str) -> ShortTermEntry:
        """Count an access of an entry."""
        return await self._call(lambda: self._sync.touch(key, session))

    async def refresh_ttl(self, key: str, session: str, ttl: Lifetime | None = None) -> ShortTermEntry:
        """Start the TTL of an entry again from now: a new one, or the same as before."""
        return await self._call(lambda: self._sync.refresh_ttl(key, session, ttl))

    async def remove(self, key: str, session: str) -> bool:
        """Delete an entry for good; returns whether it existed."""
        return await self._call(lambda: self._sync.remove(key, session))

    async def entries(self, session: str | None = None, type: ShortTermType | None = None) -> list[ShortTermEntry]:
        """The entries of a session or of all, of a type or of all, newest first."""
        return await self._call(lambda: self._sync.entries(session, type))

    async def sessions(self) -> list[str]:
        """The names of the sessions that have entries, sorted."""
        return await self._call(lambda: self._sync.sessions())

    async def cleanup_expired(self) -> int:
        """Delete every expired entry of the account for good; returns how many of them were this agent's."""
        return await self._call(lambda: self._sync.cleanup_expired())


class AsyncContainers(AsyncVerbs):
    """Documents of one kind that have an owner and grants."""

    _sync: Containers

    async def accessible_by(self, name: str, agent: str, level: AccessLevel = "read") -> bool:
        """Whether an agent may read or write. Of a team's container, only the caller's own membership is known."""
        return await self._call(lambda: self._sync.accessible_by(name, agent, level))


class AsyncPools(AsyncContainers):
    """The pools of an account that one identity may use."""

    _sync: Pools

    async def create(self, name: str, **fields: Unpack[PoolFields]) -> Pool:
        """Create a pool. Its scope is the given one, else what its type implies, else that of the user, else the account."""
        return await self._call(lambda: self._sync.create(name, **fields))

    async def get(self, name: str) -> Pool:
        """A pool with its data, version and grants, by its name or id; counted as a read."""
        return await self._call(lambda: self._sync.get(name))

    async def read(self, name: str, key: str | None = None, default: Any = MISSING) -> Any:
        """The data of a pool, or the value of one key of it."""
        return await self._call(lambda: self._sync.read(name, key, default))

    async def write(self, name: str, data: Mapping[str, Any], *, expected_version: int | None = None) -> Pool:
        """Replace the data; raises `StaleVersion`, with the current data, when the version is not the expected one."""
        return await self._call(lambda: self._sync.write(name, data, expected_version=expected_version))

    async def write_key(self, name: str, key: str, value: Any, expected_version: int | None = None) -> Pool:
        """Set one key; the other keys do not change."""
        return await self._call(lambda: self._sync.write_key(name, key, value, expected_version))

    async def merge(self, name: str, changes: Mapping[str, Any], *, expected_version: int | None = None) -> Pool:
        """Merge an object into the data at every depth; lists are replaced, and None is stored as a value."""
        return await self._call(lambda: self._sync.merge(name, changes, expected_version=expected_version))

    async def remove_key(self, name: str, key: str, expected_version: int | None = None) -> Pool:
        """Remove one key from the data."""
        return await self._call(lambda: self._sync.remove_key(name, key, expected_version))

    async def drop(self, name: str) -> None:
        """Delete a pool; only its owner may, and `undo` restores it."""
        await self._call(lambda: self._sync.drop(name))

    async def list(self, type: PoolType | None = None, scope: Scope | None = None, run: str | None = None) -> PoolList:
        """The visible pools by name; those of a workflow run only when the run is named."""
        return await self._call(lambda: self._sync.list(type, scope, run))

    async def grant(self, name: str, agent: str, level: AccessLevel) -> Pool:
        """Let another agent read, or read and write."""
        return await self._call(lambda: self._sync.grant(name, agent, level))

    async def revoke(self, name: str, agent: str, level: AccessLevel | None = None) -> Pool:
        """Revoke a grant: `write` keeps a grant to read, `read` and None revoke both."""
        return await self._call(lambda: self._sync.revoke(name, agent, level))

    async def extend(self, name: str, ttl: float | timedelta) -> Pool:
        """Set the TTL of a pool, counted from now; it may be shorter than before."""
        return await self._call(lambda: self._sync.extend(name, ttl))

    async def statistics(self, name: str) -> dict[str, Any]:
        """Entries, bytes, version, and who read and wrote the pool, how often and when last."""
        return await self._call(lambda: self._sync.statistics(name))

    async def workflow(self, run_id: str, kind: RunPool = "shared_memory") -> Pool:
        """A pool of one workflow run, created on first use, open to every agent of the account that names the run."""
        return await self._call(lambda: self._sync.workflow(run_id, kind))

    async def sweep(self) -> int:
        """Delete the expired pools of the account; returns how many of them were visible, those of runs not counted."""
        return await self._call(lambda: self._sync.sweep())


class AsyncSnapshotVerbs(AsyncContainers):
    """The verbs of a context that look back or go back: snapshots, diff, restore."""

    _sync: SnapshotVerbs

    async def snapshot(self, context: str, name: str) -> Snapshot:
        """Give the current state of a context a name, to compare with it or to restore it later."""
        return await self._call(lambda: self._sync.snapshot(context, name))

    async def snapshots(self, context: str) -> list[Snapshot]:
        """The snapshots of a context, newest first."""
        return await self._call(lambda: self._sync.snapshots(context))

    async def diff(self, context: str, one: When, other: When | None = None) -> Difference:
        """What was added, removed and changed between two snapshots or times; without the second, until now."""
        return await self._call(lambda: self._sync.diff(context, one, other))

    async def restore(self, context: str, when: When) -> int:
        """Restore the entries to a snapshot or a time; returns how many changed."""
        return await self._call(lambda: self._sync.restore(context, when))


class AsyncContexts(AsyncSnapshotVerbs):
    """The contexts of an account that one identity may use. A verb takes the name or the id of a context."""

    _sync: Contexts

    async def create(self, name: str, *, type: ContextType, **fields: Unpack[ContextFields]) -> Context:
        """Create an empty context in a scope; without one, in that of the user who is served, or else in the account."""
        return await self._call(lambda: self._sync.create(name, type=type, **fields))

    async def get(self, context: str) -> Context:
        """A context by its name or id."""
        return await self._call(lambda: self._sync.get(context))

    async def list(self, type: ContextType | None = None, archived: bool = False) -> ContextList:
        """The visible contexts that are in use, by name; with `archived`, the archived ones instead."""
        return await self._call(lambda: self._sync.list(type, archived))

    async def add(self, context: str, content: str, **fields: Unpack[DraftFields]) -> Outcome:
        """Store one thing in a context, by the same path as `remember`; the outcome says what happened."""
        return await self._call(lambda: self._sync.add(context, content, **fields))

    async def entries(self, context: str, limit: int = 50) -> Entries:
        """The active entries, newest first."""
        return await self._call(lambda: self._sync.entries(context, limit))

    async def search(self, context: str, query: str, limit: int = 10, profile: str = "hybrid") -> Recalled:
        """Search the entries of a context, best first."""
        return await self._call(lambda: self._sync.search(context, query, limit, profile))

    async def get_entry(self, context: str, id: str) -> Record:
        """One entry by its id, or by a unique beginning or end of it."""
        return await self._call(lambda: self._sync.get_entry(context, id))

    async def update_content(self, context: str, id: str, content: str, editor: str | None = None) -> Record:
        """Change the text of an entry: a new version supersedes the old one, which is kept."""
        return await self._call(lambda: self._sync.update_content(context, id, content, editor))

    async def versions(self, context: str, id: str) -> Entries:
        """An entry's versions, newest first."""
        return await self._call(lambda: self._sync.versions(context, id))

    async def boost_importance(self, context: str, id: str, by: float = 0.1) -> Record:
        """Raise the importance of an entry, up to 1."""
        return await self._call(lambda: self._sync.boost_importance(context, id, by))

    async def reduce_importance(self, context: str, id: str, by: float = 0.1) -> Record:
        """Lower the importance of an entry, down to 0."""
        return await self._call(lambda: self._sync.reduce_importance(context, id, by))

    async def effective_relevance(self, context: str, id: str) -> float:
        """Importance · confidence · exp(−0.01 · days since the last access)."""
        return await self._call(lambda: self._sync.effective_relevance(context, id))

    async def remove_entry(self, context: str, id: str) -> Record:
        """Forget an entry with all its versions: hidden, and not stored again until that is undone."""
        return await self._call(lambda: self._sync.remove_entry(context, id))

    async def purge_entry(self, context: str, id: str) -> int:
        """Erase an entry and all its versions for good; no snapshot restores it. Returns how many versions were erased."""
        return await self._call(lambda: self._sync.purge_entry(context, id))

    async def archive(self, context: str) -> Context:
        """Archive a context: it is kept, but not searched or written."""
        return await self._call(lambda: self._sync.archive(context))

    async def unarchive(self, context: str) -> Context:
        """Take an archived context back into use."""
        return await self._call(lambda: self._sync.unarchive(context))

    async def grant(self, context: str, agent: str, level: AccessLevel) -> Context:
        """Let another agent read, or read and write."""
        return await self._call(lambda: self._sync.grant(context, agent, level))

    async def revoke(self, context: str, agent: str, level: AccessLevel | None = None) -> Context:
        """Revoke a grant: `write` keeps a grant to read, `read` and None revoke both."""
        return await self._call(lambda: self._sync.revoke(context, agent, level))

    async def access_log(self, context: str, limit: int = 50) -> AccessLog:
        """Who read and wrote the context and its entries, newest first; only its owner sees it."""
        return await self._call(lambda: self._sync.access_log(context, limit))


class AsyncNarratives(AsyncVerbs):
    """The narratives that one identity sees, of one project or of none."""

    _sync: Narratives

    async def write(
        self,
        text: str,
        *,
        session: str,
        memories: Sequence[str] = (),
        project: str | None = None,
        scope: Scope | None = None,
    ) -> Record:
        """Store what a session was about, and which memories belong to it; a second text replaces the first."""
        return await self._call(
            lambda: self._sync.write(text, session=session, memories=memories, project=project, scope=scope)
        )

    async def latest(self, project: str | None = None) -> Record | None:
        """The newest narrative of a project; without one, of no project."""
        return await self._call(lambda: self._sync.latest(project))

    async def get(self, id: str) -> Record:
        """One narrative by its id, or by a unique beginning or end of it."""
        return await self._call(lambda: self._sync.get(id))

    async def chain(self, limit: int = 20, *, project: str | None = None) -> list[Record]:
        """The narratives of a project, newest first; without one, those of no project."""
        return await self._call(lambda: self._sync.chain(limit, project=project))

    async def search(self, text: str, limit: int = 5, *, project: str | None = None) -> Recalled:
        """Search narratives, best first."""
        return await self._call(lambda: self._sync.search(text, limit, project=project))

    async def of(self, memory_id: str) -> list[Record]:
        """The narratives about a memory, newest first."""
        return await self._call(lambda: self._sync.of(memory_id))

    async def memories(self, narrative_id: str) -> list[Record]:
        """The memories a narrative is about."""
        return await self._call(lambda: self._sync.memories(narrative_id))


class AsyncRouter(AsyncVerbs):
    """Reads, writes, searches and deletes across working, short-term, long-term and shared memory."""

    _sync: Router

    async def read(self, key: str, *, session: str | None = None, tier: Tier | None = None) -> Routed:
        """The value of a key, from the first tier that has it, or from one tier."""
        return await self._call(lambda: self._sync.read(key, session=session, tier=tier))

    async def write(
        self,
        key: str,
        value: Any,
        *,
        tier: Tier = "short_term",
        session: str | None = None,
        ttl: float | None = None,
        pool: str | None = None,
    ) -> Any:
        """Store a value in one tier; returns what that tier returns: an entry, an outcome, a pool."""
        return await self._call(lambda: self._sync.write(key, value, tier=tier, session=session, ttl=ttl, pool=pool))

    async def delete(self, key: str, *, session: str | None = None, tier: Tier | None = None) -> tuple[Tier, ...]:
        """Delete a key from one tier, or from every tier but the shared one; returns the tiers that had it."""
        return await self._call(lambda: self._sync.delete(key, session=session, tier=tier))

    async def semantic_search(
        self, query: str, *, limit: int = 10, session: str | None = None, tiers: Sequence[Tier] | None = None
    ) -> list[TierHit]:
        """Search all tiers: by meaning in long-term memory, by the words of the query in the others."""
        return await self._call(lambda: self._sync.semantic_search(query, limit=limit, session=session, tiers=tiers))

    async def consolidate(self, session: str) -> Consolidated:
        """Promote the entries of a session that were read often enough to long-term memory, each exactly once.

        Entries that have expired are promoted too, as long as they are not deleted.
        """
        return await self._call(lambda: self._sync.consolidate(session))

    async def stats(self) -> dict[str, Any]:
        """How much each tier has that this identity can see."""
        return await self._call(lambda: self._sync.stats())


class AsyncSelection(AsyncVerbs):
    """The memories that a filter selects at the moment of each call; `for memory in selection` reads them, newest first.

    Every change takes `dry_run`, which changes nothing and tells how many memories it would change, and `force`, without which
    no more than 20 are changed. A purge always needs `force`."""

    _sync: Selection

    async def count(self) -> int:
        """How many memories it selects."""
        return await self._call(lambda: self._sync.count())

    def __aiter__(self) -> AsyncIterator[Record]:
        """The memories, newest first, read page by page."""
        return self._each(iter(self._sync))

    async def forget(self, reason: str | None = None, *, dry_run: bool = False, force: bool = False) -> Changed:
        """Hide the memories, and refuse to store the same again."""
        return await self._call(lambda: self._sync.forget(reason, dry_run=dry_run, force=force))

    async def purge(self, *, repeats: bool = False, dry_run: bool = False, force: bool = False) -> Changed:
        """Erase the memories for good; `repeats` also erases what repeats their texts. Nothing can undo it."""
        return await self._call(lambda: self._sync.purge(repeats=repeats, dry_run=dry_run, force=force))

    async def tag(self, *tags: str, dry_run: bool = False, force: bool = False) -> Changed:
        """Add tags."""
        return await self._call(lambda: self._sync.tag(*tags, dry_run=dry_run, force=force))

    async def untag(self, *tags: str, dry_run: bool = False, force: bool = False) -> Changed:
        """Remove tags."""
        return await self._call(lambda: self._sync.untag(*tags, dry_run=dry_run, force=force))

    async def update(self, *, dry_run: bool = False, force: bool = False, **changes: Unpack[UpdateFields]) -> Changed:
        """Give the memories the same values in some fields; not content or triggers, which are one memory's own."""
        return await self._call(lambda: self._sync.update(dry_run=dry_run, force=force, **changes))

    async def move(
        self,
        *,
        scope: Scope | None = None,
        project: str | None = None,
        team: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        session: str | None = None,
        task: str | None = None,
        dry_run: bool = False,
        force: bool = False,
    ) -> Changed:
        """Move the memories to another scope or project; what they supersede moves along.

        Left where it is, and told as `refused`, is what is stored there already, or was forgotten or purged there.
        """
        return await self._call(
            lambda: self._sync.move(
                scope=scope,
                project=project,
                team=team,
                agent=agent,
                user=user,
                session=session,
                task=task,
                dry_run=dry_run,
                force=force,
            )
        )

    async def archive(self, *, dry_run: bool = False, force: bool = False) -> Changed:
        """Take the memories out of use; unlike forgotten ones, the same may be stored again."""
        return await self._call(lambda: self._sync.archive(dry_run=dry_run, force=force))

    async def unarchive(self, *, dry_run: bool = False, force: bool = False) -> Changed:
        """Use archived memories again; without a status, the filter selects archived ones."""
        return await self._call(lambda: self._sync.unarchive(dry_run=dry_run, force=force))

    async def export(
        self,
        to: str | os.PathLike[str] | BinaryIO,
        *,
        format: str | None = None,
        vectors: bool = True,
        progress: Progress | None = None,
    ) -> Exported:
        """Write the memories, and nothing else of the account, as `Memory.export` does."""
        return await self._call(lambda: self._sync.export(to, format=format, vectors=vectors, progress=progress))


class AsyncCompanion(AsyncVerbs):
    """The companion of one session. Every companion of the session shares its state, in this process and in others."""

    _sync: Companion

    @property
    def session(self) -> str:
        """The session it belongs to."""
        return self._sync.session

    async def observe(self, messages: str | Message | Mapping[str, Any] | Sequence[Said]) -> None:
        """Show what was said in this turn, or the whole conversation again; returns at once.

        Messages are texts of the user, `Message` values, or mappings with `role` and `content` as language models take them.
        """
        self._sync.observe(messages)

    async def pending(self) -> Surfaced:
        """What the last turn made relevant, ready for the prompt; empty when nothing is good enough. Returns at once.

        What is handed out does not come again for a while.
        """
        return self._sync.pending()

    async def turns(self, limit: int | None = None) -> list[Turn]:
        """What the last turns of the session retrieved and injected, and what the replies cited: 20, or `limit`, oldest first."""
        return await self._call(lambda: self._sync.turns(limit))

    async def before_compaction(self) -> None:
        """Say that the context is about to be compacted: what was said is extracted first, in the background."""
        self._sync.before_compaction()

    async def wait(self, seconds: float = 5.0) -> bool:
        """Wait until what was observed is processed, for scripts and hooks that end at once; False if that takes longer."""
        return await self._call(lambda: self._sync.wait(seconds))

    async def close(self) -> None:
        """Say that the session ends: the rest of what was said is extracted, in the background."""
        self._sync.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncMemory(AsyncVerbs):
    """One open store as one identity sees it. Use it as a context manager, or close it."""

    _sync: Memory

    def __init__(self, sync: Memory, threads: ThreadPoolExecutor, *, owns_threads: bool = False) -> None:
        super().__init__(sync, threads)
        self._owns_threads = owns_threads

    async def remember(self, content: str, *, judge: JudgeWhen = "later", **fields: Unpack[DraftFields]) -> Outcome:
        """Store one thing; the outcome says whether it was stored, known already, replaced something or was refused.

        A configured judge takes a second look at what the rules leave open: `now`, `later` in the background, or never (`off`).
        """
        return await self._call(lambda: self._sync.remember(content, judge=judge, **fields))

    async def remember_many(
        self,
        drafts: Sequence[Draft | Mapping[str, Any] | str],
        *,
        verbatim: bool = False,
        progress: Progress | None = None,
        judge: JudgeWhen = "later",
    ) -> Outcomes:
        """Store many things, in order; with `verbatim`, each exactly as given, one memory per draft.

        A configured judge takes a second look at what the rules leave open: `now`, `later` in the background, or never (`off`).
        """
        return await self._call(
            lambda: self._sync.remember_many(drafts, verbatim=verbatim, progress=progress, judge=judge)
        )

    async def update(self, id: str, **changes: Unpack[UpdateFields]) -> Record | Refused:
        """Change fields of a memory; a new text passes the same gate as a new memory."""
        return await self._call(lambda: self._sync.update(id, **changes))

    async def tag(self, id: str, *tags: str) -> Record:
        """Add tags."""
        return await self._call(lambda: self._sync.tag(id, *tags))

    async def untag(self, id: str, *tags: str) -> Record:
        """Remove tags."""
        return await self._call(lambda: self._sync.untag(id, *tags))

    async def forget(self, id: str, reason: str | None = None) -> Record:
        """Hide a memory and refuse to store the same again, in these or other words, until it is restored."""
        return await self._call(lambda: self._sync.forget(id, reason))

    async def restore(self, id: str) -> Record:
        """Restore a forgotten or archived memory."""
        return await self._call(lambda: self._sync.restore(id))

    async def archive(self, id: str) -> Record | Refused:
        """Take a memory out of use; unlike after `forget`, the same may be stored again. `unarchive` takes it back."""
        return await self._call(lambda: self._sync.archive(id))

    async def unarchive(self, id: str) -> Record | Refused:
        """Use an archived memory again, unless the same is stored by now, or was forgotten or purged since."""
        return await self._call(lambda: self._sync.unarchive(id))

    async def move(
        self,
        id: str,
        *,
        scope: Scope | None = None,
        project: str | None = None,
        team: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        session: str | None = None,
        task: str | None = None,
    ) -> Record | Refused:
        """Move a memory to another scope or project, with what it supersedes; refused if the same is stored there."""
        return await self._call(
            lambda: self._sync.move(
                id, scope=scope, project=project, team=team, agent=agent, user=user, session=session, task=task
            )
        )

    def select(
        self,
        *,
        everything: bool = False,
        session: str | None = None,
        task: str | None = None,
        **filters: Unpack[FilterFields],
    ) -> AsyncSelection:
        """The memories that a filter selects, to count, read, export, or change as one operation.

        A filter that selects all memories needs `everything=True`. What belongs to a session or a task is selected only if it is
        named, here or as `in_session`.
        """
        return AsyncSelection(
            self._sync.select(everything=everything, session=session, task=task, **filters), self._threads
        )

    async def purge(self, id: str, *, repeats: bool = False, dry_run: bool = False) -> Purged:
        """Erase a memory for good: row, vector, index entries, journal images; only a keyed hash stays.

        The result lists what else repeats the text, which `repeats` erases too, and which copies are left. `dry_run` only looks.
        """
        return await self._call(lambda: self._sync.purge(id, repeats=repeats, dry_run=dry_run))

    async def erase_user(self, name: str, *, dry_run: bool = False) -> Erased:
        """Erase everything of a user for good, in every scope and tier, and prove it: `left` counts what a search still finds.

        For the owner of the account alone. Memories of others that only mention the name stay. `dry_run` only counts.
        """
        return await self._call(lambda: self._sync.erase_user(name, dry_run=dry_run))

    async def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        profile: str | None = None,
        explain: bool = False,
        now: datetime | str | None = None,
        working_on: str | None = None,
        true_at: datetime | str | None = None,
        season: str | None = None,
        named: bool = False,
        floor: float | None = None,
        verify: bool | None = None,
        project: str | None = None,
        session: str | None = None,
        task: str | None = None,
        **filters: Unpack[FilterFields],
    ) -> Recalled:
        """Recall what is known about something, best first. `explain=True` adds every part of the score to each hit.

        `project`, `session` and `task` say where the caller is: memories of these scopes are visible too. `working_on` is the text
        that triggers are matched against. `true_at` asks what was true at a time, `season` prefers memories of a season. `named`
        returns only memories with a tag that the question names, and those linked to them; `floor` only hits whose relevance, the
        probability that they answer the query, is at least that. `verify` lets the configured judge read the hits and drop those
        that do not help. `answered` of the result says whether any hit answers the query.
        """
        return await self._call(
            lambda: self._sync.recall(
                query,
                limit=limit,
                profile=profile,
                explain=explain,
                now=now,
                working_on=working_on,
                true_at=true_at,
                season=season,
                named=named,
                floor=floor,
                verify=verify,
                project=project,
                session=session,
                task=task,
                **filters,
            )
        )

    async def search(
        self,
        query: str,
        *,
        mode: SearchMode = "hybrid",
        limit: int | None = None,
        explain: bool = False,
        project: str | None = None,
        session: str | None = None,
        task: str | None = None,
        **filters: Unpack[FilterFields],
    ) -> Recalled:
        """Search by words (lexical), by meaning (semantic) or both (hybrid)."""
        return await self._call(
            lambda: self._sync.search(
                query, mode=mode, limit=limit, explain=explain, project=project, session=session, task=task, **filters
            )
        )

    async def get(self, id: str) -> Record:
        """One memory by its id, or by a unique beginning or end of it."""
        return await self._call(lambda: self._sync.get(id))

    async def list(
        self,
        *,
        limit: int | None = 50,
        after: str | None = None,
        total: bool = False,
        session: str | None = None,
        task: str | None = None,
        **filters: Unpack[FilterFields],
    ) -> Page:
        """Memories, newest first, of all projects: at most 50 unless `limit` says otherwise, all of them with `limit=None`.

        `next` of the result is where the next page begins: give it as `after`. `total=True` counts the memories on all pages.
        What belongs to a session or a task is shown only to those who name it, here or as `in_session`.
        """
        return await self._call(
            lambda: self._sync.list(limit=limit, after=after, total=total, session=session, task=task, **filters)
        )

    def iter_all(
        self, *, session: str | None = None, task: str | None = None, **filters: Unpack[FilterFields]
    ) -> AsyncIterator[Record]:
        """Every memory that `list` shows, newest first, read page by page."""
        return self._each(self._sync.iter_all(session=session, task=task, **filters))

    async def count(
        self, *, session: str | None = None, task: str | None = None, **filters: Unpack[FilterFields]
    ) -> int:
        """How many memories `list` shows."""
        return await self._call(lambda: self._sync.count(session=session, task=task, **filters))

    async def history(self, id: str) -> Events:
        """Every change of one memory, oldest first."""
        return await self._call(lambda: self._sync.history(id))

    async def log(self, *, limit: int | None = None, session: str | None = None, task: str | None = None) -> Events:
        """The journal, newest first; 20 events unless `limit` says otherwise.

        What belongs to a session or a task is shown only to those who name it.
        """
        return await self._call(lambda: self._sync.log(limit=limit, session=session, task=task))

    async def undo(self, operation: str | None = None, *, force: bool = False) -> Undone:
        """Undo one operation, by default the caller's own last one in this project; returns a summary of what was undone.

        An operation of somebody else, or one that changed more than 20 memories, needs `force=True`.
        """
        return await self._call(lambda: self._sync.undo(operation, force=force))

    async def as_of(self, moment: datetime | str) -> AsyncMemory:
        """A read-only view of the store at an earlier time."""
        return AsyncMemory(await self._call(lambda: self._sync.as_of(moment)), self._threads)

    async def context(self, topic: str | None = None, **fields: Unpack[BlockFields]) -> Block:
        """A block of text for an agent's prompt, of at most `budget` characters; identical bytes while nothing changed.

        `topic` is what the work is about; without one, the block has the most important memories. `start=True` adds what a
        session starts with. `layers` lists the layers to use, or maps layers to shares of the budget.
        """
        return await self._call(lambda: self._sync.context(topic, **fields))

    async def preview(self, topic: str | None = None, **fields: Unpack[BlockFields]) -> Block:
        """The block that `context` would return, without counting accesses: what is in it, what was left out, and why."""
        return await self._call(lambda: self._sync.preview(topic, **fields))

    async def reinforce(self, id: str) -> Record:
        """Report that a memory was useful: score +3, or what `reinforce_weight` says."""
        return await self._call(lambda: self._sync.reinforce(id))

    async def demote(self, id: str) -> Record:
        """Report that a memory was irrelevant or stale: score −1, or what `demote_weight` says."""
        return await self._call(lambda: self._sync.demote(id))

    async def feedback(self, id: str, helpful: bool) -> Record:
        """Report whether a recalled memory helped: changes its confidence, and its strength when it did."""
        return await self._call(lambda: self._sync.feedback(id, helpful))

    async def feedback_many(self, ids: Sequence[str], verdict: Verdict) -> Records:
        """One verdict on several memories, as one operation: helpful, unhelpful, reinforce or demote."""
        return await self._call(lambda: self._sync.feedback_many(ids, verdict))

    async def confirm(
        self,
        *helped: str,
        rejected: Sequence[str] = (),
        query: str | None = None,
        infer_tag: bool = True,
        recall: str | None = None,
    ) -> Records:
        """Report which hits of one recall helped and which did not: confidence changes, and what helped together is linked.

        `recall` is the `id` of the recall that served them; its query is then known.
        """
        return await self._call(
            lambda: self._sync.confirm(*helped, rejected=rejected, query=query, infer_tag=infer_tag, recall=recall)
        )

    async def contradictions(
        self,
        *,
        scan: bool = False,
        progress: Progress | None = None,
        session: str | None = None,
        task: str | None = None,
    ) -> Contradictions:
        """The unresolved contradictions; `scan` compares all memories first and flags what it finds.

        Those of a session or a task are shown only to those who name it.
        """
        return await self._call(
            lambda: self._sync.contradictions(scan=scan, progress=progress, session=session, task=task)
        )

    async def resolve(self, conflict: Disputed, resolution: Resolution, *, content: str | None = None) -> Records:
        """Resolve a contradiction: keep_both, update (the older gets the newer text), supersede, or forget (the older)."""
        return await self._call(lambda: self._sync.resolve(conflict, resolution, content=content))

    async def supersede(self, old: str, new: str) -> Record:
        """Let one stored memory supersede another; the old one is kept with its history and no longer recalled."""
        return await self._call(lambda: self._sync.supersede(old, new))

    async def gaps(self, *, answered: bool = False, session: str | None = None, task: str | None = None) -> Topics:
        """Questions that nothing stored answered, grouped by topic, the most asked first.

        What was asked in a session or a task alone is shown only to those who name it.
        """
        return await self._call(lambda: self._sync.gaps(answered=answered, session=session, task=task))

    async def link(
        self, source: str, target: str, relation: LinkRelation = "relates_to", weight: float = 1.0
    ) -> Record:
        """Link one memory to another; an existing link of the same relation gets the new weight."""
        return await self._call(lambda: self._sync.link(source, target, relation, weight))

    async def unlink(self, source: str, target: str, relation: LinkRelation | None = None) -> Records:
        """Remove the links between two memories, of one relation or of all; returns the changed memories."""
        return await self._call(lambda: self._sync.unlink(source, target, relation))

    async def related(self, id: str, depth: int = 1, limit: int | None = None) -> RelatedList:
        """The memories that one is connected with over links, tags and clusters, the strongest path first."""
        return await self._call(lambda: self._sync.related(id, depth, limit))

    async def graph(
        self,
        query: str | None = None,
        *,
        id: str | None = None,
        depth: int = 1,
        limit: int | None = None,
        profile: str | None = None,
        project: str | None = None,
        session: str | None = None,
        task: str | None = None,
        **filters: Unpack[FilterFields],
    ) -> Graph:
        """The neighbourhood of the hits of a question, of one memory, or of the newest memories, to draw or export."""
        return await self._call(
            lambda: self._sync.graph(
                query,
                id=id,
                depth=depth,
                limit=limit,
                profile=profile,
                project=project,
                session=session,
                task=task,
                **filters,
            )
        )

    async def provenance(self, id: str, *, session: str | None = None, task: str | None = None) -> ProvenanceChain:
        """Where a memory comes from: everything it was derived from, down to turns and files, and the lowest trust among them.

        Sources of a session or a task are shown only to those who name it.
        """
        return await self._call(lambda: self._sync.provenance(id, session=session, task=task))

    async def tags(self, *, session: str | None = None, task: str | None = None) -> Tags:
        """Every tag in use with its description, the most used first; those of a session or a task for those who name it."""
        return await self._call(lambda: self._sync.tags(session=session, task=task))

    async def describe_tag(self, tag: str, description: str | None) -> None:
        """Describe a tag; None deletes the description."""
        await self._call(lambda: self._sync.describe_tag(tag, description))

    async def rename_tag(self, old: str, new: str) -> int:
        """Rename a tag on every memory; returns on how many."""
        return await self._call(lambda: self._sync.rename_tag(old, new))

    async def merge_tags(self, into: str, *others: str) -> int:
        """Replace several tags by one; returns on how many memories."""
        return await self._call(lambda: self._sync.merge_tags(into, *others))

    async def clusters(self, *, refresh: bool = False) -> Clusters:
        """The clusters of similar memories, the largest first; `refresh` recomputes them first."""
        return await self._call(lambda: self._sync.clusters(refresh=refresh))

    async def members(
        self, cluster: str, limit: int | None = None, *, session: str | None = None, task: str | None = None
    ) -> Records:
        """The newest memories of a cluster, by its id, the beginning or end of one, or its name.

        Those of a session or a task are shown only to those who name it.
        """
        return await self._call(lambda: self._sync.members(cluster, limit, session=session, task=task))

    @property
    def working(self) -> AsyncWorkingMemory:
        """Values for the task at hand, with a TTL of an hour unless set otherwise."""
        return AsyncWorkingMemory(self._sync.working, self._threads)

    @property
    def short_term(self) -> AsyncShortTerm:
        """Typed entries of a session with a TTL; those that are read often can be promoted to long-term memory."""
        return AsyncShortTerm(self._sync.short_term, self._threads)

    @property
    def pools(self) -> AsyncPools:
        """Data that agents share, with versions and access control."""
        return AsyncPools(self._sync.pools, self._threads)

    @property
    def contexts(self) -> AsyncContexts:
        """Containers of memories with versions, grants, an access log and snapshots."""
        return AsyncContexts(self._sync.contexts, self._threads)

    @property
    def narratives(self) -> AsyncNarratives:
        """The chain of session summaries, linked with the memories they are about."""
        return AsyncNarratives(self._sync.narratives, self._threads)

    @property
    def router(self) -> AsyncRouter:
        """One API over all tiers."""
        return AsyncRouter(self._sync.router, self._threads)

    async def companion(
        self, *, session: str, project: str | None = None, budget: int = 800, extract: bool = True
    ) -> AsyncCompanion:
        """What makes relevant memories come up by themselves in a session: show it each turn, and never wait for it.

        `budget` is how many tokens one turn may be given. With `extract`, what the user states is stored by and by. All
        companions of a session share its state.
        """
        return AsyncCompanion(
            await self._call(
                lambda: self._sync.companion(session=session, project=project, budget=budget, extract=extract)
            ),
            self._threads,
        )

    async def turns(self, *, session: str | None = None, limit: int | None = None) -> Turns:
        """What companions retrieved and injected each turn, and what the replies cited: the last 20, or `limit`, oldest first."""
        return await self._call(lambda: self._sync.turns(session=session, limit=limit))

    async def export(
        self,
        to: str | os.PathLike[str] | BinaryIO,
        *,
        format: str | None = None,
        history: bool = False,
        vectors: bool = True,
        everything: bool = False,
        session: str | None = None,
        task: str | None = None,
        progress: Progress | None = None,
    ) -> Exported:
        """Write what this identity can see to a file or a binary stream (JSON lines, CSV), a folder or a .zip (Markdown).

        A file whose name ends in .gz is compressed. `history` adds the journal, `everything` the memories of all agents, teams
        and users of the account. What belongs to a session or a task is written only if it is named, or with `everything`;
        `left_out` counts the rest. JSON lines lose nothing.
        """
        return await self._call(
            lambda: self._sync.export(
                to,
                format=format,
                history=history,
                vectors=vectors,
                everything=everything,
                session=session,
                task=task,
                progress=progress,
            )
        )

    async def import_data(
        self,
        source: str | os.PathLike[str] | BinaryIO,
        *,
        format: str | None = None,
        account: str | None = None,
        everything: bool = False,
        dry_run: bool = False,
        prune: bool = False,
        progress: Progress | None = None,
    ) -> Imported:
        """Import what `export` wrote: a file, a binary stream, or a folder or archive of Markdown with edits in it.

        Memories keep their ids, so importing twice adds nothing. `everything` also imports what belongs to other agents, teams and
        users; `dry_run` changes nothing and reports what would happen; `prune` forgets the memories of deleted files.
        """
        return await self._call(
            lambda: self._sync.import_data(
                source,
                format=format,
                account=account,
                everything=everything,
                dry_run=dry_run,
                prune=prune,
                progress=progress,
            )
        )

    async def import_from(
        self,
        product: str,
        *paths: str | Path,
        only: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Import the memories of another product from its files; a second run adds only what changed.

        `memory-files` are MEMORY.md, memory/*.md and CLAUDE.md, in a folder or packed as .zip, .tar, .tar.gz or .tgz. The stores of
        `koshi`, `mememory` and `agent-memories` (tables on pgvector) may also be the address of a PostgreSQL database. `only`
        limits the import to one user, agent, project or namespace. What was refused or left out is quoted, secrets are masked.
        """
        return await self._call(
            lambda: self._sync.import_from(product, *paths, only=only, dry_run=dry_run, progress=progress)
        )

    async def extract(
        self,
        source: str | os.PathLike[str] | BinaryIO,
        *,
        session: str | None = None,
        dry_run: bool = False,
        format: str | None = None,
        verbatim: bool = False,
        narrative: bool = False,
        progress: Progress | None = None,
    ) -> ExtractionReport:
        """Store what the sessions of a transcript give: what the user stated, and commands that worked after an error.

        Read are sessions of Claude Code, Codex and SWE-agent, chat messages, exports of ChatGPT and Claude, and Markdown
        logs; `format` names the form if it cannot be seen. What was read once is not read again. `session` names the session if
        the transcript does not; `verbatim` also stores the messages themselves, `narrative` the brief of each session as its
        narrative; `dry_run` stores nothing.
        """
        return await self._call(
            lambda: self._sync.extract(
                source,
                session=session,
                dry_run=dry_run,
                format=format,
                verbatim=verbatim,
                narrative=narrative,
                progress=progress,
            )
        )

    async def stats(self) -> dict[str, Any]:
        """How many memories there are, by kind and status, and how many journal events."""
        return await self._call(lambda: self._sync.stats())

    async def doctor(self) -> dict[str, Any]:
        """The health of the store, the embedder and its calibration, the reranker, and working memory."""
        return await self._call(lambda: self._sync.doctor())

    async def judge_usage(self) -> JudgeUsage:
        """What the configured judge cost this account: tokens of today, the limit, and requests and tokens by day and question."""
        return await self._call(lambda: self._sync.judge_usage())

    async def judge_test(self) -> JudgeTest:
        """Ask the configured judge one harmless question, with nothing of the store in it; says what it cost, or what is wrong."""
        return await self._call(lambda: self._sync.judge_test())

    async def vacuum(self) -> Erasure:
        """Rewrite the files of the store, so that they contain nothing that was erased; on a server this locks the tables."""
        return await self._call(lambda: self._sync.vacuum())

    async def reembed(self, progress: Progress | None = None) -> int:
        """Give every memory a vector of the embedder in use; can be interrupted and run again."""
        return await self._call(lambda: self._sync.reembed(progress))

    async def disable(self, project: str | None = None, *, everywhere: bool = False) -> None:
        """Disable memory for a project, or for all: nothing is stored or recalled."""
        await self._call(lambda: self._sync.disable(project, everywhere=everywhere))

    async def enable(self, project: str | None = None, *, everywhere: bool = False) -> None:
        """Enable memory again."""
        await self._call(lambda: self._sync.enable(project, everywhere=everywhere))

    async def with_identity(
        self,
        *,
        account: str | None = None,
        agent: str | None = None,
        teams: Sequence[str] = (),
        user: str | None = None,
    ) -> AsyncMemory:
        """The same store as another identity sees it: an agent, a member of teams, or whoever serves a user.

        What is stored for a user is that user's alone, unless it is given another scope.
        """
        return AsyncMemory(
            await self._call(lambda: self._sync.with_identity(account=account, agent=agent, teams=teams, user=user)),
            self._threads,
        )

    async def called_by(
        self, client: str, *, project: str | None = None, on_commit: Callable[[str], None] | None = None
    ) -> AsyncMemory:
        """The same identity, called by a program: without an agent, the journal names the program for what it changes.

        `project` is where it works, if not here. `on_commit` is told the id of every operation it commits, as `undo` takes it.
        """
        return AsyncMemory(
            await self._call(lambda: self._sync.called_by(client, project=project, on_commit=on_commit)), self._threads
        )

    async def flush(self) -> None:
        """Write access counts and logged reads now; otherwise a background thread does within seconds."""
        await self._call(lambda: self._sync.flush())

    async def run(self, work: Callable[[Memory], T]) -> T:
        """Do several things with the memory itself, in one worker thread: `await memory.run(lambda m: …)`."""
        return await self._call(lambda: work(self._sync))

    async def close(self) -> None:
        """Write what is deferred and let go of the store; whoever opened it also ends the worker threads."""
        await self._call(self._sync.close)
        if self._owns_threads:
            self._threads.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncOpening:
    """What `open_async` returns: await it, or use it with `async with`."""

    def __init__(self, opener: Callable[[], Memory]) -> None:
        self._opener = opener
        self._opened: AsyncMemory | None = None

    def __await__(self) -> Generator[Any, None, AsyncMemory]:
        return self._open().__await__()

    async def _open(self) -> AsyncMemory:
        threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="recollect")
        memory = await asyncio.get_running_loop().run_in_executor(threads, self._opener)
        return AsyncMemory(memory, threads, owns_threads=True)

    async def __aenter__(self) -> AsyncMemory:
        self._opened = await self._open()
        return self._opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._opened is not None:
            await self._opened.close()


def open_async(
    db: str | os.PathLike[str] | None = None,
    *,
    embedder: EmbedderArgument = None,
    reranker: RerankerArgument = None,
    judge: JudgeArgument = None,
    project: str | None = None,
    clock: Clock | None = None,
    fetching: FetchProgress | None = None,
    background: bool = False,
    **settings: Unpack[SettingsFields],
) -> AsyncOpening:
    """Like `recollect.open`, for async callers: `async with recollect.open_async() as memory: …`."""
    return AsyncOpening(
        lambda: open_memory(
            db,
            embedder=embedder,
            reranker=reranker,
            judge=judge,
            project=project,
            clock=clock,
            fetching=fetching,
            background=background,
            **settings,
        )
    )
