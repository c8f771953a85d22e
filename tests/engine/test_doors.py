"""What comes in by other doors: names at `open`, a closed store, a view of the past, another's name, files of others."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.errors import InvalidInput, ReadOnly, RecollectError, StoreError

SECRET = "ghp_x7Kq2Lm9Rt4Wv8Zy1Bn6Cd3Ef5Gh0JkPqAsD"
WRONG = ["a\ud800", "two\nlines", "x" * 5000, 7, b"bytes", ["list"], {"a": 1}, object()]


@pytest.mark.parametrize("setting", ["account", "agent", "actor", "project", "teams", "db"])
@pytest.mark.parametrize("value", WRONG, ids=[f"{type(value).__name__}{n}" for n, value in enumerate(WRONG)])
def test_a_wrong_name_at_open_is_an_error_of_ours(
    setting: str, value: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"db": tmp_path / "memory.db", "embedder": "none", setting: value}
    try:
        with recollect.open(given.pop("db"), **given) as memory:
            memory.remember("A note about ships")
    except RecollectError:
        pass


def test_a_closed_store_says_that_it_is_closed(tmp_path: Path) -> None:
    memory = recollect.open(tmp_path / "memory.db", embedder="none")
    memory.close()
    with pytest.raises(StoreError, match="is closed"):
        memory.vacuum()


CHANGES: dict[str, Callable[[Any], object]] = {
    "store": lambda working: working.store("k", 1),
    "remove": lambda working: working.remove("k"),
    "clear": lambda working: working.clear(),
    "append": lambda working: working.append_to_scratch_pad("more"),
    "task": lambda working: working.task("t").store("k", 1),
}


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_is_stored_in_the_working_memory_of_the_past(memory: recollect.Memory, change: str) -> None:
    kept = memory.remember("A note about ships").memory
    with memory.as_of(kept.created_at) as then, pytest.raises(ReadOnly):
        CHANGES[change](then.working)


def test_nobody_stores_the_name_of_another_agent(memory: recollect.Memory) -> None:
    bob = memory.with_identity(agent="bob")
    for scope in (None, "global", "agent"):
        with pytest.raises(InvalidInput, match="you are not"):
            bob.remember("A note about ships", agent="eve", scope=scope)
    assert bob.remember("A note about ships", agent="bob").memory.agent == "bob"


def test_an_import_screens_switches_and_the_names_in_events(memory: recollect.Memory, tmp_path: Path) -> None:
    source, target = tmp_path / "all.jsonl", memory
    with recollect.open(":memory:", embedder="none") as other:
        other.remember("A note about ships", tags=["sea"])
        other.disable("harbour")
        other.export(source, history=True, everything=True)
    lines = []
    for line in source.read_text().splitlines():
        item = json.loads(line)
        if "off" in item:
            item["off"]["project"] = SECRET
        if "event" in item:
            item["event"]["actor"] = SECRET
        item.get("end", {}).pop("sha256", None)
        lines.append(json.dumps(item))
    changed = "\n".join(lines) + "\n"
    assert SECRET in changed
    target.import_data(io.BytesIO(changed.encode()), everything=True)
    told = repr([target.stats(), target.log(limit=50), target.list()])
    assert "ships" in told
    assert SECRET not in told
