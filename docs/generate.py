"""The reference pages, made from the code. `python -m docs.generate` writes them, `--check` says which are stale."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, get_args

import click

from docs.interface import api, error_tree, tier_pages
from docs.markdown import WIDTH, code, table
from docs.meanings import SCREENED, WORDS
from recollect import config, wiring
from recollect.capture.annotate import _IMPORTANCE
from recollect.capture.screen.policy import DEFAULT_POLICY
from recollect.embed.calibration import AT_PARAPHRASE, AT_RANDOM
from recollect.recall.profiles import Lexical, Needs, Semantic
from recollect.serve.cli.command_table import SECTIONS
from recollect.serve.cli.main import recollect
from recollect.values import enums as words
from recollect.values import memory as trust
from recollect.values import trigger
from recollect.values.link import EDGE_WEIGHTS

FOLDER = Path(__file__).resolve().parent / "reference"
_MADE = "<!-- Made by `python -m docs.generate` from the code; edit that instead. -->"
_SETTING = re.compile(r"    (\w+): .+?  # (.+)")


def main(arguments: list[str]) -> int:
    """Write the pages, or with --check compare them; 1 when one is stale."""
    stale = [name for name, make in PAGES.items() if _text(FOLDER / name) != _page(make)]
    if "--check" in arguments:
        for name in stale:
            sys.stderr.write(f"docs/reference/{name} is stale; run `make docs`\n")
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in stale:
        (FOLDER / name).write_text(_page(PAGES[name]), "utf-8")
        sys.stdout.write(f"wrote docs/reference/{name}\n")
    return 0


def _page(make: Callable[[], Iterable[str]]) -> str:
    title, *parts = make()
    return "\n\n".join((f"# {title}", _MADE, *parts)) + "\n"


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


def _cli() -> Iterable[str]:
    yield "Commands"
    yield "The output of `--help`. The options before the command apply to every command."
    room: dict[str, Any] = {"max_content_width": WIDTH, "terminal_width": WIDTH, "help_option_names": ["-h", "--help"]}
    top = click.Context(recollect, info_name="recollect", **room)
    yield code(recollect.get_help(top))
    for title, commands in SECTIONS.items():
        yield f"## {title}"
        for name in commands:
            command = recollect.get_command(top, name)
            assert command is not None
            ctx = click.Context(command, info_name=name, parent=top, **room)
            yield f"### {name}"
            yield code(command.get_help(ctx))
            for part, under in command.commands.items() if isinstance(command, click.Group) else ():
                yield code(under.get_help(click.Context(under, info_name=part, parent=ctx, **room)))


def _settings() -> Iterable[str]:
    yield "Settings"
    yield (
        "Read from `config.toml` in the user's configuration folder (`~/.config/recollect`, or the file that"
        " `RECOLLECT_CONFIG` names), then from the environment, then from arguments; the later wins. `recollect config`"
        " prints every value and its source. An unknown name or a wrong value is a `SettingsError`."
    )
    told = dict(_SETTING.findall(inspect.getsource(config.Settings)))
    rows = [(f"`{f.name}`", _variable(f.name), f"`{_default(f)}`", told[f.name]) for f in fields(config.Settings)]
    yield table(("setting", "environment", "default", "what it is"), rows)
    yield "In the environment, lists are separated by commas and booleans are `1`, `true`, `yes`, `on` or their opposites."


def _variable(name: str) -> str:
    return "–" if name in ("personal", "profiles") else f"`RECOLLECT_{name.upper()}`"


def _default(field: Field[Any]) -> str:
    value = field.default if field.default is not MISSING else {}
    return repr(value).replace("'", '"')


def _legs(needs: Needs) -> str:
    """By what a profile searches."""
    return " and ".join(name for name in ("meaning", "words") if getattr(needs, name))


def _profiles() -> Iterable[str]:
    yield "Profiles"
    yield (
        "A profile is a ranking formula with constants. `recall(profile=…)` chooses one; a profile of your own changes the"
        " constants of one of these ([how](../howto/profiles.md)). Seeds are the designs they come from"
        " ([concepts](../concepts.md)). Days are never negative; similarity is calibrated."
    )
    for profile in wiring.profiles_of({}).values():
        yield f"## {profile.name}"
        yield f"{inspect.getdoc(profile)} Looks by {_legs(profile.needs)}."
        yield code(profile.formula)
        held = [f for f in fields(profile) if f.name != "name"]  # type: ignore[arg-type]
        yield table(("constant", "default"), ((f"`{f.name}`", getattr(profile, f.name)) for f in held))
    yield "## Edges of cascade"
    yield (
        "A step carries over so much of a score, in either direction; a memory has in_cluster when clusters were found"
        " ([the design](graph-design.md))."
    )
    edges = {**EDGE_WEIGHTS, "relates_to": "its own, 0.01 to 1"}
    told = {**WORDS["edge"], **WORDS["relation"]}
    yield table(("edge", "weight", "what it joins"), ((f"`{name}`", edges[name], told[name]) for name in told))
    yield "## Modes of search"
    modes = (Lexical(), Semantic())
    yield table(("mode", "formula"), [*((m.name, m.formula) for m in modes), ("hybrid", "as above")])
    yield f"Calibration: {AT_RANDOM:g} is the similarity of unrelated texts, {AT_PARAPHRASE:g} that of paraphrases."


def _vocabulary() -> Iterable[str]:
    yield "Vocabulary"
    yield "The closed lists of words; an unknown one is refused with the list."
    yield "## Types"
    yield (
        "Importance is the default of a draft. Days are the constant in the formula of the current confidence"
        f" ({str(inspect.getdoc(trust.confidence_now)).rstrip('.')}); an inferred memory has {trust.INFERRED_HALF_LIFE:g}."
    )
    rows = [
        (f"`{w}`", _told("type", w), _IMPORTANCE.get(w, 0.5), f"{trust.HALF_LIVES.get(w, trust.DEFAULT_HALF_LIFE):g}")
        for w in words.MEMORY_TYPES
    ]
    yield table(("type", "what it is", "importance", "days"), rows)
    yield from _list("Scopes", "scope", words.SCOPES, "who sees it")
    yield from _list("Statuses", "status", words.STATUSES, "what it means")
    yield "## Sources"
    yield f"The kind of provenance decides trust. Text that reads like instructions to an agent gets {words.LOW_TRUST:g} at most."
    kinds = [(f"`{w}`", _told("source", w), words.TRUST_OF_SOURCE[w]) for w in words.PROVENANCE_KINDS]
    yield table(("source", "what it is", "trust"), kinds)
    yield from _list("Deliveries", "delivery", words.DELIVERIES, "when a block carries it")
    yield from _list("Modes of search", "mode", words.SEARCH_MODES, "how it looks")
    yield from _list("Outcomes", "outcome", get_args(words.OutcomeKind), "what became of a draft")
    yield from _list("Relations", "relation", words.LINK_RELATIONS, "what a link says")
    yield from _list("Resolutions", "resolution", words.RESOLUTIONS, "how `resolve` ends a contradiction")
    yield from _list("Triggers", "trigger", trigger.KINDS, "what it matches")
    yield from _list("Documents", "document", get_args(words.DocumentKind), "what is stored besides memories")
    yield from _list("Events", "event", get_args(words.EventKind), "what happened")


def _list(title: str, name: str, known: Iterable[str], heading: str) -> Iterable[str]:
    yield f"## {title}"
    yield table((name, heading), ((f"`{word}`", _told(name, word)) for word in known))


def _told(name: str, word: str) -> str:
    meanings: Mapping[str, str] = WORDS[name]
    return meanings[word]


def _screen() -> Iterable[str]:
    yield "Screen"
    yield (
        "What the gate looks for in each text, and what it does about a finding unless the setting `personal` says"
        " otherwise ([how](../howto/privacy.md)): *allow* stores it, *redact* stores `[redacted: kind]` in its place,"
        " *refuse* stores nothing. Names of people are not looked for."
    )
    rows = [(f"`{kind}`", SCREENED[kind], action) for kind, action in DEFAULT_POLICY.items()]
    yield table(("kind", "what is found", "default"), rows)


PAGES: dict[str, Callable[[], Iterable[str]]] = {
    "api.md": api,
    "cli.md": _cli,
    "errors.md": error_tree,
    "profiles.md": _profiles,
    "screen.md": _screen,
    "settings.md": _settings,
    "tiers.md": tier_pages,
    "vocabulary.md": _vocabulary,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
