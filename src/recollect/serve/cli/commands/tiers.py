"""tiers: read, write and search across working memory, sessions, memories and pools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.command import MemoryCommand, MemoryGroup
from recollect.serve.cli.formatting import ROW, aligned, count_memories, count_of, excerpt
from recollect.serve.cli.input import parse_value
from recollect.serve.cli.json_output import to_json
from recollect.serve.cli.options import text_option
from recollect.serve.cli.renderer import Renderer, Span
from recollect.serve.cli.times import duration
from recollect.serve.cli.views import print_outcome, show_written, value_lines
from recollect.values.enums import TIERS

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext
    from recollect.values.tiers import Consolidated, Routed, TierHit

_TIER = click.Choice(TIERS)
_SESSION = click.option("--session", metavar="NAME", help="The current session.")
_ONE = click.option(
    "--tier", type=_TIER, metavar="TIER", help="Only this tier: working, short_term, long_term or shared."
)


@click.group("tiers", cls=MemoryGroup, examples=("tiers read branch", "tiers consolidate s1", "tiers stats --json"))
def tiers() -> None:
    """Read, write and search across all tiers."""


@tiers.command(
    "read", cls=MemoryCommand, examples=("tiers read branch", "tiers read port --session s1 --tier short_term")
)
@click.argument("key")
@_SESSION
@_ONE
@click.pass_obj
def read(app: AppContext, key: str, session: str | None, tier: Any) -> None:
    """Show the value of a key, from the first tier that has it."""
    with app.open_for_writing() as memory:
        found = memory.router.read(key, session=session, tier=tier)
    app.print_answer(lambda: to_json(found), lambda out: _show_routed(out, found))


@tiers.command(
    "write",
    cls=MemoryCommand,
    examples=("tiers write port 8080 --session s1", "tiers write owner ada --tier shared --pool board"),
)
@click.argument("key")
@click.argument("value", nargs=-1, required=True)
@click.option("--tier", type=_TIER, default="short_term", show_default=True, metavar="TIER", help="The target tier.")
@_SESSION
@click.option("--ttl", type=duration, metavar="DURATION", help="Time to live: 10m, 12h.")
@click.option("--pool", metavar="NAME", help="The pool, for the shared tier.")
@text_option
@click.pass_obj
def write(app: AppContext, /, key: str, value: tuple[str, ...], as_text: bool, ttl: Any, **where: Any) -> int:
    """Write a value to one tier."""
    given = parse_value(value, as_text=as_text)
    seconds = None if ttl is None else ttl.total_seconds()
    with app.open_for_writing("lazy", create=True) as memory:
        written = memory.router.write(key, given, ttl=seconds, **where)
    if where["tier"] == "long_term":
        return print_outcome(app, written)
    result = {"key": key, "value": given} if written is None else to_json(written)
    app.print_change(lambda: result, lambda out: show_written(out, f"written to {where['tier']}", key, given))
    return 0


@tiers.command("search", cls=MemoryCommand, examples=('tiers search "the port" --session s1',))
@click.argument("query", nargs=-1, required=True)
@_SESSION
@_ONE
@click.option("-n", "--limit", type=int, default=10, show_default=True, help="Maximum number of results.")
@click.pass_obj
def search(app: AppContext, query: tuple[str, ...], session: str | None, tier: Any, limit: int) -> None:
    """Search all tiers: memories by meaning, the rest by words."""
    with app.open_for_writing("lazy") as memory:
        wanted = None if tier is None else (tier,)
        found = memory.router.semantic_search(" ".join(query), limit=limit, session=session, tiers=wanted)
    app.print_answer(lambda: to_json(found), lambda out: _show_found(out, found))


@tiers.command("delete", cls=MemoryCommand, examples=("tiers delete branch", "tiers delete board --tier shared"))
@click.argument("key")
@_SESSION
@_ONE
@click.pass_obj
def delete(app: AppContext, key: str, session: str | None, tier: Any) -> None:
    """Delete a key from every tier except the shared one."""
    with app.open_for_writing() as memory:
        gone = memory.router.delete(key, session=session, tier=tier)
    done = f"✓ {key} deleted from {', '.join(gone)}"
    app.print_change(lambda: {"key": key, "tiers": list(gone)}, lambda out: out.line(done))


@tiers.command("consolidate", cls=MemoryCommand, examples=("tiers consolidate s1",))
@click.argument("session")
@click.pass_obj
def consolidate(app: AppContext, session: str) -> None:
    """Promote entries of a session that were read often to memories."""
    with app.open_for_writing("lazy") as memory:
        done = memory.router.consolidate(session)
    app.print_change(lambda: to_json(done), lambda out: _show_consolidated(out, done))


@tiers.command("stats", cls=MemoryCommand, examples=("tiers stats", "tiers stats --json"))
@click.pass_obj
def stats(app: AppContext) -> None:
    """Count what each tier holds for the current identity."""
    with app.open_for_writing("offline") as memory:
        found = memory.router.stats()
    app.print_answer(lambda: to_json(found), lambda out: _show_stats(out, found))


def _show_routed(out: Renderer, found: Routed) -> None:
    """A value, and the tier it comes from."""
    out.card((Span(found.key, "id"), Span(f"  {found.tier}", "dim")), value_lines(found.value), "id")


def _show_found(out: Renderer, found: Sequence[TierHit]) -> None:
    """Results of a search, with their tier."""
    if not found:
        out.line(Span("nothing found in any tier", "dim"))
        return
    rows = [(met.tier, f"{met.score:.3f}", Span(_key(met), "id"), excerpt(met.text, ROW)) for met in found]
    out.table(("tier", ">score", "key", "text"), rows)


def _key(met: TierHit) -> str:
    return met.key if met.memory is None else met.memory.short_id


def _show_consolidated(out: Renderer, done: Consolidated) -> None:
    """The entries promoted to memories, and those that were not."""
    out.line(
        Span(f"✓ {count_memories(len(done.promoted))} created", "good"),
        f"  {count_of(done.left, 'entry', 'entries')} left",
    )
    for record in done.promoted:
        out.line(Span(f"  + {record.short_id}", "id"), f"  {excerpt(record.content, ROW)}")
    for record in done.known:
        out.line(Span(f"  = {record.short_id}", "id"), Span(f"  already known: {excerpt(record.content, ROW)}", "dim"))
    for key, reason in done.refused:
        out.line(Span(f"  ✗ {key}", "bad"), f"  {reason}")


def _show_stats(out: Renderer, stats: Mapping[str, Any]) -> None:
    """The size of each tier."""
    short = stats["short_term"]
    entries, sessions = count_of(short["entries"], "entry", "entries"), count_of(short["sessions"], "session")
    rows = [
        ("working", count_of(stats["working"]["keys"], "key")),
        ("short-term", f"{entries} in {sessions}"),
        ("long-term", count_memories(sum(stats["long_term"]["statuses"].values()))),
        ("shared", f"{count_of(stats['shared']['pools'], 'pool')}, {count_of(stats['shared']['keys'], 'key')}"),
    ]
    for line in aligned([(name, (text,)) for name, text in rows]):
        out.line(*line)
