"""export, import and copy: move memories between stores and files."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import click

from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.errors import EXIT_FAILURE, EXIT_REFUSED
from recollect.serve.cli.formatting import aligned, count_memories, count_of
from recollect.serve.cli.output import ItemProgress, emit_bytes
from recollect.serve.cli.renderer import Line, Renderer, Span

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.serve.cli.app_context import AppContext, Embedding
    from recollect.values.transfer import Copied, Exported, Imported


_FORMATS = click.Choice(("jsonl", "markdown", "csv"))
_MAX_LINES = 20
_NOUNS = {
    "document": ("document", None),
    "cluster": ("cluster", None),
    "event": ("journal event", "journal events"),
    "purged": ("tombstone of a purged text", "tombstones of purged texts"),
    "access": ("access log entry", "access log entries"),
    "off": ("disabled project", "disabled projects"),
}


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
@click.option("--session", metavar="NAME", help="Also the memories of this session.")
@click.option("--task", metavar="NAME", help="Also the memories of this task.")
@click.pass_obj
def export(
    app: AppContext,
    file: str,
    format_name: str | None,
    history: bool,
    no_vectors: bool,
    everything: bool,
    session: str | None,
    task: str | None,
) -> None:
    """Export memories to a file or folder.

    FILE is a file, or - for stdout. JSON lines are lossless and can be imported again. Markdown is written to a folder or
    a .zip, one file per memory, to read, keep in git and edit; `import` applies the edits. A name that ends in .gz is
    compressed.
    """
    if file == "-" and sys.stdout.isatty():
        raise click.UsageError("stdout is a terminal; name a file, or use a pipe")
    target = cast("BinaryIO", _Stdout()) if file == "-" else file
    with app.open_view("offline") as memory, ItemProgress("exporting", quiet=app.quiet) as progress:
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
    ),
)
@click.argument("source", metavar="FILE")
@click.option(
    "--format", "format_name", type=_FORMATS, metavar="FORMAT", help="jsonl or markdown (default: by the name of FILE)."
)
@click.option("--dry-run", is_flag=True, help="Show what would be imported; change nothing.")
@click.option("--everything", is_flag=True, help="Include the memories of other agents, teams and users.")
@click.option("--prune", is_flag=True, help="Forget memories that were deleted from a Markdown folder or archive.")
@click.pass_obj
def import_(app: AppContext, source: str, format_name: str | None, dry_run: bool, everything: bool, prune: bool) -> int:
    """Import an export, or edits of it.

    FILE is a file of JSON lines (also .gz), a folder of Markdown, an archive of one (.zip, .tar, .tar.gz, .tgz), or - for
    stdin. Ids are kept, so importing twice adds nothing. Memories forgotten or purged here stay so, and secrets are
    refused. One `undo` reverts the whole import.
    """
    from recollect.portable.files import format_of

    given = sys.stdin.buffer if source == "-" else source
    # JSON lines bring their vectors; an edited or new Markdown text must be embedded.
    embedding: Embedding = "lazy" if source != "-" and format_of(source) == "markdown" else "offline"
    with app.open_for_writing(embedding) as memory, ItemProgress("importing", quiet=app.quiet) as progress:
        done = memory.import_data(
            given, format=format_name, everything=everything, dry_run=dry_run, prune=prune, progress=progress
        )
    app.print_change(lambda: asdict(done), lambda out: show_imported(out, done))
    return EXIT_REFUSED if done.refused and not (done.stored or done.updated or done.unchanged) else 0


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


def show_exported(out: Renderer, exported: Exported, where: str) -> None:
    """What was written, and where."""
    count = exported.counts.get("memory", 0)
    out.line(f"✓ {where}  {', '.join([count_memories(count), *_other_counts(exported.counts)])}")
    for gone in exported.removed[:_MAX_LINES]:
        out.line(Span(f"  removed  {gone}", "dim"))
    if exported.left_out:
        passed = count_memories(sum(exported.left_out.values()))
        out.line(Span(f"  without {passed} of sessions and tasks: --everything, --session or --task adds them", "warn"))


def show_imported(out: Renderer, done: Imported) -> None:
    """What was stored, updated, refused and forgotten."""
    would = "would be " if done.dry_run else ""
    totals = [
        (done.stored, "stored"),
        (done.updated, "updated"),
        (done.unchanged, "unchanged"),
        (done.refused, "refused"),
    ]
    totals += [(done.forgotten, "forgotten")]
    some = ", ".join(f"{count:,} {would if word != 'unchanged' else ''}{word}" for count, word in totals if count)
    out.line(Span(f"✓ {some or 'nothing to import'}", "good"))
    others = _other_counts(done.others)
    if others:
        out.line(f"  and {', '.join(others)}")
    for left in done.left_out[:_MAX_LINES]:
        out.line(Span("  ✗ ", "bad"), f"{left.where}  {left.reason}")
    hidden = done.refused + done.others.get("refused", 0) - len(done.left_out[:_MAX_LINES])
    if hidden > 0:
        out.line(Span(f"  … and {hidden:,} more", "dim"))
    for missing in done.missing[:_MAX_LINES]:
        out.line(Span("  missing  ", "warn"), missing)
    for note in done.notes:
        out.line(Span(f"  {note}", "warn"))
    if done.operation is not None:
        out.line(Span(f"  `recollect undo {done.operation[-8:]}` reverts it", "dim"))


def show_copied(out: Renderer, copied: Copied) -> None:
    """One account: the counts in both stores, and whether they agree."""
    kinds = sorted({*copied.source, *copied.target})
    rows: list[tuple[str, Line]] = [
        (kind, (f"{copied.source.get(kind, 0):,} → {copied.target.get(kind, 0):,}",)) for kind in kinds
    ]
    agrees = Span("✓ complete", "good") if copied.verified else Span("✗ incomplete", "bad")
    out.line(Span(f"{copied.account}  ", "strong"), agrees)
    for line in aligned(rows):
        out.line("  ", *line)
    for left in copied.imported.left_out[:_MAX_LINES]:
        out.line(Span("  ✗ ", "bad"), f"{left.where}  {left.reason}")


def _other_counts(counts: Mapping[str, int]) -> list[str]:
    return [count_of(counts[kind], *nouns) for kind, nouns in _NOUNS.items() if counts.get(kind)]
