"""pool: data that agents share, with versions, grants and an end."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.family import Family
from recollect.serve.cli.given import as_text, object_of, value_of
from recollect.serve.cli.sharing import add_grants, fields_of, whose
from recollect.serve.cli.times import lifetime
from recollect.serve.cli.verb import Verb
from recollect.values.pool import RUN_POOLS
from recollect.values.words import POOL_TYPES

if TYPE_CHECKING:
    from recollect.values.pool import Pool

_EXPECT = click.option("--expect", type=int, metavar="VERSION", help="Only if the pool is still at this version.")


@click.group(
    "pool",
    cls=Family,
    examples=(
        """pool create board '{"todo": ["login"]}' --read eve""",
        "pool read board todo",
        """pool merge board '{"owner": "ada"}' --expect 1""",
    ),
)
def pool() -> None:
    """Data that agents share, with versions and grants.

    A pool goes by its name; of two that bear one, by its id or by OWNER/NAME.
    """


def _done(door: Door, made: Pool, done: str) -> None:
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.containers import show_pool

    door.done(lambda: plain(made), lambda page: show_pool(page, made, door.now, done))


@pool.command(
    "create",
    cls=Verb,
    examples=(
        "pool create board",
        """pool create board '{"todo": []}' --read eve --write bob""",
        "pool create notes --type team_shared --ttl 7d",
    ),
)
@click.argument("name")
@click.argument("data", required=False)
@click.option("--type", type=click.Choice(POOL_TYPES), metavar="TYPE", help="shared, agent_private, team_shared …")
@whose("pool")
@click.option("--ttl", type=lifetime, metavar="DURATION", help="Gone after this: 12h, 30d.")
@click.pass_obj
def create(door: Door, /, name: str, data: str | None, **given: Any) -> None:
    """Make a pool. DATA is a JSON object; - reads it from stdin."""
    fields = fields_of(given)
    if data is not None:
        fields["data"] = object_of("data", data)
    with door.writing() as memory:
        made = memory.pools.create(name, **fields)
    _done(door, made, "made")


@pool.command("list", cls=Verb, examples=("pool list", "pool list --type blackboard --json"))
@click.option("--type", type=click.Choice(POOL_TYPES), metavar="TYPE", help="Only of this type.")
@click.option("--run", metavar="ID", help="Those of one run of a workflow.")
@click.pass_obj
def listed(door: Door, type: str | None, run: str | None) -> None:
    """The pools within reach."""
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.containers import show_pools

    with door.reading() as memory:
        found = memory.pools.list(type, run=run)  # type: ignore[arg-type]
    door.answer(lambda: plain(found), lambda page: show_pools(page, found, door.now))


@pool.command("show", cls=Verb, examples=("pool show board", "pool show eve/board --json"))
@click.argument("name")
@click.pass_obj
def show(door: Door, name: str) -> None:
    """A pool with its version, owner and grants."""
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.containers import show_pool

    with door.reading() as memory:
        found = memory.pools.get(name)
    door.answer(lambda: plain(found), lambda page: show_pool(page, found, door.now))


@pool.command("read", cls=Verb, examples=("pool read board", "pool read board todo"))
@click.argument("name")
@click.argument("key", required=False)
@click.pass_obj
def read(door: Door, name: str, key: str | None) -> None:
    """The data of a pool, or one key of it, and nothing else."""
    from recollect.serve.cli.views.entries import show_value

    with door.reading() as memory:
        found = memory.pools.read(name, key)
    door.answer(lambda: found, lambda page: show_value(page, found))


@pool.command("write", cls=Verb, examples=("""pool write board '{"todo": ["docs"]}' --expect 3""",))
@click.argument("name")
@click.argument("data")
@_EXPECT
@click.pass_obj
def write(door: Door, name: str, data: str, expect: int | None) -> None:
    """Put other data in the place of all that is there."""
    given = object_of("data", data)
    with door.writing() as memory:
        made = memory.pools.write(name, given, expected_version=expect)
    _done(door, made, "written")


@pool.command("set", cls=Verb, examples=("pool set board owner ada", """pool set board todo '["docs"]' --expect 3"""))
@click.argument("name")
@click.argument("key")
@click.argument("value", nargs=-1, required=True)
@_EXPECT
@as_text
@click.pass_obj
def put(door: Door, name: str, key: str, value: tuple[str, ...], expect: int | None, as_text: bool) -> None:
    """Put a value under one key; the others stay."""
    given = value_of(value, as_text=as_text)
    with door.writing() as memory:
        made = memory.pools.write_key(name, key, given, expect)
    _done(door, made, "written")


@pool.command("merge", cls=Verb, examples=("""pool merge board '{"done": {"login": true}}'""",))
@click.argument("name")
@click.argument("data")
@_EXPECT
@click.pass_obj
def merge(door: Door, name: str, data: str, expect: int | None) -> None:
    """Merge an object into the data, at every depth."""
    given = object_of("data", data)
    with door.writing() as memory:
        made = memory.pools.merge(name, given, expected_version=expect)
    _done(door, made, "merged")


@pool.command("unset", cls=Verb, examples=("pool unset board owner",))
@click.argument("name")
@click.argument("key")
@_EXPECT
@click.pass_obj
def unset(door: Door, name: str, key: str, expect: int | None) -> None:
    """Take one key out of the data."""
    with door.writing() as memory:
        made = memory.pools.remove_key(name, key, expect)
    _done(door, made, "taken out")


add_grants(
    pool,
    lambda memory: memory.pools,
    _done,
    grants=("pool grant board eve write",),
    revokes=("pool revoke board eve", "pool revoke board eve write"),
)


@pool.command("extend", cls=Verb, examples=("pool extend board --ttl 7d",))
@click.argument("name")
@click.option("--ttl", type=lifetime, required=True, metavar="DURATION", help="From now on: 12h, 30d.")
@click.pass_obj
def extend(door: Door, name: str, ttl: timedelta) -> None:
    """Let a pool live for a while from now on."""
    with door.writing() as memory:
        made = memory.pools.extend(name, ttl)
    _done(door, made, "lives on")


@pool.command("drop", cls=Verb, examples=("pool drop board",))
@click.argument("name")
@click.pass_obj
def drop(door: Door, name: str) -> None:
    """Take a pool away; `undo` brings it back."""
    with door.writing() as memory:
        memory.pools.drop(name)
    door.done(lambda: {"name": name, "dropped": True}, lambda page: page.line(f"✓ {name} is gone; `recollect undo`"))


@pool.command("stats", cls=Verb, examples=("pool stats board --json",))
@click.argument("name")
@click.pass_obj
def stats(door: Door, name: str) -> None:
    """How large a pool is, and who used it how often."""
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.containers import show_use

    with door.reading() as memory:
        use = memory.pools.statistics(name)
    door.answer(lambda: plain(use), lambda page: show_use(page, name, use, door.now))


@pool.command("run", cls=Verb, examples=("pool run nightly-7", "pool run nightly-7 blackboard --json"))
@click.argument("run_id", metavar="RUN")
@click.argument("kind", type=click.Choice(RUN_POOLS), metavar="[KIND]", default="shared_memory")
@click.pass_obj
def run(door: Door, run_id: str, kind: str) -> None:
    """A pool of one run of a workflow: shared_memory, tool_cache or blackboard."""
    with door.writing() as memory:
        made = memory.pools.workflow(run_id, kind)  # type: ignore[arg-type]
    _done(door, made, "at hand")
