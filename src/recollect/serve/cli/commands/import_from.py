"""import-from: the ways in for what people already have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.failure import REFUSED
from recollect.serve.cli.verb import Verb

if TYPE_CHECKING:
    from recollect.portable.incoming import Report

# Known here without importing the readers, so that help stays instant; a test holds the two lists together.
_PRODUCTS = ("memory-files", "mem0", "langgraph", "mcp-memory", "mcp-memory-service")


@click.command(
    "import-from",
    cls=Verb,
    examples=(
        "import-from memory-files ~/.openclaw/workspace --dry-run",
        "import-from memory-files CLAUDE.md MEMORY.md memory/",
        "import-from memory-files workspace.tar.gz",
        "import-from mem0 export.json",
        "import-from langgraph store.db --only alice",
        "import-from mcp-memory memory.jsonl",
        "import-from mcp-memory-service sqlite_vec.db --json",
    ),
)
@click.argument("product", type=click.Choice(_PRODUCTS))
@click.argument("paths", nargs=-1, required=True, metavar="PATH…", type=click.Path())
@click.option("--only", metavar="NAME", help="Only what belongs to this user, agent or namespace.")
@click.option("--dry-run", is_flag=True, help="Show what would come in; change nothing.")
@click.option("--global", "everywhere", is_flag=True, help="For every project, not only this one.")
@click.pass_obj
def import_from(
    door: Door, product: str, paths: tuple[str, ...], only: str | None, dry_run: bool, everywhere: bool
) -> int:
    """Bring in memory files, or another product's memories.

    Memory files are MEMORY.md, memory/*.md and CLAUDE.md: each fact becomes a memory, with the headings above it as tags.
    PATH is a file, folder or export; a folder of memory files may be packed (.zip, .tar, .tar.gz, .tgz). What is there keeps
    its time, tags and relations. Secrets are refused and reported. Running it again adds only what changed.
    """
    from recollect.serve.cli.progress import Counting

    with door.writing("as set", anywhere=everywhere) as memory, Counting("importing", quiet=door.quiet) as progress:
        report = memory.import_from(product, *paths, only=only, dry_run=dry_run, progress=progress)
    return _tell(door, report)


def _tell(door: Door, report: Report) -> int:
    from recollect.serve.cli.views.arrivals import report_form, show_report

    door.done(lambda: report_form(report), lambda page: show_report(page, report))
    came = sum(report.counts[fate] for fate in ("kept", "replaced", "merged", "known"))
    return REFUSED if report.counts["refused"] and not came else 0
