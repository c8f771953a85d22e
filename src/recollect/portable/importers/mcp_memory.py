"""The reference MCP memory server: JSON lines of entities with observations, and relations between entities.

An observation becomes a memory that names its entity. A relation becomes a memory too, because a link alone would lose its text,
and the two entities are linked.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput
from recollect.portable.drafts import SkippedText, SourceBatch, SourceDraft
from recollect.portable.importers.common import as_object, get_field, make_draft, origin_label, read_json_lines

_NAME = "mcp-memory"


def read(path: Path, only: str | None) -> SourceBatch:
    """The graph in a file; with `only`, one entity and its relations."""
    entities: dict[str, tuple[str, dict[str, Any]]] = {}
    relations: list[tuple[str, dict[str, Any]]] = []
    for where, raw in read_json_lines(path):
        value = as_object(where, raw)
        match value.get("type"):
            case "entity":
                name = _name(where, value, "name")
                entities[name] = (where, _joined(entities[name][1], value) if name in entities else value)
            case "relation":
                relations.append((where, value))
            case other:
                raise InvalidInput(f"{where}.type", f"{other!r} is neither entity nor relation", "nothing was imported")
    return _batch(path.name, entities, relations, only)


def _batch(
    name: str,
    entities: dict[str, tuple[str, dict[str, Any]]],
    relations: Sequence[tuple[str, dict[str, Any]]],
    only: str | None,
) -> SourceBatch:
    items: list[SourceDraft] = []
    skipped: list[SkippedText] = []
    links: list[tuple[str, str]] = []
    anchors: dict[str, str] = {}
    related = {end for where, value in relations for end in (_name(where, value, "from"), _name(where, value, "to"))}
    for entity, (where, value) in entities.items():
        if only is not None and only != entity:
            skipped.append(SkippedText(where, "", f"an entity other than {only}"))
            continue
        drafts = _observations(entity, where, value)
        if entity in related or not drafts:
            drafts.insert(0, _entity(entity, where, value))
        anchors[entity] = drafts[0].key
        items += drafts
    for where, value in relations:
        one, other = _name(where, value, "from"), _name(where, value, "to")
        if only is None or only in (one, other):
            items.append(_relation(where, value, one, other))
            if one in anchors and other in anchors:
                links.append((anchors[one], anchors[other]))
    return SourceBatch(name, tuple(items), tuple(skipped), tuple(dict.fromkeys(links)), origin_label(_NAME))


def _entity(name: str, where: str, value: dict[str, Any]) -> SourceDraft:
    kind = _name(where, value, "entityType")
    text = f"{_plain(name)}: {kind}"
    return make_draft(_NAME, f"entity\n{name}", where, text, tags=(_plain(name), kind), kind="entity")


def _observations(name: str, where: str, value: dict[str, Any]) -> list[SourceDraft]:
    kind = _name(where, value, "entityType")
    found = []
    for place, text in enumerate(get_field(where, value, "observations", list, required=True)):
        spot = f"{where}, observation {place + 1}"
        if not isinstance(text, str):
            raise InvalidInput(spot, f"is {type(text).__name__}, not text", "repair or remove it; nothing was imported")
        if text.strip():
            content = text.strip() if _plain(name).casefold() in text.casefold() else f"{_plain(name)}: {text.strip()}"
            found.append(make_draft(_NAME, f"{name}\n{text}", spot, content, tags=(_plain(name), kind)))
    return found


def _relation(where: str, value: dict[str, Any], one: str, other: str) -> SourceDraft:
    kind = _name(where, value, "relationType")
    content = f"{_plain(one)} {_plain(kind)} {_plain(other)}"
    return make_draft(_NAME, f"relation\n{one}\n{kind}\n{other}", where, content, tags=(_plain(one), _plain(other)))


def _joined(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """An entity that is on two lines, as the server itself reads it: with the observations of both."""
    both = [*(before.get("observations") or ()), *(after.get("observations") or ())]
    return {**after, "observations": list(dict.fromkeys(both))}


def _name(where: str, value: dict[str, Any], name: str) -> str:
    found = str(get_field(where, value, name, required=True)).strip()
    if not found:
        raise InvalidInput(f"{where}.{name}", "is empty", "repair or remove the line; nothing was imported")
    return found


def _plain(name: str) -> str:
    """A name as people write it."""
    return " ".join(name.replace("_", " ").split())
