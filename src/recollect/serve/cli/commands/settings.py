"""config: every setting, its value and where it comes from; keys and passwords are masked."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.verb import Verb

if TYPE_CHECKING:
    from recollect.config import Loaded

_MASK = "••••"
_PASSWORD = re.compile(r"(?<=://)[^/@\s]+(?=@)|(?<=[?&]password=)[^&\s]+")
_DERIVED = {"db": "default: the user's own file", "cache": "default: the user's cache folder"}


@click.command("config", cls=Verb, examples=("config", "config --json", "RECOLLECT_LIMIT=10 recollect config"))
@click.pass_obj
def config(door: Door) -> None:
    """Every setting, its value and its source.

    Settings are read from config.toml in the user's configuration folder (~/.config/recollect, or the file that
    RECOLLECT_CONFIG names), then from the environment (RECOLLECT_<SETTING>), then from options.
    """
    from recollect.serve.cli.views.health import show_settings

    door.only_now()
    form = _settings(door.settings())
    if not form["project"]["value"]:
        here = door.here()
        form["project"] = {"value": here.name, "source": f"folder ({here.source})"}
    door.answer(lambda: form, lambda page: show_settings(page, form))


def _settings(loaded: Loaded) -> dict[str, dict[str, Any]]:
    made = {}
    for field in fields(loaded.settings):
        name, source = field.name, loaded.sources[field.name]
        source = _DERIVED.get(name, source) if source == "default" else source
        made[name] = {"value": _masked(name, getattr(loaded.settings, name)), "source": source}
    return made


def _masked(name: str, value: Any) -> Any:
    if name.endswith("_key"):
        return _MASK if value else ""
    if isinstance(value, str):
        return _PASSWORD.sub(_MASK, value)
    return list(value) if isinstance(value, tuple) else value
