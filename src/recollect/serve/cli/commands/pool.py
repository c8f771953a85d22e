"""pool: data shared by agents, with versions, grants and a TTL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.command import MemoryCommand, MemoryGroup
from recollect.serve.cli.formatting import aligned, count_of
from recollect.serve.cli.input import parse_object, parse_value
from recollect.serve.cli.json_output import to_json
from recollect.serve.cli.options import access_facts, access_options, add_grant_commands, create_fields, text_option
from recollect.serve.cli.renderer import Line, Renderer, Span
from recollect.serve.cli.times import age, duration, short_age
from recollect.serve.cli.views import show_value, value_lines
from recollect.values.enums import POOL_TYPES
from recollect.values.tiers import RUN_POOLS

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext
    from recollect.values.tiers import Pool


_EXPECT = click.option("--expect", type=int, metavar="VERSION", help="Fail unless the pool is at this version.")


@click.group(
    "pool",
    cls=MemoryGroup,
    examples=(
        """pool create board '{"todo": ["login"]}' --read eve""",
        "pool read board todo",
        """pool merge board '{"owner": "ada"}' --expect 1""",
    ),
)
def pool() -> None:
    """Data shared by agents, with versions and grants.

    A pool is addressed by its name; if the name is ambiguous, by its id or by OWNER/NAME.
    """


def _print_pool(app: AppContext, changed: Pool, done: str) -> None:
    app.print_change(lambda: to_json(changed), lambda out: show_pool(out, changed, app.now, done))


@pool.command(
    "create",
    cls=MemoryCommand,
    examples=(
        "pool create board",
        """pool create board '{"todo": []}' --read eve --write bob""",
        "pool create notes --type team_shared --ttl 7d",
    ),
)
@click.argument("name")
@click.argument("data", required=False)
@click.option("--type", type=click.Choice(POOL_TYPES), metavar="TYPE", help="shared, agent_private, team_shared …")
@access_options("pool")
@click.option("--ttl", type=duration, metavar="DURATION", help="Time to live: 12h, 30d.")
@click.pass_obj
def create(app: AppContext, /, name: str, data: str | None, **given: Any) -> None:
    """Create a pool. DATA is a JSON object; - reads it from stdin."""
    fields = create_fields(given)
    if data is not None:
        fields["data"] = parse_object("data", data)
    with app.open_for_writing(create=True) as memory:
        changed = memory.pools.create(name, **fields)
    _print_pool(app, changed, "created")


@pool.command("list", cls=MemoryCommand, examples=("pool list", "pool list --type blackboard --json"))
@click.option("--type", type=click.Choice(POOL_TYPES), metavar="TYPE", help="Only this type.")
@click.option("--run", metavar="ID", help="Only pools of this workflow run.")
@click.pass_obj
def listed(app: AppContext, type: str | None, run: str | None) -> None:
    """List the visible pools."""
    with app.open_view() as memory:
        found = memory.pools.list(type, run=run)  # type: ignore[arg-type]
    app.print_answer(lambda: to_json(found), lambda out: show_pools(out, found, app.now))


@pool.command("show", cls=MemoryCommand, examples=("pool show board", "pool show eve/board --json"))
@click.argument("name")
@click.pass_obj
def show(app: AppContext, name: str) -> None:
    """Show a pool with its version, owner and grants."""
    with app.open_view() as memory:
        found = memory.pools.get(name)
    app.print_answer(lambda: to_json(found), lambda out: show_pool(out, found, app.now))


@pool.command("read", cls=MemoryCommand, examples=("pool read board", "pool read board todo"))
@click.argument("name")
@click.argument("key", required=False)
@click.pass_obj
def read(app: AppContext, name: str, key: str | None) -> None:
    """Print the data of a pool, or the value of one key."""
    with app.open_view() as memory:
        found = memory.pools.read(name, key)
    app.print_answer(lambda: found, lambda out: show_value(out, found))


@pool.command("write", cls=MemoryCommand, examples=("""pool write board '{"todo": ["docs"]}' --expect 3""",))
@click.argument("name")
@click.argument("data")
@_EXPECT
@click.pass_obj
def write(app: AppContext, name: str, data: str, expect: int | None) -> None:
    """Replace all data of a pool."""
    given = parse_object("data", data)
    with app.open_for_writing() as memory:
        changed = memory.pools.write(name, given, expected_version=expect)
    _print_pool(app, changed, "written")


@pool.command(
    "set", cls=MemoryCommand, examples=("pool set board owner ada", """pool set board todo '["docs"]' --expect 3""")
)
@click.argument("name")
@click.argument("key")
@click.argument("value", nargs=-1, required=True)
@_EXPECT
@text_option
@click.pass_obj
def put(app: AppContext, name: str, key: str, value: tuple[str, ...], expect: int | None, as_text: bool) -> None:
    """Set the value of one key."""
    given = parse_value(value, as_text=as_text)
    with app.open_for_writing() as memory:
        changed = memory.pools.write_key(name, key, given, expect)
    _print_pool(app, changed, "written")


@pool.command("merge", cls=MemoryCommand, examples=("""pool merge board '{"done": {"login": true}}'""",))
@click.argument("name")
@click.argument("data")
@_EXPECT
@click.pass_obj
def merge(app: AppContext, name: str, data: str, expect: int | None) -> None:
    """Merge an object into the data, recursively."""
    given = parse_object("data", data)
    with app.open_for_writing() as memory:
        changed = memory.pools.merge(name, given, expected_version=expect)
    _print_pool(app, changed, "merged")


@pool.command("unset", cls=MemoryCommand, examples=("pool unset board owner",))
@click.argument("name")
@click.argument("key")
@_EXPECT
@click.pass_obj
def unset(app: AppContext, name: str, key: str, expect: int | None) -> None:
    """Remove one key."""
    with app.open_for_writing() as memory:
        changed = memory.pools.remove_key(name, key, expect)
    _print_pool(app, changed, "removed")


add_grant_commands(
    pool,
    lambda memory: memory.pools,
    _print_pool,
    grants=("pool grant board eve write",),
    revokes=("pool revoke board eve", "pool revoke board eve write"),
)


@pool.command("extend", cls=MemoryCommand, examples=("pool extend board --ttl 7d",))
@click.argument("name")
@click.option("--ttl", type=duration, required=True, metavar="DURATION", help="Counted from now: 12h, 30d.")
@click.pass_obj
def extend(app: AppContext, name: str, ttl: timedelta) -> None:
    """Set a new TTL, counted from now."""
    with app.open_for_writing() as memory:
        changed = memory.pools.extend(name, ttl)
    _print_pool(app, changed, "extended")


@pool.command("drop", cls=MemoryCommand, examples=("pool drop board",))
@click.argument("name")
@click.pass_obj
def drop(app: AppContext, name: str) -> None:
    """Delete a pool; `undo` restores it."""
    with app.open_for_writing() as memory:
        memory.pools.drop(name)
    app.print_change(
        lambda: {"name": name, "dropped": True}, lambda out: out.line(f"✓ {name} dropped; `recollect undo` restores it")
    )


@pool.command("stats", cls=MemoryCommand, examples=("pool stats board --json",))
@click.argument("name")
@click.pass_obj
def stats(app: AppContext, name: str) -> None:
    """Show the size of a pool, and who used it how often."""
    with app.open_view() as memory:
        use = memory.pools.statistics(name)
    app.print_answer(lambda: to_json(use), lambda out: _show_usage(out, name, use, app.now))


@pool.command("run", cls=MemoryCommand, examples=("pool run nightly-7", "pool run nightly-7 blackboard --json"))
@click.argument("run_id", metavar="RUN")
@click.argument("kind", type=click.Choice(RUN_POOLS), metavar="[KIND]", default="shared_memory")
@click.pass_obj
def run(app: AppContext, run_id: str, kind: str) -> None:
    """Get or create a pool of a workflow run: shared_memory, tool_cache or blackboard."""
    with app.open_for_writing(create=True) as memory:
        changed = memory.pools.workflow(run_id, kind)  # type: ignore[arg-type]
    _print_pool(app, changed, "ready")


def show_pools(out: Renderer, pools: Sequence[Pool], now: datetime) -> None:
    """One pool per line."""
    if not pools:
        out.line(Span("no pools; `recollect pool create` creates one", "dim"))
        return
    rows = [
        (
            Span(pool.name, "id"),
            pool.type,
            pool.owner or "",
            f"{pool.version}",
            Span(short_age(pool.updated_at, now), "dim"),
            ", ".join(pool.data) or "empty",
        )
        for pool in pools
    ]
    out.table(("name", "type", "owner", ">version", ">age", "keys"), rows)


def show_pool(out: Renderer, pool: Pool, now: datetime, done: str = "") -> None:
    """A pool in full."""
    if done:
        out.line(Span(f"✓ {done}", "good"))
    title: Line = (Span(pool.name, "id"), f"  {pool.type}  ", Span(f"version {pool.version}", "dim"), *_marks(pool))
    facts: list[tuple[str, Line]] = [
        ("owner", (pool.owner or "no agent",)),
        *access_facts(pool.access),
        ("updated", (age(pool.updated_at, now),)),
        *([("expires", (age(pool.expires_at, now),))] if pool.expires_at else []),
        ("id", (pool.id,)),
    ]
    out.card(title, [*value_lines(pool.data), ("",), *aligned(facts)], "id")


def _show_usage(out: Renderer, name: str, use: Mapping[str, Any], now: datetime) -> None:
    """The size of a pool, and who used it."""
    size = (f"{count_of(use['entries'], 'key')}, {use['bytes']:,} bytes, version {use['version']}",)
    facts: list[tuple[str, Line]] = [("size", size)]
    for what, by, last in (("reads", "readers", "last_read_at"), ("writes", "writers", "last_written_at")):
        when = f", last {age(use[last], now)}" if use[last] else ""
        who = f" by {', '.join(use[by])}" if use[by] else ""
        facts.append((what, (f"{use[what]:,}{who}{when}",)))
    out.card((Span(name, "id"),), aligned(facts), "id")


def _marks(pool: Pool) -> list[Span]:
    return [Span(f"  {label}", "warn") for label in pool.labels]
