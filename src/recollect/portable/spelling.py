"""Spelling: one item of the stream as one JSON object. The same item always has the same spelling; `reading.py` reads it.

Keys are sorted and nothing is spelled that is null or empty, so that two stores that hold the same write the same bytes,
whatever their back ends make of the order of keys.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import UTC
from typing import Any

import numpy as np

from recollect.portable.stream import (
    NAMES,
    Accessed,
    Filed,
    Footer,
    Grouped,
    Happened,
    Header,
    Item,
    Noted,
    Purged,
    Remembered,
    Secrets,
    Switched,
)
from recollect.values.cluster import Cluster
from recollect.values.document import document_image
from recollect.values.event import Event
from recollect.values.image import to_image

# The account is said once, by the header; who superseded whom is worked out when read.
_UNSAID = ("account", "superseded_by")


def spelled(item: Item) -> str:
    """An item as one line of JSON, without the line's end."""
    return json.dumps({NAMES[type(item)]: _said(item)}, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _said(item: Item) -> dict[str, Any]:
    match item:
        case Remembered():
            return _memory_said(item)
        case Filed(document):
            return document_image(document)
        case Happened(event):
            return _event_said(event)
        case Header(account, counts, vectors, history, version):
            told = {"counts": dict(counts), "vectors": vectors, "history": history}
            return {"account": account, "version": version, **told}
        case Secrets(secrets):
            return {"secrets": list(secrets)}
        case Purged(digest):
            return {"digest": digest.hex()}
        case Grouped(model, cluster):
            return _cluster_said(model, cluster)
        case Accessed(document, access):
            at = access.at.astimezone(UTC).isoformat()
            told = {"agent": access.agent, "memory": access.memory_id}
            return {"document": document, "at": at, "action": access.action, **_present(told)}
        case Switched(project):
            return {"project": project}
        case Noted(name, value):
            return {"name": name, "value": value}
        case Footer(counts):
            return {"counts": dict(counts)}


def _present(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None and value != []}


def _memory_said(item: Remembered) -> dict[str, Any]:
    image = _present(to_image(item.record))
    for name in _UNSAID:
        image.pop(name, None)
    if item.vectors is not None:
        image["vectors"] = {
            "model": item.model,
            "dimensions": item.vectors.shape[1],
            "half": base64.b64encode(np.ascontiguousarray(item.vectors, "<f2").tobytes()).decode(),
        }
    return image if item.cluster is None else {**image, "cluster": item.cluster}


def _event_said(event: Event) -> dict[str, Any]:
    return _present(
        {
            "operation": event.operation,
            "at": event.at.astimezone(UTC).isoformat(),
            "actor": event.actor,
            "kind": event.kind,
            "memory": event.memory_id,
            "before": event.before,
            "after": event.after,
            "reason": event.reason,
            "undoes": event.undoes,
            "document": event.document,
        }
    )


def _cluster_said(model: str, cluster: Cluster) -> dict[str, Any]:
    return {
        "id": cluster.id,
        "name": cluster.name,
        "model": model,
        "centroid": base64.b64encode(cluster.centroid.astype("<f4").tobytes()).decode(),
        "radius": cluster.radius,
        "made_at": cluster.made_at.astimezone(UTC).isoformat(),
        "wall": list(cluster.wall[:2]),
    }
