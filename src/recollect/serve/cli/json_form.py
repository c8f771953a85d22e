"""The JSON of every answer: the same words as the Python values, times as ISO text in UTC."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC
from typing import Any

from recollect.values.event import Event
from recollect.values.hit import Explanation, Hit, Recalled
from recollect.values.image import to_image
from recollect.values.memory import Record
from recollect.values.outcome import Outcome, Superseded


def memory_form(record: Record) -> dict[str, Any]:
    """Every field of a memory, and the short id by which people name it."""
    return {**to_image(record), "short_id": record.short_id}


def outcome_form(outcome: Outcome) -> dict[str, Any]:
    """What became of a draft."""
    return {
        "kind": outcome.kind,
        "memory": None if outcome.memory is None else memory_form(outcome.memory),
        "reason": outcome.reason,
        "conflicts": [
            {"memory": memory_form(found.memory), "similarity": found.similarity, "reason": found.reason}
            for found in outcome.conflicts
        ],
        "notes": list(outcome.notes),
        "old": memory_form(outcome.old) if isinstance(outcome, Superseded) else None,
    }


def recalled_form(recalled: Recalled) -> dict[str, Any]:
    """The hits, what is to be said about them, and what was filtered."""
    trace = recalled.trace
    return {
        "hits": [_hit_form(hit) for hit in recalled],
        "notes": list(recalled.notes),
        "trace": {
            "considered": trace.considered,
            "visible": trace.visible,
            "hidden": dict(trace.hidden),
            "dense": trace.dense,
            "lexical": trace.lexical,
            "milliseconds": dict(trace.milliseconds),
        },
    }


def event_form(event: Event) -> dict[str, Any]:
    """One line of the journal."""
    return {**asdict(event), "at": event.at.astimezone(UTC).isoformat()}


def _hit_form(hit: Hit) -> dict[str, Any]:
    return {
        "score": hit.score,
        "similarity": hit.similarity,
        "memory": memory_form(hit.memory),
        "explain": None if hit.explain is None else _explanation_form(hit.explain),
    }


def _explanation_form(explain: Explanation) -> dict[str, Any]:
    return {
        "profile": explain.profile,
        "formula": explain.formula,
        "signals": [asdict(signal) for signal in explain.signals],
        "terms": list(explain.terms),
        "path": list(explain.path),
        "notes": list(explain.notes),
    }
