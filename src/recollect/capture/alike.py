"""Alike: the memories a new one is compared with, those alike enough for a second look. Reconcile asks for them.

A batch is looked up at once, before its first draft is stored. What the batch itself stores is added; a draft that something
it changed may bear on is looked up again. So the outcome is the same as for drafts stored one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from recollect.ports import Calibrated, Reader
from recollect.values.filter import Filter
from recollect.values.first import First
from recollect.values.memory import Record
from recollect.values.outcome import Outcome, Reinforced, Stored, Superseded
from recollect.values.scope import Identity, Viewer
from recollect.values.search import Glimpse, Near, Search
from recollect.values.supersession import in_force
from recollect.values.terms import query_terms
from recollect.values.words import STATUSES, Status

_EVERY_STATUS = Filter(statuses=("active", "superseded", "archived", "forgotten"))
_LOOK_AT = 12
_MANY_WORDS = 48


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a new memory means, as far as an embedder told, and how to read the cosines of its model."""

    vectors: NDArray[np.float32] | None = None
    calibration: Calibrated | None = None

    @property
    def vector(self) -> NDArray[np.float32] | None:
        """What is compared with the store: the whole text's."""
        return None if self.vectors is None else self.vectors[0]


@dataclass(frozen=True, slots=True)
class Alike:
    """A memory like a draft: what is compared of it, its standing for whoever sees the draft, and how alike it is."""

    seen: Glimpse | Record
    status: Status
    likeness: float

    def whole(self, reader: Reader, account: str) -> Record:
        """The memory itself, read now if only its text was: nearly all are told apart by that."""
        seen = self.seen
        record = seen if isinstance(seen, Record) else reader.fetch(account, [seen.row])[0]
        return record if record.status == self.status else record.with_(status=self.status)


Found = list[Alike]


