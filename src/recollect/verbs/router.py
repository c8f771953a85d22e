"""The router: one door to all tiers. Reads go from the quickest to the widest, and say which tier answered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from recollect.capture.fields import MAX_NAME, clean_name, clean_text, one_of
from recollect.errors import InvalidInput, NotFound, WorkingUnavailable
from recollect.lookup import one_record
from recollect.showing import shown
from recollect.values.draft import Draft
from recollect.values.memory import Record
from recollect.values.outcome import Outcome, Refused
from recollect.values.routed import Consolidated, Met, Routed
from recollect.values.scope import reaches
from recollect.values.terms import query_terms, terms_of
from recollect.values.words import TIERS, Scope, Tier
from recollect.verbs.pools import Pools
from recollect.verbs.short_term import ShortTerm
from recollect.verbs.view import View
from recollect.verbs.working import WorkingMemory

_MOST = 200


class Router(View):
    """Reads, writes, searches and deletes across working, short-term, long-term and shared memory."""

    def read(self, key: str, *, session: str | None = None, tier: Tier | None = None) -> Routed:
        """The value of a key, from the first tier that has it, or from one tier."""
        name = clean_text("key", key, MAX_NAME)
        for each in self._tiers(tier):
            found = self._read(each, name, session)
            if found is not None:
                return found
        raise NotFound("value", name, "`router.stats()` shows what each tier holds")

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
        """Put a value into one tier; what comes back is what that tier gives: an entry, an outcome, a pool."""
        name = clean_text("key", key, MAX_NAME)
        one_of("tier", tier, TIERS)
        more: dict[str, Any] = {} if ttl is None else {"ttl": ttl}
        if tier == "working":
            return self._working.store(name, value, **more)
        if tier == "short_term":
            return self._short_term.write(name, value, session=_session(session), **more)
        if tier == "long_term":
            return self._remember([Draft(_text(name, value), key=name, session=session, ttl=ttl)])[0]
        if pool is None:
            raise InvalidInput("pool", "is missing", "name the pool to write to")
        return self._pools.write_key(pool, name, value)

    def delete(self, key: str, *, session: str | None = None, tier: Tier | None = None) -> tuple[Tier, ...]:
        """Take a key out of one tier, or out of every tier but the shared one; returns where it was."""
        name = clean_text("key", key, MAX_NAME)
        gone = [each for each in self._tiers(tier) if (each != "shared" or tier) and self._delete(each, name, session)]
        if not gone:
            raise NotFound("value", name, "`router.stats()` shows what each tier holds")
        return tuple(gone)

    def semantic_search(
        self, query: str, *, limit: int = 10, session: str | None = None, tiers: Sequence[Tier] | None = None
    ) -> list[Met]:
        """Look in all tiers: by meaning in long-term memory, by the words of the question in the others."""
        wanted = TIERS if tiers is None else tuple(tiers)
        for tier in wanted:
            one_of("tiers", tier, TIERS)
        found: list[Met] = []
        if "long_term" in wanted:
            viewer, profile = self._handle.at(None, session, None), self._handle.profile("hybrid")
            hits = self._handle.ask(self._handle.asked(query, viewer, profile, limit, {}))
            found += [Met("long_term", h.memory.id, h.memory.content, h.score, h.memory) for h in hits]
        terms = set(query_terms(query))
        for tier, key, text in self._texts(session, wanted):
            met = len(terms & set(terms_of(text)))
            if tier in wanted and met:
                found.append(Met(tier, key, text, round(met / max(len(terms), 1), 4)))
        return sorted(found, key=lambda each: -each.score)[:limit]

    def consolidate(self, session: str) -> Consolidated:
        """Promote the entries of a session that were used often enough to long-term memory, each exactly once."""
        enough = self._parts.loaded.settings.promotion
        entries = self._short_term.entries(session=_session(session))
        often = [entry for entry in entries if entry.access_count >= enough]
        outcomes = [
            self._promoted(entry.key, entry.value, entry.session, entry.created_at.isoformat()) for entry in often
        ]
        for entry, outcome in zip(often, outcomes, strict=True):
            if not isinstance(outcome, Refused):
                self._short_term.remove(entry.key, session=entry.session)
        kept = [(entry, outcome) for entry, outcome in zip(often, outcomes, strict=True)]
        return Consolidated(
            promoted=tuple(
                o.memory for _, o in kept if o.memory is not None and o.reason != _KNOWN and o.kind != "reinforced"
            ),
            known=tuple(
                o.memory for _, o in kept if o.memory is not None and (o.reason == _KNOWN or o.kind == "reinforced")
            ),
            refused=tuple((entry.key, o.reason) for entry, o in kept if isinstance(o, Refused)),
            left=len(entries) - sum(not isinstance(o, Refused) for o in outcomes),
        )

    def stats(self) -> dict[str, Any]:
        """How much each tier holds, as far as this identity reaches."""
        entries = self._short_term.entries()
        pools = self._pools.list()
        with self._handle.reading() as reader:
            counts = reader.count(self._viewer.account, self._parts.clock(), self._viewer.identity)
        return {
            "working": self._kept(),
            "short_term": {"entries": len(entries), "sessions": len({entry.session for entry in entries})},
            "long_term": counts,
            "shared": {"pools": len(pools), "keys": sum(len(pool.data) for pool in pools)},
        }

    def _promoted(self, key: str, value: Any, session: str, made: str) -> Outcome:
        # The key is what makes it once: whoever comes second, after a crash too, finds it stored already.
        own = f"short_term:{self._viewer.identity.agent or ''}:{session}:{key}:{made}"
        # An agent's entries were its own; so is what becomes of them.
        scope: Scope | None = "agent" if self._viewer.identity.agent else None
        draft = Draft(_text(key, value), key=own, session=session, source="observed", scope=scope)
        return self._remember([draft])[0]

    def _remember(self, drafts: Sequence[Draft]) -> list[Outcome]:
        self._handle.awake(self._viewer.project)
        return self._handle.told(self._parts.capture.remember(drafts, self._viewer.identity, self._viewer.project))

    def _read(self, tier: Tier, key: str, session: str | None) -> Routed | None:
        try:
            match tier:
                case "working":
                    value = self._working.retrieve(key, _MISSING)
                    return None if value is _MISSING else Routed(tier, key, value)
                case "short_term":
                    return (
                        None
                        if session is None
                        else Routed(tier, key, self._short_term.read(key, session=session).value)
                    )
                case "long_term":
                    memory = self._by_key(key)
                    return None if memory is None else Routed(tier, key, memory.content, memory)
                case "shared":
                    return Routed(tier, key, self._shared(key))
        except NotFound:
            return None

    def _delete(self, tier: Tier, key: str, session: str | None) -> bool:
        try:
            match tier:
                case "working":
                    return self._working.remove(key)
                case "short_term":
                    return session is not None and bool(self._short_term.remove(key, session=session))
                case "long_term":
                    memory = self._by_key(key)
                    if memory is None or memory.status != "active":
                        return False
                    self._handle.edited(memory.id, "forget", lambda old: old.with_(status="forgotten"))
                    return True
                case "shared":
                    self._pools.drop(key)
                    return True
        except NotFound:
            return False

    def _by_key(self, key: str) -> Record | None:
        """The memory stored under a key, or with that id, within reach."""
        account, identity = self._viewer.account, self._viewer.identity
        with self._handle.reading() as reader:
            # Others may use the same key in rooms of their own: first where this viewer stands, then anywhere.
            for place in (*sorted(self._viewer.places()), None):
                held = reader.by_key(account, key, place)
                if held is not None and held.status == "active" and reaches(identity, held.place):
                    return shown(reader, identity, held)
            try:
                return shown(reader, identity, one_record(reader, identity, key))
            except (NotFound, InvalidInput):
                return None

    def _shared(self, key: str) -> Any:
        """A pool of that name, or that key of the first pool within reach that has it, one's own before others'."""
        for pool in sorted(self._pools.list(), key=lambda pool: pool.owner != self._viewer.identity.agent):
            if pool.name == key:
                return pool.data
            if key in pool.data:
                return pool.data[key]
        raise NotFound("pool", key)

    def _texts(self, session: str | None, wanted: Sequence[str]) -> Iterator[tuple[Tier, str, str]]:
        # A place of working memory that is away must not keep others from being searched.
        for key in self._working.keys()[:_MOST] if "working" in wanted else ():
            yield "working", key, _text(key, self._working.retrieve(key))
        for entry in self._short_term.entries(session=session)[:_MOST]:
            yield "short_term", entry.key, _text(entry.key, entry.value)
        for pool in self._pools.list():
            for key, value in list(pool.data.items())[:_MOST]:
                yield "shared", f"{pool.name}/{key}", _text(key, value)

    def _kept(self) -> dict[str, Any]:
        try:
            return {"keys": len(self._working.keys())}
        except WorkingUnavailable as error:
            return {"problem": str(error)}

    def _tiers(self, tier: Tier | None) -> tuple[Tier, ...]:
        one_of("tier", tier, TIERS)
        return TIERS if tier is None else (tier,)  # type: ignore[return-value]

    @property
    def _working(self) -> WorkingMemory:
        return WorkingMemory(self._parts, self._viewer.identity, self._viewer.project)

    @property
    def _short_term(self) -> ShortTerm:
        return ShortTerm(self._parts, self._viewer.identity, self._viewer.project)

    @property
    def _pools(self) -> Pools:
        return Pools(self._parts, self._viewer.identity, self._viewer.project)


_MISSING = object()
_KNOWN = "already stored under this key"


def _session(session: str | None) -> str:
    name = clean_name("session", session)
    if name is None:
        raise InvalidInput("session", "is missing", "name the session")
    return name


def _text(key: str, value: Any) -> str:
    """A value as a sentence that can be remembered and found."""
    return value if isinstance(value, str) else f"{key}: {json.dumps(value, ensure_ascii=False)}"
