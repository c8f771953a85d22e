"""undo, history and log: what was done, and taking it back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.held import held, held_one
from recollect.serve.cli.verb import Verb

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.values.event import Event
    from recollect.values.memory import Record


@click.command("undo", cls=Verb, examples=("undo", "undo 42", "undo 5b0c9e1f --json"))
@click.argument("operation", required=False)
@click.pass_obj
def undo(door: Door, operation: str | None) -> None:
    """Take back the last change, or a named one.

    OPERATION is a number from `log`, or (the beginning or end of) an operation's id. Everything one call changed is
    taken back together.
    """
    from recollect.serve.cli.json_form import memory_form
    from recollect.serve.cli.views.journal import show_undone

    with door.writing("as set") as memory:
        ids = memory.undo(operation)
        documents = _documents(memory, ids)
        told = {event.memory_id for event in documents}
        changed = {each: held_one(memory, each) for each in ids if each not in told}
    form = {each: record and memory_form(record) for each, record in changed.items()}
    door.done(lambda: {"undone": ids, "memories": form}, lambda page: show_undone(page, changed, documents))


@click.command("history", cls=Verb, examples=("history 3f9a1c22", "history 3f9a1c22 --json"))
@click.argument("id")
@click.pass_obj
def history(door: Door, id: str) -> None:
    """Every change of one memory."""
    from recollect.serve.cli.json_form import event_form
    from recollect.serve.cli.views.journal import show_history

    with door.today() as memory:
        record = memory.get(id)
        events, chain = _until(door, memory.history(id)), _chain(memory, record)
    door.answer(
        lambda: [event_form(event) for event in events],
        lambda page: show_history(page, chain, record, events, door.now),
    )


@click.command("log", cls=Verb, examples=("log", "log -n 5 --json"))
@click.option("-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many at most.")
@click.pass_obj
def log(door: Door, limit: int) -> None:
    """The latest changes of all memories."""
    from recollect.serve.cli.json_form import event_form
    from recollect.serve.cli.views.journal import show_log

    with door.today() as memory:
        # With --as-of the wanted end of the journal is not its newest, so all of it is looked through.
        asked = limit if door.as_of is None else sys.maxsize
        events = _until(door, memory.log(limit=asked))[:limit]
        known = held(memory, {event.memory_id for event in events})
    texts = {each: record.content for each, record in known.items()}
    door.answer(lambda: [event_form(event) for event in events], lambda page: show_log(page, events, texts, door.now))


def _until(door: Door, events: list[Event]) -> list[Event]:
    return [event for event in events if door.as_of is None or event.at <= door.as_of]


def _documents(memory: Memory, ids: list[str]) -> list[Event]:
    """What the last undo did to tags and gaps: they have ids like memories, but cannot be got like them."""
    latest = memory.log(limit=2 * len(ids) + 1)
    return [event for event in latest if event.operation == latest[0].operation and event.document is not None]


def _chain(memory: Memory, record: Record) -> list[Record]:
    """What a memory replaced and what replaced it, oldest first."""
    chain, seen = [record], {record.id}
    while (older := chain[0].supersedes) and older not in seen and (found := held_one(memory, older)):
        chain.insert(0, found)
        seen.add(older)
    while (newer := chain[-1].superseded_by) and newer not in seen and (found := held_one(memory, newer)):
        chain.append(found)
        seen.add(newer)
    return chain
