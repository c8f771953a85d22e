"""What agents share: pools, contexts, who may use them and who did, and the past of a context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.serve.cli.page import Line, Page, Piece
from recollect.serve.cli.times import age, short_age
from recollect.serve.cli.views.entries import told, value_lines
from recollect.serve.cli.views.words import aligned, counted, flat, short_id
from recollect.values.access import Access
from recollect.values.container import Context, Difference, Grants, Snapshot
from recollect.values.pool import Pool


def show_pools(page: Page, pools: Sequence[Pool], now: datetime) -> None:
    """Pools, a line each."""
    if not pools:
        page.line(Piece("no pools; `recollect pool create` makes one", "dim"))
        return
    rows = [
        (
            Piece(pool.name, "id"),
            pool.type,
            pool.owner or "",
            f"{pool.version}",
            Piece(short_age(pool.updated_at, now), "dim"),
            ", ".join(pool.data) or "empty",
        )
        for pool in pools
    ]
    page.table(("name", "type", "owner", ">version", ">age", "keys"), rows)


def show_pool(page: Page, pool: Pool, now: datetime, done: str = "") -> None:
    """A pool in full."""
    if done:
        page.line(Piece(f"✓ {done}", "good"))
    title: Line = (Piece(pool.name, "id"), f"  {pool.type}  ", Piece(f"version {pool.version}", "dim"))
    facts: list[tuple[str, Line]] = [
        ("owner", (pool.owner or "whoever has no agent",)),
        *_access(pool.access),
        ("changed", (age(pool.updated_at, now),)),
        *([("expires", (age(pool.expires_at, now),))] if pool.expires_at else []),
        ("id", (pool.id,)),
    ]
    page.card(title, [*value_lines(pool.data), ("",), *aligned(facts)], "id")


def show_use(page: Page, name: str, use: Mapping[str, Any], now: datetime) -> None:
    """How large a pool is, and who used it."""
    size = (f"{counted(use['entries'], 'key')}, {use['bytes']:,} bytes, version {use['version']}",)
    facts: list[tuple[str, Line]] = [("holds", size)]
    for what, by, last in (("reads", "readers", "last_read_at"), ("writes", "writers", "last_written_at")):
        when = f", last {age(use[last], now)}" if use[last] else ""
        who = f" by {', '.join(use[by])}" if use[by] else ""
        facts.append((what, (f"{use[what]:,}{who}{when}",)))
    page.card((Piece(name, "id"),), aligned(facts), "id")


def show_contexts(page: Page, contexts: Sequence[Context], now: datetime) -> None:
    """Contexts, a line each."""
    if not contexts:
        page.line(Piece("no contexts; `recollect contexts create` makes one", "dim"))
        return
    rows = [
        (
            Piece(each.name, "id"),
            each.type,
            each.owner or "",
            Piece(short_age(each.updated_at, now), "dim"),
            flat(each.description or ""),
        )
        for each in contexts
    ]
    page.table(("name", "type", "owner", ">age", "about"), rows)


def show_context(page: Page, context: Context, now: datetime, done: str = "") -> None:
    """A context, without its entries."""
    if done:
        page.line(Piece(f"✓ {done}", "good"))
    state = Piece("archived", "warn") if context.archived else Piece("in use", "good")
    title: Line = (Piece(context.name, "id"), f"  {context.type}  ", state)
    facts: list[tuple[str, Line]] = [
        *([("about", (flat(context.description),))] if context.description else []),
        ("owner", (context.owner or "whoever has no agent",)),
        *_access(context.access),
        ("changed", (age(context.updated_at, now),)),
        ("id", (context.id,)),
    ]
    page.card(title, aligned(facts), "id")


def _access(access: Grants) -> list[tuple[str, Line]]:
    facts: list[tuple[str, Line]] = [("may read", (", ".join(access.read),))] if access.read else []
    facts += [("may write", (", ".join(access.write),))] if access.write else []
    return [*facts, ("public", ("all of the account may read",))] if access.public_read else facts


def show_accesses(page: Page, accesses: Sequence[Access], now: datetime) -> None:
    """Who did what with a context, newest first."""
    if not accesses:
        page.line(Piece("nobody used it yet", "dim"))
        return
    rows = [
        (
            Piece(short_age(each.at, now), "dim"),
            each.agent or "–",
            each.action,
            Piece((each.memory_id or "")[-8:], "id"),
        )
        for each in accesses
    ]
    page.table((">age", "agent", "did", "entry"), rows)


def show_snapshots(page: Page, snapshots: Sequence[Snapshot], now: datetime) -> None:
    """The snapshots of a context, newest first."""
    if not snapshots:
        page.line(Piece("no snapshots; `recollect contexts snapshot` takes one", "dim"))
        return
    rows = [(Piece(short_age(each.at, now), "dim"), f"{each.entries:,}", Piece(each.name, "id")) for each in snapshots]
    page.table((">age", ">entries", "name"), rows)


def show_difference(page: Page, found: Difference) -> None:
    """What became of a context between two moments."""
    if not found:
        page.line(Piece("nothing changed", "dim"))
        return
    for record in found.added:
        page.line(Piece("+ ", "good"), short_id(record), f"  {flat(record.content)}")
    for record in found.removed:
        page.line(Piece("- ", "bad"), short_id(record), f"  {flat(record.content)}")
    for each in found.changed:
        page.line(Piece("~ ", "warn"), Piece(each.id[-8:], "id"))
        for name, after in each.after.items():
            page.line(f"    {name}: {told(each.before[name])} → {told(after)}")
