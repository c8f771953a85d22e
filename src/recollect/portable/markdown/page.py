"""One memory as one Markdown file: which fields it shows, which of them may be edited, and what an edited file says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recollect.errors import InvalidInput
from recollect.portable import front_matter
from recollect.values.event import to_image
from recollect.values.memory import Record

EDITABLE = (
    "content", "type", "tags", "importance", "confidence", "weight", "delivery", "triggers", "season",
    "valid_from", "valid_until", "expires_at", "metadata",
)  # fmt: skip
_PLACE = ("scope", "project", "agent", "team", "user", "session", "task")
_PROVENANCE = ("speaker", "occurred_at", "source")
_TIMES = ("created_at", "updated_at")
# Default values are not written.
_DEFAULTS: dict[str, Any] = {
    "importance": 0.5, "confidence": 1.0, "weight": 1.0, "delivery": "on_demand", "source": "user_stated",
    "tags": [], "triggers": [], "metadata": {},
}  # fmt: skip
_LISTS = ("tags", "triggers")
_NUMBERS = ("importance", "confidence", "weight")
PAGE_FIELDS = ("id", "type", "tags", *EDITABLE[3:], *_PLACE, *_PROVENANCE, *_TIMES)


@dataclass(frozen=True, slots=True)
class MarkdownPage:
    """A file as it was read: its path, the fields of its front matter, its text, and the SHA-256 of its bytes."""

    path: str
    fields: Mapping[str, Any]
    content: str
    sha256: str

    @property
    def id(self) -> str | None:
        return self.fields.get("id")

    def value(self, name: str) -> Any:
        """An editable field as the file has it; a field that is not written has its default value."""
        return self.content if name == "content" else self.fields.get(name, _DEFAULTS.get(name))


def render_page(record: Record) -> str:
    """The file of a memory."""
    image = to_image(record)
    fields = {name: image[name] for name in PAGE_FIELDS if name == "type" or image[name] != _DEFAULTS.get(name)}
    written = {name: value for name, value in fields.items() if value not in (None, [], {})}
    return front_matter.render(written, record.content)


def editable_values(record: Record) -> dict[str, Any]:
    """The editable fields of a memory, as its file would have them."""
    image = to_image(record)
    return {name: image[name] for name in EDITABLE}


def parse_page(path: str, raw: bytes) -> MarkdownPage:
    """Read a file; an error names the line or the field."""
    try:
        found = front_matter.parse(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise InvalidInput(path, "is not UTF-8", "save it as UTF-8") from None
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.field}", error.problem, error.fix) from None
    for name in found.fields:
        if name not in PAGE_FIELDS:
            raise InvalidInput(f"{path}: {name}", "is not a field of a memory", f"there are {', '.join(PAGE_FIELDS)}")
    fields = {name: _typed(path, name, value) for name, value in found.fields.items()}
    return MarkdownPage(path, fields, found.body.strip(), hashlib.sha256(raw).hexdigest())


def value_hash(value: Any) -> str:
    """A short hash of a value, enough to notice that it was edited."""
    plain = value.replace("\r\n", "\n").strip() if isinstance(value, str) else value
    return hashlib.sha256(json.dumps(plain, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:16]


def _typed(path: str, name: str, value: Any) -> Any:
    if name in _LISTS and isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if name in _NUMBERS:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise InvalidInput(f"{path}: {name}", f"{value!r} is not a number", "write it like 0.7") from None
    if name == "metadata" and isinstance(value, Mapping):
        return value
    if name not in _LISTS and not isinstance(value, str):
        raise InvalidInput(f"{path}: {name}", f"{value!r} is not text", "write one value per line")
    return value if value != "" else None
