"""The write path in order: intake, screen, annotate, embed, reconcile, commit. `remember` never surprises its caller."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.capture.alike import Lookup, Meaning
from recollect.capture.annotate import annotate
from recollect.capture.intake import draft_of, record_of
from recollect.capture.named import names_any, sourced, target
from recollect.capture.reconcile import Forgotten, Known, New, Reconciler, Replaces
from recollect.capture.vetting import Vetting, vet
from recollect.errors import EmbedderError, InvalidInput
from recollect.ports import Calibrated, Clock, EmbedMany, Progress, Reader, Store, Transaction
from recollect.values.draft import Draft
from recollect.values.first import First
from recollect.values.ids import new_id
from recollect.values.link import MOST_LINKS, Link
from recollect.values.memory import Breadcrumb, Record
from recollect.values.outcome import Conflict, Outcome, Refused, Reinforced, Stored, Superseded
from recollect.values.scope import Identity, reaches

# One transaction a batch: short enough that readers of the same process wait for milliseconds only.
_BATCH = 96
_VERBATIM_BATCH = 512
_WAY_BACK = {True: "say that it is to be revived", False: "restore it, or say that it is to be revived"}


# Told what a batch stored, inside its transaction: (transaction, account, memories with their vectors, time).
Answered = Callable[[Transaction, str, Sequence[tuple[Record, NDArray[np.float32] | None]], datetime], None]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A draft that passed intake, screen and annotation."""

    draft: Draft
    record: Record
    notes: tuple[str, ...]
    vectors: NDArray[np.float32] | None = None
    calibration: Calibrated | None = None

    @property
    def meaning(self) -> Meaning:
        """What reconcile compares."""
        return Meaning() if self.vectors is None else Meaning(self.vectors, self.calibration)


