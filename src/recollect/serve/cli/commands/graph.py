"""graph: the graph around a query or a memory, as an HTML page or as text for other programs."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from recollect.portable.graph import FORMATS, render_graph
from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.formatting import count_of
from recollect.serve.cli.output import emit, escape_control, json_text

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext
    from recollect.values.link import Graph


_DEFAULT_FILE = "recollect-graph.html"


@click.command(
    "graph",
    cls=MemoryCommand,
    examples=(
        "graph",
        'graph "how do we ship?" --depth 2 --open',
        "graph --id 3f9a1c22 --output deploy.html",
        "graph --format graphml --output shop.graphml",
    ),
)
@click.argument("query", nargs=-1)
@click.option("--id", metavar="ID", help="Around this memory instead of a query.")
@click.option("--depth", type=int, default=1, show_default=True, help="Maximum distance in links, 1 to 4.")
@click.option("-n", "--limit", type=int, default=60, show_default=True, help="Maximum number of memories.")
@click.option(
    "--format", "format_name", type=click.Choice(FORMATS), metavar="FORMAT", help="html, dot, graphml or json."
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help=f"The output file (default: {_DEFAULT_FILE} for html, stdout for the rest).",
)
@click.option("--open", "shown", is_flag=True, help="Open the page in the browser.")
@click.pass_obj
def graph(
    app: AppContext,
    query: tuple[str, ...],
    id: str | None,
    depth: int,
    limit: int,
    format_name: str | None,
    output: str | None,
    shown: bool,
) -> None:
    """Draw the graph around a query or a memory.

    Memories, tags, clusters and their links; without a QUERY or --id, around the newest memories. The HTML page is
    self-contained and works offline. Without --format, the suffix of FILE decides; with --json it is json.
    """
    format_name, file = _choose_format(app, format_name, output), output
    if format_name == "html" and file is None:
        file = _DEFAULT_FILE
    if file is None and app.json and format_name != "json":
        raise click.UsageError(f"--json cannot print {format_name}; omit --format, or name a file with --output")
    if shown and (format_name != "html" or file in (None, "-")):
        raise click.UsageError("--open needs an HTML file; omit --format and --output -")
    with app.open_view("eager" if query else "offline") as memory:
        drawn = memory.graph(" ".join(query) or None, id=id, depth=depth, limit=limit)
    if file in (None, "-"):
        _print_graph(drawn, format_name)
        return
    path = Path(str(file))
    _write(path, render_graph(drawn, format_name))
    _print_written(app, drawn, path, format_name)
    if shown:
        _open_browser(app, path)


def _choose_format(app: AppContext, given: str | None, output: str | None) -> str:
    """The given format, else the suffix of the file, else json for --json and html for people."""
    suffix = "" if output is None else Path(output).suffix.lstrip(".").lower()
    return given or (suffix if suffix in FORMATS else "json" if app.json and output is None else "html")


def _print_graph(drawn: Graph, format_name: str) -> None:
    text = render_graph(drawn, format_name)
    if format_name == "json":
        text = json_text(json.loads(text)) + "\n"
    elif sys.stdout.isatty():
        text = "".join(f"{escape_control(line)}\n" for line in text.splitlines())
    emit(text)


def _write(path: Path, text: str) -> None:
    """Write a file that only its owner can read, since it contains memories."""
    try:
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(opened, "w", encoding="utf-8", newline="\n") as file:
            if stat.S_ISREG(os.fstat(opened).st_mode):
                path.chmod(0o600)
            file.write(text)
    except OSError as error:
        raise click.FileError(str(path), error.strerror) from error


def _print_written(app: AppContext, drawn: Graph, path: Path, format_name: str) -> None:
    nodes, edges = len(drawn.nodes), len(drawn.edges)
    written = {
        "file": str(path.resolve()),
        "format": format_name,
        "nodes": nodes,
        "edges": edges,
        "left_out": drawn.left_out,
    }
    text = f"✓ {path}  {count_of(nodes, 'node')}, {count_of(edges, 'edge')}"
    more = f"; {drawn.left_out:,} more with a higher --limit" if drawn.left_out else ""
    app.print_change(lambda: written, lambda out: out.line(text + more))


def _open_browser(app: AppContext, path: Path) -> None:
    import webbrowser

    if not webbrowser.open(path.resolve().as_uri()):
        app.note(f"no browser could be opened; open {path} manually")
