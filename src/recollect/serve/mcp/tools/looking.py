"""The views of `list`: memories, one in full, its history, what contradicts, what is missing, tags, what is related, counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recollect.errors import InvalidInput
from recollect.serve.mcp.forms import DATA, memory_form
from recollect.serve.mcp.tool import Answer, Arguments, Desk
from recollect.serve.mcp.wording import fence, memories_text, told, ways_out
from recollect.values.image import to_image

_PAGE = 20
_MOST = 200


def look(desk: Desk, given: Arguments) -> Answer:
    """One view of what there is."""
    view = given.pop("view", None) or "memories"
    limit, offset = given.pop("limit", _PAGE), given.pop("offset", 0)
    if not 1 <= limit <= _MOST or offset < 0:
        raise InvalidInput("limit", f"{limit} from {offset} is not a page", f"give 1 to {_MOST}, from 0 on")
    wanted = given.pop("id", None)
    if view == "memories" and wanted is not None:
        return _one(desk, _whole(desk, wanted))
    if view == "memories":
        return _memories(desk, given | {"limit": limit, "offset": offset})
    if given:
        raise InvalidInput(next(iter(given)), f"does not narrow the view {view}", "leave it out")
    lines, items = VIEWS[view](desk, wanted)
    page = slice(offset, offset + limit)
    lines, items = lines[page], items[page]
    return Answer(fence(lines, desk.seed) if items else "Nothing here.", {"items": items, "notes": [DATA]})


def _memories(desk: Desk, given: Arguments) -> Answer:
    records = desk.memory.list(**given)
    items = [memory_form(record, desk.ids) for record in records]
    return Answer(memories_text(records, desk.ids, desk.seed), {"items": items, "notes": [DATA]})


def _one(desk: Desk, id: str) -> Answer:
    record = desk.memory.get(id)
    full = {name: value for name, value in to_image(record).items() if value not in (None, [], "")}
    lines = [told(record, desk.ids), *(f"  {name}: {value}" for name, value in full.items() if name != "content")]
    item = full | {"short_id": desk.ids.give(record)}
    return Answer(fence(lines, desk.seed), {"items": [item], "notes": [DATA]})


Shown = tuple[list[str], list[dict[str, Any]]]


def _history(desk: Desk, id: str | None) -> Shown:
    events = desk.memory.history(_whole(desk, id))
    items = [
        {"kind": event.kind, "at": event.at.isoformat(timespec="seconds"), "actor": event.actor}
        | ({"before": event.before} if event.before else {})
        | ({"after": event.after} if event.after else {})
        | ({"reason": event.reason} if event.reason else {})
        for event in events
    ]
    return [f"- {' · '.join(f'{name}: {value}' for name, value in item.items())}" for item in items], items


def _contradictions(desk: Desk, _: str | None) -> Shown:
    found = desk.memory.contradictions()
    lines, items = [], []
    for each in found:
        new, old = desk.ids.give(each.newer), desk.ids.give(each.older)
        item = {"new": memory_form(each.newer, desk.ids), "old": memory_form(each.older, desk.ids)}
        items.append(item | {"similarity": round(each.similarity, 2), "reason": each.reason})
        both = [told(each.newer, desk.ids), told(each.older, desk.ids), f"  {each.reason}"]
        lines.append("\n".join([*both, *(f"  - {way}" for way in ways_out(new, old))]))
    return lines, items


def _gaps(desk: Desk, _: str | None) -> Shown:
    topics = desk.memory.gaps()
    items: list[dict[str, Any]] = [
        {"topic": topic.name, "count": topic.count, "questions": [gap.question for gap in topic.gaps]}
        for topic in topics
    ]
    return [f"- {item['topic']} (asked {item['count']} times): {'; '.join(item['questions'])}" for item in items], items


def _tags(desk: Desk, _: str | None) -> Shown:
    items = [
        {"tag": tag.name, "count": tag.count} | ({"description": tag.description} if tag.description else {})
        for tag in desk.memory.tags()
    ]
    return [f"- #{item['tag']} ({item['count']}) {item.get('description', '')}".rstrip() for item in items], items


def _related(desk: Desk, id: str | None) -> Shown:
    found = desk.memory.related(_whole(desk, id), depth=2)
    items = [
        memory_form(each.memory, desk.ids) | {"match": round(each.score, 3), "path": list(each.path)} for each in found
    ]
    return [f"{told(each.memory, desk.ids)}\n  {' → '.join(each.path)}" for each in found], items


def _stats(desk: Desk, _: str | None) -> Shown:
    counts = desk.memory.stats()
    return [f"- {name}: {value}" for name, value in counts.items()], [counts]


def _whole(desk: Desk, id: str | None) -> str:
    if id is None:
        raise InvalidInput("id", "is missing; this view is of one memory", "give its id")
    return desk.ids.take(id)


def _records(_: Desk, __: str | None) -> Shown:
    return [], []


VIEWS: dict[str, Callable[[Desk, str | None], Shown]] = {
    "memories": _records,
    "history": _history,
    "contradictions": _contradictions,
    "gaps": _gaps,
    "tags": _tags,
    "related": _related,
    "stats": _stats,
}
