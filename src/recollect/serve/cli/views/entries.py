"""What lives for a while: values of working memory, entries of sessions, and what the router finds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.serve.cli.page import Line, Page, Piece
from recollect.serve.cli.times import age, short_age
from recollect.serve.cli.views.words import aligned, counted, excerpt, flat, memories
from recollect.values.entry import Entry
from recollect.values.routed import Consolidated, Met, Routed


def told(value: Any) -> str:
    """A value on one line: a text as it is, anything else as JSON."""
    return flat(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def value_lines(value: Any) -> list[Line]:
    """A value in full: a text by its lines, anything else as indented JSON."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return [(line,) for line in text.expandtabs(4).split("\n")]


def show_value(page: Page, value: Any) -> None:
    """A value, and nothing else."""
    for line in value_lines(value):
        page.line(*line)


def show_kept(page: Page, done: str, key: str, value: Any, until: str = "") -> None:
    """What was put where."""
    page.line(Piece(f"✓ {done}", "good"), "  ", Piece(key, "id"), f"  {excerpt(told(value))}", Piece(until, "dim"))


def show_values(page: Page, values: Mapping[str, Any]) -> None:
    """Every key with what is under it, a line each."""
    if not values:
        page.line(Piece("nothing here; what was here may have expired", "dim"))
        return
    page.table(("key", "value"), [(Piece(key, "id"), told(value)) for key, value in values.items()])


def show_entry(page: Page, entry: Entry, now: datetime) -> None:
    """An entry in full."""
    title: Line = (Piece(entry.key, "id"), f"  {entry.type}  ", Piece(f"session {entry.session}", "dim"))
    facts: list[tuple[str, Line]] = [
        ("read", (counted(entry.access_count, "time"),)),
        ("written", (age(entry.created_at, now),)),
        ("expires", (age(entry.expires_at, now),)),
    ]
    page.card(title, [*value_lines(entry.value), ("",), *aligned(facts)], "id")


def show_entries(page: Page, entries: Sequence[Entry], now: datetime) -> None:
    """Entries, a line each."""
    if not entries:
        page.line(Piece("no entries; `recollect session store` writes one", "dim"))
        return
    rows = [
        (
            entry.session,
            Piece(entry.key, "id"),
            entry.type,
            f"{entry.access_count:,}",
            Piece(short_age(now, entry.expires_at), "dim"),
            told(entry.value),
        )
        for entry in entries
    ]
    page.table(("session", "key", "type", ">read", ">left", "value"), rows)


def show_routed(page: Page, found: Routed) -> None:
    """A value, and the tier that answered."""
    page.card((Piece(found.key, "id"), Piece(f"  {found.tier}", "dim")), value_lines(found.value), "id")


def show_met(page: Page, found: Sequence[Met]) -> None:
    """What a search through all tiers found."""
    if not found:
        page.line(Piece("nothing found in any tier", "dim"))
        return
    rows = [(met.tier, f"{met.score:.3f}", Piece(_key(met), "id"), flat(met.text)) for met in found]
    page.table(("tier", ">score", "key", "text"), rows)


def _key(met: Met) -> str:
    return met.key if met.memory is None else met.memory.short_id


def show_consolidated(page: Page, done: Consolidated) -> None:
    """What became of a session."""
    page.line(
        Piece(f"✓ {memories(len(done.promoted))} made", "good"), f"  {counted(done.left, 'entry', 'entries')} left"
    )
    for record in done.promoted:
        page.line(Piece(f"  + {record.short_id}", "id"), f"  {flat(record.content)}")
    for record in done.known:
        page.line(Piece(f"  = {record.short_id}", "id"), Piece(f"  known already: {flat(record.content)}", "dim"))
    for key, reason in done.refused:
        page.line(Piece(f"  ✗ {key}", "bad"), f"  {reason}")


def show_tier_stats(page: Page, stats: Mapping[str, Any]) -> None:
    """How much each tier holds."""
    short = stats["short_term"]
    entries, sessions = counted(short["entries"], "entry", "entries"), counted(short["sessions"], "session")
    rows = [
        ("working", counted(stats["working"]["keys"], "key")),
        ("short-term", f"{entries} in {sessions}"),
        ("long-term", memories(sum(stats["long_term"]["statuses"].values()))),
        ("shared", f"{counted(stats['shared']['pools'], 'pool')}, {counted(stats['shared']['keys'], 'key')}"),
    ]
    for line in aligned([(name, (text,)) for name, text in rows]):
        page.line(*line)
