"""Sheet: one memory as one file. Which fields it shows, which of them may be edited, and what an edited one says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recollect.errors import InvalidInput
from recollect.portable.markdown.front_matter import parsed, rendered
from recollect.values.image import to_image
from recollect.values.memory import Record

EDITABLE = (
    "content", "type", "tags", "importance", "confidence", "weight", "delivery", "triggers", "season",
    "valid_from", "valid_until", "expires_at",
)  # fmt: skip
_PLACE = ("scope", "project", "agent", "team", "session", "task")
_SAID = ("speaker", "occurred_at", "source")
_TIMES = ("created_at", "updated_at")
# What most memories have is not worth a line.
_USUAL: dict[str, Any] = {
    "importance": 0.5, "confidence": 1.0, "weight": 1.0, "delivery": "on_demand", "source": "user_stated",
    "tags": [], "triggers": [],
}  # fmt: skip
_LISTS = ("tags", "triggers")
_NUMBERS = ("importance", "confidence", "weight")
SHOWN = ("id", "type", "tags", *EDITABLE[3:], *_PLACE, *_SAID, *_TIMES)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file as it was read: where it lies, what its front matter says, its text, and the fingerprint of its bytes."""

    path: str
    fields: Mapping[str, Any]
    content: str
    sha256: str

    @property
    def id(self) -> str | None:
        return self.fields.get("id")

    def value(self, name: str) -> Any:
        """A field that may be edited, as the file says it; one that is not there has its usual value."""
        return self.content if name == "content" else self.fields.get(name, _USUAL.get(name))


def sheet_of(record: Record) -> str:
    """The file of a memory."""
    image = to_image(record)
    fields = {name: image[name] for name in SHOWN if name == "type" or image[name] != _USUAL.get(name)}
    return rendered({name: value for name, value in fields.items() if value not in (None, [])}, record.content)


def values_of(record: Record) -> dict[str, Any]:
    """What may be edited of a memory, as its file would say it."""
    image = to_image(record)
    return {name: image[name] for name in EDITABLE}


def read_sheet(path: str, raw: bytes) -> Sheet:
    """A file as it says itself; what is wrong is named with its line."""
    try:
        fields, content = parsed(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise InvalidInput(path, "is not UTF-8", "save it as UTF-8") from None
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.field}", error.problem, error.fix) from None
    for name in fields:
        if name not in SHOWN:
            raise InvalidInput(f"{path}: {name}", "is not a field of a memory", f"there are {', '.join(SHOWN)}")
    typed = {name: _typed(path, name, value) for name, value in fields.items()}
    return Sheet(path, typed, content, hashlib.sha256(raw).hexdigest())


def _typed(path: str, name: str, value: Any) -> Any:
    if name in _LISTS and isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if name in _NUMBERS:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise InvalidInput(f"{path}: {name}", f"{value!r} is not a number", "write it like 0.7") from None
    if name not in _LISTS and not isinstance(value, str):
        raise InvalidInput(f"{path}: {name}", f"{value!r} is not text", "write one value a line")
    return value if value != "" else None


def mark(value: Any) -> str:
    """A short fingerprint of a value: enough to see that it was edited."""
    plain = value.replace("\r\n", "\n").strip() if isinstance(value, str) else value
    return hashlib.sha256(json.dumps(plain, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:16]
