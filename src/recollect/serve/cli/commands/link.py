"""link, unlink, related and provenance: how memories are connected."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click

from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.formatting import bar, content_lines, excerpt, session_label, short_id, summary_line
from recollect.serve.cli.json_output import memory_json, provenance_json, related_json
from recollect.serve.cli.options import visit_options
from recollect.serve.cli.renderer import Line, Renderer, Span
from recollect.serve.cli.times import age
from recollect.values.enums import LINK_RELATIONS

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext
    from recollect.values.memory import ProvenanceChain, Record
    from recollect.values.recalled import Related

_RELATION = click.Choice(LINK_RELATIONS)
_GROUPS = ("has_tag", "in_cluster")


@click.command(
    "link",
    cls=MemoryCommand,
    examples=(
        "link 3f9a1c22 8b01d4e7",
        "link 3f9a1c22 8b01d4e7 --relation derived_from",
        "link 3f9a1c22 8b01d4e7 --weight 0.4",
    ),
)
@click.argument("source")
@click.argument("target")
@click.option(
    "--relation",
    type=_RELATION,
    default="relates_to",
    show_default=True,
    metavar="RELATION",
    help="relates_to, supersedes, contradicts or derived_from.",
)
@click.option("--weight", type=float, default=1.0, show_default=True, help="0.01 to 1, for relates_to.")
@click.pass_obj
def link(app: AppContext, source: str, target: str, relation: str, weight: float) -> None:
    """Link one memory to another.

    SOURCE relates to, contradicts, was derived from or supersedes TARGET. A derived memory is trusted no more than its
    source. An existing link gets the new weight.
    """
    with app.open_for_writing() as memory:
        one, other = memory.get(source), memory.get(target)
        record = memory.link(one.id, other.id, relation, weight)  # type: ignore[arg-type]
    # An existing relates_to link keeps its direction, whichever memory is named first.
    ends = (other, one) if record.id == other.id else (one, other)
    app.print_change(lambda: memory_json(record), lambda out: show_linked(out, *ends, relation, weight))


@click.command(
    "unlink",
    cls=MemoryCommand,
    examples=("unlink 3f9a1c22 8b01d4e7", "unlink 3f9a1c22 8b01d4e7 --relation contradicts"),
)
@click.argument("source")
@click.argument("target")
@click.option("--relation", type=_RELATION, metavar="RELATION", help="Only links with this relation.")
@click.pass_obj
def unlink(app: AppContext, source: str, target: str, relation: str | None) -> None:
    """Remove the links between two memories."""
    with app.open_for_writing() as memory:
        one, other = memory.get(source), memory.get(target)
        changed = memory.unlink(one.id, other.id, relation)  # type: ignore[arg-type]
    app.print_change(
        lambda: [memory_json(record) for record in changed], lambda out: show_unlinked(out, one, other, relation)
    )


@click.command("related", cls=MemoryCommand, examples=("related 3f9a1c22", "related 3f9a1c22 --depth 2 -n 5 --json"))
@click.argument("id")
@click.option("--depth", type=int, default=1, show_default=True, help="Maximum distance in links, 1 to 4.")
@click.option("-n", "--limit", type=int, default=20, show_default=True, help="Maximum number of memories.")
@click.pass_obj
def related(app: AppContext, id: str, depth: int, limit: int) -> None:
    """List memories connected to one, strongest path first.

    By links, shared tags and clusters; each is shown with its path.
    """

    # Clusters belong to a model, so its name is needed.
    with app.open_view("offline") as memory:
        found = memory.related(id, depth, limit)
    app.print_answer(lambda: [related_json(each) for each in found], lambda out: show_related(out, found, app.now))


@click.command("provenance", cls=MemoryCommand, examples=("provenance 3f9a1c22", "provenance 3f9a1c22 --json"))
@click.argument("id")
@visit_options
@click.pass_obj
def provenance(app: AppContext, id: str, session: str | None, task: str | None) -> None:
    """Show where a memory comes from, and its resulting trust.

    Every memory it was derived from, with session, message, file and speaker.
    """
    with app.open_view() as memory:
        chain = memory.provenance(id, session=session, task=task)
    app.print_answer(lambda: provenance_json(chain), lambda out: show_provenance(out, chain, app.now))


def show_linked(out: Renderer, source: Record, target: Record, relation: str, weight: float) -> None:
    """The two ends of a new link."""
    weight_text = f"  weight {weight:g}" if relation == "relates_to" else ""
    out.line(Span("✓ linked", "good"), Span(f"  {relation}{weight_text}", "strong"))
    _show_ends(out, source, target)


def show_unlinked(out: Renderer, one: Record, other: Record, relation: str | None) -> None:
    """The two memories that were unlinked."""
    out.line(Span("✓ unlinked", "good"), Span(f"  {relation}" if relation else "", "strong"))
    _show_ends(out, one, other)


def _show_ends(out: Renderer, *ends: Record) -> None:
    for end in ends:
        out.line("  ", short_id(end), f"  {excerpt(end.content)}")


def show_related(out: Renderer, found: Sequence[Related], now: datetime) -> None:
    """Related memories, each with its path."""
    if not found:
        out.line(Span("no related memories; `recollect link` connects two, and so does a shared tag", "dim"))
    for rank, each in enumerate(found, 1):
        lead: Line = (Span(f"{rank:>2} ", "dim"), *bar(each.score), Span(f" {each.score:.2f}", "strong"))
        path = (Span("path: ", "dim"), " → ".join(_path_steps(each.path)))
        out.entry(lead, [*content_lines(out, each.memory), summary_line(each.memory, now), path])


def _path_steps(path: Sequence[str]) -> list[str]:
    """The steps of a path; the last shows only its relation, since the memory itself is printed above."""
    *before, last = path
    relation = last.partition(" ")[0]
    return list(before) if relation in _GROUPS else [*before, relation]


def show_provenance(out: Renderer, chain: ProvenanceChain, now: datetime) -> None:
    """A memory and its sources, each with where it was said; then the resulting trust."""
    _show_source(out, chain.memory, now)
    if chain.sources:
        out.line()
        out.line(Span("derived from", "dim"))
    for source in chain.sources:
        _show_source(out, source, now)
    out.line()
    out.line(Span("trust: ", "dim"), Span(f"{chain.trust:.2f}", "strong"), f", {_trust_reason(chain)}")


def _show_source(out: Renderer, record: Record, now: datetime) -> None:
    provenance = record.provenance
    spoken = f"session {session_label(record)}" if provenance.session else session_label(record)
    facts = [
        provenance.kind,
        f"said by {provenance.speaker}" if provenance.speaker else "",
        spoken,
        ", ".join(provenance.file_paths),
    ]
    facts += [age(provenance.occurred_at or record.created_at, now), f"trust {record.trust:.2f}"]
    snippet: list[Line] = [(Span(f"“{excerpt(provenance.snippet)}”", "dim"),)] if provenance.snippet else []
    body = [*content_lines(out, record), (Span(" · ".join(filter(None, facts)), "dim"),), *snippet]
    out.entry((short_id(record),), body)


def _trust_reason(chain: ProvenanceChain) -> str:
    if not chain.sources:
        return f"{chain.memory.provenance.kind.replace('_', ' ')}, not derived from another memory"
    lowest = min(source.trust for source in chain.sources)
    return (
        "the lowest of its sources"
        if lowest <= chain.trust
        else f"its own value; the lowest of its sources is {lowest:.2f}"
    )
