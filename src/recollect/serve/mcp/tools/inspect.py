"""The tool list: memories by filter, one in full, its history, contradictions, gaps, tags, related memories, statistics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recollect.errors import InvalidInput
from recollect.serve.mcp.arguments import Arguments, choice, id_, name, whole
from recollect.serve.mcp.fields import FILTERS
from recollect.serve.mcp.results import DATA_NOTE, memory_json, page_result
from recollect.serve.mcp.schemas import integer, objects, output, string, strings
from recollect.serve.mcp.text import RESOLVE, fence, memory_line
from recollect.serve.mcp.tool import Tool, ToolContext, ToolResult
from recollect.values.event import to_image

_DEFAULT_LIMIT, _MAX_LIMIT = 20, 200
_RELATED_DEPTH = 2
# So much of a long text is shown at once.
_PART = 20_000
# A view returns its items twice: as lines of text and as JSON objects.
View = tuple[list[str], list[dict[str, Any]]]
Where = dict[str, Any]


def _list(context: ToolContext, given: Arguments) -> ToolResult:
    view = given.pop("view", None) or "memories"
    limit, offset = given.pop("limit", _DEFAULT_LIMIT), given.pop("offset", 0)
    if not 1 <= limit <= _MAX_LIMIT:
        raise InvalidInput("limit", f"{limit} is out of range", f"give 1 to {_MAX_LIMIT}")
    if offset < 0:
        raise InvalidInput("offset", f"{offset} is out of range", "give a whole number from 0")
    memory_id = given.pop("id", None)
    where = {name: given.pop(name, None) for name in ("session", "task")}
    if view == "memories":
        if memory_id is not None:
            return show_memory(context, memory_id, offset)
        after = given.pop("after", None)
        page = context.memory.list(limit=limit, after=after and context.ids.expand(after), total=True, **where, **given)
        return page_result(context, page)
    lines, items = _VIEWS[view](context, memory_id, where)
    lines, items = lines[offset : offset + limit], items[offset : offset + limit]
    text = fence(context, lines) if items else "Nothing found."
    notes = [f"not applied to the view {view}: {', '.join(given)}"] if given else []
    return ToolResult(
        "\n".join([text, *(f"note: {note}" for note in notes)]), {"notes": [DATA_NOTE, *notes], "items": items}
    )


def show_memory(context: ToolContext, id: str, offset: int = 0) -> ToolResult:
    """One memory with all its fields; of a very long text, the part that begins at `offset`."""
    from recollect.recall.assembly import shown_text  # imports numpy, which the handshake does not need

    record = context.memory.get(context.ids.expand(id))
    part = record.content[offset : offset + _PART]
    fields = {name: value for name, value in to_image(record).items() if value not in (None, [], "", {})}
    lines = [f"  {name}: {value}" for name, value in fields.items() if name != "content"]
    item = fields | {"content": shown_text(part, None), "short_id": context.ids.shorten(record)}
    end = offset + len(part)
    if end < len(record.content):
        item |= {"truncated": True, "rest": f"{end:,} of {len(record.content):,} characters; go on with offset={end}"}
        lines.append(f"  cut: {item['rest']}")
    text = fence(context, [memory_line(context, record.with_(content=part), whole=True), *lines])
    return ToolResult(text, {"notes": [DATA_NOTE], "items": [item]})


def _history(context: ToolContext, id: str | None, _: Where) -> View:
    items = [
        {"kind": event.kind, "at": event.at.isoformat(timespec="seconds"), "actor": event.actor}
        | ({"before": event.before} if event.before else {})
        | ({"after": event.after} if event.after else {})
        | ({"reason": event.reason} if event.reason else {})
        for event in context.memory.history(_required_id(context, id))
    ]
    return [f"- {' · '.join(f'{name}: {value}' for name, value in item.items())}" for item in items], items


def _contradictions(context: ToolContext, _: str | None, where: Where) -> View:
    ids = context.ids
    lines, items = [], []
    for found in context.memory.contradictions(**where):
        pair = {"new": memory_json(context, found.newer), "old": memory_json(context, found.older)}
        items.append(pair | {"similarity": round(found.similarity, 2), "reason": found.reason})
        shown = [memory_line(context, found.newer), memory_line(context, found.older), f"  {found.reason}"]
        ways = RESOLVE.ways_out(ids.shorten(found.newer), ids.shorten(found.older))
        lines.append("\n".join([*shown, *(f"  - {way}" for way in ways)]))
    return lines, items


def _gaps(context: ToolContext, _: str | None, where: Where) -> View:
    items: list[dict[str, Any]] = [
        {"topic": topic.name, "count": topic.count, "questions": [gap.question for gap in topic.gaps]}
        for topic in context.memory.gaps(**where)
    ]
    return [f"- {item['topic']} (asked {item['count']} times): {'; '.join(item['questions'])}" for item in items], items


def _tags(context: ToolContext, _: str | None, where: Where) -> View:
    items = [
        {"tag": tag.name, "count": tag.count} | ({"description": tag.description} if tag.description else {})
        for tag in context.memory.tags(**where)
    ]
    return [f"- #{item['tag']} ({item['count']}) {item.get('description', '')}".rstrip() for item in items], items


def _related(context: ToolContext, id: str | None, _: Where) -> View:
    found = context.memory.related(_required_id(context, id), depth=_RELATED_DEPTH)
    items = [
        memory_json(context, each.memory) | {"match": round(each.score, 3), "path": list(each.path)} for each in found
    ]
    return [f"{memory_line(context, each.memory)}\n  {' → '.join(each.path)}" for each in found], items


def _stats(context: ToolContext, _: str | None, __: Where) -> View:
    counts = context.memory.stats()
    return [f"- {name}: {value}" for name, value in counts.items()], [counts]


def _required_id(context: ToolContext, id: str | None) -> str:
    if id is None:
        raise InvalidInput("id", "is missing; this view shows one memory", "give its id")
    return context.ids.expand(id)


_VIEWS: dict[str, Callable[[ToolContext, str | None, Where], View]] = {
    "history": _history,
    "contradictions": _contradictions,
    "gaps": _gaps,
    "tags": _tags,
    "related": _related,
    "stats": _stats,
}

LIST = Tool(
    name="list",
    title="List",
    description=(
        "What is stored, not what is relevant: memories newest first, narrowed by filters; with `id`, one memory "
        "in full. Other views: history (of `id`), contradictions (unresolved), gaps (questions without an answer), "
        "tags, related (to `id`), stats.\n"
        "Do NOT use it to answer a question (recall)."
    ),
    arguments={
        "view": choice(("memories", *_VIEWS)),
        "id": id_(),
        **FILTERS,
        "session": name(),
        "task": name(),
        "limit": whole(f"default {_DEFAULT_LIMIT}", low=1),
        "after": id_("view memories: go on after this id"),
        "offset": whole("other views; with id, of the text"),
    },
    output_schema=output("items", items=objects(), total=integer(), next=string(), notes=strings()),
    run=_list,
    hints={"list": "list()", "get": 'list(id="{}")', **{view: f'list(view="{view}")' for view in _VIEWS}},
    read_only=True,
    idempotent=True,
)
