"""The journal: what changed, when, by whom, and from what to what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.serve.cli.page import Page, Part, Piece, Tone
from recollect.serve.cli.times import short_age
from recollect.serve.cli.views.words import excerpt, memories, short_id
from recollect.values.event import Event
from recollect.values.memory import Record

# They move with every change; the change itself is the news.
_BESIDE = ("updated_at", "hit_at", "breadcrumbs")


def show_log(page: Page, events: Sequence[Event], texts: Mapping[str, str], now: datetime) -> None:
    """One line an event, newest first; `undo` takes the number."""
    if not events:
        page.line(Piece("nothing has happened yet", "dim"))
        return
    then = _texts_then(events, texts)
    rows: list[Sequence[Part]] = [
        (
            Piece(str(event.seq), "dim"),
            Piece(short_age(event.at, now), "dim"),
            event.actor,
            Piece(event.kind, "strong"),
            Piece(event.document, "dim") if event.document else Piece(event.memory_id[-8:], "id"),
            _document(event) if event.document else _change(event, then[event.seq]),
        )
        for event in events
    ]
    page.table((">#", ">age", "who", "did", "memory", "what"), rows)


def show_history(page: Page, chain: Sequence[Record], record: Record, events: Sequence[Event], now: datetime) -> None:
    """Every change of a memory, oldest first, and the beliefs it replaced or that replaced it."""
    for belief in chain:
        here = belief.id == record.id
        held: Tone = "old" if belief.status != "active" else "strong" if here else "plain"
        mark = "→ " if here else "  "
        page.line(
            mark, short_id(belief), "  ", Piece(excerpt(belief.content), held), Piece(f"  {belief.status}", "dim")
        )
    page.line()
    show_log(page, events, {record.id: record.content}, now)


def show_undone(page: Page, changed: Mapping[str, Record | None], documents: Sequence[Event] = ()) -> None:
    """What an undo changed, as it is now; `documents` are its events on tags and gaps."""
    page.line(Piece(f"✓ taken back: {memories(len(changed))}" if changed else "✓ taken back", "good"))
    for changed_id, record in changed.items():
        if record is None:
            page.line("  ", Piece(changed_id[-8:], "id"), Piece("  removed, as if it had never been said", "dim"))
        else:
            page.line("  ", short_id(record), f"  {excerpt(record.content)}", Piece(f"  {record.status}", "dim"))
    for event in documents:
        page.line("  ", Piece(str(event.document), "dim"), f"  {_document(event)}")
    page.line(Piece("  an undo can be undone too: `recollect log` shows its number", "dim"))


def _texts_then(events: Sequence[Event], now: Mapping[str, str]) -> dict[int, str]:
    """The text each event left behind, walking back from the text of today."""
    held, then = dict(now), dict[int, str]()
    for event in sorted(events, key=lambda event: -event.seq):
        then[event.seq] = held.get(event.memory_id, "")
        if event.before and "content" in event.before:
            held[event.memory_id] = str(event.before["content"])
    return then


def _change(event: Event, text: str) -> str:
    if event.kind == "purge" or (event.before is None and event.after is None):
        return "erased for good" if event.kind == "purge" else "(erased)"
    if event.after is None:
        return f"removed: {excerpt(str((event.before or {}).get('content', '')))}"
    changed = [
        f"{name}: {_value((event.before or {}).get(name))} → {_value(new)}"
        for name, new in event.after.items()
        if name not in _BESIDE
    ]
    said = ", ".join(changed) or excerpt(text)
    why = f" ({event.reason})" if event.reason else ""
    return f"{said}{why}"


def _document(event: Event) -> str:
    """What a tag means, or whether a question is answered, before and after; else what was done."""
    image = event.after or event.before
    if image is None:
        return "erased for good"
    before, after = (side and side["body"] for side in (event.before, event.after))
    if event.document == "tag":
        return f"#{image['name']}: {_value(before and before['text'])} → {_value(after and after['text'])}"
    if event.document == "gap":
        return f"{excerpt(image['body']['question'])}: {_need(before)} → {_need(after)}"
    # A snapshot's own name stands behind that of its context.
    name = image["body"].get("name") or image["name"]
    done = event.reason or ("changed" if before and after else "made" if after else "taken away")
    return f"{excerpt(str(name), 40)}: {done}"


def _need(gap: Mapping[str, Any] | None) -> str:
    if gap is None:
        return "–"
    return f"answered by {gap['answered_by'][-8:]}" if gap["answered_by"] else "open"


def _value(value: Any) -> str:
    if isinstance(value, Mapping) and "relation" in value:
        weight = f" {value['weight']:g}" if value["relation"] == "relates_to" else ""
        return f"{value['relation']} {value['target'][-8:]}{weight}{' settled' * value.get('settled', False)}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return excerpt(str(value), 40) if value is not None else "–"
