"""A memory in full, and many on a line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from recollect.serve.cli.page import Line, Page, Piece, Tone
from recollect.serve.cli.times import age, short_age
from recollect.serve.cli.views.words import (
    WARNING,
    about,
    aligned,
    belongs,
    content_lines,
    excerpt,
    flat,
    memories,
    short_id,
    spoken_at,
    where,
)
from recollect.values.memory import Record
from recollect.values.trust import confidence_now

_TONES: dict[str, Tone] = {"active": "good", "superseded": "old", "archived": "dim", "forgotten": "bad"}


def show_memory(page: Page, record: Record, now: datetime, linked: Mapping[str, Record]) -> None:
    """Everything there is to know about one memory; `linked` are those it has links to, as far as they can be seen."""
    title: Line = (short_id(record), f"  {record.type}  ", Piece(record.status, _TONES[record.status]))
    body = [*content_lines(page, record), ("",), *aligned([*_facts(record, now), *_links(record, linked)])]
    page.card(title, body, "warn" if record.type == "negative" else "id")


def show_list(page: Page, records: Sequence[Record], now: datetime, *, more: bool = False) -> None:
    """One line a memory."""
    if not records:
        page.line(Piece("nothing here", "dim"))
        return
    rows = [
        (
            short_id(r),
            Piece(r.type, "warn" if r.type == "negative" else "plain"),
            where(r),
            Piece(short_age(r.created_at, now), "dim"),
            Piece("" if r.status == "active" else r.status, "warn"),
            _told(r),
        )
        for r in records
    ]
    # A column that says nothing takes room from the text.
    shown = [0, 1, 2, 3, *([4] if any(r.status != "active" for r in records) else []), 5]
    names = ("id", "type", "where", ">age", "status", "memory")
    page.table([names[n] for n in shown], [[row[n] for n in shown] for row in rows])
    if more:
        page.line(Piece(f"{memories(len(records))} shown; --limit and --offset show more", "dim"))


def _told(record: Record) -> Piece:
    """The text on one line; what not to do is told as a warning."""
    negative = record.type == "negative"
    tone: Tone = "old" if record.status == "superseded" else "warn" if negative else "plain"
    return Piece((WARNING if negative else "") + flat(record.content), tone)


def show_changed(page: Page, done: str, record: Record, now: datetime, detail: str = "") -> None:
    """What a change of one memory did."""
    said = (Piece(f"✓ {done}", "good"), Piece(f"  {detail}" if detail else "", "strong"))
    page.line(*said)
    show_now(page, record, now)


def show_now(page: Page, record: Record, now: datetime) -> None:
    """A memory under what was said about it."""
    for line in content_lines(page, record):
        page.line("  ", *line)
    page.line("  ", *about(record, now))


def _facts(record: Record, now: datetime) -> list[tuple[str, Line]]:
    said = record.provenance
    rows: list[tuple[str, object]] = [
        ("id", record.id),
        ("scope", belongs(record)),
        ("project", record.project if record.scope != "project" else None),
        ("tags", " ".join(f"#{tag}" for tag in record.tags)),
        ("labels", ", ".join(record.labels)),
        ("triggers", "   ".join(record.triggers)),
        ("season", record.season),
        ("importance", f"{record.importance:.2f}   weight {record.weight:.2f}   trust {record.trust:.2f}"),
        ("confidence", f"{confidence_now(record, now):.2f} today, {record.confidence:.2f} when last changed"),
        ("use", f"score {record.score:+d}, strength {record.strength}, recalled {record.access_count}×"),
        ("delivery", record.delivery if record.delivery != "on_demand" else None),
        ("created", _time(record.created_at, now)),
        ("updated", _time(record.updated_at, now) if record.updated_at != record.created_at else None),
        ("last recalled", _time(record.accessed_at, now) if record.access_count else None),
        ("last confirmed", _time(record.hit_at, now)),
        ("true from", _time(record.valid_from, now)),
        ("true until", _time(record.valid_until, now)),
        ("expires", _time(record.expires_at, now)),
        ("supersedes", _tail(record.supersedes)),
        ("superseded by", _tail(record.superseded_by)),
        ("source", said.kind + (f", said by {said.speaker}" if said.speaker else "")),
        ("session", spoken_at(record)),
        ("occurred", _time(said.occurred_at, now)),
        ("files", ", ".join(said.file_paths)),
        ("snippet", said.snippet),
        ("reason", said.reason),
        ("key", record.key),
        ("said again", ", ".join(age(crumb.at, now) for crumb in record.breadcrumbs)),
    ]
    return [(name, (str(value),)) for name, value in rows if value]


def _links(record: Record, linked: Mapping[str, Record]) -> list[tuple[str, Line]]:
    """Each link: the relation once, then the other's id and how it begins."""
    rows: list[tuple[str, Line]] = []
    for link in sorted(record.links, key=lambda link: (link.relation, -link.weight)):
        other, name = linked.get(link.target), link.relation.replace("_", " ")
        text = "" if other is None else f"  {excerpt(other.content, 50)}"
        weight = f"  weight {link.weight:.2f}" if link.relation == "relates_to" else ""
        rows.append(
            (name, (Piece(link.target[-8:], "id"), text, Piece(f"{weight}{'  settled' * link.settled}", "dim")))
        )
    return [(name if place == 0 or rows[place - 1][0] != name else "", line) for place, (name, line) in enumerate(rows)]


def _tail(id: str | None) -> str | None:
    return id and id[-8:]


def _time(then: datetime | None, now: datetime) -> str | None:
    return None if then is None else f"{then.astimezone():%Y-%m-%d %H:%M}  ({age(then, now)})"
