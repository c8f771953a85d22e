"""The write path: intake, gate, annotate, embed, reconcile, commit. Drafts come in, outcomes come out in the same order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.capture.annotate import annotate
from recollect.capture.commit import PreparedDraft, commit
from recollect.capture.gate import Gate, screen_record
from recollect.capture.intake import draft_of, given_texts, has_references, record_of, resolve_references
from recollect.capture.neighbours import NeighbourLookup
from recollect.capture.reconcile import BatchTexts, Reconciler
from recollect.errors import EmbedderError, Interrupted, InvalidInput
from recollect.log import warning
from recollect.ports import Calibrated, EmbedMany, Progress, Transaction
from recollect.unit_of_work import UnitOfWork
from recollect.values.draft import Draft
from recollect.values.ids import new_id
from recollect.values.memory import Record
from recollect.values.outcome import Outcome, Refused, Stored, Superseded

# One transaction per batch: short enough that other writers wait for milliseconds only.
_BATCH = 96
_VERBATIM_BATCH = 512

GivenDraft = Draft | Mapping[str, Any] | str
# A draft on its way through the stages; one that is refused keeps its position until the outcomes are returned.
Item = PreparedDraft | Refused
# Called inside each transaction with (transaction, account, new memories with their vectors, time).
OnStored = Callable[[Transaction, str, Sequence[tuple[Record, NDArray[np.float32] | None]], datetime], None]


NO_VECTOR = "stored without a vector, found by its words; `recollect reembed` adds it when the model is there"


class Capture:
    """The write path of one open store."""

    def __init__(
        self,
        reconciler: Reconciler,
        gate: Gate,
        *,
        embed: EmbedMany | None = None,
        calibration: Callable[[], Calibrated] | None = None,
        infer: bool = True,
        on_stored: OnStored | None = None,
        lacks_model: bool = False,
    ) -> None:
        """`lacks_model`: an embedding model is set but is not there, so that memories get no vector yet."""
        self._reconciler, self._gate = reconciler, gate
        self._embed_many, self._calibration = embed, calibration
        self._infer, self._on_stored, self._lacks_model = infer, on_stored, lacks_model

    def remember(
        self,
        uow: UnitOfWork,
        drafts: Sequence[GivenDraft],
        *,
        verbatim: bool = False,
        apart: bool = False,
        compare: bool = True,
        keyed: bool = False,
        progress: Progress | None = None,
        also: Callable[[Transaction, Sequence[Outcome]], None] | None = None,
        operation: str | None = None,
    ) -> list[Outcome]:
        """Outcomes in the order of the drafts. Every draft is checked before the first one is stored.

        `apart` does not compare the drafts with each other; without `compare`, they are compared with tombstones only. With
        `keyed`, they leave the memories of other keys alone. `also` is called inside each transaction with its outcomes.
        `operation` is that of earlier calls, so that one undo takes back all of them.
        """
        now = uow.runtime.clock()
        items: list[Item] = self._intake(uow, drafts, now, verbatim)
        items = self._screen(uow, items, verbatim)
        items = items if verbatim else self._annotate(items)
        items = self._resolve_references(uow, items)
        projects = {item.record.project for item in items if isinstance(item, PreparedDraft)}
        siblings = frozenset(item.record.id for item in items if apart and isinstance(item, PreparedDraft))
        outcomes: list[Outcome] = []
        operation = operation or new_id(now)
        try:
            if progress is not None:
                progress(0, len(items))
            for batch in self._embed_batches(items, verbatim):
                compared = compare and not verbatim
                lookup = self._reconciler.lookup(now, siblings) if compared else None
                with uow.transaction(*projects, at=now, operation=operation) as tx:
                    done = self._reconcile_and_commit(tx, uow, batch, now, lookup, keyed=keyed)
                    if also is not None:
                        also(tx, done)
                    shown = uow.redact(tx, done)
                outcomes += shown
                if progress is not None:
                    progress(len(outcomes), len(items))
        except KeyboardInterrupt:
            raise Interrupted(operation, len(outcomes), len(items)) from None
        return outcomes

    def _intake(self, uow: UnitOfWork, drafts: Sequence[GivenDraft], now: datetime, verbatim: bool) -> list[Item]:
        """Stage 1: every draft as a checked memory that is not stored yet. An error names the draft and the field."""
        items: list[Item] = []
        for position, given in enumerate(drafts):
            try:
                draft = draft_of(given)
                record = record_of(draft, uow.viewer.identity, uow.viewer.project, now, verbatim=verbatim)
            except InvalidInput as error:
                if position == 0:
                    raise
                raise InvalidInput(f"drafts[{position}].{error.field}", error.problem, error.fix) from None
            items.append(PreparedDraft(draft, record))
        return items

    def _screen(self, uow: UnitOfWork, items: Sequence[Item], verbatim: bool) -> list[Item]:
        """Stage 2: the gate refuses, redacts or labels."""
        gate = self._gate.for_identity(uow.viewer.identity)

        def screened(item: PreparedDraft) -> Item:
            result = screen_record(item.record, gate, verbatim=verbatim, given=given_texts(item.draft))
            return result if isinstance(result, Refused) else replace(item, record=result.record, notes=result.notes)

        return [screened(item) if isinstance(item, PreparedDraft) else item for item in items]

    def _annotate(self, items: Sequence[Item]) -> list[Item]:
        """Stage 3: type, importance, tags and triggers from the text where the caller gave none."""
        return [
            replace(item, record=annotate(item.record, item.draft, infer=self._infer))
            if isinstance(item, PreparedDraft)
            else item
            for item in items
        ]

    def _resolve_references(self, uow: UnitOfWork, items: Sequence[Item]) -> list[Item]:
        """The memories that drafts refer to. If one is not visible, nothing of the whole call is stored."""
        if not any(isinstance(item, PreparedDraft) and has_references(item.record) for item in items):
            return list(items)
        with uow.view() as reader:
            return [
                replace(item, record=resolve_references(reader, uow.viewer.identity, item.record, position))
                if isinstance(item, PreparedDraft)
                else item
                for position, item in enumerate(items)
            ]

    def _embed_batches(self, items: Sequence[Item], verbatim: bool) -> Iterator[list[Item]]:
        """Stage 4: batches with their vectors. The next batch is embedded while the caller stores the one before."""
        step = _VERBATIM_BATCH if verbatim else _BATCH
        batches = [items[first : first + step] for first in range(0, len(items), step)]
        if len(batches) <= 1:
            yield from (self._embed(batch) for batch in batches)
            return
        with ThreadPoolExecutor(1, thread_name_prefix="recollect-capture") as pool:
            coming = pool.submit(self._embed, batches[0])
            for following in [*batches[1:], None]:
                ready = coming.result()
                if following is not None:
                    coming = pool.submit(self._embed, following)
                yield ready

    def _embed(self, items: Sequence[Item]) -> list[Item]:
        drafts = [item for item in items if isinstance(item, PreparedDraft)]
        if self._embed_many is None or not drafts:
            return _noted(items, NO_VECTOR) if self._lacks_model else list(items)
        try:
            vectors = iter(self._embed_many([item.record for item in drafts]))
            calibration = None if self._calibration is None else self._calibration()
        except EmbedderError as error:
            warning("%d memories are stored without a vector: %s", len(drafts), type(error).__name__)
            return _noted(items, f"{NO_VECTOR} ({error})")
        return [
            replace(item, vectors=next(vectors), calibration=calibration) if isinstance(item, PreparedDraft) else item
            for item in items
        ]

    def _reconcile_and_commit(
        self,
        tx: Transaction,
        uow: UnitOfWork,
        batch: Sequence[Item],
        now: datetime,
        lookup: NeighbourLookup | None,
        *,
        keyed: bool,
    ) -> list[Outcome]:
        """Stages 5 and 6, inside the transaction: compare each draft with what is stored, and write the result.

        Drafts of one batch see each other's outcomes, so the order of the drafts matters and they go one by one.
        """
        prepared = [item for item in batch if isinstance(item, PreparedDraft)]
        drafts = [(item.record, item.embedding) for item in prepared]
        identity = uow.viewer.identity
        stored = {} if lookup is None else tx.texts_of(uow.viewer.account, [record.content for record, _ in drafts])
        if lookup is not None and len(batch) > 1:
            lookup.prefetch(tx, drafts)
            lookup.compare_drafts(drafts)
        incoming = [(item.record, item.vectors) for item in prepared]
        blocked = self._gate.tombstones.of(tx, identity, incoming, now, stored=stored)
        texts = BatchTexts(stored)
        decide = None if lookup is None else replace(self._reconciler, keyed=keyed).for_batch(texts, lookup)
        outcomes: list[Outcome] = []
        for item in batch:
            if isinstance(item, Refused):
                outcomes.append(item)
                continue
            tombstone = blocked.get(item.record.id)
            outcomes.append(commit(tx, item, identity, now, decide, tombstone))
            if lookup is not None:
                lookup.note_outcome(outcomes[-1])
                texts.note_outcome(outcomes[-1], None if tombstone is None else tombstone.memory)
        self._report_stored(tx, uow.viewer.account, batch, outcomes, now)
        return outcomes

    def _report_stored(
        self, tx: Transaction, account: str, batch: Sequence[Item], outcomes: Sequence[Outcome], now: datetime
    ) -> None:
        """Tell the listener which memories are new; it closes the gaps they answer."""
        stored = [
            (outcome.memory, item.vectors)
            for item, outcome in zip(batch, outcomes, strict=True)
            if isinstance(item, PreparedDraft) and isinstance(outcome, (Stored, Superseded))
        ]
        if self._on_stored is not None and stored:
            self._on_stored(tx, account, stored, now)


def _noted(items: Sequence[Item], note: str) -> list[Item]:
    """The same items, each draft with one more note."""
    return [replace(item, notes=(*item.notes, note)) if isinstance(item, PreparedDraft) else item for item in items]