@dataclass(slots=True)
class Lookup:
    """What the store holds that is like each draft of a batch, from `floor` similarity on, most alike first."""

    now: datetime
    floor: float
    # Never compared with: the lines of one document stand beside each other, however alike they are worded.
    apart: frozenset[str] = frozenset()
    _found: dict[str, Found] = field(default_factory=dict)
    # For each draft of a batch, the earlier ones that are alike; what became of them is known when it is its turn.
    _earlier: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    _stored: dict[str, Record] = field(default_factory=dict)
    _changed: set[str] = field(default_factory=set)

    def ahead(self, reader: Reader, batch: Sequence[tuple[Record, Meaning]]) -> None:
        """Look a whole batch up, grouped by who may see what."""
        groups: dict[Viewer, list[tuple[Record, Meaning]]] = {}
        for new, meaning in batch:
            if meaning.vector is not None:
                groups.setdefault(_viewer(new), []).append((new, meaning))
        for viewer, members in groups.items():
            search = Search(viewer, _EVERY_STATUS, self.now.timestamp(), depth=_LOOK_AT)
            near = reader.near(search, [meaning.vector for _, meaning in members if meaning.vector is not None])
            kept = [self._kept(found, meaning) for found, (_, meaning) in zip(near, members, strict=True)]
            rows = list({row: None for some in kept for row, _, _ in some})
            seen = dict(zip(rows, reader.glimpse(viewer.account, rows), strict=True)) if rows else {}
            for (new, _), some in zip(members, kept, strict=True):
                self._found[new.id] = [Alike(seen[row], status, likeness) for row, status, likeness in some]

    def between(self, batch: Sequence[tuple[Record, Meaning]]) -> None:
        """Compare the drafts of a batch with each other, as they will be compared with what is stored."""
        told = [(new, meaning.vectors) for new, meaning in batch if meaning.vectors is not None]
        scale = next((meaning.calibration for _, meaning in batch if meaning.calibration is not None), None)
        if scale is None or len(told) < 2:
            return
        wholes = np.stack([vectors[0] for _, vectors in told])
        cosines = np.vecdot(wholes[:, None], np.concatenate([vectors for _, vectors in told]))
        firsts = np.cumsum([0, *(len(vectors) for _, vectors in told[:-1])])
        likeness = scale.similarity((cosines[:, firsts] + np.maximum.reduceat(cosines, firsts, axis=1)) / 2)
        for later, earlier in np.argwhere(np.tril(likeness >= self.floor, -1)).tolist():
            pair = (told[earlier][0].id, float(likeness[later, earlier]))
            self._earlier.setdefault(told[later][0].id, []).append(pair)

    def of(self, reader: Reader, new: Record, meaning: Meaning) -> Found:
        """The memories like one draft, as of now."""
        return [found for found in self._like(reader, new, meaning) if found.seen.id not in self.apart]

    def first(self, new: Record, meaning: Meaning, meanwhile: Callable[[], object]) -> First | None:
        """What reconciling one draft asks first; None without a vector."""
        if meaning.vectors is None or meaning.calibration is None:
            return None
        return First(new, meaning.vectors, self._search(new), meanwhile)

    def _like(self, reader: Reader, new: Record, meaning: Meaning) -> Found:
        ahead = self._found.get(new.id)
        if ahead is None:
            return self._asked(reader, new, meaning)
        both = [*ahead, *self._of_batch(new)]
        if any(found.seen.id in self._changed for found in both):
            return self._asked(reader, new, meaning)
        return sorted(both, key=lambda found: -found.likeness)[:_LOOK_AT]

    def watch(self, outcome: Outcome) -> None:
        """Take note of what became of a draft of the batch."""
        match outcome:
            case Stored(memory) | Superseded(memory):
                self._stored[memory.id] = memory
            case Reinforced(memory):
                self._changed.add(memory.id)
        if isinstance(outcome, Superseded):
            self._changed.add(outcome.old.id)

    def _of_batch(self, new: Record) -> Found:
        """Those stored by this batch that are like a draft and that it may be compared with."""
        alike = [
            (self._stored[known], likeness)
            for known, likeness in self._earlier.get(new.id, ())
            if known in self._stored
        ]
        places = _viewer(new).places() if alike else ()
        return [
            Alike(record, record.status, likeness)
            for record, likeness in alike
            if record.place in places and in_force(record, self.now)
        ]

    def _kept(self, found: Near, meaning: Meaning) -> list[tuple[int, Status, float]]:
        if meaning.calibration is None or len(found.rows) == 0:
            return []
        likeness = meaning.calibration.similarity(found.cosine)
        rows, statuses = found.rows.tolist(), found.status.tolist()
        return [
            (rows[i], STATUSES[statuses[i]], alike) for i, alike in enumerate(likeness.tolist()) if alike >= self.floor
        ]

    def _asked(self, reader: Reader, new: Record, meaning: Meaning) -> Found:
        search = self._search(new)
        if meaning.vector is None or meaning.calibration is None:
            return self._by_words(reader, new, search)
        kept = self._kept(reader.near(search, [meaning.vector])[0], meaning)
        seen = reader.glimpse(new.account, [row for row, _, _ in kept])
        return [Alike(one, status, likeness) for one, (_, status, likeness) in zip(seen, kept, strict=True)]

    def _search(self, new: Record) -> Search:
        return Search(_viewer(new), _EVERY_STATUS, self.now.timestamp(), depth=_LOOK_AT)

    def _by_words(self, reader: Reader, new: Record, search: Search) -> Found:
        """Without vectors, likeness is the share of the draft's telling words."""
        found = reader.candidates(replace(search, terms=query_terms(new.content)[:_MANY_WORDS]))
        likeness = np.vecdot((found.matches > 0).astype(np.float32), found.idf) / max(float(found.idf.sum()), 1e-9)
        order = [int(i) for i in np.argsort(-likeness, kind="stable") if likeness[i] >= self.floor]
        seen = reader.glimpse(new.account, [int(found.rows[i]) for i in order])
        return [
            Alike(one, STATUSES[found.columns.status[i]], float(likeness[i]))
            for one, i in zip(seen, order, strict=True)
        ]


def _viewer(new: Record) -> Viewer:
    """Who sees what a new memory may be compared with: whoever sees the place it goes to."""
    # Only the room it goes to: an agent or a team that is merely named opens nothing.
    agent = new.agent if new.scope == "agent" else None
    identity = Identity(new.account, agent, (new.team,) if new.scope == "team" and new.team else ())
    return Viewer(identity, new.project, new.session if new.scope == "session" else None, new.task)
