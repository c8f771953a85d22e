"""The reference MCP memory server: JSON lines of entities with observations, and relations between entities.

An observation becomes a memory that names its entity. A relation becomes one too (what it says would be lost in a bare link),
and the two entities are linked.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput
from recollect.portable.importers.drafting import incoming, origin_of
from recollect.portable.importers.reading import field, lines_of, mapping
from recollect.portable.incoming import Batch, Incoming, LeftOut

_NAME = "mcp-memory"


def read(path: Path, only: str | None) -> Batch:
    """The graph of a file; `only` one entity and what it relates to."""
    entities: dict[str, tuple[str, dict[str, Any]]] = {}
    relations: list[tuple[str, dict[str, Any]]] = []
    for where, raw in lines_of(path):
        value = mapping(where, raw)
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
) -> Batch:
    items: list[Incoming] = []
    left: list[LeftOut] = []
    links: list[tuple[str, str]] = []
    anchors: dict[str, str] = {}
    related = {end for where, value in relations for end in (_name(where, value, "from"), _name(where, value, "to"))}
    for entity, (where, value) in entities.items():
        if only is not None and only != entity:
            left.append(LeftOut(where, "", f"another entity than {only}"))
            continue
        told = _observations(entity, where, value)
        if entity in related or not told:
            told.insert(0, _entity(entity, where, value))
        anchors[entity] = told[0].key
        items += told
    for where, value in relations:
        one, other = _name(where, value, "from"), _name(where, value, "to")
        if only is None or only in (one, other):
            items.append(_relation(where, value, one, other))
            if one in anchors and other in anchors:
                links.append((anchors[one], anchors[other]))
    return Batch(name, tuple(items), tuple(left), tuple(dict.fromkeys(links)), origin_of(_NAME))


def _entity(name: str, where: str, value: dict[str, Any]) -> Incoming:
    kind = _name(where, value, "entityType")
    text = f"{_plain(name)}: {kind}"
    return incoming(_NAME, f"entity\n{name}", where, text, tags=(_plain(name), kind), kind="entity")


def _observations(name: str, where: str, value: dict[str, Any]) -> list[Incoming]:
    kind = _name(where, value, "entityType")
    found = []
    for place, text in enumerate(field(where, value, "observations", list, needed=True)):
        spot = f"{where}, observation {place + 1}"
        if not isinstance(text, str):
            raise InvalidInput(spot, f"is {type(text).__name__}, not text", "repair or remove it; nothing was imported")
        if text.strip():
            said = text.strip() if _plain(name).casefold() in text.casefold() else f"{_plain(name)}: {text.strip()}"
            found.append(incoming(_NAME, f"{name}\n{text}", spot, said, tags=(_plain(name), kind)))
    return found


def _relation(where: str, value: dict[str, Any], one: str, other: str) -> Incoming:
    kind = _name(where, value, "relationType")
    said = f"{_plain(one)} {_plain(kind)} {_plain(other)}"
    return incoming(_NAME, f"relation\n{one}\n{kind}\n{other}", where, said, tags=(_plain(one), _plain(other)))


def _joined(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """An entity on two lines: the server itself would read both."""
    both = [*(before.get("observations") or ()), *(after.get("observations") or ())]
    return {**after, "observations": list(dict.fromkeys(both))}


def _name(where: str, value: dict[str, Any], name: str) -> str:
    found = str(field(where, value, name, needed=True)).strip()
    if not found:
        raise InvalidInput(f"{where}.{name}", "is empty", "repair or remove the line; nothing was imported")
    return found


def _plain(name: str) -> str:
    """A name as people write it."""
    return " ".join(name.replace("_", " ").split())
