"""Reading: from one JSON object of a file to the item it tells. A file may come from anywhere: every field is checked."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np

from recollect.errors import InvalidInput
from recollect.portable import checks
from recollect.portable.bodies import check_body
from recollect.portable.stream import (
    VERSION,
    Accessed,
    Filed,
    Footer,
    Grouped,
    HalfVectors,
    Happened,
    Header,
    Item,
    Noted,
    Purged,
    Remembered,
    Secrets,
    Switched,
)
from recollect.values.access import Access
from recollect.values.cluster import Cluster
from recollect.values.document import document_of
from recollect.values.event import Event
from recollect.values.image import from_image

_MOST_NUMBERS = 100_000


def read(name: str, said: Any, account: str, where: str) -> Item:
    """The item that an object of a file tells; what is wrong with it is an InvalidInput that names the field."""
    if name not in _READERS:
        checks.wrong(name[:40], "is not a kind of line", f"there are {', '.join(_READERS)}")
    return _READERS[name](said, account, where)


def _header(said: Any, _: str, __: str) -> Header:
    version = said.get("version") if isinstance(said, dict) else None
    if version != VERSION:
        fix = "upgrade recollect to read it" if isinstance(version, int) and version > VERSION else "export it again"
        checks.wrong("version", f"{version!r} is not a version this recollect reads ({VERSION})", fix)
    found = _HEADER("recollect", said)
    return Header(found["account"], found.get("counts", {}), found.get("vectors", True), found.get("history", False))


def _memory(said: Any, account: str, where: str) -> Remembered:
    rest = dict(said) if isinstance(said, dict) else said
    vectors, cluster = (
        (rest.pop(part, None) for part in ("vectors", "cluster")) if isinstance(rest, dict) else (None,) * 2
    )
    record = from_image({**checks.MEMORY("memory", rest), "account": account})
    model, rows = (None, None) if vectors is None else _vectors(vectors)
    return Remembered(record, model, rows, None if cluster is None else checks.uuid("cluster", cluster), where)


def _vectors(said: Any) -> tuple[str, HalfVectors]:
    found = _VECTORS("vectors", said)
    dimensions, raw = found["dimensions"], _bytes("vectors", found["half"])
    if dimensions < 1 or not raw or len(raw) % (2 * dimensions) or len(raw) > 2 * _MOST_NUMBERS:
        checks.wrong("vectors", f"are not vectors of {dimensions} dimensions")
    rows = np.frombuffer(raw, "<f2").reshape(-1, dimensions)
    # Compared by their cosine: a vector that is longer than the others would win every search.
    wide = rows.astype(np.float32)
    if not all(abs(square - 1.0) < 0.05 or square == 0.0 for square in (wide * wide).sum(axis=1).tolist()):
        checks.wrong("vectors", "are not of unit length", "leave them out and re-embed")
    return found["model"], rows


def _bytes(field: str, said: str) -> bytes:
    try:
        return base64.b64decode(said, validate=True)
    except (binascii.Error, ValueError):
        checks.wrong(field, "is not base64")


def _document(said: Any, account: str, where: str) -> Filed:
    image = _DOCUMENT("document", said)
    check_body(image["kind"], image["body"])
    return Filed(document_of(image, account), where)


def _document_image(side: str, said: Any) -> dict[str, Any]:
    image: dict[str, Any] = _DOCUMENT_IMAGE(side, said)
    check_body(image["kind"], image["body"])
    return image


def _event(said: Any, _: str, __: str) -> Happened:
    found = _EVENT("event", said)
    for side in ("before", "after"):
        if found.get(side) is not None:
            found[side] = (_document_image if found.get("document") else checks.image)(side, found[side])
    if found.get("before") is not None and found.get("after") is None and not found.get("document"):
        checks.MEMORY("before", {n: v for n, v in found["before"].items() if n not in checks.ONLY_IN_IMAGES})
    return Happened(
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
        )
    )


def _cluster(said: Any, _: str, __: str) -> Grouped:
    found = _CLUSTER("cluster", said)
    raw = _bytes("centroid", found["centroid"])
    if not raw or len(raw) % 4 or not np.all(np.isfinite(centroid := np.frombuffer(raw, "<f4"))):
        checks.wrong("centroid", "is not a vector")
    scope, room = found["wall"]
    made = datetime.fromisoformat(found["made_at"])
    cluster = Cluster(found["id"], found["name"], 0, centroid, found["radius"], made, (scope, room, ""))
    return Grouped(found["model"], cluster)


def _access(said: Any, _: str, __: str) -> Accessed:
    found = _ACCESS("access", said)
    at = datetime.fromisoformat(found["at"])
    return Accessed(found["document"], Access(at, found.get("agent"), found["action"], found.get("memory")))


def _hexadecimal(size: int) -> checks.Check:
    def check(field: str, value: Any) -> str:
        if not isinstance(value, str) or len(value) != 2 * size or not set(value) <= set("0123456789abcdef"):
            checks.wrong(field, "is not what it should be")
        return value

    return check


def _texts(size: int) -> checks.Check:
    def check(field: str, value: Any) -> list[str]:
        if not isinstance(value, list) or len(value) != size:
            checks.wrong(field, f"does not have {size} parts")
        return [checks.text(field, part) for part in value]

    return check


_COUNTS = checks.mapping
_HEADER = checks.shape(
    {"account": checks.text, "version": checks.whole},
    {"counts": _COUNTS, "vectors": checks.flag, "history": checks.flag},
)
_VECTORS = checks.shape({"model": checks.text, "dimensions": checks.whole, "half": checks.content}, {})
_DOCUMENT_FIELDS: dict[str, checks.Check] = {
    "id": checks.uuid,
    "kind": checks.one_of(checks.DOCUMENT_KINDS),
    "name": checks.text,
    "place": _texts(3),
    "body": checks.mapping,
    "created_at": checks.time,
    "updated_at": checks.time,
}
_DOCUMENT = checks.shape(_DOCUMENT_FIELDS, {})
_DOCUMENT_IMAGE = checks.shape(_DOCUMENT_FIELDS, {"partial": checks.flag})
_EVENT = checks.shape(
    {
        "operation": checks.uuid,
        "at": checks.time,
        "actor": checks.text,
        "kind": checks.one_of(checks.EVENT_KINDS),
        "memory": checks.uuid,
    },
    {
        "before": checks.mapping,
        "after": checks.mapping,
        "reason": checks.text,
        "undoes": checks.uuid,
        "document": checks.one_of(checks.DOCUMENT_KINDS),
    },
)
_CLUSTER = checks.shape(
    {
        "id": checks.uuid,
        "name": checks.text,
        "model": checks.text,
        "centroid": checks.text,
        "radius": checks.number(-1.0, 1.0),
        "made_at": checks.time,
        "wall": _texts(2),
    },
    {},
)
_ACCESS = checks.shape(
    {"document": checks.uuid, "at": checks.time, "action": checks.text},
    {"agent": checks.text, "memory": checks.uuid},
)
_SECRETS = checks.shape({"secrets": checks.several(_hexadecimal(32))}, {})
_PURGED = checks.shape({"digest": _hexadecimal(16)}, {})
_OFF = checks.shape({"project": checks.text}, {})
_NOTE = checks.shape({"name": checks.text, "value": checks.text}, {})
_END = checks.shape({"counts": _COUNTS}, {"sha256": _hexadecimal(32)})

_READERS: dict[str, Callable[[Any, str, str], Item]] = {
    "recollect": _header,
    "secrets": lambda said, *_: Secrets(tuple(_SECRETS("secrets", said)["secrets"])),
    "purged": lambda said, *_: Purged(bytes.fromhex(_PURGED("purged", said)["digest"])),
    "document": _document,
    "memory": _memory,
    "cluster": _cluster,
    "access": _access,
    "off": lambda said, *_: Switched(_OFF("off", said)["project"]),
    "note": lambda said, *_: Noted(**_NOTE("note", said)),
    "event": _event,
    "end": lambda said, *_: Footer(_END("end", said)["counts"]),
}


def located(error: InvalidInput, where: str) -> InvalidInput:
    """The same problem, naming where it stands."""
    return InvalidInput(f"{where}: {error.field}", error.problem, error.fix)
