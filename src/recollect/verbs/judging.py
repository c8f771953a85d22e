"""Verbs about what is believed: what helped, what contradicts what, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recollect.capture.fields import one_of
from recollect.errors import InvalidInput
from recollect.lookup import one_record, own_chain
from recollect.ports import Progress, Transaction
from recollect.showing import shown
from recollect.values.memory import Record
from recollect.values.scope import reaches
from recollect.values.words import WAYS_OUT, WayOut
from recollect.verbs.view import View

if TYPE_CHECKING:
    from recollect.upkeep.contradictions import Comparer
    from recollect.values.gap import Topic
    from recollect.values.outcome import Conflict, Contradiction

    # Anything that names two memories, the newer first: what a scan or an outcome gave, or two ids.
    Disputed = Contradiction | Conflict | tuple[str, str] | Sequence[str]


class JudgingVerbs(View):
    """How far memories are to be believed."""

    def reinforce(self, id: str) -> Record:
        """This memory was useful: +3."""
        from recollect.capture.edit import REINFORCE, scored

        return self._helped(
            self._handle.edited(id, "reinforce", lambda old: scored(old, REINFORCE, self._parts.clock()))
        )

    def demote(self, id: str) -> Record:
        """This memory was irrelevant or stale: −1."""
        from recollect.capture.edit import DEMOTE, scored

        return self._handle.edited(id, "demote", lambda old: scored(old, DEMOTE, self._parts.clock()))

    def feedback(self, id: str, helpful: bool) -> Record:
        """Whether a recalled memory helped: moves its confidence, and its strength when it did."""
        from recollect.capture.edit import fed_back

        now = self._parts.clock()
        record = self._handle.edited(id, "feedback", lambda old: fed_back(old, bool(helpful), now))
        return self._helped(record) if helpful else record

    def confirm(
        self, *helped: str, rejected: Sequence[str] = (), query: str | None = None, infer_tag: bool = True
    ) -> list[Record]:
        """These hits of one recall helped, those did not: confidence moves, and what helped together is linked."""
        from recollect.upkeep.confirm import add_tag, confirm, shared_tag
        from recollect.upkeep.tending import refine

        if not helped and not rejected:
            raise InvalidInput("helped", "there is none", "name the memories that helped, or those that did not")
        if isinstance(rejected, str):
            raise InvalidInput("rejected", "is not a list of ids", "give a list")
        with self._handle.changing() as tx:
            good, bad = (self._each(tx, ids) for ids in (helped, rejected))
            if {record.id for record in good} & {record.id for record in bad}:
                raise InvalidInput("rejected", "a memory cannot have helped and not helped", "name it once")
            self._handle.awake(*(record.project for record in (*good, *bad)))
            confirm(tx, good, bad, self._parts.clock())
            rows = tx.rows_of(self._viewer.account, [record.id for record in good])
            tx.touch(self._viewer.account, dict.fromkeys(rows, 1), self._parts.clock())
            tag = shared_tag(query, good) if infer_tag and query else None
            if tag is not None:
                add_tag(tx, good, tag)
            if len(good) > 1 and self._parts.embedder is not None:
                refine(tx, self._viewer.account, rows, self._parts.embedder.calibration, self._settings.deep_merge)
            found = tx.get(self._viewer.account, [record.id for record in (*good, *bad)])
            return shown(tx, self._viewer.identity, [record for record in found if record is not None])

    def contradictions(self, *, scan: bool = False, progress: Progress | None = None) -> list[Contradiction]:
        """What contradicts what and is not settled; `scan` compares everything first and flags what it finds."""
        from recollect.upkeep.contradictions import flag, flagged, search

        parts, identity, now = self._parts, self._viewer.identity, self._parts.clock()
        comparer = self._comparer
        if scan:
            with self._handle.reading() as reader:
                found = search(reader, identity, comparer, now, progress)
            if found:
                with self._handle.changing() as tx:
                    flag(tx, found)
        with self._handle.reading() as reader:
            return shown(reader, identity, flagged(reader, identity, comparer, parts.clock()))

    def resolve(self, conflict: Disputed, way: WayOut, *, content: str | None = None) -> list[Record]:
        """Settle a contradiction: keep_both, update (the older gets the newer text), supersede, or forget the older."""
        from recollect.upkeep.contradictions import settle

        if way is None:
            raise InvalidInput("way", "is missing", f"use one of {', '.join(WAYS_OUT)}")
        one_of("way", way, WAYS_OUT)
        if content is not None and way != "update":
            raise InvalidInput("content", f"is given, but the way is {way}", "leave it out, or use update")
        newer_id, older_id = _sides(conflict)
        with self._handle.changing() as tx:
            newer, older = (one_record(tx, self._viewer.identity, side) for side in (newer_id, older_id))
            self._handle.awake(newer.project, older.project)
            if newer.id == older.id:
                raise InvalidInput("conflict", "names one memory twice", "name two memories")
            if way == "supersede":
                own_chain(tx, self._viewer.identity, newer)
            done = settle(tx, newer, older, way, lambda old: self._rewritten(tx, old, content or newer.content))
            return shown(tx, self._viewer.identity, done)

    def gaps(self, *, answered: bool = False) -> list[Topic]:
        """What was asked and nothing answered, grouped by topic, the most asked first."""
        from recollect.upkeep.gaps import topics

        self._handle.settle()
        with self._handle.reading() as reader:
            return topics(reader, self._viewer.identity, answered=answered)

    def _helped(self, record: Record) -> Record:
        """A hit helped: it is linked with those of the same recall that did so before."""
        others = self._parts.waiting.confirm(record.id)
        if not others:
            return record
        from recollect.upkeep.links import strengthen

        with self._handle.changing() as tx:
            known = [other for other in tx.get(record.account, [record.id, *others[-3:]]) if other is not None]
            strengthen(tx, [other for other in known if reaches(self._viewer.identity, other.place)])
        return self._handle.one(record.id)

    def _each(self, tx: Transaction, ids: Sequence[str]) -> list[Record]:
        """The memories some ids name, each once."""
        found = [one_record(tx, self._viewer.identity, one) for one in ids]
        return list({record.id: record for record in found}.values())

    def _rewritten(self, tx: Transaction, old: Record, content: str) -> Record:
        from recollect.capture.edit import edited

        new = edited(old, {"content": content}, self._parts.vetting.by(self._viewer.identity), self._parts.clock())
        if not isinstance(new, Record):
            raise InvalidInput("content", new.reason, "give another text")
        tx.change(old, new, "resolve", vectors=self._parts.embed(new), reason="update")
        return new

    @property
    def _comparer(self) -> Comparer:
        from recollect.upkeep.contradictions import Comparer

        parts = self._parts
        scale = None if parts.embedder is None else parts.embedder.calibration
        return Comparer(parts.judge, scale, self._settings.contradiction)

    @property
    def _settings(self) -> Any:
        return self._parts.loaded.settings


def _sides(conflict: Disputed) -> tuple[str, str]:
    from recollect.values.outcome import Conflict, Contradiction

    if isinstance(conflict, Contradiction):
        return conflict.newer.id, conflict.older.id
    if isinstance(conflict, Conflict):
        return conflict.new_id, conflict.memory.id
    if isinstance(conflict, str) or len(conflict) != 2:
        raise InvalidInput("conflict", f"{conflict!r} does not name two memories", "give a contradiction, or two ids")
    newer, older = conflict
    return newer, older
