"""get and list: show one memory by id, and list many by filters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import click

from recollect.serve.cli.app_context import AppContext, fetch_many
from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.formatting import aligned, content_lines, excerpt, scope_label, session_label, short_id
from recollect.serve.cli.json_output import memory_json
from recollect.serve.cli.options import filter_options, given_filters, visit_options
from recollect.serve.cli.renderer import Line, Renderer, Span, Tone
from recollect.serve.cli.times import age
from recollect.serve.cli.views import print_page
from recollect.values.memory import Record, confidence_now

_TONES: dict[str, Tone] = {"active": "good", "superseded": "old", "archived": "dim", "forgotten": "bad"}


@click.command("get", cls=MemoryCommand, examples=("get 3f9a1c22", "--as-of yesterday get 3f9a1c22 --json"))
@click.argument("id")
@click.pass_obj
def get(app: AppContext, id: str) -> None:
    """Show one memory in full.

    ID may be any unique prefix or suffix of an id, from four characters.
    """
    with app.open_view() as memory:
        record = memory.get(id)
        linked = fetch_many(memory, [link.target for link in record.links])
    app.print_answer(lambda: memory_json(record), lambda out: show_memory(out, record, app.now, linked))


@click.command(
    "list",
    cls=MemoryCommand,
    examples=("list --type procedure -t deploy", "list --in-project shop --since 7d", "list --status forgotten --json"),
)
@click.option("-n", "--limit", type=int, default=50, show_default=True, help="Maximum number of memories.")
@click.option("--after", metavar="ID", help="Go on after this memory: the last one of the page before.")
@visit_options
@filter_options
@click.pass_obj
def list_(
    app: AppContext, /, limit: int, after: str | None, session: str | None, task: str | None, **options: Any
) -> None:
    """List memories, newest first.

    From all projects, unless --in-project names one.
    """
    with app.open_view() as memory:
        page = memory.list(limit=limit, after=after, total=True, session=session, task=task, **given_filters(options))
    print_page(app, page)


def show_memory(out: Renderer, record: Record, now: datetime, linked: Mapping[str, Record]) -> None:
    """One memory with all its fields; `linked` are the visible memories it links to."""
    title: Line = (short_id(record), f"  {record.type}  ", Span(record.status, _TONES[record.status]))
    body = [*content_lines(out, record), ("",), *aligned([*_facts(record, now), *_links(record, linked)])]
    out.card(title, body, "warn" if record.type == "negative" else "id")


def _facts(record: Record, now: datetime) -> list[tuple[str, Line]]:
    provenance = record.provenance
    rows: list[tuple[str, object]] = [
        ("id", record.id),
        ("scope", scope_label(record)),
        ("project", record.project if record.scope != "project" else None),
        ("tags", " ".join(f"#{tag}" for tag in record.tags)),
        ("labels", ", ".join(record.labels)),
        ("triggers", "   ".join(record.triggers)),
        ("season", record.season),
        ("importance", f"{record.importance:.2f}   weight {record.weight:.2f}   trust {record.trust:.2f}"),
        ("confidence", f"{confidence_now(record, now):.2f} now, {record.confidence:.2f} when last changed"),
        ("use", f"score {record.score:+d}, strength {record.strength}, recalled {record.access_count}×"),
        ("delivery", record.delivery if record.delivery != "on_demand" else None),
        ("created", _time(record.created_at, now)),
        ("updated", _time(record.updated_at, now) if record.updated_at != record.created_at else None),
        ("last recalled", _time(record.accessed_at, now) if record.access_count else None),
        ("last confirmed", _time(record.hit_at, now)),
        ("valid from", _time(record.valid_from, now)),
        ("valid until", _time(record.valid_until, now)),
        ("expires", _time(record.expires_at, now)),
        ("supersedes", _tail(record.supersedes)),
        ("superseded by", _tail(record.superseded_by)),
        ("source", provenance.kind + (f", said by {provenance.speaker}" if provenance.speaker else "")),
        ("session", session_label(record)),
        ("occurred at", _time(provenance.occurred_at, now)),
        ("files", ", ".join(provenance.file_paths)),
        ("snippet", provenance.snippet),
        ("reason", provenance.reason),
        ("idempotency key", record.key),
        ("metadata", json.dumps(dict(record.metadata), ensure_ascii=False) if record.metadata else None),
        ("restated", ", ".join(age(crumb.at, now) for crumb in record.breadcrumbs)),
    ]
    return [(name, (str(value),)) for name, value in rows if value]


def _links(record: Record, linked: Mapping[str, Record]) -> list[tuple[str, Line]]:
    """One row per link: the relation (once), the other id and an excerpt."""
    rows: list[tuple[str, Line]] = []
    for link in sorted(record.links, key=lambda link: (link.relation, -link.weight)):
        other, name = linked.get(link.target), link.relation.replace("_", " ")
        text = "" if other is None else f"  {excerpt(other.content, 50)}"
        weight = f"  weight {link.weight:.2f}" if link.relation == "relates_to" else ""
        rows.append((name, (Span(link.target[-8:], "id"), text, Span(f"{weight}{'  resolved' * link.settled}", "dim"))))
    return [(name if place == 0 or rows[place - 1][0] != name else "", line) for place, (name, line) in enumerate(rows)]


def _tail(id: str | None) -> str | None:
    return id and id[-8:]


def _time(then: datetime | None, now: datetime) -> str | None:
    return None if then is None else f"{then.astimezone():%Y-%m-%d %H:%M}  ({age(then, now)})"