class Capture:
    """The write path over one store."""

    def __init__(
        self,
        store: Store,
        reconciler: Reconciler,
        vetting: Vetting,
        clock: Clock,
        actor: str,
        *,
        embed: EmbedMany | None = None,
        calibration: Callable[[], Calibrated] | None = None,
        infer: bool = True,
        answered: Answered | None = None,
    ) -> None:
        self._store, self._reconciler, self._vetting = store, reconciler, vetting
        self._clock, self._actor = clock, actor
        self._embed_many, self._calibration = embed, calibration
        self._infer, self._answered = infer, answered

    def remember(
        self,
        given: Sequence[Draft | Mapping[str, Any] | str],
        identity: Identity,
        project: str | None,
        *,
        verbatim: bool = False,
        apart: bool = False,
        progress: Progress | None = None,
        guard: Callable[[Reader], None] = lambda _: None,
    ) -> list[Outcome]:
        """Outcomes in the order of the drafts, all checked before the first is stored; `apart`, not compared with each other.

        `guard` is asked at the beginning of each transaction and may refuse by raising.
        """
        now = self._clock()
        vetting = self._vetting.by(identity)
        checked = [
            self._prepare(draft, place, identity, project, now, vetting, verbatim) for place, draft in enumerate(given)
        ]
        checked = self._with_sources(checked, identity)
        outcomes: list[Outcome] = []
        siblings = frozenset(item.record.id for item in checked if apart and isinstance(item, Prepared))
        operation = new_id(now)
        for batch in self._embedded(checked, verbatim):
            actor = identity.agent or self._actor
            lookup = None if verbatim else Lookup(now, self._reconciler.contradiction, siblings)
            first = None if lookup is None else self._first(batch, identity, lookup)
            with self._store.transaction(identity.account, actor, now, operation=operation, first=first) as tx:
                guard(tx)
                outcomes += self._store_batch(tx, batch, identity, now, lookup)
            if progress is not None:
                progress(len(outcomes), len(checked))
        return outcomes

    def _embedded(self, items: Sequence[Prepared | Refused], verbatim: bool) -> Iterator[list[Prepared | Refused]]:
        """Batches with their vectors; the next one is embedded while the caller stores the one before."""
        step = _VERBATIM_BATCH if verbatim else _BATCH
        batches = [items[first : first + step] for first in range(0, len(items), step)]
        if len(batches) <= 1:
            yield from (self._embed(batch, verbatim) for batch in batches)
            return
        with ThreadPoolExecutor(1, thread_name_prefix="recollect-capture") as pool:
            coming = [pool.submit(self._embed, batch, verbatim) for batch in batches[:1]]
            for batch in [*batches[1:], None]:
                ready = coming.pop()
                made = ready.result()
                if batch is not None:
                    coming.append(pool.submit(self._embed, batch, verbatim))
                yield made

    def _with_sources(self, items: Sequence[Prepared | Refused], identity: Identity) -> list[Prepared | Refused]:
        """Drafts with what they name; when something of that is not within reach, nothing of the call is stored."""
        if not any(isinstance(item, Prepared) and names_any(item.record) for item in items):
            return list(items)
        with self._store.reading() as reader:
            return [
                replace(item, record=sourced(reader, identity, item.record, place))
                if isinstance(item, Prepared)
                else item
                for place, item in enumerate(items)
            ]

    def _prepare(
        self,
        given: Draft | Mapping[str, Any] | str,
        place: int,
        identity: Identity,
        project: str | None,
        now: datetime,
        vetting: Vetting,
        verbatim: bool,
    ) -> Prepared | Refused:
        try:
            draft = draft_of(given)
            record = record_of(draft, identity, project, now, verbatim=verbatim)
        except InvalidInput as error:
            raise InvalidInput(f"drafts[{place}].{error.field}", error.problem, error.fix) if place else error from None
        vetted = vet(record, vetting, verbatim=verbatim)
        if isinstance(vetted, Refused):
            return vetted
        return Prepared(
            draft, vetted.record if verbatim else annotate(vetted.record, draft, infer=self._infer), vetted.notes
        )

    def _embed(self, items: Sequence[Prepared | Refused], verbatim: bool) -> list[Prepared | Refused]:
        ready = [item for item in items if isinstance(item, Prepared)]
        if self._embed_many is None or not ready:
            return list(items)
        try:
            vectors = iter(self._embed_many([item.record for item in ready]))
            scale = None if self._calibration is None or verbatim else self._calibration()
        except EmbedderError as error:
            note = f"stored without a vector, found by its words; `recollect reembed` adds it ({error})"
            return [replace(item, notes=(*item.notes, note)) if isinstance(item, Prepared) else item for item in items]
        return [
            replace(item, vectors=next(vectors), calibration=scale) if isinstance(item, Prepared) else item
            for item in items
        ]

    def _store_batch(
        self,
        tx: Transaction,
        batch: Sequence[Prepared | Refused],
        identity: Identity,
        now: datetime,
        lookup: Lookup | None,
    ) -> list[Outcome]:
        if lookup is not None and len(batch) > 1:
            meant = [(item.record, item.meaning) for item in batch if isinstance(item, Prepared)]
            lookup.ahead(tx, meant)
            lookup.between(meant)
        outcomes: list[Outcome] = []
        for item in batch:
            outcome = item if isinstance(item, Refused) else self._settle(tx, item, identity, now, lookup)
            if lookup is not None and isinstance(item, Prepared):
                lookup.watch(outcome)
            outcomes.append(outcome)
        self._close_gaps(tx, batch, outcomes, identity, now)
        return outcomes

    def _first(self, batch: Sequence[Prepared | Refused], identity: Identity, lookup: Lookup) -> First | None:
        """What storing one draft will ask first: of several, all is looked up at once."""
        match batch:
            case [Prepared(record=new) as item] if not (new.key or new.supersedes) and reaches(identity, new.place):
                return lookup.first(new, item.meaning, partial(self._reconciler.judge.read, new.content))
        return None

    def _close_gaps(
        self,
        tx: Transaction,
        batch: Sequence[Prepared | Refused],
        outcomes: Sequence[Outcome],
        identity: Identity,
        now: datetime,
    ) -> None:
        """What was asked for and is known now is no longer missing."""
        stored = [
            (outcome.memory, item.vectors)
            for item, outcome in zip(batch, outcomes, strict=True)
            if isinstance(item, Prepared) and isinstance(outcome, (Stored, Superseded))
        ]
        if self._answered is not None and stored:
            self._answered(tx, identity.account, stored, now)

    def _settle(
        self, tx: Transaction, item: Prepared, identity: Identity, now: datetime, lookup: Lookup | None
    ) -> Outcome:
        new = item.record
        if not reaches(identity, new.place):
            # Left in somebody else's room: what is in there must not show in the outcome, so nothing is looked up.
            record = new.with_(key=None, supersedes=None)
            tx.insert(record, item.vectors)
            return Stored(record, reason="kept for another", notes=item.notes)
        if new.key is not None and (held := tx.by_key(new.account, new.key, new.place)) is not None:
            return Stored(held, reason="already stored under this key", notes=item.notes)
        if new.supersedes is not None:
            return self._supersede(tx, item, identity)
        if lookup is None:
            tx.insert(new, item.vectors)
            return Stored(new, reason="verbatim", notes=item.notes)
        decision = self._reconciler.decide(tx, new, item.meaning, lookup)
        match decision:
            case Known(existing, reason):
                return self._reinforce(tx, item, existing, reason, now)
            case Forgotten(existing, reason) if not item.draft.revive:
                return Refused(f"{reason}; {_WAY_BACK[existing is None]}")
            case Forgotten(None, _):
                tx.allow_again(new.account, new.content)
                decision = New()
            case Forgotten(existing, _) if existing is not None:
                back = existing.with_(status="active", updated_at=now)
                tx.change(existing, back, "restore")
                return Reinforced(back, "brought back on request", notes=item.notes)
            case Replaces(old, reason, conflicts):
                record = _flagged(new, conflicts).with_(supersedes=old.id)
                tx.insert(record, item.vectors)
                return Superseded(record, old, reason, conflicts, item.notes)
        assert isinstance(decision, New)
        record = _flagged(new, decision.conflicts)
        tx.insert(record, item.vectors)
        reason = "new, but it may contradict what is known" if decision.conflicts else "new"
        return Stored(record, decision.conflicts, reason, item.notes)

    def _supersede(self, tx: Transaction, item: Prepared, identity: Identity) -> Outcome:
        old = target(tx, identity, item.record.supersedes or "")
        record = item.record.with_(supersedes=old.id)
        tx.insert(record, item.vectors)
        return Superseded(record, old, "the caller said so", notes=item.notes)

    def _reinforce(self, tx: Transaction, item: Prepared, existing: Record, reason: str, now: datetime) -> Outcome:
        said = item.record.provenance
        crumb = Breadcrumb(said.session, said.position, now)
        stronger = existing.with_(
            strength=existing.strength + 1,
            hit_at=now,
            status="active",
            breadcrumbs=(*existing.breadcrumbs, crumb),
            tags=tuple(dict.fromkeys((*existing.tags, *item.record.tags))),
            importance=max(existing.importance, item.record.importance),
            expires_at=_longer(existing.expires_at, item.record.expires_at),
            trust=max(existing.trust, item.record.trust),
            links=tuple(dict.fromkeys((*existing.links, *item.record.links)))[:MOST_LINKS],
            triggers=tuple(dict.fromkeys((*existing.triggers, *item.record.triggers))),
        )
        tx.change(existing, stronger, "reinforce", reason=reason)
        return Reinforced(stronger, reason, notes=item.notes)


def _flagged(new: Record, conflicts: Sequence[Conflict]) -> Record:
    """The memory with a link to each one it may contradict."""
    links = (Link(conflict.memory.id, "contradicts") for conflict in conflicts)
    return new.with_(links=(*new.links, *links)) if conflicts else new


def _longer(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later end; no end is the latest."""
    return None if one is None or other is None else max(one, other)
