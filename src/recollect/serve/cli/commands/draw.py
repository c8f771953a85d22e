"""graph: a neighbourhood of memories as a page to look at, or as text for other programs."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from recollect.portable.graph import FORMATS, rendered
from recollect.serve.cli.door import Door
from recollect.serve.cli.output import emit, json_text, visible
from recollect.serve.cli.verb import Verb
from recollect.serve.cli.views.words import counted

if TYPE_CHECKING:
    from recollect.values.graph import Graph

_PAGE = "recollect-graph.html"


@click.command(
    "graph",
    cls=Verb,
    examples=(
        "graph",
        'graph "how do we ship?" --depth 2 --open',
        "graph --id 3f9a1c22 --output deploy.html",
        "graph --format graphml --output shop.graphml",
    ),
)
@click.argument("query", nargs=-1)
@click.option("--id", metavar="ID", help="Around this memory, not around a question.")
@click.option("--depth", type=int, default=1, show_default=True, help="How many memories away, 1 to 4.")
@click.option("-n", "--limit", type=int, default=60, show_default=True, help="How many memories at most.")
@click.option("--format", "form", type=click.Choice(FORMATS), metavar="FORM", help="html, dot, graphml or json.")
@click.option(
    "-o", "--output", metavar="FILE", help=f"Write it there; html goes to {_PAGE} otherwise, the rest to stdout."
)
@click.option("--open", "shown", is_flag=True, help="Open the page in the browser.")
@click.pass_obj
def graph(
    door: Door,
    query: tuple[str, ...],
    id: str | None,
    depth: int,
    limit: int,
    form: str | None,
    output: str | None,
    shown: bool,
) -> None:
    """Draw the neighbourhood of a question or a memory.

    Memories, tags and clusters, and what links them; without a QUERY or --id, around the newest memories. The page works
    by itself, offline. The form is told from the ending of FILE when it is not named; with --json it is json.
    """
    form, file = _form(door, form, output), output
    if form == "html" and file is None:
        file = _PAGE
    if file is None and door.json and form != "json":
        raise click.UsageError(f"--json cannot print {form}; leave --format out, or name a file with --output")
    if shown and (form != "html" or file in (None, "-")):
        raise click.UsageError("--open needs a page in a file; leave --format and --output - out")
    with door.reading("at once" if query else "at hand") as memory:
        drawn = memory.graph(" ".join(query) or None, id=id, depth=depth, limit=limit)
    if file in (None, "-"):
        _print(drawn, form)
        return
    path = Path(str(file))
    _write(path, rendered(drawn, form))
    _tell(door, drawn, path, form)
    if shown:
        _open(door, path)


def _form(door: Door, said: str | None, output: str | None) -> str:
    """What was said, else the ending of the file, else what suits a program or a person."""
    ending = "" if output is None else Path(output).suffix.lstrip(".").lower()
    return said or (ending if ending in FORMATS else "json" if door.json and output is None else "html")


def _print(drawn: Graph, form: str) -> None:
    text = rendered(drawn, form)
    if form == "json":
        text = json_text(json.loads(text)) + "\n"
    elif sys.stdout.isatty():
        text = "".join(f"{visible(line)}\n" for line in text.splitlines())
    emit(text)


def _write(path: Path, text: str) -> None:
    """A file for its owner alone: it holds what the memories say."""
    try:
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(opened, "w", encoding="utf-8", newline="\n") as file:
            if stat.S_ISREG(os.fstat(opened).st_mode):
                path.chmod(0o600)
            file.write(text)
    except OSError as error:
        raise click.FileError(str(path), error.strerror) from error


def _tell(door: Door, drawn: Graph, path: Path, form: str) -> None:
    nodes, edges = len(drawn.nodes), len(drawn.edges)
    written = {"file": str(path.resolve()), "format": form, "nodes": nodes, "edges": edges, "left_out": drawn.left_out}
    said = f"✓ {path}  {counted(nodes, 'node')}, {counted(edges, 'edge')}"
    more = f"; {drawn.left_out:,} more with a higher --limit" if drawn.left_out else ""
    door.done(lambda: written, lambda page: page.line(said + more))


def _open(door: Door, path: Path) -> None:
    import webbrowser

    if not webbrowser.open(path.resolve().as_uri()):
        door.note(f"no browser could be opened; open {path} yourself")
