"""One story through every door, on every back end: each step comes to the same, and the same is left in the store."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest
from doors.command_line import COMMANDS, command_line
from doors.door import Door
from doors.library import edge, library
from doors.served import served
from doors.tools import TOOLS
from scenario import STORY
from told.comparing import exported
from told.normal import named
from told.player import Player
from told.settings import settle

import recollect
from recollect import Memory, errors
from recollect.serve.cli.main import recollect as command_group
from recollect.serve.mcp.tools import TOOLS as MCP_TOOLS

NO_VERB = (
    *("mcp", "install", "uninstall", "config", "migrate", "import-from", "copy", "demo", "erase-user"),
    *("judge", "turns", "extract"),
)
ERRORS = tuple(name for name in vars(errors) if name[0].isupper())
Told = tuple[list[Any], list[Any]]
Opened = Callable[[str], AbstractContextManager[Door]]
DOORS: dict[str, Callable[[Path], Opened]] = {
    "library": lambda _: library,
    "async": lambda _: edge,
    "command line": lambda _: command_line,
    "mcp stdio": lambda _: partial(served, http=False, older_python=None),
    "mcp http": lambda _: partial(served, http=True, older_python=None),
    "mcp stdio, older handshake": lambda python: partial(served, http=False, older_python=python),
    "mcp http, older handshake": lambda python: partial(served, http=True, older_python=python),
}


def told(opened: Opened, db: str, folder: Path) -> Told:
    """What each step came to, and what is in the store afterwards, with its history."""
    with opened(db) as door:
        player = Player(door, folder)
        answers = list(player.play(STORY))
    with recollect.open(db, embedder="none") as memory:
        memory.export(folder / "end.jsonl", history=True, vectors=False, everything=True)
    return answers, [named(item, player.names) for item in exported(folder / "end.jsonl")]


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """The story as the library tells it on a file."""
    folder = tmp_path_factory.mktemp("reference")
    with pytest.MonkeyPatch.context() as patch:
        settle(patch, folder)
        return told(library, str(folder / "memory.db"), folder)


@pytest.fixture(params=["file", "server"])
def db(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty store of either kind, for every process that is started from here."""
    if request.param == "file":
        url = str(tmp_path / "memory.db")
    else:
        url = request.getfixturevalue("empty_database")
        monkeypatch.setenv("RECOLLECT_WORKING", request.getfixturevalue("fresh_redis"))
    monkeypatch.setenv("RECOLLECT_DB", url)
    return url


@pytest.mark.parametrize("door", DOORS)
def test_every_door_tells_the_same_story(
    door: str, db: str, reference: Told, tmp_path: Path, older_python: Path
) -> None:
    if found := differences(reference, told(DOORS[door](older_python), db, tmp_path)):
        pytest.fail(found, pytrace=False)


def test_the_story_comes_to_what_it_says(reference: Told) -> None:
    for step, answer in zip(STORY, reference[0], strict=True):
        kind = kind_of(answer)
        assert kind == step.comes if step.comes else kind not in ERRORS, (step, answer)


def test_the_story_leaves_no_verb_no_command_and_no_tool_out() -> None:
    told = {step.verb for step in STORY}
    verbs = {name for name in dir(Memory) if not name.startswith("_") and callable(getattr(Memory, name))}
    assert verbs - told == {
        *("with_identity", "called_by", "as_of", "flush", "close", "import_from", "extract"),
        *("iter_all", "count"),  # what `list` shows, in other ways
        "erase_user",  # for the owner of the account, and the story is told by an agent
        *("judge_usage", "judge_test"),  # the story is told without a language model
        "select",  # gives a selection, which has tests of its own
        *("companion", "turns"),  # what an agent does turn by turn, in tests/companion
    }, "the rest is told, these are how"
    words = [COMMANDS[verb].split() for verb in told if verb in COMMANDS]
    assert not set(every_command()) - {" ".join(each[:many]) for each in words for many in (1, 2)}
    assert {TOOLS[verb].name for verb in told if verb in TOOLS} == {
        tool.name
        for tool in MCP_TOOLS
        if tool.name != "undo"  # it takes back what its own session did, the verb the last change
    }


def every_command() -> Iterator[str]:
    """The commands of the command line that work on memories; others serve, install, convert or show settings."""
    context = click.Context(command_group)
    for name in command_group.list_commands(context):
        command = command_group.get_command(context, name)
        if name in NO_VERB:
            continue
        if isinstance(command, click.Group):
            yield from (f"{name} {each}" for each in command.commands)
        else:
            yield name


def kind_of(answer: Any) -> str | None:
    """The kind of an outcome or an error; None of anything else."""
    if isinstance(answer, dict):
        return "refused" if "refused" in answer else answer.get("kind")
    return answer if isinstance(answer, str) else None


def differences(expected: Told, got: Told) -> str:
    """The steps that came to something else, and what else is in the store."""
    steps = [
        f"{place} {step.verb} {step.arguments}\n  expected {json.dumps(one)}\n  got      {json.dumps(other)}"
        for place, (step, one, other) in enumerate(zip(STORY, expected[0], got[0], strict=True))
        if one != other
    ]
    left, more = (Counter(json.dumps(item) for item in told[1]) for told in (expected, got))
    steps += [f"in the store, missing: {item}" for item in (left - more).elements()]
    steps += [f"in the store, more: {item}" for item in (more - left).elements()]
    return "\n".join(steps)
