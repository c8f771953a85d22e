"""working: values for the task at hand, gone after an hour or so."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from recollect.errors import NotFound
from recollect.serve.cli.door import Door
from recollect.serve.cli.family import Family
from recollect.serve.cli.given import as_text, options, value_of
from recollect.serve.cli.times import lifetime
from recollect.serve.cli.verb import Verb

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.verbs.working import WorkingMemory

_MISSING = object()
_ROOM = options(
    click.option("--task", metavar="NAME", help="Of this task, apart from the rest."),
    click.option("--run", metavar="ID", help="Of this run of a workflow, shared by all who name it."),
)
_TTL = click.option("--ttl", type=lifetime, default="1h", show_default=True, metavar="DURATION", help="At most 24h.")


@click.group(
    "working",
    cls=Family,
    examples=("working set branch fix/login --ttl 10m", "working get branch", "--agent ada working keys --task review"),
)
def working() -> None:
    """Values for the task at hand, gone after an hour or so."""


def _room(memory: Memory, task: str | None, run: str | None) -> WorkingMemory:
    if task is not None and run is not None:
        raise click.UsageError("a room is a task's or a run's; give --task or --run, not both")
    if run is not None:
        return memory.working.workflow(run)
    return memory.working if task is None else memory.working.task(task)


@working.command(
    "set",
    cls=Verb,
    examples=(
        "working set branch fix/login",
        """working set plan '{"steps": ["tag", "ship"]}' --ttl 2h""",
        "working set port 8080 --text --task review",
    ),
)
@click.argument("key")
@click.argument("value", nargs=-1, required=True)
@_TTL
@_ROOM
@as_text
@click.pass_obj
def put(door: Door, key: str, value: tuple[str, ...], ttl: timedelta, task: str | None, run: str | None, as_text: bool) -> None:  # fmt: skip  # noqa: E501
    """Keep a value under a key for a while.

    VALUE is JSON if it reads as JSON, else text; - reads it from stdin.
    """
    from recollect.serve.cli.views.entries import show_kept

    given = value_of(value, as_text=as_text)
    with door.writing() as memory:
        _room(memory, task, run).store(key, given, ttl)
    door.done(lambda: {"key": key, "value": given}, lambda page: show_kept(page, "kept", key, given))


@working.command("get", cls=Verb, examples=("working get branch", "working get plan --task review --json"))
@click.argument("key")
@_ROOM
@click.pass_obj
def get(door: Door, key: str, task: str | None, run: str | None) -> None:
    """The value of a key."""
    with door.writing() as memory:
        found = _room(memory, task, run).retrieve(key, _MISSING)
    _tell(door, key, found)


@working.command("keys", cls=Verb, examples=("working keys", "working keys --run nightly-7 --json"))
@_ROOM
@click.pass_obj
def keys(door: Door, task: str | None, run: str | None) -> None:
    """Every key with its value."""
    from recollect.serve.cli.views.entries import show_values

    with door.writing() as memory:
        room = _room(memory, task, run)
        held = [(key, room.retrieve(key, _MISSING)) for key in room.keys()]  # noqa: SIM118 - no dict
    found = {key: value for key, value in held if value is not _MISSING}
    door.answer(lambda: found, lambda page: show_values(page, found))


@working.command("remove", cls=Verb, examples=("working remove branch",))
@click.argument("key")
@_ROOM
@click.pass_obj
def remove(door: Door, key: str, task: str | None, run: str | None) -> None:
    """Take a key away."""
    with door.writing() as memory:
        if not _room(memory, task, run).remove(key):
            raise _no(key)
    door.done(lambda: {"key": key, "removed": True}, lambda page: page.line(f"✓ {key} is gone"))


@working.command("clear", cls=Verb, examples=("working clear", "working clear --task review"))
@_ROOM
@click.pass_obj
def clear(door: Door, task: str | None, run: str | None) -> None:
    """Empty a room, task state and all."""
    with door.writing() as memory:
        gone = _room(memory, task, run).clear()
    door.done(lambda: {"cleared": gone}, lambda page: page.line(f"✓ {gone:,} cleared"))


@working.command("share", cls=Verb, examples=("""--agent ada working share eve handover '{"branch": "fix/login"}'""",))
@click.argument("to_agent", metavar="AGENT")
@click.argument("key")
@click.argument("value", nargs=-1, required=True)
@_TTL
@as_text
@click.pass_obj
def share(door: Door, to_agent: str, key: str, value: tuple[str, ...], ttl: timedelta, as_text: bool) -> None:
    """Keep a value for another agent, which alone can take it."""
    from recollect.serve.cli.views.entries import show_kept

    given = value_of(value, as_text=as_text)
    with door.writing() as memory:
        memory.working.share_with_agent(to_agent, key, given, ttl)
    form = {"agent": to_agent, "key": key, "value": given}
    door.done(lambda: form, lambda page: show_kept(page, f"kept for {to_agent}", key, given))


@working.command("shared", cls=Verb, examples=("--agent eve working shared ada handover",))
@click.argument("from_agent", metavar="AGENT")
@click.argument("key")
@click.pass_obj
def shared(door: Door, from_agent: str, key: str) -> None:
    """What another agent keeps for this one."""
    with door.writing() as memory:
        found = memory.working.retrieve_shared(from_agent, key, _MISSING)
    _tell(door, key, found)


@working.command("persist", cls=Verb, examples=("working persist --task review",))
@_ROOM
@click.pass_obj
def persist(door: Door, task: str | None, run: str | None) -> None:
    """Copy a room into the store."""
    with door.writing() as memory:
        held = _room(memory, task, run).persist_to_database()
    door.done(lambda: {"persisted": held}, lambda page: page.line(f"✓ {held:,} in the store"))


@working.command("load", cls=Verb, examples=("working load --task review",))
@_ROOM
@click.pass_obj
def load(door: Door, task: str | None, run: str | None) -> None:
    """Bring back what was persisted and has not expired."""
    with door.writing() as memory:
        back = _room(memory, task, run).load_from_database()
    door.done(lambda: {"loaded": back}, lambda page: page.line(f"✓ {back:,} brought back"))


def _tell(door: Door, key: str, found: Any) -> None:
    from recollect.serve.cli.views.entries import show_value

    if found is _MISSING:
        raise _no(key)
    door.answer(lambda: {"key": key, "value": found}, lambda page: show_value(page, found))


def _no(key: str) -> NotFound:
    return NotFound("key", key, "`working keys` shows which there are; what was there may have expired")
