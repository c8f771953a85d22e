"""working: working memory, short-lived values for the current task."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from recollect.errors import NotFound
from recollect.serve.cli.command import MemoryCommand, MemoryGroup
from recollect.serve.cli.formatting import count_of
from recollect.serve.cli.input import parse_value
from recollect.serve.cli.options import combine, text_option
from recollect.serve.cli.renderer import Renderer, Span
from recollect.serve.cli.times import duration
from recollect.serve.cli.views import show_value, show_written, value_text

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.serve.cli.app_context import AppContext
    from recollect.tiers.working import WorkingMemory


_MISSING = object()
_NAMESPACE = combine(
    click.option("--task", metavar="NAME", help="The namespace of this task."),
    click.option("--run", metavar="ID", help="The namespace of this workflow run, shared by all who name it."),
)
_TTL = click.option(
    "--ttl", type=duration, default="1h", show_default=True, metavar="DURATION", help="Time to live, at most 24h."
)


@click.group(
    "working",
    cls=MemoryGroup,
    examples=("working set branch fix/login --ttl 10m", "working get branch", "--agent ada working keys --task review"),
)
def working() -> None:
    """Working memory: short-lived values for the current task."""


def _namespace(memory: Memory, task: str | None, run: str | None) -> WorkingMemory:
    if task is not None and run is not None:
        raise click.UsageError("give --task or --run, not both")
    if run is not None:
        return memory.working.workflow(run)
    return memory.working if task is None else memory.working.task(task)


@working.command(
    "set",
    cls=MemoryCommand,
    examples=(
        "working set branch fix/login",
        """working set plan '{"steps": ["tag", "ship"]}' --ttl 2h""",
        "working set port 8080 --text --task review",
    ),
)
@click.argument("key")
@click.argument("value", nargs=-1, required=True)
@_TTL
@_NAMESPACE
@text_option
@click.pass_obj
def put(app: AppContext, key: str, value: tuple[str, ...], ttl: timedelta, task: str | None, run: str | None, as_text: bool) -> None:  # fmt: skip  # noqa: E501
    """Set the value of a key.

    VALUE is JSON if it parses as JSON, else text; - reads it from stdin.
    """
    given = parse_value(value, as_text=as_text)
    with app.open_for_writing(create=True) as memory:
        _namespace(memory, task, run).store(key, given, ttl)
    app.print_change(lambda: {"key": key, "value": given}, lambda out: show_written(out, "set", key, given))


@working.command("get", cls=MemoryCommand, examples=("working get branch", "working get plan --task review --json"))
@click.argument("key")
@_NAMESPACE
@click.pass_obj
def get(app: AppContext, key: str, task: str | None, run: str | None) -> None:
    """Print the value of a key."""
    with app.open_for_writing() as memory:
        found = _namespace(memory, task, run).retrieve(key, _MISSING)
    _print_value(app, key, found)


@working.command("keys", cls=MemoryCommand, examples=("working keys", "working keys --run nightly-7 --json"))
@_NAMESPACE
@click.pass_obj
def keys(app: AppContext, task: str | None, run: str | None) -> None:
    """List all keys with their values."""
    with app.open_for_writing() as memory:
        namespace = _namespace(memory, task, run)
        items = [(key, namespace.retrieve(key, _MISSING)) for key in namespace.keys()]  # noqa: SIM118 - not a dict
    found = {key: value for key, value in items if value is not _MISSING}
    app.print_answer(lambda: found, lambda out: show_values(out, found))


@working.command("remove", cls=MemoryCommand, examples=("working remove branch",))
@click.argument("key")
@_NAMESPACE
@click.pass_obj
def remove(app: AppContext, key: str, task: str | None, run: str | None) -> None:
    """Remove a key."""
    with app.open_for_writing() as memory:
        if not _namespace(memory, task, run).remove(key):
            raise _not_found(key)
    app.print_change(lambda: {"key": key, "removed": True}, lambda out: out.line(f"✓ {key} removed"))


@working.command("clear", cls=MemoryCommand, examples=("working clear", "working clear --task review"))
@_NAMESPACE
@click.pass_obj
def clear(app: AppContext, task: str | None, run: str | None) -> None:
    """Remove all keys of a namespace, including its task state."""
    with app.open_for_writing() as memory:
        gone = _namespace(memory, task, run).clear()
    app.print_change(lambda: {"cleared": gone}, lambda out: out.line(f"✓ {count_of(gone, 'key')} removed"))


@working.command(
    "share", cls=MemoryCommand, examples=("""--agent ada working share eve handover '{"branch": "fix/login"}'""",)
)
@click.argument("to_agent", metavar="AGENT")
@click.argument("key")
@click.argument("value", nargs=-1, required=True)
@_TTL
@text_option
@click.pass_obj
def share(app: AppContext, to_agent: str, key: str, value: tuple[str, ...], ttl: timedelta, as_text: bool) -> None:
    """Share a value with another agent; only that agent can read it."""
    given = parse_value(value, as_text=as_text)
    with app.open_for_writing(create=True) as memory:
        memory.working.share_with_agent(to_agent, key, given, ttl)
    result = {"agent": to_agent, "key": key, "value": given}
    app.print_change(lambda: result, lambda out: show_written(out, f"shared with {to_agent}", key, given))


@working.command("shared", cls=MemoryCommand, examples=("--agent eve working shared ada handover",))
@click.argument("from_agent", metavar="AGENT")
@click.argument("key")
@click.pass_obj
def shared(app: AppContext, from_agent: str, key: str) -> None:
    """Print a value that another agent shares with this one."""
    with app.open_for_writing() as memory:
        found = memory.working.retrieve_shared(from_agent, key, _MISSING)
    _print_value(app, key, found)


@working.command("persist", cls=MemoryCommand, examples=("working persist --task review",))
@_NAMESPACE
@click.pass_obj
def persist(app: AppContext, task: str | None, run: str | None) -> None:
    """Copy a namespace to the store."""
    with app.open_for_writing() as memory:
        count = _namespace(memory, task, run).persist_to_database()
    app.print_change(lambda: {"persisted": count}, lambda out: out.line(f"✓ {count_of(count, 'key')} persisted"))


@working.command("load", cls=MemoryCommand, examples=("working load --task review",))
@_NAMESPACE
@click.pass_obj
def load(app: AppContext, task: str | None, run: str | None) -> None:
    """Load the persisted values that have not expired."""
    with app.open_for_writing() as memory:
        loaded = _namespace(memory, task, run).load_from_database()
    app.print_change(lambda: {"loaded": loaded}, lambda out: out.line(f"✓ {count_of(loaded, 'key')} loaded"))


def _print_value(app: AppContext, key: str, found: Any) -> None:
    if found is _MISSING:
        raise _not_found(key)
    app.print_answer(lambda: {"key": key, "value": found}, lambda out: show_value(out, found))


def _not_found(key: str) -> NotFound:
    return NotFound("key", key, "`working keys` shows the existing ones; it may have expired")


def show_values(out: Renderer, values: Mapping[str, Any]) -> None:
    """One key per line, with its value."""
    if not values:
        out.line(Span("no keys; they may have expired", "dim"))
        return
    out.table(("key", "value"), [(Span(key, "id"), value_text(value)) for key, value in values.items()])
