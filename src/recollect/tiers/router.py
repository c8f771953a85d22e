"""The router: one API over all tiers. A read asks them from the fastest to the widest and says which one answered.

Every verb opens one view or one transaction. Working memory is not in the store: it is read before a view opens and changed after
a transaction is committed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from recollect.errors import InvalidInput, NotFound, WorkingUnavailable
from recollect.ports import Reader, Transaction
from recollect.recall.run import build_request, profile_named, run
from recollect.recall.state import RecallRequest
from recollect.tiers import pools, short_term
from recollect.tiers.pools import Pools, visible_pools
from recollect.tiers.short_term import ShortTerm
from recollect.tiers.working import SEPARATOR, Item, WorkingMemory, namespace_of
from recollect.unit_of_work import Verbs, find_visible
from recollect.validation import MAX_NAME, clean_text, one_of, require_name
from recollect.values.draft import Draft
from recollect.values.enums import TIERS, Scope, Tier
from recollect.values.memory import Record
from recollect.values.outcome import Outcome, Refused
from recollect.values.scope import reaches
from recollect.values.terms import query_terms, terms_of
from recollect.values.tiers import Consolidated, Pool, Routed, ShortTermEntry, TierHit

# How many keys of working memory, of a session and of each pool a search looks at.
_MOST = 200
_KNOWN = "already stored under this key"
_HINT = "`router.stats()` shows what each tier has"


class Router(Verbs):
    """Reads, writes, searches and deletes across working, short-term, long-term and shared memory."""

    def read(self, key: str, *, session: str | None = None, tier: Tier | None = None) -> Routed:
        """The value of a key, from the first tier that has it, or from one tier."""
        name, wanted = clean_text("key", key, MAX_NAME), _tiers(tier)
        working = self._working_text(name) if "working" in wanted else None
        with self._uow.view() as reader:
            if working is not None:
                return Routed("working", name, json.loads(working))
            for each in wanted:
                found = self._read(reader, each, name, session)
                if found is not None:
                    return found
        raise NotFound("value", name, _HINT)

    def write(
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
        name = clean_text("key", key, MAX_NAME)
        one_of("tier", tier, TIERS)
        more: dict[str, Any] = {} if ttl is None else {"ttl": ttl}
        parts = (self._runtime, self._viewer.identity, self._viewer.project)
        if tier == "working":
            return WorkingMemory(*parts).store(name, value, **more)
        if tier == "short_term":
            return ShortTerm(*parts).write(name, value, session=require_name("session", session), **more)
        if tier == "long_term":
            draft = Draft(_text(name, value), key=name, session=session, ttl=ttl)
            return self._runtime.capture.remember(self._uow, [draft])[0]
        if pool is None:
            raise InvalidInput("pool", "is missing", "name the pool to write to")
        return Pools(*parts).write_key(pool, name, value)

    def delete(self, key: str, *, session: str | None = None, tier: Tier | None = None) -> tuple[Tier, ...]:
        """Delete a key from one tier, or from every tier but the shared one; returns the tiers that had it."""
        name, wanted = clean_text("key", key, MAX_NAME), _tiers(tier)
        stored = [each for each in wanted if each != "working" and (each != "shared" or tier)]
        gone: list[Tier] = []
        if stored:
            with self._uow.transaction() as tx:
                gone = [each for each in stored if self._delete(tx, each, name, session)]
        else:
            self._uow.check_enabled()
        if "working" in wanted and self._remove_working(name):
            gone.insert(0, "working")
        if not gone:
            raise NotFound("value", name, _HINT)
        return tuple(gone)

    def semantic_search(
        self, query: str, *, limit: int = 10, session: str | None = None, tiers: Sequence[Tier] | None = None
    ) -> list[TierHit]:
        """Search all tiers: by meaning in long-term memory, by the words of the query in the others."""
        wanted = TIERS if tiers is None else tuple(tiers)
        for tier in wanted:
            one_of("tiers", tier, TIERS)
        working = self._working_items() if "working" in wanted else []
        texts: list[tuple[Tier, str, str]] = []
        found: list[TierHit] = []
        if "long_term" in wanted:
            here = self._uow.at(None, session, None)
            request = build_request(here, query, profile_named(here, "hybrid"), limit, {}, {})

            def in_view(reader: Reader) -> RecallRequest:
                texts.extend(self._texts(reader, working, session, wanted))
                return request

            hits = run(here, request, in_view)
            found += [TierHit("long_term", h.memory.id, h.memory.content, h.score, h.memory) for h in hits]
        else:
            with self._uow.view() as reader:
                texts.extend(self._texts(reader, working, session, wanted))
        terms = set(query_terms(query))
        for tier, key, text in texts:
            matched = len(terms & set(terms_of(text)))
            if matched:
                found.append(TierHit(tier, key, text, round(matched / max(len(terms), 1), 4)))
        return sorted(found, key=lambda each: -each.score)[:limit]

    def consolidate(self, session: str) -> Consolidated:
        """Promote the entries of a session that were read often enough to long-term memory, each exactly once."""
        name, enough = require_name("session", session), self._runtime.settings.promotion
        with self._uow.view() as reader:
            entries = short_term.entries(self._uow, reader, name)
        often = [entry for entry in entries if entry.access_count >= enough]
        waiting = iter(often)

        def remove_promoted(tx: Transaction, outcomes: Sequence[Outcome]) -> None:
            for outcome in outcomes:
                entry = next(waiting)
                if not isinstance(outcome, Refused):
                    short_term.remove(tx, self._viewer.identity, name, entry.key, self._runtime.clock())

        drafts = [self._promotion(entry) for entry in often]
        outcomes = self._runtime.capture.remember(self._uow, drafts, also=remove_promoted)
        stored = [outcome for outcome in outcomes if not isinstance(outcome, Refused)]
        return Consolidated(
            promoted=tuple(outcome.memory for outcome in stored if not _was_known(outcome)),
            known=tuple(outcome.memory for outcome in stored if _was_known(outcome)),
            refused=tuple((e.key, o.reason) for e, o in zip(often, outcomes, strict=True) if isinstance(o, Refused)),
            left=len(entries) - len(stored),
        )

    def stats(self) -> dict[str, Any]:
        """How much each tier has that this identity can see."""
        try:
            keys = [key for key, _, _ in self._working_items() if not key.startswith(SEPARATOR)]
            working: dict[str, Any] = {"keys": len(keys)}
        except WorkingUnavailable as error:
            working = {"problem": str(error)}
        with self._uow.view() as reader:
            entries = short_term.entries(self._uow, reader, None)
            shared = self._pools(reader)
            counts = reader.count(self._viewer.account, self._runtime.clock(), self._viewer.identity)
        return {
            "working": working,
            "short_term": {"entries": len(entries), "sessions": len({entry.session for entry in entries})},
            "long_term": counts,
            "shared": {"pools": len(shared), "keys": sum(len(pool.data) for pool in shared)},
        }

    def _promotion(self, entry: ShortTermEntry) -> Draft:
        agent, made = self._viewer.identity.agent, entry.created_at.isoformat()
        # The idempotency key: whoever comes second, even after a crash, finds the memory stored already.
        key = f"short_term:{agent or ''}:{entry.session}:{entry.key}:{made}"
        # The entries of an agent are visible to it alone; so is the memory.
        scope: Scope | None = "agent" if agent else None
        text = _text(entry.key, entry.value)
        return Draft(text, key=key, session=entry.session, source="observed", scope=scope)

    def _read(self, reader: Reader, tier: Tier, key: str, session: str | None) -> Routed | None:
        try:
            match tier:
                case "working":
                    return None
                case "short_term":
                    if session is None:
                        return None
                    name = require_name("session", session)
                    return Routed(tier, key, short_term.read(self._uow, reader, name, require_name("key", key)).value)
                case "long_term":
                    memory = self._by_key(reader, key)
                    return (
                        None if memory is None else Routed(tier, key, memory.content, self._uow.redact(reader, memory))
                    )
                case "shared":
                    return Routed(tier, key, self._shared(reader, key))
        except NotFound:
            return None

    def _delete(self, tx: Transaction, tier: Tier, key: str, session: str | None) -> bool:
        match tier:
            case "short_term":
                name = None if session is None else require_name("session", session)
                return name is not None and short_term.remove(
                    tx, self._viewer.identity, name, require_name("key", key), self._runtime.clock()
                )
            case "long_term":
                memory = self._by_key(tx, key)
                if memory is None or memory.status != "active":
                    return False
                self._uow.require_enabled(tx, memory.project)
                tx.change(memory, memory.with_(status="forgotten"), "forget")
                return True
            case "shared":
                try:
                    pools.drop(self._uow, tx, key)
                except NotFound:
                    return False
                return True
            case _:
                return False

    def _by_key(self, reader: Reader, key: str) -> Record | None:
        """The visible memory that is stored under a key, or has that id."""
        account, identity = self._viewer.account, self._viewer.identity
        # Other scopes may use the same key: the places of this viewer come first, then any other it may see.
        for place in (*sorted(self._viewer.places()), None):
            record = reader.by_key(account, key, place)
            if record is not None and record.status == "active" and reaches(identity, record.place):
                return record
        try:
            return find_visible(reader, identity, key)
        except (NotFound, InvalidInput):
            return None

    def _shared(self, reader: Reader, key: str) -> Any:
        """The data of the pool of that name, or that key of the first visible pool that has it; own pools come first."""
        for pool in sorted(self._pools(reader), key=lambda pool: pool.owner != self._viewer.identity.agent):
            if pool.name == key:
                return pool.data
            if key in pool.data:
                return pool.data[key]
        raise NotFound("pool", key)

    def _texts(
        self, reader: Reader, working: Sequence[Item], session: str | None, wanted: Sequence[str]
    ) -> Iterator[tuple[Tier, str, str]]:
        """The values of the tiers but long-term memory as texts."""
        for key, text, _ in [item for item in working if not item[0].startswith(SEPARATOR)][:_MOST]:
            yield "working", key, _text(key, json.loads(text))
        if "short_term" in wanted:
            where = None if session is None else require_name("session", session)
            for entry in short_term.entries(self._uow, reader, where)[:_MOST]:
                yield "short_term", entry.key, _text(entry.key, entry.value)
        if "shared" in wanted:
            for pool in self._pools(reader):
                for key, value in list(pool.data.items())[:_MOST]:
                    yield "shared", f"{pool.name}/{key}", _text(key, value)

    def _pools(self, reader: Reader) -> list[Pool]:
        return visible_pools(self._uow, reader, self._runtime.clock())

    def _working_text(self, key: str) -> str | None:
        name = require_name("key", key)
        return self._runtime.working.get(namespace_of(self._viewer.identity), name, self._runtime.clock().timestamp())

    def _working_items(self) -> list[Item]:
        return self._runtime.working.items(namespace_of(self._viewer.identity), self._runtime.clock().timestamp())

    def _remove_working(self, key: str) -> bool:
        name = require_name("key", key)
        return self._runtime.working.remove(
            namespace_of(self._viewer.identity), name, self._runtime.clock().timestamp()
        )


def _tiers(tier: Tier | None) -> tuple[Tier, ...]:
    one_of("tier", tier, TIERS)
    return TIERS if tier is None else (tier,)  # type: ignore[return-value]


def _was_known(outcome: Outcome) -> bool:
    return outcome.kind == "reinforced" or outcome.reason == _KNOWN


def _text(key: str, value: Any) -> str:
    """A value as a sentence that can be stored and found."""
    return value if isinstance(value, str) else f"{key}: {json.dumps(value, ensure_ascii=False)}"
