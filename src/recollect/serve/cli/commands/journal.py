"""undo, history and log: the journal of changes, and undoing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from recollect.errors import NeedsConfirmation
from recollect.serve.cli.app_context import AppContext, fetch_many, fetch_one
from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.formatting import count_memories, excerpt, short_id
from recollect.serve.cli.json_output import event_json, memory_json
from recollect.serve.cli.options import visit_options
from recollect.serve.cli.renderer import Part, Renderer, Span, Tone
from recollect.serve.cli.times import short_age

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.values.event import Event
    from recollect.values.memory import Record
    from recollect.values.undone import Undone

_ALL_EVENTS = 1 << 31
_MOST_SHOWN = 20
# Fields that change with every update; they are not shown.
_BOOKKEEPING = ("updated_at", "hit_at", "breadcrumbs")


@click.command("undo", cls=MemoryCommand, examples=("undo", "undo 42", "undo 5b0c9e1f --json"))
@click.argument("operation", required=False)
@click.option("-y", "--yes", is_flag=True, help="Do not ask before undoing much, or what somebody else did.")
@click.pass_obj
def undo(app: AppContext, operation: str | None, yes: bool) -> None:
    """Undo your last operation in this project, or a given one.

    OPERATION is a number from `log`, or a prefix or suffix of an operation's id. Everything that one call changed is
    undone together.
    """
    with app.open_for_writing("lazy") as memory:
        try:
            done = memory.undo(operation, force=yes)
        except NeedsConfirmation as question:
            click.confirm(f"{question.what[0].upper()}{question.what[1:]}. Undo it?", abort=True, err=True)
            done = memory.undo(operation, force=True)
        documents = _undone_documents(memory, done.memories)
        changed = {each: fetch_one(memory, each) for each in done.memories[:_MOST_SHOWN]}
    result = {each: record and memory_json(record) for each, record in changed.items()}
    app.print_change(
        lambda: {"undone": done.to_dict(), "memories": result},
        lambda out: show_undone(out, done, changed, documents),
    )


@click.command("history", cls=MemoryCommand, examples=("history 3f9a1c22", "history 3f9a1c22 --json"))
@click.argument("id")
@click.pass_obj
def history(app: AppContext, id: str) -> None:
    """Show every change of one memory."""
    with app.open_current() as memory:
        record = memory.get(id)
        events, chain = _until_as_of(app, memory.history(id)), _chain(memory, record)
    app.print_answer(
        lambda: [event_json(event) for event in events],
        lambda out: show_history(out, chain, record, events, app.now),
    )


@click.command("log", cls=MemoryCommand, examples=("log", "log -n 5 --json"))
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Maximum number of events."
)
@visit_options
@click.pass_obj
def log(app: AppContext, limit: int, session: str | None, task: str | None) -> None:
    """Show the latest changes of all memories."""
    with app.open_current() as memory:
        # With --as-of the wanted events are not the newest ones, so the whole journal is read.
        count = limit if app.as_of is None else _ALL_EVENTS
        events = _until_as_of(app, memory.log(limit=count, session=session, task=task))[:limit]
        known = fetch_many(memory, {event.memory_id for event in events})
    texts = {each: record.content for each, record in known.items()}
    app.print_answer(lambda: [event_json(event) for event in events], lambda out: show_log(out, events, texts, app.now))


def _until_as_of(app: AppContext, events: list[Event]) -> list[Event]:
    return [event for event in events if app.as_of is None or event.at <= app.as_of]


def _undone_documents(memory: Memory, ids: Sequence[str]) -> list[Event]:
    """The events of the last undo on tags and gaps: they have ids like memories, but `get` does not return them."""
    latest = memory.log(limit=2 * len(ids) + 1)
    return [event for event in latest if event.operation == latest[0].operation and event.document is not None]


def _chain(memory: Memory, record: Record) -> list[Record]:
    """The memories that a memory replaced and that replaced it, oldest first."""
    chain, seen = [record], {record.id}
    while (older := chain[0].supersedes) and older not in seen and (found := fetch_one(memory, older)):
        chain.insert(0, found)
        seen.add(older)
    while (newer := chain[-1].superseded_by) and newer not in seen and (found := fetch_one(memory, newer)):
        chain.append(found)
        seen.add(newer)
    return chain


def show_log(out: Renderer, events: Sequence[Event], texts: Mapping[str, str], now: datetime) -> None:
    """One event per line, newest first; `undo` takes the number."""
    if not events:
        out.line(Span("no events yet", "dim"))
        return
    then = _texts_at_event(events, texts)
    rows: list[Sequence[Part]] = [
        (
            Span(str(event.seq), "dim"),
            Span(short_age(event.at, now), "dim"),
            event.actor,
            Span(event.kind, "strong"),
            Span(event.document, "dim") if event.document else Span(event.memory_id[-8:], "id"),
            _document(event) if event.document else _change(event, then[event.seq]),
        )
        for event in events
    ]
    out.table((">#", ">age", "actor", "event", "memory", "change"), rows)


def show_history(
    out: Renderer, chain: Sequence[Record], record: Record, events: Sequence[Event], now: datetime
) -> None:
    """Every change of a memory, oldest first, and the memories it replaced or that replaced it."""
    for version in chain:
        here = version.id == record.id
        tone: Tone = "old" if version.status != "active" else "strong" if here else "plain"
        mark = "→ " if here else "  "
        out.line(
            mark, short_id(version), "  ", Span(excerpt(version.content), tone), Span(f"  {version.status}", "dim")
        )
    out.line()
    show_log(out, events, {record.id: record.content}, now)


def show_undone(
    out: Renderer, done: Undone, changed: Mapping[str, Record | None], documents: Sequence[Event] = ()
) -> None:
    """What was undone, and its first memories in their current state; `documents` are its events on tags and gaps."""
    changes = ", ".join(f"{count:,} × {kind}" if count > 1 else kind for kind, count in done.changes.items())
    memories = f"{count_memories(len(done.memories))}, " if done.memories else ""
    out.line(Span(f"✓ undone: {changes}", "good"), Span(f"  {memories}by {done.actor}", "dim"))
    for changed_id, record in changed.items():
        if record is None:
            out.line("  ", Span(changed_id[-8:], "id"), Span("  removed", "dim"))
        else:
            out.line("  ", short_id(record), f"  {excerpt(record.content)}", Span(f"  {record.status}", "dim"))
    if len(done.memories) > len(changed):
        out.line(Span(f"  … and {len(done.memories) - len(changed):,} more", "dim"))
    for event in documents:
        out.line("  ", Span(str(event.document), "dim"), f"  {_document(event)}")
    out.line(Span("  an undo can be undone: `recollect log` shows its number", "dim"))


def _texts_at_event(events: Sequence[Event], now: Mapping[str, str]) -> dict[int, str]:
    """The text of each memory after each event, reconstructed backwards from the current text."""
    current, then = dict(now), dict[int, str]()
    for event in sorted(events, key=lambda event: -event.seq):
        then[event.seq] = current.get(event.memory_id, "")
        if event.before and "content" in event.before:
            current[event.memory_id] = str(event.before["content"])
    return then


def _change(event: Event, text: str) -> str:
    if event.kind == "purge" or (event.before is None and event.after is None):
        return "erased permanently" if event.kind == "purge" else "(erased)"
    if event.after is None:
        return f"removed: {excerpt(str((event.before or {}).get('content', '')))}"
    changed = [
        f"{name}: {_value((event.before or {}).get(name))} → {_value(new)}"
        for name, new in event.after.items()
        if name not in _BOOKKEEPING
    ]
    summary = ", ".join(changed) or excerpt(text)
    why = f" ({event.reason})" if event.reason else ""
    return f"{summary}{why}"


def _document(event: Event) -> str:
    """The change of a tag description or of a gap; for other documents, what was done."""
    image = event.after or event.before
    if image is None:
        return "erased permanently"
    before, after = (side and side["body"] for side in (event.before, event.after))
    if event.document == "tag":
        return f"#{image['name']}: {_value(before and before['text'])} → {_value(after and after['text'])}"
    if event.document == "gap":
        return f"{excerpt(image['body']['question'])}: {_gap_state(before)} → {_gap_state(after)}"
    # The name of a snapshot is in its body; the other one is that of its context.
    name = image["body"].get("name") or image["name"]
    done = event.reason or ("changed" if before and after else "created" if after else "removed")
    return f"{excerpt(str(name), 40)}: {done}"


def _gap_state(gap: Mapping[str, Any] | None) -> str:
    if gap is None:
        return "–"
    return f"answered by {gap['answered_by'][-8:]}" if gap["answered_by"] else "open"


def _value(value: Any) -> str:
    if isinstance(value, Mapping) and "relation" in value:
        weight = f" {value['weight']:g}" if value["relation"] == "relates_to" else ""
        return f"{value['relation']} {value['target'][-8:]}{weight}{' resolved' * value.get('settled', False)}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return excerpt(str(value), 40) if value is not None else "–"
