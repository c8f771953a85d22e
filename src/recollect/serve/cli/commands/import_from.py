"""import-from: import memory files (MEMORY.md, CLAUDE.md), or the memories of another product."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recollect.errors import Interrupted, InvalidInput
from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.errors import EXIT_REFUSED
from recollect.serve.cli.formatting import count_of, excerpt
from recollect.serve.cli.interrupts import StopBetweenBatches, report_interrupted
from recollect.serve.cli.output import ItemProgress
from recollect.serve.cli.renderer import Renderer, Span, Tone

if TYPE_CHECKING:
    from recollect.portable.drafts import IngestedItem, IngestReport, SourceReport
    from recollect.serve.cli.app_context import AppContext


# Listed here so that the help needs no import of the readers; a test checks that the two lists agree.
PRODUCTS = (
    "memory-files",
    "mem0",
    "langgraph",
    "mcp-memory",
    "mcp-memory-service",
    "koshi",
    "mememory",
    "agent-memories",
)
_MARKS: dict[str, tuple[str, str, Tone]] = {
    "kept": ("✓", "stored", "good"),
    "replaced": ("↻", "replaced", "warn"),
    "merged": ("+", "merged", "good"),
    "known": ("=", "already known", "dim"),
    "refused": ("✗", "refused", "bad"),
    "left_out": ("·", "skipped", "dim"),
}
# What a dry run lists, and what a real run lists: only what may need attention.
_LISTED = {True: ("kept", "replaced", "merged", "refused"), False: ("replaced", "merged", "refused")}
_MAX_LINES = 200
_MAX_QUOTES = 20
_LONGEST_QUOTE = 100


@click.command(
    "import-from",
    cls=MemoryCommand,
    examples=(
        "import-from memory-files ~/.openclaw/workspace --dry-run",
        "import-from memory-files CLAUDE.md MEMORY.md memory/",
        "import-from memory-files workspace.tar.gz",
        "import-from mem0 export.json",
        "import-from langgraph store.db --only alice",
        "import-from mcp-memory memory.jsonl",
        "import-from mcp-memory-service sqlite_vec.db --json",
        "import-from koshi koshi.db",
        "import-from mememory postgresql://ada@db.example/memories",
    ),
)
@click.argument("product", type=click.Choice(PRODUCTS))
@click.argument("paths", nargs=-1, required=True, metavar="PATH…", type=click.Path())
@click.option("--only", metavar="NAME", help="Only memories of this user, agent or namespace.")
@click.option("--dry-run", is_flag=True, help="Show what would be imported; change nothing.")
@click.option("--global", "everywhere", is_flag=True, help="Visible in every project, not only in this one.")
@click.pass_obj
def import_from(
    app: AppContext, product: str, paths: tuple[str, ...], only: str | None, dry_run: bool, everywhere: bool
) -> int:
    """Import memory files, or memories of another product.

    Memory files are MEMORY.md, memory/*.md and CLAUDE.md: each fact becomes a memory, with the headings above it as tags.
    PATH is a file, folder or export; a folder of memory files may be an archive (.zip, .tar, .tar.gz, .tgz). Times, tags
    and relations are kept; of koshi, mememory and agent-memories (tables of a memory on pgvector) also scores, hits,
    weights, chains and owners, read from SQLite, a PostgreSQL address, CSV or JSON. Secrets are refused and reported, with
    exit code 1. A second run imports only what changed.
    """
    return import_product(app, product, paths, only=only, dry_run=dry_run, no_project=everywhere)


def require_source(path: str) -> None:
    """A file or folder that is to be read must be there, before the store is opened: that may create it."""
    if "://" not in path and not Path(path).expanduser().exists():
        raise InvalidInput("path", f"{path} does not exist", "choose another path")


def import_product(
    app: AppContext,
    product: str,
    paths: tuple[str, ...],
    *,
    only: str | None = None,
    dry_run: bool,
    no_project: bool = False,
) -> int:
    """Import from a product and print what was done; returns the exit code."""
    for path in paths:
        require_source(path)
    with (
        app.open_for_writing("lazy", no_project=no_project, create=True, dry_run=dry_run) as memory,
        ItemProgress("importing", quiet=app.quiet) as bar,
        StopBetweenBatches(bar) as progress,
    ):
        try:
            report = memory.import_from(product, *paths, only=only, dry_run=dry_run, progress=progress)
        except Interrupted as stopped:
            return report_interrupted(stopped, "text", "the same command; what is here already is skipped")
    app.print_change(lambda: _report_json(report), lambda out: _show_report(out, report))
    return EXIT_REFUSED if report.counts["refused"] else 0


def _report_json(report: IngestReport) -> dict[str, Any]:
    """The report as JSON."""
    batches = [
        {"name": batch.name, "items": [asdict(one) for one in batch.items], "missing": list(batch.missing)}
        for batch in report.batches
    ]
    return {"dry_run": report.dry_run, "counts": dict(report.counts), "links": report.links, "batches": batches}


def _show_report(out: Renderer, report: IngestReport) -> None:
    """Each file, then the totals."""
    for batch in report.batches:
        _show_batch(out, batch, report.dry_run)
    out.line()
    out.line(Span("dry run" if report.dry_run else "total", "strong"), f"  {_totals(report.counts)}")
    if report.links:
        out.line(f"      {count_of(report.links, 'link')} created")
    if report.dry_run:
        out.line(Span("nothing was changed; omit --dry-run to import", "dim"))


def _show_batch(out: Renderer, batch: SourceReport, dry_run: bool) -> None:
    out.line()
    out.line(Span(batch.name, "strong"), f"  {_totals(Counter(one.outcome for one in batch.items))}")
    listed = [one for one in batch.items if one.outcome in _LISTED[dry_run] or _has_news(one)]
    for one in listed[: out.room and _MAX_LINES]:
        mark, _, tone = _MARKS[one.outcome]
        out.line(
            Span(f"  {mark} {one.where}", tone), "  ", excerpt(one.text, _LONGEST_QUOTE), Span(_reason(one), "dim")
        )
    if out.room and len(listed) > _MAX_LINES:
        out.line(Span(f"  … and {len(listed) - _MAX_LINES:,} more; --json shows all", "dim"))
    for why, items in _left_out(batch.items).items():
        out.line(Span(f"  · skipped: {why} ({_places([one.where for one in items])})", "dim"))
        quoted = [one for one in items if any(map(str.isalnum, one.text)) and one.text != batch.name]
        for one in quoted[: out.room and _MAX_QUOTES]:
            out.line(Span(f"      {excerpt(one.text, _LONGEST_QUOTE)}", "dim"))
        if out.room and len(quoted) > _MAX_QUOTES:
            out.line(Span(f"      … and {len(quoted) - _MAX_QUOTES:,} more; --json shows all", "dim"))
    for text in batch.missing:
        out.line(Span("  ? no longer in the source, still remembered: ", "warn"), text)


def _has_news(one: IngestedItem) -> bool:
    """Whether there is more to say of a memory than that it is here."""
    return (one.outcome == "kept" and bool(one.reason)) or (one.outcome == "known" and one.reason != "already here")


def _left_out(items: Iterable[IngestedItem]) -> dict[str, list[IngestedItem]]:
    """What was left out, by the reason."""
    found: dict[str, list[IngestedItem]] = {}
    for one in items:
        if one.outcome == "left_out":
            found.setdefault(one.reason, []).append(one)
    return found


def _places(found: list[str]) -> str:
    numbers = [place.removeprefix("line ") for place in found]
    if len(found) == 1 or not all(number.isdecimal() for number in numbers):
        return ", ".join(found)
    return f"lines {', '.join(numbers)}"


def _reason(one: IngestedItem) -> str:
    return "" if not one.reason else f"  ({one.reason})" if one.text else one.reason


def _totals(counts: Counter[str] | Any) -> str:
    parts = [f"{counts[fate]:,} {name}" for fate, (_, name, _) in _MARKS.items() if counts[fate]]
    return ", ".join(parts) or "nothing to import"
