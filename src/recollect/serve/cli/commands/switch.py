"""on and off: nothing is stored or recalled while memory is off."""

from __future__ import annotations

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.verb import Verb

_EVERY_PROJECT = "every project"


@click.command("on", cls=Verb, examples=("on", "--project shop on", "on --all"))
@click.option("--all", "everywhere", is_flag=True, help="For every project.")
@click.pass_obj
def on(door: Door, everywhere: bool) -> None:
    """Switch memory on again.

    For this project; with --all, the switch for every project.
    """
    with door.writing() as memory:
        memory.on(everywhere=everywhere)
    _print(door, everywhere, on=True)


@click.command("off", cls=Verb, examples=("off", "--project shop off", "off --all"))
@click.option("--all", "everywhere", is_flag=True, help="For every project.")
@click.pass_obj
def off(door: Door, everywhere: bool) -> None:
    """Switch memory off, here or everywhere.

    Nothing is stored or recalled until `on`; what is there stays there.
    """
    with door.writing() as memory:
        memory.off(everywhere=everywhere)
    _print(door, everywhere, on=False)


def _print(door: Door, everywhere: bool, *, on: bool) -> None:
    where = _EVERY_PROJECT if everywhere else door.here().name
    form = {"project": None if everywhere else where, "everywhere": everywhere, "on": on}
    door.done(lambda: form, lambda page: page.line(f"✓ memory is {'on' if on else 'off'} for {where}"))
