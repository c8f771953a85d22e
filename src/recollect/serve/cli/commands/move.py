"""export, import and copy: memories out of a store, and into one."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import click

from recollect.serve.cli.door import Door, Embedding
from recollect.serve.cli.failure import REFUSED, TROUBLE
from recollect.serve.cli.output import emit_bytes
from recollect.serve.cli.verb import Verb

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.serve.cli.page import Page

_FORMATS = click.Choice(("jsonl", "markdown", "csv"))


@click.command(
    "export",
    cls=Verb,
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
@click.option("--format", "form", type=_FORMATS, metavar="FORM", help="jsonl, markdown or csv; else told by the name.")
@click.option("--history", is_flag=True, help="With the journal: every change, snapshots of contexts.")
@click.option("--no-vectors", is_flag=True, help="Smaller; they are made anew where it is imported.")
@click.option("--everything", is_flag=True, help="All rooms of the account, of every agent and team.")
@click.pass_obj
def export(door: Door, file: str, form: str | None, history: bool, no_vectors: bool, everything: bool) -> None:
    """Write memories to a file or a folder.

    FILE is a file, or - for stdout. JSON lines lose nothing and are what `import` reads. Markdown goes to a folder or a .zip,
    one file a memory, to read, keep in git and edit; `import` takes the edits back. A name that ends in .gz is compressed.
    """
    from recollect.serve.cli.progress import Counting
    from recollect.serve.cli.views.moved import show_exported

    if file == "-" and sys.stdout.isatty():
        raise click.UsageError("stdout is a terminal; name a file, or pipe it somewhere")
    target = cast("BinaryIO", _Stdout()) if file == "-" else file
    with door.reading("at hand") as memory, Counting("exporting", quiet=door.quiet) as progress:
        done = memory.export(
            target, format=form, history=history, vectors=not no_vectors, everything=everything, progress=progress
        )
    if file != "-":
        door.done(
            lambda: {"file": str(Path(file).resolve()), **asdict(done)}, lambda page: show_exported(page, done, file)
        )


@click.command(
    "import",
    cls=Verb,
    examples=(
        "import memories.jsonl",
        "import backup.jsonl --everything --dry-run",
        "import notes/ --prune",
        "import notes.zip",
        "import memories.jsonl.gz",
    ),
)
@click.argument("source", metavar="FILE")
@click.option("--format", "form", type=_FORMATS, metavar="FORM", help="jsonl or markdown; else told by the name.")
@click.option("--dry-run", is_flag=True, help="Change nothing; tell what would become of each.")
@click.option("--everything", is_flag=True, help="Also fill the rooms of other agents and teams.")
@click.option("--prune", is_flag=True, help="Forget what was deleted from a Markdown folder or archive.")
@click.pass_obj
def import_(door: Door, source: str, form: str | None, dry_run: bool, everything: bool, prune: bool) -> int:
    """Take in what export wrote, or edits of it.

    FILE is a file of JSON lines (.gz too), a folder of Markdown, one packed as .zip, .tar, .tar.gz or .tgz, or - for stdin. Ids
    are kept, so that importing twice adds nothing. What was forgotten or purged here stays so; secrets are refused. `undo`
    takes an import back as one.
    """
    from recollect.portable.files import format_of
    from recollect.serve.cli.progress import Counting
    from recollect.serve.cli.views.moved import show_imported

    given = sys.stdin.buffer if source == "-" else source
    # A file brings its vectors along; an edited or new text needs one made.
    embedding: Embedding = "as set" if source != "-" and format_of(source) == "markdown" else "at hand"
    with door.writing(embedding) as memory, Counting("importing", quiet=door.quiet) as progress:
        done = memory.import_(
            given, format=form, everything=everything, dry_run=dry_run, prune=prune, progress=progress
        )
    door.done(lambda: asdict(done), lambda page: show_imported(page, done))
    return REFUSED if done.refused and not (done.stored or done.updated or done.unchanged) else 0


@click.command(
    "copy",
    cls=Verb,
    examples=("copy memory.db backup.db", "copy memory.db postgresql://user@host/memories"),
)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.pass_obj
def copy(door: Door, source: str, target: str) -> int:
    """Copy a whole store to another, of any kind.

    Every account, with its history; FROM and TO are paths or URLs. One that was interrupted goes on where it stopped. At the
    end both are compared; exits with 3 when something is missing.
    """
    from recollect.serve.cli.progress import Counting
    from recollect.serve.cli.views.moved import show_copied
    from recollect.verbs.moving import copy as copy_store

    door.only_now()
    _require_two(source, target)
    with ExitStack() as stack:
        here, there = (stack.enter_context(_opened(name)) for name in (source, target))
        progress = stack.enter_context(Counting("copying", quiet=door.quiet))
        copied = copy_store(here, there, progress=progress)

    def show(page: Page) -> None:
        for each in copied:
            show_copied(page, each)
        if not copied:
            page.line("✓ nothing to copy")

    door.answer(lambda: [asdict(each) for each in copied], show)
    return 0 if all(each.verified for each in copied) else TROUBLE


def _opened(name: str) -> Memory:
    from recollect.wiring import open_memory

    return open_memory(name, project="", embedder="none")


def _require_two(source: str, target: str) -> None:
    """A copy needs a store that is there, and another one."""
    if "://" not in source and not Path(source).exists():
        raise click.UsageError(f"there is no store at {source}")
    if source == target or ("://" not in source + target and Path(source).resolve() == Path(target).resolve()):
        raise click.UsageError("FROM and TO are the same store")


class _Stdout:
    """Stdout as a file to write to."""

    def write(self, data: bytes) -> int:
        """Write some bytes."""
        emit_bytes(data)
        return len(data)
