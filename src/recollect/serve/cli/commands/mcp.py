"""mcp: serve memory to agents over the Model Context Protocol."""

from __future__ import annotations

import click

from recollect.errors import SettingsError
from recollect.serve.cli.door import Door
from recollect.serve.cli.verb import Verb

_SETS = ("recollect", "koshi", "jcode", "mememory")
_PORT = 8787


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
    try:
        from recollect.serve.mcp.app import App
        from recollect.serve.mcp.opening import opened
        from recollect.serve.mcp.sets import SETS
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith(("mcp", "uvicorn", "anyio")):
            raise
        raise SettingsError("mcp", "the MCP SDK is not installed", "`pip install 'recollect[mcp]'`") from error

    loaded = door.settings().settings
    named = {
        "db": door.db,
        "project": door.here().name,
        "account": door.account,
        "agent": door.agent,
        "teams": teams or None,
        "background": True,
    }
    server = App(SETS[tools], loaded.account).server(opened(named, loading=loaded.embedder == "local", first=http))
    if http:
        from recollect.serve.mcp.http import serve_http

        serve_http(server, port)
    else:
        from recollect.serve.mcp.stdio import serve_stdio

        serve_stdio(server)
