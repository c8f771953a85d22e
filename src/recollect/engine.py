"""Memory: every verb of recollect, one short call each. The CLI, MCP and HTTP servers call these and add no logic.

Verbs that change something return after the change is durable. Verbs that find nothing raise `NotFound`; a draft that is not
stored comes back as `Refused` with the reason. The logic of a verb is in its stage (`capture/`, `recall/`, `upkeep/` …), which is
imported on first use.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self, Unpack

from recollect.errors import InvalidInput, ReadOnly
from recollect.filters import filter_from
from recollect.log import logged
from recollect.ports import Progress
from recollect.recall.profiles import SEARCH_PROFILES
from recollect.recall.run import RecallOptions, build_request, profile_named, run
from recollect.redaction import beside, shown_events
from recollect.unit_of_work import ALL_PROJECTS, Verbs, flush, latest_events
from recollect.validation import (
    check_progress,
    clean_flag,
    clean_limit,
    clean_list,
    clean_time,
    one_of,
    require_name,
    require_one_of,
    some_tags,
)
from recollect.values.enums import (
    JUDGE_WHEN,
    SEARCH_MODES,
    JudgeWhen,
    LinkRelation,
    Resolution,
    Scope,
    SearchMode,
    Verdict,
)
from recollect.values.event import Event
from recollect.values.memory import Page, Record
from recollect.values.recalled import Recalled
from recollect.values.scope import RESERVED, USER_PREFIX, Identity
from recollect.values.search import FilterFields

if TYPE_CHECKING:
    from recollect.companion.companion import Companion
    from recollect.companion.report import ExtractionReport
    from recollect.portable.drafts import IngestReport
    from recollect.recall.context import BlockFields
    from recollect.selection import Selection
    from recollect.tiers.contexts import Contexts
    from recollect.tiers.narratives import Narratives
    from recollect.tiers.pools import Pools
    from recollect.tiers.router import Router
    from recollect.tiers.short_term import ShortTerm
    from recollect.tiers.working import WorkingMemory
    from recollect.upkeep.contradictions import Disputed
    from recollect.values.cluster import Cluster
    from recollect.values.companion import Turn
    from recollect.values.draft import Draft, DraftFields, UpdateFields
    from recollect.values.erased import Erased
    from recollect.values.gap import Topic
    from recollect.values.judging import JudgeTest, JudgeUsage
    from recollect.values.link import Graph
    from recollect.values.memory import ProvenanceChain
    from recollect.values.outcome import Contradiction, Outcome, Refused
    from recollect.values.purge import Erasure, Purged
    from recollect.values.recalled import Block, Related
    from recollect.values.tag import Tag
    from recollect.values.transfer import Copied, Exported, Imported
    from recollect.values.undone import Undone

    Contradictions = list[Contradiction]
    Topics = list[Topic]
    RelatedList = list[Related]
    Tags = list[Tag]
    Clusters = list[Cluster]
    Outcomes = list[Outcome]
    Turns = list[Turn]

# The verb `list` hides the built-in inside the class, so the types of results have names here and above.
Records = list[Record]
Events = list[Event]


@logged
class Memory(Verbs):
    """One open store as one identity sees it. Use it as a context manager, or close it."""

    # Writing

    def remember(self, content: str, *, judge: JudgeWhen = "later", **fields: Unpack[DraftFields]) -> Outcome:
        """Store one thing; the outcome says whether it was stored, known already, replaced something or was refused.

        A configured judge takes a second look at what the rules leave open: `now`, `later` in the background, or never (`off`).
        """
        return self.remember_many([{"content": content, **fields}], judge=judge)[0]

    def remember_many(
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
        check_progress(progress)
        require_one_of("judge", judge, JUDGE_WHEN)
        outcomes = self._runtime.capture.remember(
            self._uow, clean_list("drafts", drafts), verbatim=clean_flag("verbatim", verbatim), progress=progress
        )
        if judge == "off" or (judge == "later" and self._runtime.judge_queue is None):
            return outcomes
        from recollect.capture.second_look import second_look

        return second_look(self._uow, outcomes, judge)

    def update(self, id: str, **changes: Unpack[UpdateFields]) -> Record | Refused:
        """Change fields of a memory; a new text passes the same gate as a new memory."""
        from recollect.capture.edit import edited

        gate, now = self._runtime.gate.for_identity(self._viewer.identity), self._runtime.clock()
        content = changes.get("content")
        text = content.strip() if isinstance(content, str) else None
        return self._uow.edit(id, "update", lambda old: edited(old, dict(changes), gate, now), content=text)

    def tag(self, id: str, *tags: str) -> Record:
        """Add tags."""
        some_tags(tags)
        added = self._uow.tags(tags)
        return self._uow.edited(id, "tag", lambda old: old.with_(tags=tuple(dict.fromkeys((*old.tags, *added)))))

    def untag(self, id: str, *tags: str) -> Record:
        """Remove tags."""
        gone = some_tags(tags)
        return self._uow.edited(
            id, "untag", lambda old: old.with_(tags=tuple(tag for tag in old.tags if tag not in gone))
        )

    def forget(self, id: str, reason: str | None = None) -> Record:
        """Hide a memory and refuse to store the same again, in these or other words, until it is restored."""
        from recollect.capture.duplicates import forget

        return forget(self._uow, id, reason)

    def restore(self, id: str) -> Record:
        """Restore a forgotten or archived memory."""
        return self._uow.edited(id, "restore", lambda old: old.with_(status="active"))

    def archive(self, id: str) -> Record | Refused:
        """Take a memory out of use; unlike after `forget`, the same may be stored again. `unarchive` takes it back."""
        from recollect.capture.bulk import change_one, plan_archive

        return change_one(self._uow, id, "archive", plan_archive(self._uow))

    def unarchive(self, id: str) -> Record | Refused:
        """Use an archived memory again, unless the same is stored by now, or was forgotten or purged since."""
        from recollect.capture.bulk import change_one, plan_unarchive

        return change_one(self._uow, id, "unarchive", plan_unarchive(self._uow))

    def move(
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
        from recollect.capture.bulk import change_one, plan_move

        given = {
            "scope": scope, "project": project, "team": team, "agent": agent, "user": user, "session": session, "task": task,
        }  # fmt: skip
        return change_one(self._uow, id, "move", plan_move(self._uow, given), project)

    def select(
        self,
        *,
        everything: bool = False,
        session: str | None = None,
        task: str | None = None,
        **filters: Unpack[FilterFields],
    ) -> Selection:
        """The memories that a filter selects, to count, read, export, or change as one operation.

        A filter that selects all memories needs `everything=True`. What belongs to a session or a task is selected only if it is
        named, here or as `in_session`.
        """
        from recollect.selection import Selection

        here = self._uow.at(None, session, task)
        return Selection(here, filters, everything=clean_flag("everything", everything))

    def purge(self, id: str, *, repeats: bool = False, dry_run: bool = False) -> Purged:
        """Erase a memory for good: row, vector, index entries, journal images; only a keyed hash stays.

        The result lists what else repeats the text, which `repeats` erases too, and which copies are left. `dry_run` only looks.
        """
        from recollect.upkeep.purge import purge

        return purge(self._uow, id, repeats=clean_flag("repeats", repeats), dry_run=clean_flag("dry_run", dry_run))

    def erase_user(self, name: str, *, dry_run: bool = False) -> Erased:
        """Erase everything of a user for good, in every scope and tier, and prove it: `left` counts what a search still finds.

        For the owner of the account alone. Memories of others that only mention the name stay. `dry_run` only counts.
        """
        from recollect.upkeep.erase_user import erase_user

        return erase_user(self._uow, name, dry_run=clean_flag("dry_run", dry_run))

    # Reading

    def recall(
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
        here = self._uow.at(project, session, task)
        options: RecallOptions = {
            "explain": clean_flag("explain", explain),
            "now": now,
            "working_on": working_on,
            "true_at": true_at,
            "season": season,
            "named": clean_flag("named", named),
            "floor": floor,
            "verify": self._runtime.settings.verify_recall if verify is None else clean_flag("verify", verify),
        }
        return run(here, build_request(here, query, profile_named(here, profile), limit, options, filters))

    def search(
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
        one_of("mode", mode, SEARCH_MODES)
        here = self._uow.at(project, session, task)
        profile = SEARCH_PROFILES.get(mode) or profile_named(here, "hybrid")
        options: RecallOptions = {"explain": clean_flag("explain", explain)}
        return run(here, build_request(here, query, profile, clean_limit(limit, 10), options, filters))

    def get(self, id: str) -> Record:
        """One memory by its id, or by a unique beginning or end of it."""
        with self._uow.view() as reader:
            record = self._uow.redact(reader, self._uow.find(reader, id))
        return self._runtime.deferred.counted(record)

    def list(
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
        from recollect.listing import list_page

        most = -1 if limit is None else clean_limit(limit, 50)
        return list_page(
            self._uow.at(None, session, task), filter_from(filters), most, after=after, total=clean_flag("total", total)
        )

    def iter_all(
        self, *, session: str | None = None, task: str | None = None, **filters: Unpack[FilterFields]
    ) -> Iterator[Record]:
        """Every memory that `list` shows, newest first, read page by page."""
        from recollect.listing import iterate

        return iterate(self._uow.at(None, session, task), filter_from(filters))

    def count(self, *, session: str | None = None, task: str | None = None, **filters: Unpack[FilterFields]) -> int:
        """How many memories `list` shows."""
        from recollect.listing import count

        return count(self._uow.at(None, session, task), filter_from(filters))

    def history(self, id: str) -> Events:
        """Every change of one memory, oldest first."""
        with self._uow.view() as reader:
            record = self._uow.find(reader, id)
            events = reader.events(record.account, memory_id=record.id)
            return shown_events(reader, beside(self._viewer, record.place), events)

    def log(self, *, limit: int | None = None, session: str | None = None, task: str | None = None) -> Events:
        """The journal, newest first; 20 events unless `limit` says otherwise.

        What belongs to a session or a task is shown only to those who name it.
        """
        most, here = clean_limit(limit, 20), self._uow.at(None, session, task)
        with here.view() as reader:
            return latest_events(reader, here.viewer, most)

    def undo(self, operation: str | None = None, *, force: bool = False) -> Undone:
        """Undo one operation, by default the caller's own last one in this project; returns a summary of what was undone.

        An operation of somebody else, or one that changed more than 20 memories, needs `force=True`.
        """
        from recollect.upkeep.undo import undo_operation

        return undo_operation(self._uow, operation, force=clean_flag("force", force))

    def as_of(self, moment: datetime | str) -> Memory:
        """A read-only view of the store at an earlier time."""
        from recollect.upkeep.as_of import view_at

        time = clean_time("as_of", moment)
        if time is None or time > self._runtime.clock():
            raise InvalidInput("as_of", f"{moment} is not in the past", "give an earlier time")
        return Memory(view_at(self._uow, time), self._viewer.identity, self._viewer.project)

    def context(self, topic: str | None = None, **fields: Unpack[BlockFields]) -> Block:
        """A block of text for an agent's prompt, of at most `budget` characters; identical bytes while nothing changed.

        `topic` is what the work is about; without one, the block has the most important memories. `start=True` adds what a
        session starts with. `layers` lists the layers to use, or maps layers to shares of the budget.
        """
        from recollect.recall.context import context

        return context(self._uow, topic, fields)

    def preview(self, topic: str | None = None, **fields: Unpack[BlockFields]) -> Block:
        """The block that `context` would return, without counting accesses: what is in it, what was left out, and why."""
        from recollect.recall.context import preview

        return preview(self._uow, topic, fields)

    # Beliefs

    def reinforce(self, id: str) -> Record:
        """Report that a memory was useful: score +3, or what `reinforce_weight` says."""
        return self.feedback_many([id], "reinforce")[0]

    def demote(self, id: str) -> Record:
        """Report that a memory was irrelevant or stale: score −1, or what `demote_weight` says."""
        return self.feedback_many([id], "demote")[0]

    def feedback(self, id: str, helpful: bool) -> Record:
        """Report whether a recalled memory helped: changes its confidence, and its strength when it did."""
        return self.feedback_many([id], "helpful" if clean_flag("helpful", helpful) else "unhelpful")[0]

    def feedback_many(self, ids: Sequence[str], verdict: Verdict) -> Records:
        """One verdict on several memories, as one operation: helpful, unhelpful, reinforce or demote."""
        from recollect.upkeep.feedback import judge_many

        return judge_many(self._uow, ids, verdict)

    def confirm(
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
        from recollect.upkeep.feedback import confirm_hits

        return confirm_hits(self._uow, helped, rejected, query, clean_flag("infer_tag", infer_tag), recall)

    def contradictions(
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
        from recollect.upkeep.contradictions import list_contradictions

        check_progress(progress)
        self._runtime.learn_model()
        return list_contradictions(self._uow.at(None, session, task), scan=clean_flag("scan", scan), progress=progress)

    def resolve(self, conflict: Disputed, resolution: Resolution, *, content: str | None = None) -> Records:
        """Resolve a contradiction: keep_both, update (the older gets the newer text), supersede, or forget (the older)."""
        from recollect.upkeep.contradictions import resolve

        return resolve(self._uow, conflict, resolution, content)

    def supersede(self, old: str, new: str) -> Record:
        """Let one stored memory supersede another; the old one is kept with its history and no longer recalled."""
        from recollect.upkeep.links import supersede

        return supersede(self._uow, old, new)

    def gaps(self, *, answered: bool = False, session: str | None = None, task: str | None = None) -> Topics:
        """Questions that nothing stored answered, grouped by topic, the most asked first.

        What was asked in a session or a task alone is shown only to those who name it.
        """
        from recollect.recall.gaps import topics

        here = self._uow.at(None, session, task)
        here.try_flush()
        with here.view() as reader:
            return topics(reader, here.viewer, answered=clean_flag("answered", answered))

    # The graph

    def link(self, source: str, target: str, relation: LinkRelation = "relates_to", weight: float = 1.0) -> Record:
        """Link one memory to another; an existing link of the same relation gets the new weight."""
        from recollect.upkeep.links import link

        return link(self._uow, source, target, relation, weight)

    def unlink(self, source: str, target: str, relation: LinkRelation | None = None) -> Records:
        """Remove the links between two memories, of one relation or of all; returns the changed memories."""
        from recollect.upkeep.links import unlink_memories

        return unlink_memories(self._uow, source, target, relation)

    def related(self, id: str, depth: int = 1, limit: int | None = None) -> RelatedList:
        """The memories that one is connected with over links, tags and clusters, the strongest path first."""
        from recollect.recall.neighbourhood import related_memories

        self._runtime.learn_model()
        return related_memories(self._uow, id, depth, clean_limit(limit, 20))

    def graph(
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
        from recollect.recall import neighbourhood

        neighbourhood.check_depth(depth)
        self._runtime.learn_model()
        most, here = clean_limit(limit, 60), self._uow.at(project, session, task)
        if query is not None and id is not None:
            raise InvalidInput("query", "and id are both given", "give one of them")
        if id is not None:
            return neighbourhood.graph_of_memory(here, id, depth, most)
        if query is None:
            return neighbourhood.graph_of_newest(here, filters, depth, most)
        request = build_request(here, query, profile_named(here, profile), min(most, 10), {}, filters)
        return neighbourhood.graph_of_hits(here, request, depth, most)

    def provenance(self, id: str, *, session: str | None = None, task: str | None = None) -> ProvenanceChain:
        """Where a memory comes from: everything it was derived from, down to turns and files, and the lowest trust among them.

        Sources of a session or a task are shown only to those who name it.
        """
        from recollect.upkeep.links import provenance

        return provenance(self._uow.at(None, session, task), id)

    def tags(self, *, session: str | None = None, task: str | None = None) -> Tags:
        """Every tag in use with its description, the most used first; those of a session or a task for those who name it."""
        from recollect.upkeep.tags import tags

        here = self._uow.at(None, session, task)
        with here.view() as reader:
            return tags(reader, here.viewer, self._runtime.clock())

    def describe_tag(self, tag: str, description: str | None) -> None:
        """Describe a tag; None deletes the description."""
        from recollect.upkeep.tags import describe_tag

        describe_tag(self._uow, tag, description)

    def rename_tag(self, old: str, new: str) -> int:
        """Rename a tag on every memory; returns on how many."""
        return self.merge_tags(new, old)

    def merge_tags(self, into: str, *others: str) -> int:
        """Replace several tags by one; returns on how many memories."""
        from recollect.upkeep.tags import merge_tags

        return merge_tags(self._uow, into, others)

    def clusters(self, *, refresh: bool = False) -> Clusters:
        """The clusters of similar memories, the largest first; `refresh` recomputes them first."""
        from recollect.upkeep.clusters import list_clusters

        self._runtime.learn_model()
        return list_clusters(self._uow, refresh_first=clean_flag("refresh", refresh))

    def members(
        self, cluster: str, limit: int | None = None, *, session: str | None = None, task: str | None = None
    ) -> Records:
        """The newest memories of a cluster, by its id, the beginning or end of one, or its name.

        Those of a session or a task are shown only to those who name it.
        """
        from recollect.upkeep.clusters import members

        self._runtime.learn_model()
        return members(self._uow.at(None, session, task), cluster, clean_limit(limit, 20))

    # Tiers

    @property
    def working(self) -> WorkingMemory:
        """Values for the task at hand, with a TTL of an hour unless set otherwise."""
        from recollect.tiers.working import WorkingMemory

        return WorkingMemory(self._runtime, self._viewer.identity, self._viewer.project)

    @property
    def short_term(self) -> ShortTerm:
        """Typed entries of a session with a TTL; those that are read often can be promoted to long-term memory."""
        from recollect.tiers.short_term import ShortTerm

        return ShortTerm(self._runtime, self._viewer.identity, self._viewer.project)

    @property
    def pools(self) -> Pools:
        """Data that agents share, with versions and access control."""
        from recollect.tiers.pools import Pools

        return Pools(self._runtime, self._viewer.identity, self._viewer.project)

    @property
    def contexts(self) -> Contexts:
        """Containers of memories with versions, grants, an access log and snapshots."""
        from recollect.tiers.contexts import Contexts

        return Contexts(self._runtime, self._viewer.identity, self._viewer.project)

    @property
    def narratives(self) -> Narratives:
        """The chain of session summaries, linked with the memories they are about."""
        from recollect.tiers.narratives import Narratives

        return Narratives(self._runtime, self._viewer.identity, self._viewer.project)

    @property
    def router(self) -> Router:
        """One API over all tiers."""
        from recollect.tiers.router import Router

        return Router(self._runtime, self._viewer.identity, self._viewer.project)

    # The companion

    def companion(
        self, *, session: str, project: str | None = None, budget: int = 800, extract: bool = True
    ) -> Companion:
        """What makes relevant memories come up by themselves in a session: show it each turn, and never wait for it.

        `budget` is how many tokens one turn may be given. With `extract`, what the user states is stored by and by. All
        companions of a session share its state.
        """
        from recollect.companion.companion import Companion
        from recollect.companion.live import extract_said

        if self._runtime.past:
            raise ReadOnly("a view of the past", "make a companion of the store itself")
        require_name("session", session)
        here = self._uow.at(project, session, None)
        extractor = partial(extract_said, here) if clean_flag("extract", extract) else None
        return Companion(here, budget=clean_limit(budget, 800), extract=extractor)

    def turns(self, *, session: str | None = None, limit: int | None = None) -> Turns:
        """What companions retrieved and injected each turn, and what the replies cited: the last 20, or `limit`, oldest first."""
        from recollect.companion.ledger import persisted_turns

        self._uow.check_enabled()
        wanted = self._uow.name("session", session)
        return persisted_turns(self._runtime, self._viewer.identity, wanted, clean_limit(limit, 20))

    # Export and import

    def export(
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
        from recollect.portable.export import export

        check_progress(progress)
        here = self._uow.at(None, session, task)
        return export(
            here,
            to,
            format,
            progress,
            history=clean_flag("history", history),
            vectors=clean_flag("vectors", vectors),
            everything=clean_flag("everything", everything),
        )

    def import_data(
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
        from recollect.portable.import_ import import_data

        check_progress(progress)
        owner = self._uow.name("account", account)
        return import_data(
            self._uow,
            source,
            format,
            owner,
            progress,
            everything=clean_flag("everything", everything),
            dry_run=clean_flag("dry_run", dry_run),
            prune=clean_flag("prune", prune),
        )

    def import_from(
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
        from recollect.portable.import_ import import_from

        check_progress(progress)
        return import_from(self._uow, product, paths, only, progress, dry_run=clean_flag("dry_run", dry_run))

    # Sessions

    def extract(
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
        from recollect.companion.extract import extract

        check_progress(progress)
        return extract(
            self._uow,
            source,
            session=session,
            form=format,
            dry_run=clean_flag("dry_run", dry_run),
            verbatim=clean_flag("verbatim", verbatim),
            narrative=clean_flag("narrative", narrative),
            progress=progress,
        )

    # Housekeeping

    def stats(self) -> dict[str, Any]:
        """How many memories there are, by kind and status, and how many journal events."""
        self._runtime.learn_model()
        with self._runtime.store.view() as reader:
            off = sorted(reader.switched_off(self._viewer.account))
            counted = reader.count(self._viewer.account, self._runtime.clock(), self._viewer.identity)
        return {**counted, "off": off, "account": self._viewer.account}

    def doctor(self) -> dict[str, Any]:
        """The health of the store, the embedder and its calibration, the reranker, and working memory."""
        from recollect.upkeep.doctor import examine

        runtime = self._runtime
        identity, now = self._viewer.identity, runtime.clock()
        found = examine(
            runtime.store, identity, now, runtime.embedder, runtime.missing, runtime.working, runtime.reranker
        )
        judge = runtime.text_judge(identity.account)
        if judge is not None:
            found["judge"] = judge.name  # not asked: that would cost tokens
        judging = None if runtime.judge_queue is None else runtime.judge_queue.problem
        others = (runtime.background.problem, runtime.deferred.problem, judging, runtime.companions.problem)
        found["problems"] += [problem for problem in others if problem]
        return found

    def judge_usage(self) -> JudgeUsage:
        """What the configured judge cost this account: tokens of today, the limit, and requests and tokens by day and question."""
        from recollect.upkeep.judge_usage import usage

        return usage(self._uow)

    def judge_test(self) -> JudgeTest:
        """Ask the configured judge one harmless question, with nothing of the store in it; says what it cost, or what is wrong."""
        from recollect.upkeep.judge_usage import ask_test_question

        return ask_test_question(self._uow)

    def vacuum(self) -> Erasure:
        """Rewrite the files of the store, so that they contain nothing that was erased; on a server this locks the tables."""
        if not self._runtime.store.writable:
            raise ReadOnly("the store", "vacuum it where it can be written")
        with self._runtime.store.view():  # a closed store says so, before anything is touched
            pass
        self._runtime.working.erase_traces(self._runtime.clock().timestamp())
        return self._runtime.store.erase_traces(self._viewer.account, rewrite=True)

    def reembed(self, progress: Progress | None = None) -> int:
        """Give every memory a vector of the embedder in use; can be interrupted and run again."""
        from recollect.upkeep.reembed import reembed

        check_progress(progress)
        runtime = self._runtime
        if runtime.embed_many is None:
            raise InvalidInput("embedder", runtime.missing or "there is none", "set one up first (`recollect doctor`)")
        return reembed(
            runtime.store, self._viewer.account, runtime.embed_many, self._uow.actor, runtime.clock, progress
        )

    def disable(self, project: str | None = None, *, everywhere: bool = False) -> None:
        """Disable memory for a project, or for all: nothing is stored or recalled."""
        self._switch(project, everywhere, on=False)

    def enable(self, project: str | None = None, *, everywhere: bool = False) -> None:
        """Enable memory again."""
        self._switch(project, everywhere, on=True)

    def with_identity(
        self,
        *,
        account: str | None = None,
        agent: str | None = None,
        teams: Sequence[str] = (),
        user: str | None = None,
    ) -> Memory:
        """The same store as another identity sees it: an agent, a member of teams, or whoever serves a user.

        What is stored for a user is that user's alone, unless it is given another scope.
        """
        names = tuple(self._uow.require_name("teams", team) for team in clean_list("teams", teams))
        if any(name.startswith(RESERVED) for name in names):
            raise InvalidInput(
                "teams", f"names that begin with {RESERVED!r} are reserved for contexts", "give another name"
            )
        mine = self._viewer.identity
        owner = self._uow.name("account", account) or mine.account
        called, served = self._uow.name("agent", agent), self._uow.name("user", user)
        if (called or "").startswith(USER_PREFIX):
            raise InvalidInput("agent", f"names that begin with {USER_PREFIX!r} are those of users", "use user=…")
        identity = Identity(owner, called, names, mine.client, served)
        return Memory(self._runtime, identity, self._viewer.project)

    def called_by(
        self, client: str, *, project: str | None = None, on_commit: Callable[[str], None] | None = None
    ) -> Memory:
        """The same identity, called by a program: without an agent, the journal names the program for what it changes.

        `project` is where it works, if not here. `on_commit` is told the id of every operation it commits, as `undo` takes it.
        """
        identity = replace(self._viewer.identity, client=self._uow.name("client", client), on_commit=on_commit)
        return Memory(self._runtime, identity, self._uow.name("project", project) or self._viewer.project)

    def flush(self) -> None:
        """Write access counts and logged reads now; otherwise a background thread does within seconds."""
        if self._runtime.store.writable:
            flush(self._runtime)

    def close(self) -> None:
        """Write what is deferred and close the store. Closing twice is allowed.

        What cannot be written any more (the disk is full, the server is away) are counters and logged reads; all else is stored.
        """
        runtime = self._runtime
        if runtime.judge_queue is not None:
            runtime.judge_queue.close()
        runtime.companions.close()
        runtime.deferred.close()
        runtime.background.closing = True
        try:
            if runtime.store.writable:
                runtime.deferred.attempt(lambda: flush(runtime))
            if runtime.store.writable and runtime.deferred.problem is None:
                runtime.deferred.attempt(runtime.refresh_due_clusters)
            runtime.background.finish()
        finally:  # also after Ctrl-C: connections and threads must end
            runtime.working.close()
            runtime.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<recollect.Memory of account {self._viewer.account!r}>"

    def _switch(self, project: str | None, everywhere: bool, *, on: bool) -> None:
        where = (
            ALL_PROJECTS
            if clean_flag("everywhere", everywhere)
            else self._uow.name("project", project) or self._viewer.project
        )
        if where is None:
            raise InvalidInput("project", "is missing", "name one, or switch every project with everywhere=True")
        account, now = self._viewer.account, self._runtime.clock()
        with self._runtime.store.transaction(account, self._uow.actor, now, origin=self._uow.origin) as tx:
            if not on:
                self._uow.require_no_tombstones_in_names(tx, "project", [where])
            tx.switch(account, where, on)
        self._runtime.companions.changed()


def copy(source: Memory, target: Memory, *, progress: Progress | None = None) -> list[Copied]:
    """Copy every account of one open store to another, with its history; after an interruption it resumes where it stopped.

    Each account is compared at the end: `verified` says that the copy is complete.
    """
    from recollect.portable.copy import copy

    check_progress(progress)
    return copy(source._uow, target._uow, progress)  # noqa: SLF001 - two values of the same class
