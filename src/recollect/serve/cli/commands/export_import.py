"""export, import and copy: move memories between stores and files."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import click

from recollect.errors import Interrupted
from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.commands.import_from import PRODUCTS, import_product, require_source
from recollect.serve.cli.errors import EXIT_FAILURE, EXIT_REFUSED
from recollect.serve.cli.interrupts import StopBetweenBatches, report_interrupted
from recollect.serve.cli.options import filter_options, given_filters, visit_options
from recollect.serve.cli.output import ItemProgress, emit_bytes
from recollect.serve.cli.renderer import Renderer
from recollect.serve.cli.transfer_views import show_copied, show_exported, show_imported

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.serve.cli.app_context import AppContext, Embedding


_FORMATS = click.Choice(("jsonl", "markdown", "csv"))


@click.command(
    "export",
    cls=MemoryCommand,
    examples=(
        "export memories.jsonl",
        "export backup.jsonl --history --everything",
        "export notes/ --format markdown",
        "export notes.zip",
        "export memories.csv",
        "export - --no-vectors",
        "export decisions.csv --type decision --meta team=core",
    ),
)
@click.argument("file")
@click.option(
    "--format",
    "format_name",
    type=_FORMATS,
    metavar="FORMAT",
    help="jsonl, markdown or csv (default: by the name of FILE).",
)
@click.option("--history", is_flag=True, help="Include the journal: every change, and snapshots of contexts.")
@click.option("--no-vectors", is_flag=True, help="Without vectors: smaller, but the import must embed again.")
@click.option(
    "--everything", is_flag=True, help="The whole account: the memories of every agent, team, user and session."
)
@visit_options
@filter_options
@click.pass_obj
def export(
    app: AppContext,
    /,
    file: str,
    format_name: str | None,
    history: bool,
    no_vectors: bool,
    everything: bool,
    session: str | None,
    task: str | None,
    **options: Any,
) -> None:
    """Export memories to a file or folder.

    FILE is a file, or - for stdout. JSON lines are lossless and can be imported again. Markdown is written to a folder or
    a .zip, one file per memory, to read, keep in git and edit; `import` applies the edits. A name that ends in .gz is
    compressed. With filters, only the memories that they select are written.
    """
    filters = given_filters(options)
    if filters and (history or everything):
        raise click.UsageError("--history and --everything are for a whole export; omit them, or the filters")
    if file == "-" and sys.stdout.isatty():
        raise click.UsageError("stdout is a terminal; name a file, or use a pipe")
    target = cast("BinaryIO", _Stdout()) if file == "-" else file
    with app.open_view("offline") as memory, ItemProgress("exporting", quiet=app.quiet) as progress:
        if filters:
            chosen = memory.select(session=session, task=task, everything=True, **filters)
            done = chosen.export(target, format=format_name, vectors=not no_vectors, progress=progress)
        else:
            done = memory.export(
                target,
                format=format_name,
                history=history,
                vectors=not no_vectors,
                everything=everything,
                session=session,
                task=task,
                progress=progress,
            )
    if file != "-":
        app.print_change(
            lambda: {"file": str(Path(file).resolve()), **asdict(done)}, lambda out: show_exported(out, done, file)
        )


@click.command(
    "import",
    cls=MemoryCommand,
    examples=(
        "import memories.jsonl",
        "import backup.jsonl --everything --dry-run",
        "import notes/ --prune",
        "import notes.zip",
        "import memories.jsonl.gz",
        "import koshi.db",
    ),
)
@click.argument("source", metavar="FILE")
@click.option(
    "--format", "format_name", type=_FORMATS, metavar="FORMAT", help="jsonl or markdown (default: by the name of FILE)."
)
@click.option("--from", "product", type=click.Choice(PRODUCTS), metavar="PRODUCT", help="As import-from PRODUCT.")
@click.option("--dry-run", is_flag=True, help="Show what would be imported; change nothing.")
@click.option("--everything", is_flag=True, help="Include the memories of other agents, teams and users.")
@click.option("--prune", is_flag=True, help="Forget memories that were deleted from a Markdown folder or archive.")
@click.pass_obj
def import_(
    app: AppContext,
    source: str,
    format_name: str | None,
    product: str | None,
    dry_run: bool,
    everything: bool,
    prune: bool,
) -> int:
    """Import an export, or edits of it.

    FILE is a file of JSON lines (also .gz), a folder of Markdown, an archive of one (.zip, .tar, .tar.gz, .tgz), or - for
    stdin. Ids are kept, so importing twice adds nothing. Memories forgotten or purged here stay so, and secrets are
    refused: what was refused is listed, and the exit code is 1. One `undo` reverts the whole import. The SQLite file of
    another product is recognised by its tables.
    """
    from recollect.portable.files import format_of
    from recollect.portable.importers import product_of_file

    product = product or (product_of_file(source) if source != "-" and format_name is None else None)
    if product is not None:
        if format_name or everything or prune:
            raise click.UsageError("--format, --everything and --prune are for what `export` wrote")
        return import_product(app, product, (source,), dry_run=dry_run)
    if source != "-":
        require_source(source)
    given = sys.stdin.buffer if source == "-" else source
    # JSON lines bring their vectors; an edited or new Markdown text must be embedded.
    embedding: Embedding = "lazy" if source != "-" and format_of(source) == "markdown" else "offline"
    with (
        app.open_for_writing(embedding, create=True, dry_run=dry_run) as memory,
        ItemProgress("importing", quiet=app.quiet) as bar,
        StopBetweenBatches(bar) as progress,
    ):
        try:
            done = memory.import_data(
                given, format=format_name, everything=everything, dry_run=dry_run, prune=prune, progress=progress
            )
        except Interrupted as stopped:
            return report_interrupted(stopped, "item", "the same command; what is here already stays as it is")
    app.print_change(lambda: asdict(done), lambda out: show_imported(out, done))
    return EXIT_REFUSED if done.refused or done.others.get("refused") else 0


@click.command(
    "copy",
    cls=MemoryCommand,
    examples=("copy memory.db backup.db", "copy memory.db postgresql://user@host/memories"),
)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.pass_obj
def copy(app: AppContext, source: str, target: str) -> int:
    """Copy a whole store to another, of any kind.

    Copies every account with its history; FROM and TO are paths or URLs. An interrupted copy resumes where it stopped. At
    the end both stores are compared; exits with 3 if something is missing.
    """
    from recollect.engine import copy as copy_store

    app.reject_as_of()
    _check_stores(source, target)
    with ExitStack() as stack:
        here, there = (stack.enter_context(_open_store(name)) for name in (source, target))
        progress = stack.enter_context(ItemProgress("copying", quiet=app.quiet))
        copied = copy_store(here, there, progress=progress)

    def show(out: Renderer) -> None:
        for each in copied:
            show_copied(out, each)
        if not copied:
            out.line("✓ nothing to copy")

    app.print_answer(lambda: [asdict(each) for each in copied], show)
    return 0 if all(each.verified for each in copied) else EXIT_FAILURE


def _open_store(name: str) -> Memory:
    from recollect.wiring import open_memory

    return open_memory(name, project="", embedder="none", reranker="none")


def _check_stores(source: str, target: str) -> None:
    """Raise a usage error unless the source exists and differs from the target."""
    if "://" not in source and not Path(source).exists():
        raise click.UsageError(f"no store at {source}")
    if source == target or ("://" not in source + target and Path(source).resolve() == Path(target).resolve()):
        raise click.UsageError("FROM and TO are the same store")


class _Stdout:
    """Stdout as a binary file."""

    def write(self, data: bytes) -> int:
        emit_bytes(data)
        return len(data)
