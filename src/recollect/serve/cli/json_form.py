"""The JSON of every answer: the same words as the Python values, times as ISO text in UTC."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC
from typing import Any

from recollect.values.cluster import Cluster
from recollect.values.event import Event
from recollect.values.gap import Gap, Topic
from recollect.values.hit import Explanation, Hit, Recalled, Related
from recollect.values.image import to_image
from recollect.values.memory import Record
from recollect.values.origin import Origin
from recollect.values.outcome import Contradiction, Outcome, Superseded


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


def related_form(found: Related) -> dict[str, Any]:
    """A memory another one leads to, and the way there."""
    return {"score": found.score, "path": list(found.path), "memory": memory_form(found.memory)}


def origin_form(origin: Origin) -> dict[str, Any]:
    """Where a memory comes from, nearest source first."""
    sources = [memory_form(source) for source in origin.sources]
    return {"memory": memory_form(origin.memory), "sources": sources, "trust": origin.trust}


def cluster_form(cluster: Cluster) -> dict[str, Any]:
    """A cluster without its place among the vectors."""
    made = cluster.made_at.astimezone(UTC).isoformat()
    return {"id": cluster.id, "name": cluster.name, "size": cluster.size, "made_at": made}


def contradiction_form(found: Contradiction) -> dict[str, Any]:
    """Two memories that cannot both hold."""
    sides = {"newer": memory_form(found.newer), "older": memory_form(found.older)}
    return {**sides, "similarity": found.similarity, "reason": found.reason}


def topic_form(topic: Topic) -> dict[str, Any]:
    """What was asked about one thing."""
    return {"name": topic.name, "count": topic.count, "gaps": [_gap_form(gap) for gap in topic.gaps]}


def event_form(event: Event) -> dict[str, Any]:
    """One line of the journal."""
    return {**asdict(event), "at": event.at.astimezone(UTC).isoformat()}


def _gap_form(gap: Gap) -> dict[str, Any]:
    times = {name: getattr(gap, name).astimezone(UTC).isoformat() for name in ("first_at", "last_at")}
    return {**asdict(gap), **times}


def _hit_form(hit: Hit) -> dict[str, Any]:
    return {
        "score": hit.score,
        "similarity": hit.similarity,
        "memory": memory_form(hit.memory),
        "trigger": hit.trigger,
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
        "confidence": explain.confidence,
    }
