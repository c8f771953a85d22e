"""A wrong keyword or a wrong type is found by the type checker, sync and async; the async class has the same signatures."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import recollect
from recollect import aio, config
from recollect.engine import Memory

_PLUMBING = ("AsyncVerbs", "AsyncOpening", "AsyncIterator")
HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PROGRAM = HERE / "program.py"
MISTAKES = {
    "recall of an unknown argument": 'memory.recall("x", top_k=3)',
    "list of an unknown filter": 'memory.list(statuz="all")',
    "update of an unknown field": 'memory.update("x", contnet="y")',
    "an importance that is no number": 'memory.remember("x", importance="high")',
    "a scope that does not exist": 'memory.remember("x", scope="everywhere")',
    "a search mode that does not exist": 'memory.search("x", mode="fuzzy")',
    "a way out that does not exist": 'memory.resolve(("a", "b"), "shrug")',
    "a pool field that does not exist": 'memory.pools.create("x", dta={})',
}


def mypy(*programs: Path, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder), "--no-error-summary", *map(str, programs)],
        capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def pyright(*programs: Path, folder: Path) -> str:
    folder.mkdir()
    settings = {"typeCheckingMode": "standard", "include": [str(program) for program in programs]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--project", str(folder), "--pythonpath", sys.executable],
        capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    # As mypy writes it: file and line, then the error.
    return re.sub(r"(\w+\.py:\d+):\d+ - error", r"\1: error", done.stdout + done.stderr)


@pytest.fixture(scope="module", params=[mypy, pyright])
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a type checker says of one program with every mistake in it, sync and async, a line each."""
    folder = tmp_path_factory.mktemp("typing")
    lines = ["import recollect", "def sync(memory: recollect.Memory) -> None:"]
    lines += [f"    {call}" for call in MISTAKES.values()]
    lines += ["    recollect.open(profil='x')", "async def other(memory: recollect.AsyncMemory) -> None:"]
    lines += [f"    await {call}" for call in MISTAKES.values()]
    lines += ["    recollect.open_async(profil='x')"]
    wrong = folder / "wrong.py"
    wrong.write_text("\n".join(lines), "utf-8")
    check: Callable[..., str] = request.param
    return check(wrong, PROGRAM, folder=folder / "cache")


def test_a_typed_program_passes_strict_checks(found: str) -> None:
    assert "program.py" not in found, found


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found_sync_and_async(found: str, name: str) -> None:
    place = list(MISTAKES).index(name)
    for first in (3, 3 + len(MISTAKES) + 2):
        assert f"wrong.py:{first + place}: error" in found, found


def test_an_unknown_setting_of_open_is_found(found: str) -> None:
    for line in (3 + len(MISTAKES), 4 + 2 * len(MISTAKES) + 1):
        assert f"wrong.py:{line}: error" in found, found


def _public(shape: type) -> dict[str, object]:
    return {name: getattr(shape, name) for name in dir(shape) if not name.startswith("_")}


@pytest.mark.parametrize("name", [name for name in vars(aio) if name.startswith("Async") and name not in _PLUMBING])
def test_the_async_class_has_the_same_verbs_with_the_same_signatures(name: str) -> None:
    own, verbs = _public(getattr(aio, name)), _public(_sync_of(name))
    assert set(own) - {"run"} == set(verbs)
    for verb, method in verbs.items():
        if not isinstance(method, property):
            mine = inspect.signature(own[verb]).parameters  # type: ignore[arg-type]
            assert list(map(str, mine.values())) == list(map(str, inspect.signature(method).parameters.values())), verb  # type: ignore[arg-type]


def _sync_of(name: str) -> type:
    from recollect.companion.companion import Companion
    from recollect.selection import Selection
    from recollect.tiers import containers, contexts, narratives, pools, router, short_term, working

    known = (
        Memory, working.WorkingMemory, short_term.ShortTerm, containers.Containers, pools.Pools, contexts.SnapshotVerbs,
        contexts.Contexts, narratives.Narratives, router.Router, Selection, Companion,
    )  # fmt: skip
    return next(shape for shape in known if shape.__name__ == name.removeprefix("Async"))


def test_the_async_module_is_what_the_generator_makes() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.generate_async", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_setting_can_be_given_to_open_with_its_type() -> None:
    own = set(config.SettingsFields.__annotations__)
    named = set(inspect.signature(recollect.open).parameters) - {"settings", "clock", "fetching", "background"}
    assert own | named == set(config.Settings.__dataclass_fields__)
    assert not own & named


# Aliases of list[...] of an exported type: the verb `list` hides the built-in in those classes.
_ALIASES = {
    "Records",
    "Events",
    "Ids",
    "Outcomes",
    "Contradictions",
    "Topics",
    "RelatedList",
    "Tags",
    "Clusters",
    "Turns",
}
_ALIASES |= {"PoolList", "ContextList", "Entries", "AccessLog", "Lifetime", "When", "Disputed", "Said"}
_STANDARD = {
    "Any",
    "Self",
    "Sequence",
    "Iterator",
    "Mapping",
    "Callable",
    "BinaryIO",
    "PathLike",
    "Path",
    "Unpack",
    "Literal",
    "None",
}


def _named(verb: object) -> set[str]:
    """The names of types in a signature."""
    signature = inspect.signature(verb)  # type: ignore[arg-type]
    parts = [*(one.annotation for one in signature.parameters.values()), signature.return_annotation]
    return {name for part in parts for name in re.findall(r"\b[A-Z]\w+", str(part))}


@pytest.mark.parametrize("name", [name for name in vars(aio) if name.startswith("Async") and name not in _PLUMBING])
def test_every_type_in_a_public_signature_is_exported(name: str) -> None:
    verbs = {verb: method for verb, method in _public(_sync_of(name)).items() if not isinstance(method, property)}
    named = {(verb, one) for verb, method in verbs.items() for one in _named(method)}
    assert not {pair for pair in named if pair[1] not in {*recollect.__all__, *_ALIASES, *_STANDARD}}
