"""How memories hang together: links, what one leads to, and where one comes from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recollect.serve.cli.page import Line, Page, Piece
from recollect.serve.cli.times import age
from recollect.serve.cli.views.words import about, bar, content_lines, excerpt, short_id, spoken_at
from recollect.values.hit import Related
from recollect.values.memory import Record
from recollect.values.origin import Origin

_GROUPS = ("has_tag", "in_cluster")


def show_linked(page: Page, source: Record, target: Record, relation: str, weight: float) -> None:
    """The two ends of a new link."""
    told = f"  weight {weight:g}" if relation == "relates_to" else ""
    page.line(Piece("✓ linked", "good"), Piece(f"  {relation}{told}", "strong"))
    _ends(page, source, target)


def show_unlinked(page: Page, one: Record, other: Record, relation: str | None) -> None:
    """The two that are not linked any more."""
    page.line(Piece("✓ unlinked", "good"), Piece(f"  {relation}" if relation else "", "strong"))
    _ends(page, one, other)


def _ends(page: Page, *ends: Record) -> None:
    for end in ends:
        page.line("  ", short_id(end), f"  {excerpt(end.content)}")


def show_related(page: Page, found: Sequence[Related], now: datetime) -> None:
    """What a memory leads to, each with its path."""
    if not found:
        page.line(Piece("it leads to nothing; `recollect link` connects two memories, a shared tag does too", "dim"))
    for rank, each in enumerate(found, 1):
        lead: Line = (Piece(f"{rank:>2} ", "dim"), *bar(each.score), Piece(f" {each.score:.2f}", "strong"))
        path = (Piece("path: ", "dim"), " → ".join(_steps(each.path)))
        page.entry(lead, [*content_lines(page, each.memory), about(each.memory, now), path])


def _steps(path: Sequence[str]) -> list[str]:
    """The steps as far as the memory itself, which stands above: of the last one the relation is enough."""
    *before, last = path
    relation = last.partition(" ")[0]
    return list(before) if relation in _GROUPS else [*before, relation]


def show_origin(page: Page, origin: Origin, now: datetime) -> None:
    """A memory and what it was derived from, each with the place it was said at; then the trust that leaves."""
    _origin(page, origin.memory, now)
    if origin.sources:
        page.line()
        page.line(Piece("derived from", "dim"))
    for source in origin.sources:
        _origin(page, source, now)
    page.line()
    page.line(Piece("trust: ", "dim"), Piece(f"{origin.trust:.2f}", "strong"), f", {_why(origin)}")


def _origin(page: Page, record: Record, now: datetime) -> None:
    said = record.provenance
    spoken = f"session {spoken_at(record)}" if said.session else spoken_at(record)
    facts = [said.kind, f"said by {said.speaker}" if said.speaker else "", spoken, ", ".join(said.file_paths)]
    facts += [age(said.occurred_at or record.created_at, now), f"trust {record.trust:.2f}"]
    snippet: list[Line] = [(Piece(f"“{excerpt(said.snippet)}”", "dim"),)] if said.snippet else []
    body = [*content_lines(page, record), (Piece(" · ".join(filter(None, facts)), "dim"),), *snippet]
    page.entry((short_id(record),), body)


def _why(origin: Origin) -> str:
    if not origin.sources:
        return f"it was {origin.memory.provenance.kind.replace('_', ' ')} and comes from no other memory"
    lowest = min(source.trust for source in origin.sources)
    return (
        "the lowest of its sources" if lowest <= origin.trust else f"its own; the lowest of its sources is {lowest:.2f}"
    )
