"""mcp: serve memory to agents over the Model Context Protocol."""

from __future__ import annotations

from importlib.util import find_spec

import click

from recollect.errors import SettingsError
from recollect.serve.cli.door import Door
from recollect.serve.cli.verb import Verb
from recollect.serve.mcp.binding import bound
from recollect.serve.mcp.lean import lean_imports

_SETS = ("recollect", "koshi", "jcode", "mememory")
_PORT = 8787
# The second stands for the version: before 2 the types were part of the first.
_SDK = ("mcp", "mcp_types", "uvicorn")


@click.command(
    "mcp",
    cls=Verb,
    examples=(
        "mcp",
        "--agent reviewer mcp --team core",
        "mcp --http --port 8787",
        "mcp --tools koshi",
    ),
)
@click.option("--http", is_flag=True, help="Serve on loopback HTTP instead of stdio.")
@click.option("--port", type=int, default=_PORT, show_default=True, help="For --http; 0 takes any that is free.")
@click.option(
    "--tools",
    type=click.Choice(_SETS),
    default="recollect",
    show_default=True,
    help="Our tools, or the spellings of another system.",
)
@click.option("--team", "teams", multiple=True, metavar="NAME", help="A team it belongs to; may be repeated.")
@click.pass_obj
def mcp(door: Door, http: bool, port: int, tools: str, teams: tuple[str, ...]) -> None:
    """Serve memory to agents over MCP.

    On stdio, for a client that starts it. One server an agent session is the normal case; any number may work on one
    file. `recollect install` writes the entry into the settings of a client.
    """
    door.only_now()
    if any(find_spec(name) is None for name in _SDK):
        raise SettingsError("mcp", "the MCP SDK is not installed", "`pip install 'recollect[mcp]'`")
    loaded = door.settings().settings
    named = {
        "db": door.db,
        "project": door.here().name,
        "account": door.account,
        "agent": door.agent,
        "teams": teams or None,
        "background": True,
    }
    listening = bound(port) if http else None
    with lean_imports():
        from recollect.serve.mcp.app import App
        from recollect.serve.mcp.opening import Opening
        from recollect.serve.mcp.sets import SETS

    opening = Opening(named, loading=loaded.embedder == "local")
    app = App(SETS[tools], loaded.account)
    server, hang_up = app.server(opening.lifespan), app.listening.hang_up
    if listening is None:
        from recollect.serve.mcp.stdio import serve_stdio

        serve_stdio(server, hang_up)
    else:
        from recollect.serve.mcp.http import serve_http

        with listening:
            serve_http(server, opening, hang_up, listening)
