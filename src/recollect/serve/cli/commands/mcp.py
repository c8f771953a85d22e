"""mcp, install and uninstall: the MCP server, and its entry in the settings of a client."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recollect.advice import install_command
from recollect.errors import SettingsError
from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.output import escape_control, print_note
from recollect.serve.cli.renderer import Renderer, Span, Tone

if TYPE_CHECKING:
    from recollect.adapters.clients.change import SettingsChange
    from recollect.serve.cli.app_context import AppContext


_TOOL_SETS = ("recollect", "koshi", "jcode", "mememory", "anthropic", "chatgpt")
_DEFAULT_PORT = 8787
# `mcp_types` stands for the version: before version 2 of the SDK, the types were part of `mcp`.
_SDK_MODULES = ("mcp", "mcp_types", "uvicorn")
_CLIENTS = ("claude-code", "codex", "cursor", "claude-desktop", "vscode", "windsurf", "gemini-cli")
_DIFF_TONES: dict[str, Tone] = {"+": "good", "-": "bad"}
_SCOPE = click.option(
    "--scope",
    type=click.Choice(("user", "project")),
    default="user",
    show_default=True,
    help="For all your projects, or for this one and everyone who shares it.",
)
_YES = click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
_DRY = click.option("--dry-run", is_flag=True, help="Show the change without making it.")


@click.command(
    "mcp",
    cls=MemoryCommand,
    examples=(
        "mcp",
        "--agent reviewer --team core mcp",
        "mcp --http --port 8787",
        "mcp --tools koshi",
        "mcp --tools anthropic",
    ),
)
@click.option("--http", is_flag=True, help="Serve on loopback HTTP instead of stdio.")
@click.option(
    "--port", type=int, default=_DEFAULT_PORT, show_default=True, help="The port for --http; 0 takes any free one."
)
@click.option(
    "--tools",
    type=click.Choice(_TOOL_SETS),
    default="recollect",
    show_default=True,
    help="The tool set: ours, or that of another memory system.",
)
@click.pass_obj
def mcp(app: AppContext, http: bool, port: int, tools: str) -> None:
    """Serve memory to agents over MCP.

    On stdio, for a client that starts it. Normally there is one server per agent session; any number can share one
    store. `recollect install` adds the server to the settings of a client.
    """
    from recollect.serve.mcp.startup import bind_port, deferred_models

    app.reject_as_of()
    if any(find_spec(name) is None for name in _SDK_MODULES):
        raise SettingsError("mcp", "the MCP SDK is not installed", f"`{install_command('mcp')}` adds it")
    loaded = app.settings().settings
    project = app.current_project()
    named = {
        "db": app.db,
        "project": project.name,
        "account": app.account,
        "agent": app.agent,
        "user": app.user,
        "teams": app.teams or None,
        "background": True,
    }
    if not http and sys.stdin.isatty():
        _explain_stdio()
    listener = bind_port(port) if http else None
    with deferred_models():
        from recollect.adapters.toolsets import TOOLSETS
        from recollect.serve.mcp.app import App
        from recollect.serve.mcp.lifespan import StoreLifespan
        from recollect.serve.mcp.roots import is_no_project

    store = StoreLifespan(named, model_loads=loaded.embedder not in ("http", "none"))
    mcp_app = App(TOOLSETS[tools], loaded.account, ask_roots=is_no_project(project, Path.cwd()))
    server, close_streams = mcp_app.server(store.lifespan), mcp_app.subscriptions.close
    if listener is None:
        from recollect.serve.mcp.stdio import serve_stdio

        serve_stdio(server, close_streams)
    else:
        from recollect.serve.mcp.http import serve_http

        with listener:
            serve_http(server, store, close_streams, listener)


def _explain_stdio() -> None:
    """Tell a person at a terminal what this is; a client never sees it."""
    print_note(
        "this serves the Model Context Protocol on stdin and stdout: an agent's client starts it, not a person\n"
        "      to add it to a client:  recollect install claude-code   (or codex, cursor, gemini-cli …)\n"
        "      to serve it on HTTP:    recollect mcp --http\n"
        "      to end it:              Ctrl-D"
    )


@click.command("install", cls=MemoryCommand, examples=("install claude-code", "install cursor --scope project --yes"))
@click.argument("client", type=click.Choice(_CLIENTS))
@_SCOPE
@click.option("--tools", type=click.Choice(_TOOL_SETS), default="recollect", help="The tool set to offer.")
@_YES
@_DRY
@click.pass_obj
def install(app: AppContext, client: str, scope: str, tools: str, yes: bool, dry_run: bool) -> None:
    """Add the MCP server to an agent's client.

    Starts the server once, as the client would: what keeps it from starting is told, and nothing is written. Shows the
    change to the client's settings file, asks for confirmation, and keeps a backup of the file beside it.
    """
    from recollect.adapters.clients.change import plan_install
    from recollect.adapters.clients.client import CLIENTS

    app.reject_as_of()
    chosen = CLIENTS[client]
    command, arguments = _server_command(app, scope, tools)
    change = plan_install(chosen, _path(client, scope), chosen.entry(command, arguments))
    if change.needed and not dry_run:
        _try_server(app, command, arguments)
    _apply(app, change, "installed", yes=yes, dry_run=dry_run)


@click.command("uninstall", cls=MemoryCommand, examples=("uninstall claude-code", "uninstall codex --yes"))
@click.argument("client", type=click.Choice(_CLIENTS))
@_SCOPE
@_YES
@_DRY
@click.pass_obj
def uninstall(app: AppContext, client: str, scope: str, yes: bool, dry_run: bool) -> None:
    """Remove the MCP server from an agent's client.

    The file is restored byte for byte, unless something else in it has changed since.
    """
    from recollect.adapters.clients.change import plan_uninstall
    from recollect.adapters.clients.client import CLIENTS

    app.reject_as_of()
    _apply(app, plan_uninstall(CLIENTS[client], _path(client, scope)), "uninstalled", yes=yes, dry_run=dry_run)


def _try_server(app: AppContext, command: str, arguments: list[str]) -> None:
    """Start the server once, without its model; a store that does not exist yet is not made for it."""
    from recollect.adapters.clients.trial import count_tools
    from recollect.wiring import store_file

    path = store_file(app.settings().settings)
    if path is None or path.exists():
        with app.open_current():  # a server opens its store only when a tool is called
            pass
    seen = {**os.environ, "RECOLLECT_EMBEDDER": "none", "RECOLLECT_RERANKER": "none"}
    instead = ["--db", ":memory:"] if path is not None and not path.exists() else []
    tools = count_tools(command, [*arguments, *instead], seen)
    app.note(f"the server starts and offers {tools} tools")


def _apply(app: AppContext, change: SettingsChange, done: str, *, yes: bool, dry_run: bool) -> None:
    if change.needed and not dry_run and not yes:
        click.echo("\n".join(escape_control(line) for line in change.diff), err=True)
        click.confirm(f"Write {change.path}?", abort=True, err=True)
    if change.needed and not dry_run:
        change.apply()
    result = {"path": str(change.path), "changed": change.needed and not dry_run, "diff": change.diff}
    app.print_answer(lambda: result, lambda out: _show_change(out, result, done, asked=not yes and not dry_run))


def _show_change(out: Renderer, result: dict[str, Any], done: str, *, asked: bool) -> None:
    if not result["diff"]:
        out.line(f"nothing to change in {result['path']}")
        return
    if not asked:
        for line in result["diff"]:
            out.line(Span(line, _DIFF_TONES.get(line[:1], "dim")))
    if result["changed"]:
        out.line(f"{done}: {result['path']}; restart the client")


def _path(client: str, scope: str) -> Path:
    from recollect.adapters.clients.client import CLIENTS

    here = Path.cwd()
    root = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    return CLIENTS[client].path(scope, Path.home(), root, os.environ)  # type: ignore[arg-type]


def _server_command(app: AppContext, scope: str, tools: str) -> tuple[str, list[str]]:
    """The command that a client runs: our executable by its path, or by name in a settings file that others share."""
    executable = Path(sys.executable).with_name("recollect.exe" if os.name == "nt" else "recollect")
    before = ["--db", str(Path(app.db).absolute())] if app.db and "://" not in app.db else []
    before += ["--db", app.db] if app.db and "://" in app.db else []
    for name in ("project", "account", "agent", "user"):
        if (value := getattr(app, name)) is not None:
            before += [f"--{name}", value]
    for team in app.teams:
        before += ["--team", team]
    after = ["mcp", *(["--tools", tools] if tools != "recollect" else [])]
    if scope == "project" or executable.exists():
        return ("recollect" if scope == "project" else str(executable)), [*before, *after]
    return sys.executable, ["-m", "recollect", *before, *after]
