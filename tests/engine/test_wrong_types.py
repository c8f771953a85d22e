"""Every public verb with a value of a wrong type in each argument: an error of ours that changes nothing, no bare Python error.

A value may also be allowed. What must not happen is a TypeError or ValueError from somewhere inside, or half of a change.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recollect
from recollect.errors import RecollectError
from recollect.testing.embedding import HashingEmbedder
from recollect.tiers.working import namespace_of

TIERS = ("working", "short_term", "pools", "contexts", "narratives", "router")
# They take no argument that could be wrong, or end the store.
WITHOUT = ("close", "flush")


class Odd:
    """Something nobody expects."""


def nested(kind: type) -> object:
    """A list in a list, or a table in a table, five thousand times."""
    value: object = 1
    for _ in range(5000):
        value = [value] if kind is list else {"k": value}
    return value


WRONG: dict[str, Callable[[], object]] = {
    "none": lambda: None,
    "number": lambda: 7,
    "negative": lambda: -1,
    "huge": lambda: 10**400,
    "infinite": lambda: math.inf,
    "empty text": lambda: "",
    "text": lambda: "x",
    "surrogate": lambda: "a\ud800",
    "long digits": lambda: "9" * 5000,
    "bytes": lambda: b"bytes",
    "list": list,
    "list of none": lambda: [None],
    "table": dict,
    "table of oddities": lambda: {"a": Odd()},
    "iterator": lambda: iter([1]),
    "naive time": lambda: datetime(2020, 1, 1),
    "oddity": Odd,
    "array": lambda: np.zeros(3),
    "number of numpy": lambda: np.float32(0.5),
    "deep list": lambda: nested(list),
    "deep table": lambda: nested(dict),
}


class Bench:
    """A small store with something of every kind in it, and a valid value for every argument of every verb."""

    def __init__(self, folder: Path) -> None:
        # Unanswered questions are written some time after the call that asked them.
        self.memory = memory = recollect.open(":memory:", embedder=HashingEmbedder(), gaps=False)
        one = memory.remember("The vault is in Bern", tags=["vault"]).memory
        two = memory.remember("The vault is in Oslo, not in Bern").memory
        self.one, self.two = one.id, two.id
        memory.pools.create("pool", data={"k": 1})
        memory.contexts.create("room", type="shared_context")
        entry = memory.contexts.add("room", "Anna likes green tea").memory
        memory.contexts.snapshot("room", "first")
        memory.short_term.write("key", "value", session="s1")
        memory.working.store("key", 1)
        narrative = memory.narratives.write("We looked for the vault", session="s1")
        memory.export(folder / "all.jsonl")
        memory.flush()
        self._values: dict[str, Any] = {
            "id": one.id, "source": one.id, "target": two.id, "old": one.id, "new": two.id, "conflict": (one.id, two.id),
            "memory_id": one.id, "narrative_id": narrative.id, "cluster": "vault", "moment": memory.log()[0].at,
            "query": "vault", "text": "vault", "topic": "vault", "content": "Tom plays chess", "drafts": ["Tom plays chess"],
            "tag": "vault", "description": "where it is", "into": "safe", "others": "vault", "tags": "vault", "helped": one.id,
            "helpful": True, "resolution": "keep_both", "to": folder / "out.jsonl", "product": "memory-files",
            "paths": folder, "operation": None, "key": "key", "value": 1, "message": "hello", "step": "one",
            "result": 1, "state": 1, "tool": "hammer", "messages": ["hello"], "agent": "bob", "from_agent": "bob", "session": "s1",
            "run_id": "r1", "name": "pool", "context": "room", "data": {"k": 2}, "changes": {"k": 3}, "ttl": 60.0,
            "level": "read", "type": "shared_context", "by": 0.1,
            "one": "first", "when": "first", "memories": [one.id],
        }  # fmt: skip
        self._particular: dict[tuple[str, str], Any] = {
            ("import_data", "source"): folder / "all.jsonl",
            ("rename_tag", "old"): "vault",
            ("rename_tag", "new"): "safe",
            ("pools.create", "name"): "other",
            ("contexts.create", "name"): "other",
            ("contexts.snapshot", "name"): "second",
            ("working.task", "name"): "t1",
            ("narratives.get", "id"): narrative.id,
            **{(f"contexts.{verb}", "id"): entry.id for verb in dir(memory.contexts)},
        }

    def verb(self, name: str) -> Callable[..., Any]:
        owner, _, method = name.rpartition(".")
        return getattr(getattr(self.memory, owner) if owner else self.memory, method)

    def valid(self, verb: str, argument: str) -> Any:
        return self._particular.get((verb, argument), self._values.get(argument))

    def call(self, verb: str, changed: str, value: object) -> None:
        """Call a verb with valid values for what it requires, and another one for one argument."""
        positional, named = [], {}
        for parameter in inspect.signature(self.verb(verb)).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            required = parameter.default is parameter.empty
            if parameter.name == changed or required:
                given = value if parameter.name == changed else self.valid(verb, parameter.name)
                if parameter.kind is parameter.KEYWORD_ONLY:
                    named[parameter.name] = given
                elif parameter.kind is parameter.VAR_POSITIONAL or required:
                    positional.append(given)
                else:
                    named[parameter.name] = given
        if changed not in inspect.signature(self.verb(verb)).parameters:
            named[changed] = value
        self.verb(verb)(*positional, **named)

    def state(self) -> object:
        """What a refused call must leave as it is."""
        runtime, identity = self.memory._runtime, self.memory._viewer.identity
        values = runtime.working.items(namespace_of(identity), runtime.clock().timestamp())
        with runtime.store.view() as reader:
            kinds = ("tag", "gap", "pool", "context", "snapshot", "short_term")
            documents = [reader.documents("default", kind) for kind in kinds]  # type: ignore[arg-type]
            return len(reader.events("default", limit=-1)), documents, reader.switched_off("default"), values


def arguments() -> Iterator[tuple[str, str]]:
    """Every argument of every verb, those of `**fields` too."""
    with recollect.open(":memory:", embedder="none") as memory:
        owners: list[tuple[str, object]] = [("", memory), *((f"{tier}.", getattr(memory, tier)) for tier in TIERS)]
        for prefix, owner in owners:
            for name, method in inspect.getmembers(owner, inspect.ismethod):
                if name.startswith("_") or name in WITHOUT:
                    continue
                for parameter in inspect.signature(method).parameters.values():
                    if parameter.kind is parameter.VAR_KEYWORD:
                        yield from ((prefix + name, field) for field in fields_of(method, parameter.name))
                    else:
                        yield prefix + name, parameter.name


def fields_of(method: Any, parameter: str) -> list[str]:
    """The names that `**fields` of a verb may have; its annotation names them."""
    from recollect.recall.context import BlockFields
    from recollect.tiers.contexts import ContextFields
    from recollect.tiers.pools import PoolFields
    from recollect.values.draft import DraftFields, UpdateFields
    from recollect.values.search import FilterFields

    known = {
        f"Unpack[{each.__name__}]": each
        for each in (BlockFields, ContextFields, PoolFields, DraftFields, UpdateFields, FilterFields)
    }
    return list(known[method.__annotations__[parameter]].__annotations__)


ARGUMENTS: dict[str, list[str]] = {}
for _verb, _argument in sorted(arguments()):
    ARGUMENTS.setdefault(_verb, []).append(_argument)


@pytest.mark.parametrize("verb", ARGUMENTS)
def test_a_wrong_type_is_an_error_of_ours_and_changes_nothing(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a text is a file name to some verbs
    bench = Bench(tmp_path)
    before, wrong = bench.state(), []
    for argument in ARGUMENTS[verb]:
        for kind, make in WRONG.items():
            shown = f"{verb}({argument}={kind})"
            try:
                bench.call(verb, argument, make())
            except RecollectError:
                if bench.state() != before:
                    wrong.append(f"{shown} was refused and changed something")
            except Exception as error:
                wrong.append(f"{shown} raised {type(error).__name__}: {error}")
            else:  # it is allowed, and the next call finds the store as this one found it
                if bench.state() != before:
                    bench.memory.close()
                    bench = Bench(tmp_path)
                    before = bench.state()
    bench.memory.close()
    assert not wrong


def test_the_table_has_every_verb() -> None:
    assert sum(map(len, ARGUMENTS.values())) > 400
    assert {"remember", "recall", "pools.read", "contexts.add", "router.write"} <= ARGUMENTS.keys()
