"""Confidence as it stands today: what was believed at first, worn by time, firmed by use, bounded by trust (seed 002)."""

from __future__ import annotations

import math
from datetime import datetime

from recollect.values.memory import Record

HALF_LIVES = {"correction": 365.0, "preference": 90.0, "procedure": 60.0, "fact": 30.0}
INFERRED = 7.0
OTHER = 30.0


def half_life(kind: str, source: str) -> float:
    """The days in which belief in a memory of this type and source wears to a third."""
    return INFERRED if source == "inferred" else HALF_LIVES.get(kind, OTHER)


def confidence_now(record: Record, now: datetime) -> float:
    """initial · exp(−age_days/half_life) · (1 + 0.1·ln(access_count + 1)) · trust, within [0, 1]."""
    life = half_life(record.type, record.provenance.kind)
    days = max((now - record.updated_at).total_seconds() / 86_400, 0.0)
    firmed = 1 + 0.1 * math.log(record.access_count + 1)
    return min(max(record.confidence * math.exp(-days / life) * firmed * record.trust, 0.0), 1.0)
