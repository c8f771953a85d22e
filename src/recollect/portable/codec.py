"""Encodes one item of the stream as a JSON object, and decodes it again.

An item always has the same encoding: keys are sorted and empty values are omitted, so that two stores with the same content
write the same bytes, whatever order their back ends return keys in. A file may come from anywhere, so decoding checks every
field.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from recollect.errors import InvalidInput
from recollect.portable import item_validation as validate
from recollect.portable.item_validation import validate_body
from recollect.portable.stream import (
    KIND_NAMES,
    VERSION,
    AccessItem,
    ClusterItem,
    DocumentItem,
    EventItem,
    FooterItem,
    HalfVectors,
    HeaderItem,
    MemoryItem,
    NoteItem,
    PurgedItem,
    SecretsItem,
    StreamItem,
    SwitchItem,
)
from recollect.values.cluster import Cluster
from recollect.values.document import Access, document_image, document_of
from recollect.values.enums import CHANGE_ORIGINS
from recollect.values.event import Event, from_image, to_image
from recollect.values.scope import GLOBAL

# The header names the account once; who superseded whom is derived when read.
_NOT_ENCODED = ("account", "superseded_by")


def encode(item: StreamItem) -> str:
    """An item as one line of JSON, without the newline."""
    return json.dumps(
        {KIND_NAMES[type(item)]: _fields(item)}, ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )


def _fields(item: StreamItem) -> dict[str, Any]:
    match item:
        case MemoryItem():
            return _memory_fields(item)
        case DocumentItem(document):
            return document_image(document)
        case EventItem(event):
            return _event_fields(event)
        case HeaderItem(account, counts, vectors, history, version):
            contents = {"counts": dict(counts), "vectors": vectors, "history": history}
            return {"account": account, "version": version, **contents}
        case SecretsItem(secrets):
            return {"secrets": list(secrets)}
        case PurgedItem(digest, place):
            # Files of before have no place: such a digest holds for the whole account.
            return {"digest": digest.hex(), **({} if place == GLOBAL else {"place": list(place)})}
        case ClusterItem(model, cluster):
            return _cluster_fields(model, cluster)
        case AccessItem(document, access):
            at = access.at.astimezone(UTC).isoformat()
            optional = {"agent": access.agent, "memory": access.memory_id}
            return {"document": document, "at": at, "action": access.action, **_without_empty(optional)}
        case SwitchItem(project):
            return {"project": project}
        case NoteItem(name, value):
            return {"name": name, "value": value}
        case FooterItem(counts):
            return {"counts": dict(counts)}


def _without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None and value not in ([], {})}


def _memory_fields(item: MemoryItem) -> dict[str, Any]:
    image = _without_empty(to_image(item.record))
    for name in _NOT_ENCODED:
        image.pop(name, None)
    if item.vectors is not None:
        image["vectors"] = {
            "model": item.model,
            "dimensions": item.vectors.shape[1],
            "half": base64.b64encode(np.ascontiguousarray(item.vectors, "<f2").tobytes()).decode(),
        }
    return image if item.cluster is None else {**image, "cluster": item.cluster}


def _event_fields(event: Event) -> dict[str, Any]:
    return _without_empty(
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
            "origin": None if event.origin == "person" else event.origin,
        }
    )


def _cluster_fields(model: str, cluster: Cluster) -> dict[str, Any]:
    return {
        "id": cluster.id,
        "name": cluster.name,
        "model": model,
        "centroid": base64.b64encode(cluster.centroid.astype("<f4").tobytes()).decode(),
        "radius": cluster.radius,
        "made_at": cluster.made_at.astimezone(UTC).isoformat(),
        "wall": list(cluster.owner[:2]),
    }


_MOST_VECTOR_NUMBERS = 100_000


def decode(name: str, value: Any, account: str, where: str) -> StreamItem:
    """The item that a JSON object of a file encodes; an error names the field."""
    if name not in _DECODERS:
        validate.reject(name[:40], "is not a kind of line", f"there are {', '.join(_DECODERS)}")
    return _DECODERS[name](value, account, where)


def _decode_header(value: Any, _: str, __: str) -> HeaderItem:
    version = value.get("version") if isinstance(value, dict) else None
    if version != VERSION:
        fix = "upgrade recollect to read it" if isinstance(version, int) and version > VERSION else "export it again"
        validate.reject("version", f"{version!r} is not a version this recollect reads ({VERSION})", fix)
    found = _HEADER("recollect", value)
    return HeaderItem(
        found["account"], found.get("counts", {}), found.get("vectors", True), found.get("history", False)
    )


def _decode_memory(value: Any, account: str, where: str) -> MemoryItem:
    rest = dict(value) if isinstance(value, dict) else value
    vectors, cluster = (
        (rest.pop(part, None) for part in ("vectors", "cluster")) if isinstance(rest, dict) else (None,) * 2
    )
    record = from_image({**validate.MEMORY("memory", rest), "account": account})
    model, rows = (None, None) if vectors is None else _decode_vectors(vectors)
    return MemoryItem(record, model, rows, None if cluster is None else validate.uuid("cluster", cluster), where)


def _decode_vectors(value: Any) -> tuple[str, HalfVectors]:
    found = _VECTORS("vectors", value)
    dimensions, raw = found["dimensions"], _decode_base64("vectors", found["half"])
    if dimensions < 1 or not raw or len(raw) % (2 * dimensions) or len(raw) > 2 * _MOST_VECTOR_NUMBERS:
        validate.reject("vectors", f"are not vectors of {dimensions} dimensions")
    rows = np.frombuffer(raw, "<f2").reshape(-1, dimensions)
    # Vectors are compared by dot product: one longer than the others would win every search.
    wide = rows.astype(np.float32)
    if not all(abs(square - 1.0) < 0.05 or square == 0.0 for square in (wide * wide).sum(axis=1).tolist()):
        validate.reject("vectors", "are not of unit length", "leave them out and re-embed")
    return found["model"], rows


def _decode_base64(field: str, value: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        validate.reject(field, "is not base64")


def _decode_document(value: Any, account: str, where: str) -> DocumentItem:
    image = _DOCUMENT("document", value)
    validate_body(image["kind"], image["body"])
    return DocumentItem(document_of(image, account), where)


def _decode_document_image(side: str, value: Any) -> dict[str, Any]:
    image: dict[str, Any] = _DOCUMENT_IMAGE(side, value)
    validate_body(image["kind"], image["body"])
    return image


def _decode_event(value: Any, _: str, __: str) -> EventItem:
    found = _EVENT("event", value)
    for side in ("before", "after"):
        if found.get(side) is not None:
            found[side] = (_decode_document_image if found.get("document") else validate.memory_image)(
                side, found[side]
            )
    if found.get("before") is not None and found.get("after") is None and not found.get("document"):
        validate.MEMORY("before", {n: v for n, v in found["before"].items() if n not in validate.ONLY_IN_IMAGES})
    return EventItem(
        Event(
            seq=0,
            operation=found["operation"],
            at=datetime.fromisoformat(found["at"]),
            actor=found["actor"],
            kind=found["kind"],
            memory_id=found["memory"],
            before=found.get("before"),
            after=found.get("after"),
            reason=found.get("reason"),
            undoes=found.get("undoes"),
            document=found.get("document"),
            origin=found.get("origin", "person"),
        )
    )


def _decode_cluster(value: Any, _: str, __: str) -> ClusterItem:
    found = _CLUSTER("cluster", value)
    raw = _decode_base64("centroid", found["centroid"])
    if not raw or len(raw) % 4 or not np.all(np.isfinite(centroid := np.frombuffer(raw, "<f4"))):
        validate.reject("centroid", "is not a vector")
    scope, name = found["wall"]
    made = datetime.fromisoformat(found["made_at"])
    cluster = Cluster(found["id"], found["name"], 0, centroid, found["radius"], made, (scope, name, ""))
    return ClusterItem(found["model"], cluster)


def _decode_purged(value: Any, _: str, __: str) -> PurgedItem:
    found = _PURGED("purged", value)
    scope, key, project = found.get("place", GLOBAL)
    return PurgedItem(bytes.fromhex(found["digest"]), (scope, key, project))


def _decode_access(value: Any, _: str, __: str) -> AccessItem:
    found = _ACCESS("access", value)
    at = datetime.fromisoformat(found["at"])
    return AccessItem(found["document"], Access(at, found.get("agent"), found["action"], found.get("memory")))


def _hexadecimal(size: int) -> validate.Check:
    def check(field: str, value: Any) -> str:
        if not isinstance(value, str) or len(value) != 2 * size or not set(value) <= set("0123456789abcdef"):
            validate.reject(field, f"is not {2 * size} hexadecimal digits")
        return value

    return check


def _list_of_texts(size: int) -> validate.Check:
    def check(field: str, value: Any) -> list[str]:
        if not isinstance(value, list) or len(value) != size:
            validate.reject(field, f"does not have {size} parts")
        return [validate.text(field, part) for part in value]

    return check


def _counts(field: str, value: Any) -> dict[str, int]:
    found: dict[str, Any] = validate.json_object(field, value)
    return {kind: validate.integer(f"{field}.{kind}"[:80], count) for kind, count in found.items()}


_HEADER = validate.object_of(
    {"account": validate.text, "version": validate.integer},
    {"counts": _counts, "vectors": validate.boolean, "history": validate.boolean},
)
_VECTORS = validate.object_of({"model": validate.text, "dimensions": validate.integer, "half": validate.content}, {})
_DOCUMENT_FIELDS: dict[str, validate.Check] = {
    "id": validate.uuid,
    "kind": validate.one_of(validate.DOCUMENT_KINDS),
    "name": validate.text,
    "place": _list_of_texts(3),
    "body": validate.json_object,
    "created_at": validate.timestamp,
    "updated_at": validate.timestamp,
}
_DOCUMENT = validate.object_of(_DOCUMENT_FIELDS, {})
_DOCUMENT_IMAGE = validate.object_of(_DOCUMENT_FIELDS, {"partial": validate.boolean})
_EVENT = validate.object_of(
    {
        "operation": validate.uuid,
        "at": validate.timestamp,
        "actor": validate.text,
        "kind": validate.one_of(validate.EVENT_KINDS),
        "memory": validate.uuid,
    },
    {
        "before": validate.json_object,
        "after": validate.json_object,
        "reason": validate.text,
        "undoes": validate.uuid,
        "document": validate.one_of(validate.DOCUMENT_KINDS),
        "origin": validate.one_of(CHANGE_ORIGINS),
    },
)
_CLUSTER = validate.object_of(
    {
        "id": validate.uuid,
        "name": validate.text,
        "model": validate.text,
        "centroid": validate.text,
        # A little above 1 in files that were written before it was limited.
        "radius": validate.number_between(-1.01, 1.01),
        "made_at": validate.timestamp,
        "wall": _list_of_texts(2),
    },
    {},
)
_ACCESS = validate.object_of(
    {"document": validate.uuid, "at": validate.timestamp, "action": validate.text},
    {"agent": validate.text, "memory": validate.uuid},
)
_SECRETS = validate.object_of({"secrets": validate.list_of(_hexadecimal(32))}, {})
_PURGED = validate.object_of({"digest": _hexadecimal(16)}, {"place": _list_of_texts(3)})
_OFF = validate.object_of({"project": validate.text}, {})
_NOTE = validate.object_of({"name": validate.text, "value": validate.text}, {})
_END = validate.object_of({"counts": _counts}, {"sha256": _hexadecimal(32)})

_DECODERS: dict[str, Callable[[Any, str, str], StreamItem]] = {
    "recollect": _decode_header,
    "secrets": lambda value, *_: SecretsItem(tuple(_SECRETS("secrets", value)["secrets"])),
    "purged": _decode_purged,
    "document": _decode_document,
    "memory": _decode_memory,
    "cluster": _decode_cluster,
    "access": _decode_access,
    "off": lambda value, *_: SwitchItem(_OFF("off", value)["project"]),
    "note": lambda value, *_: NoteItem(**_NOTE("note", value)),
    "event": _decode_event,
    "end": lambda value, *_: FooterItem(_END("end", value)["counts"]),
}


def with_location(error: InvalidInput, where: str) -> InvalidInput:
    """The same error, naming its location."""
    return InvalidInput(f"{where}: {error.field}", error.problem, error.fix)
