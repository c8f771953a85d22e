"""config, enable and disable: the settings, and the switch of memory per project."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.renderer import Renderer, Span

if TYPE_CHECKING:
    from recollect.config import Loaded
    from recollect.serve.cli.app_context import AppContext


_MASK = "••••"
_PASSWORD = re.compile(r"(?<=://)[^/@\s]+(?=@)|(?<=[?&]password=)[^&\s]+")
_DERIVED = {"db": "default: the user's data folder", "cache": "default: the user's cache folder"}


@click.command("config", cls=MemoryCommand, examples=("config", "config --json", "RECOLLECT_LIMIT=10 recollect config"))
@click.pass_obj
def config(app: AppContext) -> None:
    """Show every setting, its value and its source.

    Settings are read from config.toml in the user's configuration folder (~/.config/recollect, or the file that
    RECOLLECT_CONFIG names), then from the environment (RECOLLECT_<SETTING>), then from options. Keys and passwords are
    masked.
    """
    app.reject_as_of()
    result = _settings_json(app.settings())
    if not result["project"]["value"]:
        here = app.current_project()
        result["project"] = {"value": here.name, "source": f"folder ({here.source})"}
    app.print_answer(lambda: result, lambda out: show_settings(out, result))


def _settings_json(loaded: Loaded) -> dict[str, dict[str, Any]]:
    settings = {}
    for field in fields(loaded.settings):
        name, source = field.name, loaded.sources[field.name]
        source = _DERIVED.get(name, source) if source == "default" else source
        settings[name] = {"value": _masked(name, getattr(loaded.settings, name)), "source": source}
    return settings


def _masked(name: str, value: Any) -> Any:
    if name.endswith("_key"):
        return _MASK if value else ""
    if isinstance(value, str):
        return _PASSWORD.sub(_MASK, value)
    return list(value) if isinstance(value, tuple) else value


@click.command("enable", cls=MemoryCommand, examples=("enable", "--project shop enable", "enable --all"))
@click.option("--all", "everywhere", is_flag=True, help="For all projects.")
@click.pass_obj
def enable(app: AppContext, everywhere: bool) -> None:
    """Enable memory again.

    For the current project; with --all, this removes the switch set by `disable --all`.
    """
    with app.open_for_writing() as memory:
        memory.enable(everywhere=everywhere)
    _print_state(app, everywhere, enabled=True)


@click.command("disable", cls=MemoryCommand, examples=("disable", "--project shop disable", "disable --all"))
@click.option("--all", "everywhere", is_flag=True, help="For all projects.")
@click.pass_obj
def disable(app: AppContext, everywhere: bool) -> None:
    """Disable memory for a project or for all.

    Nothing is stored or recalled until `enable`; existing memories are kept.
    """
    with app.open_for_writing(create=True) as memory:
        memory.disable(everywhere=everywhere)
    _print_state(app, everywhere, enabled=False)


def _print_state(app: AppContext, everywhere: bool, *, enabled: bool) -> None:
    project = None if everywhere else app.current_project().name
    state = {"project": project, "everywhere": everywhere, "enabled": enabled}
    text = f"✓ memory is {'enabled' if enabled else 'disabled'} for {project or 'all projects'}"
    app.print_change(lambda: state, lambda out: out.line(text))


def show_settings(out: Renderer, settings: Mapping[str, Mapping[str, Any]]) -> None:
    """Every setting, its value and its source."""
    rows = [(name, _setting_text(entry["value"]), Span(entry["source"], "dim")) for name, entry in settings.items()]
    out.table(("setting", "value", "source"), rows)


def _setting_text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={inner}" for name, inner in value.items()) or "–"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value) or "–"
