"""Short-term memory: typed JSON entries per agent and session, not found any more from the very moment they expire."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from recollect.capture.fields import one_of
from recollect.errors import NotFound
from recollect.tiers import short_term as tier
from recollect.tiers.short_term import MONTH, Written
from recollect.tiers.working import HOUR, lifetime
from recollect.values.entry import Entry
from recollect.values.words import SHORT_TERM_TYPES, ShortTermType
from recollect.verbs.view import View
from recollect.verbs.working import Lifetime, required, screened


class ShortTerm(View):
    """The entries of one agent; without an agent, those of the account."""

    def write(
        self, key: str, value: Any, *, session: str, type: ShortTermType = "general", ttl: Lifetime = HOUR
    ) -> Entry:
        """Keep a value under a key of a session, at most 30 days; one that was there is replaced, its accesses stay counted."""
        where, name = required("session", session), required("key", key)
        one_of("type", required("type", type), SHORT_TERM_TYPES)
        lives = lifetime(ttl, MONTH)
        text = screened(self._parts.vetting.policy, "value", value, name)
        given = Written(where, name, json.loads(text), type, lives)
        with self._handle.changing() as tx:
            return tier.write(tx, self._viewer.identity, given, self._parts.clock())

    def read(self, key: str, session: str) -> Entry:
        """An entry, counted as accessed; a store that cannot be written only shows it."""
        return self.touch(key, session) if self._parts.store.writable else self.peek(key, session)

    def peek(self, key: str, session: str) -> Entry:
        """An entry, without counting."""
        where, name = required("session", session), required("key", key)
        with self._handle.reading() as reader:
            return tier.find(reader, self._viewer.identity, where, name, self._parts.clock())

    def exists(self, key: str, session: str) -> bool:
        """Whether a key of a session has an entry now."""
        try:
            self.peek(key, session)
        except NotFound:
            return False
        return True

    def touch(self, key: str, session: str) -> Entry:
        """Count an access of an entry."""
        where, name = required("session", session), required("key", key)
        with self._handle.changing() as tx:
            return tier.touch(tx, self._viewer.identity, where, name, self._parts.clock())

    def refresh_ttl(self, key: str, session: str, ttl: Lifetime | None = None) -> Entry:
        """Let an entry live on: from now for a new time, or once more for its own."""
        where, name = required("session", session), required("key", key)
        lives: timedelta | None = None if ttl is None else lifetime(ttl, MONTH)
        with self._handle.changing() as tx:
            return tier.refresh(tx, self._viewer.identity, where, name, lives, self._parts.clock())

    def remove(self, key: str, session: str) -> bool:
        """Delete an entry for good; whether it was there."""
        where, name = required("session", session), required("key", key)
        with self._handle.changing() as tx:
            return tier.remove(tx, self._viewer.identity, where, name, self._parts.clock())

    def entries(self, session: str | None = None, type: ShortTermType | None = None) -> list[Entry]:
        """The entries of a session or of all, of a type or of all, the newest first."""
        one_of("type", type, SHORT_TERM_TYPES)
        where = None if session is None else required("session", session)
        with self._handle.reading() as reader:
            found = tier.entries(reader, self._viewer.identity, where, self._parts.clock())
        return [entry for entry in found if type is None or entry.type == type]

    def sessions(self) -> list[str]:
        """The sessions that have entries, by name."""
        return sorted({entry.session for entry in self.entries()})

    def cleanup_expired(self) -> int:
        """Delete for good what expired in the whole account; returns how many entries of one's own."""
        with self._handle.changing() as tx:
            return tier.cleanup(tx, self._viewer.identity, self._parts.clock())
