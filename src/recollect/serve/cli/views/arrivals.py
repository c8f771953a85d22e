"""What a migration or an import did: file by file, with the reason for everything that did not come in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from recollect.portable.incoming import Arrival, BatchReport, Report
from recollect.serve.cli.page import Page, Piece, Tone
from recollect.serve.cli.views.words import counted

_MARKS: dict[str, tuple[str, str, Tone]] = {
    "kept": ("✓", "kept", "good"),
    "replaced": ("↻", "replaced", "warn"),
    "merged": ("+", "merged", "good"),
    "known": ("=", "already here", "dim"),
    "refused": ("✗", "refused", "bad"),
    "left_out": ("·", "left out", "dim"),
}
# What a dry run spells out; a real run tells only what needs a look.
_TOLD = {True: ("kept", "replaced", "merged", "refused"), False: ("replaced", "merged", "refused")}
_MANY = 200


def report_form(report: Report) -> dict[str, Any]:
    """The report as JSON."""
    batches = [
        {"name": batch.name, "arrivals": [asdict(one) for one in batch.arrivals], "gone": list(batch.gone)}
        for batch in report.batches
    ]
    return {"dry_run": report.dry_run, "counts": dict(report.counts), "links": report.links, "batches": batches}


def show_report(page: Page, report: Report) -> None:
    """The files one by one, then the sum."""
    for batch in report.batches:
        _show_batch(page, batch, report.dry_run)
    page.line()
    page.line(Piece("would do" if report.dry_run else "done", "strong"), f"  {_sum(report.counts)}")
    if report.links:
        page.line(f"      {counted(report.links, 'link')} made")
    if report.dry_run:
        page.line(Piece("nothing was changed; leave --dry-run out to bring it in", "dim"))


def _show_batch(page: Page, batch: BatchReport, dry_run: bool) -> None:
    page.line()
    page.line(Piece(batch.name, "strong"), f"  {_sum(Counter(one.fate for one in batch.arrivals))}")
    told = [one for one in batch.arrivals if one.fate in _TOLD[dry_run] or (one.fate == "kept" and one.why)]
    for one in told[: page.room and _MANY]:
        mark, _, tone = _MARKS[one.fate]
        page.line(Piece(f"  {mark} {one.where}", tone), "  ", one.text, Piece(_why(one), "dim"))
    if page.room and len(told) > _MANY:
        page.line(Piece(f"  … and {len(told) - _MANY:,} more; --json shows all", "dim"))
    for why, lines in _left_out(batch.arrivals):
        page.line(Piece(f"  · left out: {why} ({lines})", "dim"))
    for text in batch.gone:
        page.line(Piece("  ? no longer there, still remembered: ", "warn"), text)


def _left_out(arrivals: Iterable[Arrival]) -> list[tuple[str, str]]:
    """Every reason with the places it holds for."""
    places: dict[str, list[str]] = {}
    for one in arrivals:
        if one.fate == "left_out":
            places.setdefault(one.why, []).append(one.where)
    return [(why, _places(found)) for why, found in places.items()]


def _places(found: list[str]) -> str:
    numbers = [place.removeprefix("line ") for place in found]
    if len(found) == 1 or not all(number.isdecimal() for number in numbers):
        return ", ".join(found)
    return f"lines {', '.join(numbers)}"


def _why(one: Arrival) -> str:
    return "" if not one.why else f"  ({one.why})" if one.text else one.why


def _sum(counts: Counter[str] | Any) -> str:
    parts = [f"{counts[fate]:,} {name}" for fate, (_, name, _) in _MARKS.items() if counts[fate]]
    return ", ".join(parts) or "nothing in it"
