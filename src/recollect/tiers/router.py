"""The router: one API over all tiers. A read asks them from the fastest to the widest and says which one answered.

Every verb opens one view or one transaction. Working memory is not in the store: it is read before a view opens and changed after
a transaction is committed. While its server is away, reads and searches answer from the other tiers.

A value of long-term memory is a memory with the key of the value, written or promoted, in the agent's own scope if there is one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from recollect.capture.duplicates import as_forgotten
from recollect.capture.edit import edited
from recollect.errors import InvalidInput, NotFound, WorkingUnavailable
from recollect.log import logged
from recollect.ports import Reader, Transaction
from recollect.recall.run import build_request, profile_named, run
from recollect.recall.state import RecallRequest
from recollect.tiers import pools, short_term
from recollect.tiers.json_values import json_text
from recollect.tiers.pools import Pools, visible_pools
from recollect.tiers.promotion import KEY_TAKEN, PreparedEntry, Promotion
from recollect.tiers.short_term import ShortTerm
from recollect.tiers.working import SEPARATOR, Item, WorkingMemory, namespace_of
from recollect.unit_of_work import Verbs, find_visible
from recollect.validation import MAX_NAME, clean_list, clean_text, one_of, require_name, require_one_of
from recollect.values.draft import Draft
from recollect.values.enums import TIERS, Scope, Tier
from recollect.values.memory import Record
from recollect.values.outcome import Outcome, Stored
from recollect.values.scope import place_of, reaches
from recollect.values.terms import query_terms, terms_of
from recollect.values.tiers import Consolidated, Pool, Routed, ShortTermEntry, TierHit

T = TypeVar("T")
# How many keys of working memory, of a session and of each pool a search looks at.
_MOST = 200
_HINT = "`router.stats()` shows what each tier has"


@logged
class Router(Verbs):
    """Reads, writes, searches and deletes across working, short-term, long-term and shared memory."""

    def read(self, key: str, *, session: str | None = None, tier: Tier | None = None) -> Routed:
        """The value of a key, from the first tier that has it, or from one tier."""
        name, wanted = clean_text("key", key, MAX_NAME), _tiers(tier)
        working, away = self._ask_working(lambda: self._working_text(name)) if "working" in wanted else (None, None)
        with self._uow.view() as reader:
            if working is not None:
                return Routed("working", name, json.loads(working))
            for each in wanted:
                found = self._read(reader, each, name, session)
                if found is not None:
                    return found
        # The tier that is away may have it: that it does not exist would not be true.
        raise away or NotFound("value", name, _HINT)

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
            return self._write_long_term(name, value, session, ttl)
        if pool is None:
            raise InvalidInput("pool", "is missing", "name the pool to write to")
        return Pools(*parts).write_key(pool, name, value)

    def delete(self, key: str, *, session: str | None = None, tier: Tier | None = None) -> tuple[Tier, ...]:
        """Delete a key from one tier, or from every tier but the shared one; returns the tiers that had it."""
        name, wanted = clean_text("key", key, MAX_NAME), _tiers(tier)
        stored = [each for each in wanted if each != "working" and (each != "shared" or tier)]
        gone: list[Tier] = []
        if "working" in wanted:
            # While its server is away nothing is deleted: the value would come back with it.
            self._working_text(name)
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
        wanted = TIERS if tiers is None else clean_list("tiers", tiers)
        for tier in wanted:
            require_one_of("tiers", tier, TIERS)
        working, away = self._ask_working(self._working_items) if "working" in wanted else (None, None)
        if away is not None and wanted == ("working",):
            raise away
        texts: list[tuple[Tier, str, str]] = []
        found: list[TierHit] = []
        if "long_term" in wanted:
            here = self._uow.at(None, session, None)
            request = build_request(here, query, profile_named(here, "hybrid"), limit, {}, {})

            def in_view(reader: Reader) -> RecallRequest:
                texts.extend(self._texts(reader, working or [], session, wanted))
                return request

            hits = run(here, request, in_view)
            found += [TierHit("long_term", h.memory.id, h.memory.content, h.score, h.memory) for h in hits]
        else:
            with self._uow.view() as reader:
                texts.extend(self._texts(reader, working or [], session, wanted))
        terms = set(query_terms(query))
        for tier, key, text in texts:
            matched = len(terms & set(terms_of(text)))
            if matched:
                found.append(TierHit(tier, key, text, round(matched / max(len(terms), 1), 4)))
        return _merged(found)[:limit]

    def consolidate(self, session: str) -> Consolidated:
        """Promote the entries of a session that were read often enough to long-term memory, each exactly once.

        Entries that have expired are promoted too, as long as they are not deleted.
        """
        name, enough = require_name("session", session), self._runtime.settings.promotion
        with self._uow.view() as reader:
            entries = short_term.all_entries(self._uow, reader, name)
            often = [entry for entry in entries if entry.access_count >= enough]
            known = {entry.key: self._keyed(reader, entry.key) for entry in often}
        promotion = Promotion(self._uow, [self._prepared(entry, known[entry.key]) for entry in often])
        self._runtime.capture.remember(self._uow, promotion.drafts, keyed=True, also=promotion.finish)
        return promotion.result([entry for entry in entries if entry.expires_at > self._runtime.clock()])

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

    def _prepared(self, entry: ShortTermEntry, known: Record | None) -> PreparedEntry:
        """An entry with the draft it becomes. If a memory has its key already, that one is changed, and its vectors are needed."""
        text = _text(entry.key, entry.value)
        # A memory that is hidden keeps its key; the entry then becomes a memory without one.
        key = entry.key if known is None or known.status == "active" else None
        draft = Draft(text, key=key, session=entry.session, source="observed", scope=self._scope)
        if key is None or known is None or known.content == text:
            return PreparedEntry(entry, draft)
        gate = self._runtime.gate.for_identity(self._viewer.identity)
        changed = edited(known, {"content": text}, gate, self._runtime.clock())
        vectors = self._runtime.embed(changed) if isinstance(changed, Record) else None
        return PreparedEntry(entry, draft, known, changed, vectors)

    @property
    def _scope(self) -> Scope | None:
        """The entries of an agent or a user are visible to it alone; so are the memories they become and those it writes here."""
        identity = self._viewer.identity
        return "user" if identity.user else "agent" if identity.agent else None

    def _write_long_term(self, key: str, value: Any, session: str | None, ttl: float | None) -> Outcome:
        """Store a value as a memory under its key; one that has the key already gets the new value.

        A value belongs to its key: it is neither merged with another that says the same, nor does it replace one.
        """
        text = _text(key, json.loads(json_text("value", value)))
        draft = Draft(text, key=key, session=session, ttl=ttl, scope=self._scope)
        outcome = self._runtime.capture.remember(self._uow, [draft], compare=False)[0]
        if outcome.memory is None or not _has_key_already(outcome):
            return outcome
        if outcome.memory.status != "active":
            # Hidden on purpose: it stays as it is, without the key.
            self._uow.edited(outcome.memory.id, "update", lambda old: old.with_(key=None), "its key is used again")
            return self._runtime.capture.remember(self._uow, [draft], compare=False)[0]
        if outcome.memory.content == text and ttl is None:
            return outcome
        gate, now = self._runtime.gate.for_identity(self._viewer.identity), self._runtime.clock()
        changes = {"content": text} if ttl is None else {"content": text, "ttl": ttl}
        done = self._uow.edit(outcome.memory.id, "update", lambda old: edited(old, changes, gate, now))
        return Stored(done, reason="updated under this key") if isinstance(done, Record) else done

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
                    if memory is None:
                        return None
                    return Routed(tier, key, _value(key, memory.content), self._uow.redact(reader, memory))
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
                tx.change(memory, as_forgotten(tx, memory), "forget")
                return True
            case "shared":
                try:
                    pools.drop(self._uow, tx, key)
                except NotFound:
                    return False
                return True
            case _:
                return False

    def _keyed(self, reader: Reader, key: str) -> Record | None:
        """The memory that has a key where this router stores memories."""
        identity, project = self._viewer.identity, self._viewer.project
        scope = self._scope or ("project" if project else "global")
        place = place_of(scope, {"agent": identity.agent, "user": identity.user, "project": project})
        return reader.by_key(identity.account, key, place)

    def _by_key(self, reader: Reader, key: str) -> Record | None:
        """The visible memory that is stored under a key, or has that id."""
        account, identity = self._viewer.account, self._viewer.identity
        # Other scopes may use the same key: the places of this viewer come first, then any other it may see.
        own = self._viewer.places()
        keyed = [
            one for one in reader.with_key(account, key) if one.status == "active" and reaches(identity, one.place)
        ]
        if keyed:
            return min(keyed, key=lambda one: (one.place not in own, one.place))
        try:
            return find_visible(reader, identity, key)
        except (NotFound, InvalidInput):
            return None

    def _shared(self, reader: Reader, key: str) -> Any:
        """The data of the pool of that name, or that key of the first visible pool that has it; own pools come first."""
        for pool in sorted(self._pools(reader), key=lambda pool: pool.owner != self._viewer.identity.name):
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

    def _ask_working(self, ask: Callable[[], T]) -> tuple[T | None, WorkingUnavailable | None]:
        """What working memory answers, or why it does not."""
        try:
            return ask(), None
        except WorkingUnavailable as error:
            return None, error

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


def _has_key_already(outcome: Outcome) -> bool:
    return isinstance(outcome, Stored) and outcome.reason == KEY_TAKEN


def _merged(found: Sequence[TierHit]) -> list[TierHit]:
    """Hits of all tiers by score; those of long-term memory in the order of recall, which may put a lower score first."""
    ranks, lowest = [], float("inf")
    for hit in found:
        if hit.tier == "long_term":
            lowest = min(lowest, hit.score)
        ranks.append(lowest if hit.tier == "long_term" else hit.score)
    order = sorted(range(len(found)), key=lambda place: -ranks[place])
    return [found[place] for place in order]


def _text(key: str, value: Any) -> str:
    """A value as a sentence that can be stored and found, and read back by `_value`."""
    if isinstance(value, str) and _value(key, value) == value:
        return value
    return f"{key}: {json.dumps(value, ensure_ascii=False)}"


def _value(key: str, text: str) -> Any:
    """The value that a stored sentence says."""
    start = f"{key}: "
    if not text.startswith(start):
        return text
    try:
        return json.loads(text.removeprefix(start))
    except ValueError:
        return text
