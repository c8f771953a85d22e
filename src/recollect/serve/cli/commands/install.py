"""install and uninstall: the entry for our MCP server in the settings of a client."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.output import visible
from recollect.serve.cli.page import Page, Piece, Tone
from recollect.serve.cli.verb import Verb

if TYPE_CHECKING:
    from recollect.adapters.clients.change import Change

_CLIENTS = ("claude-code", "codex", "cursor")
_SETS = ("recollect", "koshi", "jcode", "mememory")
_TONES: dict[str, Tone] = {"+": "good", "-": "bad"}
_REACH = click.option(
    "--scope",
    type=click.Choice(("user", "project")),
    default="user",
    show_default=True,
    help="For all your projects, or for this one (and whoever shares it).",
)
_YES = click.option("-y", "--yes", is_flag=True, help="Do not ask.")
_DRY = click.option("--dry-run", is_flag=True, help="Show the change and make none.")


@click.command("install", cls=Verb, examples=("install claude-code", "install cursor --scope project --yes"))
@click.argument("client", type=click.Choice(_CLIENTS))
@_REACH
@click.option("--tools", type=click.Choice(_SETS), default="recollect", help="Which tools it is to offer.")
@_YES
@_DRY
@click.pass_obj
def install(door: Door, client: str, scope: str, tools: str, yes: bool, dry_run: bool) -> None:
    """Tell an agent's client of the MCP server.

    Shows what would change in the client's settings file, asks, and keeps a copy of the file beside it.
    """
    from recollect.adapters.clients.change import installing
    from recollect.adapters.clients.client import CLIENTS

    door.only_now()
    chosen = CLIENTS[client]
    command, arguments = _started(door, scope, tools)
    change = installing(chosen, _path(client, scope), chosen.entry(command, arguments))
    _carry_out(door, change, "installed", yes=yes, dry_run=dry_run)


@click.command("uninstall", cls=Verb, examples=("uninstall claude-code", "uninstall codex --yes"))
@click.argument("client", type=click.Choice(_CLIENTS))
@_REACH
@_YES
@_DRY
@click.pass_obj
def uninstall(door: Door, client: str, scope: str, yes: bool, dry_run: bool) -> None:
    """Take that entry out again.

    The file becomes what it was, byte for byte, unless something else in it was changed since.
    """
    from recollect.adapters.clients.change import uninstalling
    from recollect.adapters.clients.client import CLIENTS

    door.only_now()
    _carry_out(door, uninstalling(CLIENTS[client], _path(client, scope)), "uninstalled", yes=yes, dry_run=dry_run)


def _carry_out(door: Door, change: Change, done: str, *, yes: bool, dry_run: bool) -> None:
    if change.needed and not dry_run and not yes:
        click.echo("\n".join(visible(line) for line in change.diff), err=True)
        click.confirm(f"Write {change.path}?", abort=True, err=True)
    if change.needed and not dry_run:
        change.make()
    form = {"path": str(change.path), "changed": change.needed and not dry_run, "diff": change.diff}
    door.answer(lambda: form, lambda page: _show(page, form, done, asked=not yes and not dry_run))


def _show(page: Page, form: dict[str, Any], done: str, *, asked: bool) -> None:
    if not form["diff"]:
        page.line(f"nothing to do in {form['path']}")
        return
    if not asked:
        for line in form["diff"]:
            page.line(Piece(line, _TONES.get(line[:1], "dim")))
    if form["changed"]:
        page.line(f"{done}: {form['path']}; start the client anew")


def _path(client: str, scope: str) -> Path:
    from recollect.adapters.clients.client import CLIENTS

    here = Path.cwd()
    root = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    return CLIENTS[client].path(scope, Path.home(), root, os.environ)  # type: ignore[arg-type]


def _started(door: Door, scope: str, tools: str) -> tuple[str, list[str]]:
    """The command a client is to run: ours by its path, or by its name in a file that others share."""
    own = Path(sys.executable).with_name("recollect.exe" if os.name == "nt" else "recollect")
    before = ["--db", str(Path(door.db).absolute())] if door.db and "://" not in door.db else []
    before += ["--db", door.db] if door.db and "://" in door.db else []
    for name in ("project", "account", "agent"):
        if (value := getattr(door, name)) is not None:
            before += [f"--{name}", value]
    after = ["mcp", *(["--tools", tools] if tools != "recollect" else [])]
    if scope == "project" or own.exists():
        return ("recollect" if scope == "project" else str(own)), [*before, *after]
    return sys.executable, ["-m", "recollect", *before, *after]
