"""Answers as JSON: the field names of the Python values, times as ISO text in UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recollect.values.event import to_image
from recollect.values.memory import Record
from recollect.values.outcome import Refused, Reinforced, Stored, Superseded

if TYPE_CHECKING:
    from recollect.values.cluster import Cluster
    from recollect.values.event import Event
    from recollect.values.gap import Gap, Topic
    from recollect.values.memory import ProvenanceChain
    from recollect.values.outcome import Contradiction, Outcome
    from recollect.values.recalled import Explanation, Hit, Recalled, Related


def memory_json(record: Record) -> dict[str, Any]:
    """Every field of a memory, and its short id."""
    return {**to_image(record), "short_id": record.short_id}


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """The outcome of one draft."""
    return {
        "kind": outcome.kind,
        "memory": None if outcome.memory is None else memory_json(outcome.memory),
        "reason": outcome.reason,
        "conflicts": [
            {"memory": memory_json(found.memory), "similarity": found.similarity, "reason": found.reason}
            for found in outcome.conflicts
        ],
        "related": [
            {
                "memory": memory_json(found.memory),
                "similarity": found.similarity,
                "relation": found.relation,
                "reason": found.reason,
            }
            for found in outcome.related
        ],
        "notes": list(outcome.notes),
        "old": memory_json(outcome.old) if isinstance(outcome, Superseded) else None,
    }


def recalled_json(recalled: Recalled) -> dict[str, Any]:
    """Whether a recall is answered, its hits, notes and trace."""
    trace = recalled.trace
    return {
        "id": recalled.id,
        "answered": recalled.answered,
        "hits": [_hit_json(hit) for hit in recalled],
        "notes": list(recalled.notes),
        "trace": {
            "considered": trace.considered,
            "visible": trace.visible,
            "hidden": dict(trace.hidden),
            "dense": trace.dense,
            "lexical": trace.lexical,
            "reranked": trace.reranked,
            "milliseconds": dict(trace.milliseconds),
        },
    }


def related_json(found: Related) -> dict[str, Any]:
    """A related memory, with the path that leads to it."""
    return {"score": found.score, "path": list(found.path), "memory": memory_json(found.memory)}


def provenance_json(chain: ProvenanceChain) -> dict[str, Any]:
    """Where a memory comes from, nearest source first."""
    sources = [memory_json(source) for source in chain.sources]
    return {"memory": memory_json(chain.memory), "sources": sources, "trust": chain.trust}


def cluster_json(cluster: Cluster) -> dict[str, Any]:
    """A cluster without its centroid."""
    made_at = cluster.made_at.astimezone(UTC).isoformat()
    return {"id": cluster.id, "name": cluster.name, "size": cluster.size, "made_at": made_at}


def contradiction_json(found: Contradiction) -> dict[str, Any]:
    """Two contradicting memories."""
    sides = {"newer": memory_json(found.newer), "older": memory_json(found.older)}
    return {**sides, "similarity": found.similarity, "reason": found.reason}


def topic_json(topic: Topic) -> dict[str, Any]:
    """A topic with its unanswered questions."""
    return {"name": topic.name, "count": topic.count, "gaps": [_gap_json(gap) for gap in topic.gaps]}


def event_json(event: Event) -> dict[str, Any]:
    """One event of the journal."""
    return {**asdict(event), "at": event.at.astimezone(UTC).isoformat()}


def _gap_json(gap: Gap) -> dict[str, Any]:
    times = {name: getattr(gap, name).astimezone(UTC).isoformat() for name in ("first_at", "last_at")}
    return {**asdict(gap), **times}


def _hit_json(hit: Hit) -> dict[str, Any]:
    return {
        "score": hit.score,
        "similarity": hit.similarity,
        "relevance": hit.relevance,
        "memory": memory_json(hit.memory),
        "trigger": hit.trigger,
        "newer": hit.newer,
        "explain": None if hit.explain is None else _explanation_json(hit.explain),
    }


def _explanation_json(explain: Explanation) -> dict[str, Any]:
    return {
        "profile": explain.profile,
        "formula": explain.formula,
        "signals": [asdict(signal) for signal in explain.signals],
        "terms": list(explain.terms),
        "path": list(explain.path),
        "notes": list(explain.notes),
        "confidence": explain.confidence,
    }


def to_json(value: Any) -> Any:
    """Any value of the tiers, at any depth."""
    if isinstance(value, Record):
        return memory_json(value)
    if isinstance(value, (Stored, Reinforced, Superseded, Refused)):
        return outcome_json(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, Mapping):
        return {name: to_json(inside) for name, inside in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    if is_dataclass(value):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    return value
