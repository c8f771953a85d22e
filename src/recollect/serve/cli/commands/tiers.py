"""tiers: one door to working memory, sessions, memories and pools."""

from __future__ import annotations

from typing import Any

import click

from recollect.serve.cli.changed import tell_outcome
from recollect.serve.cli.door import Door
from recollect.serve.cli.family import Family
from recollect.serve.cli.given import as_text, value_of
from recollect.serve.cli.times import lifetime
from recollect.serve.cli.verb import Verb
from recollect.values.words import TIERS

_TIER = click.Choice(TIERS)
_SESSION = click.option("--session", metavar="NAME", help="The session at hand.")
_ONE = click.option("--tier", type=_TIER, metavar="TIER", help="Only this one: working, short_term, long_term, shared.")


@click.group("tiers", cls=Family, examples=("tiers read branch", "tiers consolidate s1", "tiers stats --json"))
def tiers() -> None:
    """One door to working memory, sessions, memories, pools."""


@tiers.command("read", cls=Verb, examples=("tiers read branch", "tiers read port --session s1 --tier short_term"))
@click.argument("key")
@_SESSION
@_ONE
@click.pass_obj
def read(door: Door, key: str, session: str | None, tier: Any) -> None:
    """The value of a key, from the first tier that has it."""
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.entries import show_routed

    with door.writing() as memory:
        found = memory.router.read(key, session=session, tier=tier)
    door.answer(lambda: plain(found), lambda page: show_routed(page, found))


@tiers.command(
    "write",
    cls=Verb,
    examples=("tiers write port 8080 --session s1", "tiers write owner ada --tier shared --pool board"),
)
@click.argument("key")
@click.argument("value", nargs=-1, required=True)
@click.option("--tier", type=_TIER, default="short_term", show_default=True, metavar="TIER", help="Where to.")
@_SESSION
@click.option("--ttl", type=lifetime, metavar="DURATION", help="Gone after this: 10m, 12h.")
@click.option("--pool", metavar="NAME", help="The pool, for the shared tier.")
@as_text
@click.pass_obj
def write(door: Door, /, key: str, value: tuple[str, ...], as_text: bool, ttl: Any, **where: Any) -> int:
    """Put a value into one tier."""
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.entries import show_kept

    given = value_of(value, as_text=as_text)
    seconds = None if ttl is None else ttl.total_seconds()
    with door.writing("as set") as memory:
        made = memory.router.write(key, given, ttl=seconds, **where)
    if where["tier"] == "long_term":
        return tell_outcome(door, made)
    form = {"key": key, "value": given} if made is None else plain(made)
    door.done(lambda: form, lambda page: show_kept(page, f"kept in {where['tier']}", key, given))
    return 0


@tiers.command("search", cls=Verb, examples=('tiers search "the port" --session s1',))
@click.argument("query", nargs=-1, required=True)
@_SESSION
@_ONE
@click.option("-n", "--limit", type=int, default=10, show_default=True, help="How many at most.")
@click.pass_obj
def search(door: Door, query: tuple[str, ...], session: str | None, tier: Any, limit: int) -> None:
    """Look in all tiers: memories by meaning, the rest by words."""
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.entries import show_met

    with door.writing("as set") as memory:
        wanted = None if tier is None else (tier,)
        found = memory.router.semantic_search(" ".join(query), limit=limit, session=session, tiers=wanted)
    door.answer(lambda: plain(found), lambda page: show_met(page, found))


@tiers.command("delete", cls=Verb, examples=("tiers delete branch", "tiers delete board --tier shared"))
@click.argument("key")
@_SESSION
@_ONE
@click.pass_obj
def delete(door: Door, key: str, session: str | None, tier: Any) -> None:
    """Take a key out of every tier but the shared one."""
    with door.writing() as memory:
        gone = memory.router.delete(key, session=session, tier=tier)
    done = f"✓ {key} is gone from {', '.join(gone)}"
    door.done(lambda: {"key": key, "tiers": list(gone)}, lambda page: page.line(done))


@tiers.command("consolidate", cls=Verb, examples=("tiers consolidate s1",))
@click.argument("session")
@click.pass_obj
def consolidate(door: Door, session: str) -> None:
    """Make memories of the entries of a session that were read often."""
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.entries import show_consolidated

    with door.writing("as set") as memory:
        done = memory.router.consolidate(session)
    door.done(lambda: plain(done), lambda page: show_consolidated(page, done))


@tiers.command("stats", cls=Verb, examples=("tiers stats", "tiers stats --json"))
@click.pass_obj
def stats(door: Door) -> None:
    """How much each tier holds, as far as this identity reaches."""
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.entries import show_tier_stats

    with door.writing("at hand") as memory:
        found = memory.router.stats()
    door.answer(lambda: plain(found), lambda page: show_tier_stats(page, found))
