"""Bodies: what the body of each kind of document must hold, so that the verbs that work with it find what they need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.portable import checks
from recollect.portable.checks import Check
from recollect.values.words import CONTEXT_TYPES, POOL_TYPES, SHORT_TERM_TYPES, DocumentKind


def optional(check: Check) -> Check:
    """The same, or nothing."""
    return lambda field, value: None if value is None else check(field, value)


def _access(field: str, value: Any) -> Any:
    found = checks.mapping(field, value)
    checks.flag("public_read", found.get("public_read"))
    for level in ("read", "write"):
        checks.several(checks.text)(level, found.get(level))
    return found


_OWNED: dict[str, Check] = {"owner": optional(checks.text), "access": _access}
_BODIES: Mapping[DocumentKind, Mapping[str, Check]] = {
    "tag": {"text": checks.text},
    "gap": {
        "question": checks.text,
        "terms": checks.several(checks.text),
        "vector": optional(checks.text),
        "count": checks.whole,
        "last_at": checks.time,
        "session": optional(checks.text),
        "answered_by": optional(checks.uuid),
    },
    "working": {"task": checks.text, "key": checks.text, "value": checks.plain, "expires_at": checks.number(0, 1e12)},
    "short_term": {
        "value": checks.plain,
        "type": checks.one_of(SHORT_TERM_TYPES),
        "ttl": checks.number(0, 1e12),
        "expires_at": checks.time,
    },
    "pool": {
        **_OWNED,
        "type": checks.one_of(POOL_TYPES),
        "data": checks.mapping,
        "version": checks.whole,
        "expires_at": optional(checks.time),
        "run": optional(checks.text),
    },
    "context": {
        **_OWNED,
        "type": checks.one_of(CONTEXT_TYPES),
        "archived": checks.flag,
        "description": optional(checks.text),
    },
    "snapshot": {
        "context": checks.uuid,
        "name": checks.text,
        "at": checks.time,
        "seq": checks.whole,
        "entries": checks.whole,
    },
}


def check_body(kind: DocumentKind, body: Mapping[str, Any]) -> None:
    """Refuse a body that lacks what its kind needs, or has something else in its place."""
    for name, check in _BODIES[kind].items():
        if name not in body:
            checks.wrong(kind, f"has no {name}")
        check(name, body[name])
