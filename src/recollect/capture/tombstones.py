"""Tombstones: what memories that come in as they are would bring back, in other words, of what was forgotten here.

`remember` finds this out on its way; an import stores what it reads without reconciling it, and asks here first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from recollect.capture.alike import Lookup, Meaning
from recollect.capture.reconcile import restates
from recollect.ports import Calibrated, Judge, Reader
from recollect.values.memory import Record

Coming = Sequence[tuple[Record, NDArray[np.float16] | None]]


@dataclass(frozen=True, slots=True)
class Tombstones:
    """How texts are compared with what was forgotten: the judge, from which similarity on, and the scale of the vectors."""

    judge: Judge
    floor: float
    scale: Calibrated | None

    def restated(self, reader: Reader, coming: Coming, now: datetime) -> dict[str, list[Record]]:
        """By id, those that would bring something back, each with what."""
        lookup = Lookup(now, self.floor)
        meant = [(record, self._meaning(vectors)) for record, vectors in coming]
        lookup.ahead(reader, meant)
        found = {record.id: self._buried(reader, lookup, record, meaning) for record, meaning in meant}
        return {new: buried for new, buried in found.items() if buried}

    def _meaning(self, vectors: NDArray[np.float16] | None) -> Meaning:
        if vectors is None or self.scale is None:
            return Meaning()
        return Meaning(vectors[:1].astype(np.float32), self.scale)

    def _buried(self, reader: Reader, lookup: Lookup, new: Record, meaning: Meaning) -> list[Record]:
        near = [
            (found.whole(reader, new.account), found.likeness)
            for found in lookup.of(reader, new, meaning)
            if found.status == "forgotten" and found.seen.id != new.id
        ]
        here = [(old, similarity) for old, similarity in near if old.place == new.place]
        return [old for old, similarity in here if self._restates(old.content, new.content, similarity)]

    def _restates(self, old: str, new: str, similarity: float) -> bool:
        return restates(old, new, similarity, self.judge.compare(old, new, similarity).relation)
