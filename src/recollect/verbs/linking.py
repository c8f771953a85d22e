"""Verbs about the graph: links, what is related, where a memory comes from, tags, clusters, and the picture of it all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recollect.capture.fields import MAX_CONTENT, clean_tags, clean_text, number, one_of, whole
from recollect.errors import InvalidInput, NotFound
from recollect.handle import known_filters
from recollect.lookup import chain_of, narrowed, one_record, own_chain
from recollect.showing import shown
from recollect.values.filter import Filter
from recollect.values.memory import Record
from recollect.values.scope import Viewer, reaches
from recollect.values.search import Search
from recollect.values.words import LINK_RELATIONS, LinkRelation
from recollect.verbs.view import View

if TYPE_CHECKING:
    from recollect.upkeep.tags import Tag
    from recollect.values.cluster import Cluster
    from recollect.values.graph import Graph
    from recollect.values.hit import Related
    from recollect.values.origin import Origin

_DEEPEST = 4


class LinkingVerbs(View):
    """How memories hang together."""

    def link(self, source: str, target: str, relation: LinkRelation = "relates_to", weight: float = 1.0) -> Record:
        """Link one memory to another; between two that are linked so already, the weight is changed."""
        from recollect.upkeep.links import linked

        one_of("relation", relation, LINK_RELATIONS)
        number("weight", weight, 0.01, 1.0)
        if relation == "supersedes":
            return self.supersede(target, source)
        with self._handle.changing() as tx:
            one, other = (one_record(tx, self._viewer.identity, end) for end in (source, target))
            self._handle.awake(one.project, other.project)
            if relation == "relates_to" and any(x.target == one.id and x.relation == relation for x in other.links):
                one, other = other, one
            made = linked(tx, one, other, relation, float(weight))
            tx.change(one, made, "link")
            return shown(tx, self._viewer.identity, made)

    def supersede(self, old: str, new: str) -> Record:
        """Let one stored memory replace another; the old one is kept, with its history, and no longer recalled."""
        with self._handle.reading() as reader:
            target = one_record(reader, self._viewer.identity, old)
            chain = own_chain(reader, self._viewer.identity, one_record(reader, self._viewer.identity, new))
            below = [record.id for record in chain_of(reader, target)]
        if target.id in {record.id for record in chain} or chain[0].id in below:
            raise InvalidInput("id", "that would make a circle", "name a memory that is not part of its own history")
        # A memory that replaces another already hands the second one down to the oldest it replaces.
        self._handle.edited(chain[-1].id, "supersede", lambda record: record.with_(supersedes=target.id))
        return self._handle.one(chain[0].id)

    def unlink(self, source: str, target: str, relation: LinkRelation | None = None) -> list[Record]:
        """Take the links between two memories away, of one relation or of all; returns what changed."""
        from recollect.upkeep.links import unlink

        one_of("relation", relation, LINK_RELATIONS)
        with self._handle.changing() as tx:
            one, other = (one_record(tx, self._viewer.identity, end) for end in (source, target))
            self._handle.awake(one.project, other.project)
            return shown(tx, self._viewer.identity, unlink(tx, one, other, relation))

    def related(self, id: str, depth: int = 1, limit: int = 20) -> list[Related]:
        """What a memory leads to over links, tags and clusters, the strongest path first."""
        from recollect.recall.neighbourhood import Seed, related

        _page(depth, limit)
        record = self._handle.one(id)
        with self._handle.reading() as reader:
            search = self._search_at(record, reader.switched_off(record.account))
            seed = Seed(*reader.rows_of(record.account, [record.id]))
            return shown(reader, self._viewer.identity, related(reader, search, seed, depth, limit))

    def graph(
        self, query: str | None = None, *, id: str | None = None, depth: int = 1, limit: int = 60, **context: Any
    ) -> Graph:
        """The neighbourhood of a question's hits, of one memory, or of what is newest, to draw or export."""
        from recollect.recall.neighbourhood import Seed, drawn

        _page(depth, limit)
        if query is not None and id is not None:
            raise InvalidInput("query", "and id are both given", "give one of them")
        seeds, viewer, title = self._seeds(query, id, limit, context)
        with self._handle.reading() as reader:
            search = Search(viewer, self._awake_only(reader.switched_off(viewer.account)), self._now())
            rows = reader.rows_of(viewer.account, [record.id for record, _ in seeds])
            start = [Seed(row, score) for row, (_, score) in zip(rows, seeds, strict=True)]
            return drawn(reader, search, start, depth, limit, title, self._parts.clock())

    def provenance(self, id: str) -> Origin:
        """Where a memory comes from: everything it was derived from, down to the turns and files, and the trust that leaves."""
        from recollect.upkeep.links import origins
        from recollect.values.origin import Origin

        identity, record = self._viewer.identity, self._handle.one(id)
        with self._handle.reading() as reader:
            # From what is stored: what one does not reach may come from what one does.
            every = origins(reader, one_record(reader, identity, record.id))
            chain = shown(reader, identity, [origin for origin in every if reaches(identity, origin.place)])
        return Origin(record, tuple(chain[1:]), min(origin.trust for origin in chain))

    def tags(self) -> list[Tag]:
        """Every tag in use, with what it means, the most used first."""
        from recollect.upkeep.tags import tags

        with self._handle.reading() as reader:
            return tags(reader, self._viewer.identity, self._parts.clock())

    def describe_tag(self, tag: str, description: str | None) -> None:
        """Say what a tag means; None takes it back."""
        from recollect.upkeep.tags import describe

        (name,) = clean_tags([tag])
        text = None if description is None else self._screened("description", description)
        with self._handle.changing() as tx:
            describe(tx, self._viewer.identity, name, text, self._parts.clock())

    def rename_tag(self, old: str, new: str) -> int:
        """Give a tag another name on every memory; returns on how many."""
        return self.merge_tags(new, old)

    def merge_tags(self, into: str, *others: str) -> int:
        """Let one tag stand for several; returns on how many memories it changed."""
        from recollect.upkeep.tags import merge

        (name,), old = clean_tags([into]), set(clean_tags(others))
        if not old - {name}:
            raise InvalidInput("tags", "there is nothing to merge", "name at least one other tag")
        with self._handle.changing() as tx:
            return merge(tx, self._viewer.identity, old - {name}, name, self._parts.clock())

    def clusters(self, *, refresh: bool = False) -> list[Cluster]:
        """The groups memories fall into by meaning, the largest first; `refresh` finds them anew."""
        account = self._viewer.account
        if refresh:
            from recollect.upkeep import tending

            self._handle.awake(self._viewer.project)
            tending.refresh(self._parts.store, account, self._handle.actor, self._parts.clock())
        with self._handle.reading() as reader:
            found = reader.clusters(account)
        return [cluster for cluster in found if reaches(self._viewer.identity, cluster.wall)]

    def members(self, cluster: str, limit: int = 20) -> list[Record]:
        """The newest memories of a cluster, by its id, the beginning or end of one, or its name."""
        _page(1, limit)
        found = [
            known
            for known in self.clusters()
            if cluster == known.name or known.id.startswith(cluster) or known.id.endswith(cluster)
        ]
        if not cluster or len(found) != 1:
            raise NotFound("cluster", cluster, "`clusters` shows which there are")
        with self._handle.reading() as reader:
            off = reader.switched_off(self._viewer.account)
            edges = reader.edges(self._viewer.account, [("cluster", found[0].id)], max(found[0].size, 1) + limit)
            held = reader.fetch(self._viewer.account, [int(edge.target[1]) for edge in edges])
            known = reader.get(self._viewer.account, [record.id for record in held])
            kept = [r for r in known if r is not None and r.status == "active" and r.project not in off][:limit]
            return shown(reader, self._viewer.identity, kept)

    def _screened(self, field: str, given: str) -> str:
        from recollect.capture.screen.policy import Refusal, apply_policy

        text = clean_text(field, given, MAX_CONTENT)
        cleaned = apply_policy(text, self._parts.vetting.policy)
        if isinstance(cleaned, Refusal):
            raise InvalidInput(field, cleaned.reason, "leave it out")
        return cleaned.text

    def _seeds(
        self, query: str | None, id: str | None, limit: int, context: dict[str, Any]
    ) -> tuple[list[tuple[Record, float]], Viewer, str]:
        if id is not None:
            record = self._handle.one(id)
            return [(record, 1.0)], self._viewer_at(record), record.short_id
        viewer = self._handle.at(context.pop("project", None), context.pop("session", None), context.pop("task", None))
        if query is not None:
            profile = self._handle.profile(context.pop("profile", None) or self._parts.loaded.settings.profile)
            hits = self._handle.ask(self._handle.asked(query, viewer, profile, min(limit, 10), context))
            best = hits[0].score if hits else 0.0
            return [(hit.memory, max(hit.score, 0.01)) for hit in hits if 2 * hit.score >= best], viewer, query
        with self._handle.reading() as reader:
            wanted = narrowed(**known_filters(context), project=viewer.project)
            newest = reader.find(viewer.identity, wanted, self._parts.clock(), limit=max(limit // 2, 1))
        return [(record, 1.0) for record in newest], viewer, "the newest memories"

    def _search_at(self, record: Record, off: frozenset[str]) -> Search:
        return Search(self._viewer_at(record), self._awake_only(off), self._now())

    def _viewer_at(self, record: Record) -> Viewer:
        """This identity, standing where a memory stands."""
        return replace(self._viewer, project=record.project, session=record.session, task=record.task)

    def _awake_only(self, off: frozenset[str]) -> Filter:
        return Filter(without=tuple(sorted(off)))

    def _now(self) -> float:
        return self._parts.clock().timestamp()


def _page(depth: Any, limit: Any) -> None:
    if whole("depth", depth) not in range(1, _DEEPEST + 1):
        raise InvalidInput("depth", f"{depth!r} is out of range", f"give a whole number from 1 to {_DEEPEST}")
    if whole("limit", limit) not in range(1, 1001):
        raise InvalidInput("limit", f"{limit!r} is out of range", "give a whole number from 1 to 1000")
