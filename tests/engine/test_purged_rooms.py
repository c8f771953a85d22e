"""A purged text is refused to those who could see the memory, in every place they write to; nobody else learns of the purge."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.adapters.toolsets import TOOLSETS
from recollect.capture.tombstones import PURGED
from recollect.errors import InvalidInput
from recollect.serve.mcp.tool import ShortIds, ToolContext
from recollect.testing.embedding import HashingEmbedder

TEXT = "Tom is looking for a new job"
# Where the memory lived that is purged by ada of the team core.
ROOMS: dict[str, dict[str, str]] = {
    "agent": {"scope": "agent"},
    "agent in a project": {"scope": "agent", "project": "atlas"},
    "team": {"scope": "team", "team": "core"},
    "project": {"scope": "project", "project": "atlas"},
    "everywhere": {"scope": "global"},
}
ALL = frozenset(ROOMS)
SHARED = frozenset(("project", "everywhere"))
# Who writes afterwards, where they work, and in which rooms they could see the memory.
CALLERS: dict[str, tuple[dict[str, Any], str | None, frozenset[str]]] = {
    "the purger": ({"agent": "ada", "teams": ("core",)}, None, ALL),
    "the purger in another project": ({"agent": "ada", "teams": ("core",)}, "zephyr", ALL),
    "a team mate": ({"agent": "bea", "teams": ("core",)}, "atlas", SHARED | {"team"}),
    "another agent": ({"agent": "eve", "teams": ("ops",)}, "atlas", SHARED),
    "the account": ({}, None, SHARED),
}


def remembered(memory: recollect.Memory, project: str | None, **where: Any) -> str:
    return memory.remember(TEXT, project=project, **where).reason


def updated(memory: recollect.Memory, project: str | None, _: Path) -> object:
    other = memory.remember("The printer is on the second floor", project=project).memory
    found = memory.update(other.id, content=TEXT)
    return found.reason if isinstance(found, recollect.Refused) else found


def imported(memory: recollect.Memory, _: str | None, folder: Path) -> object:
    with recollect.open(folder / "elsewhere.db", embedder=HashingEmbedder()) as elsewhere:
        elsewhere.remember(TEXT)
        raw = io.BytesIO()
        elsewhere.export(raw)
    raw.seek(0)
    return [left.reason for left in memory.import_data(raw).left_out]


def through_mcp(memory: recollect.Memory, project: str | None, _: Path) -> object:
    tool = next(each for each in TOOLSETS["recollect"] if each.name == "remember")
    given = {"content": TEXT, **({"project": project} if project else {})}
    return tool.run(ToolContext(memory, ShortIds()), given).text


VERBS: dict[str, Callable[[recollect.Memory, str | None, Path], object]] = {
    "remember": lambda memory, project, _: remembered(memory, project),
    "remember for all": lambda memory, project, _: remembered(memory, project, scope="global"),
    "remember reworded": lambda memory, project, _: memory.remember("Tom looks for a new job", project=project).reason,
    "remember_many": lambda memory, _, __: memory.remember_many([TEXT], verbatim=True)[0].reason,
    "update": updated,
    "import": imported,
    "MCP remember": through_mcp,
    "pool": lambda memory, _, __: memory.pools.create("board", data={"note": TEXT}),
}


def purge_in(memory: recollect.Memory, room: str) -> None:
    ada = memory.with_identity(agent="ada", teams=("core",))
    ada.purge(ada.remember(TEXT, **ROOMS[room]).memory.id)


def exported(memory: recollect.Memory, **options: Any) -> dict[str, list[Any]]:
    """The digests and keys in an export."""
    raw = io.BytesIO()
    memory.export(raw, **options)
    lines = [json.loads(line) for line in raw.getvalue().splitlines()]
    return {kind: [line[kind] for line in lines if kind in line] for kind in ("purged", "secrets")}


def refused(call: Callable[[], object]) -> bool:
    try:
        return PURGED in str(call())
    except InvalidInput as error:
        return PURGED in str(error)


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("verb", VERBS)
def test_it_is_refused_to_those_who_could_see_the_memory(
    memory: recollect.Memory, tmp_path: Path, verb: str, room: str, caller: str
) -> None:
    purge_in(memory, room)
    identity, project, reached = CALLERS[caller]
    own = memory.with_identity(**identity)
    assert refused(lambda: VERBS[verb](own, project, tmp_path)) == (room in reached)


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("room", ROOMS)
def test_an_export_has_the_digests_and_their_key_only_for_them(
    memory: recollect.Memory, room: str, caller: str
) -> None:
    purge_in(memory, room)
    identity, _, reached = CALLERS[caller]
    found = exported(memory.with_identity(**identity))
    assert (bool(found["purged"]), bool(found["secrets"])) == ((room in reached),) * 2
    assert exported(memory, everything=True)["purged"]


def test_an_export_keeps_the_room(memory: recollect.Memory, tmp_path: Path) -> None:
    purge_in(memory, "agent")
    raw = io.BytesIO()
    memory.with_identity(agent="ada").export(raw)
    with recollect.open(tmp_path / "elsewhere.db", embedder=HashingEmbedder()) as elsewhere:
        ada, eve = (elsewhere.with_identity(agent=name) for name in ("ada", "eve"))
        eve.import_data(io.BytesIO(raw.getvalue()))
        assert ada.remember(TEXT, scope="agent", project="x").kind == "stored"
        ada.import_data(io.BytesIO(raw.getvalue()))
        assert ada.remember(TEXT).kind == "refused"
        assert eve.remember(TEXT).kind == "stored"


def test_reviving_it_lifts_only_what_the_caller_reaches(memory: recollect.Memory) -> None:
    ada, eve = (memory.with_identity(agent=name) for name in ("ada", "eve"))
    for one in (ada, eve):
        one.purge(one.remember(TEXT, scope="agent").memory.id)
    assert eve.remember(TEXT, scope="agent", revive=True).kind == "stored"
    assert ada.remember(TEXT, scope="agent").kind == "refused"


def test_a_question_about_it_is_a_gap_for_others(memory: recollect.Memory) -> None:
    purge_in(memory, "agent")
    ada, eve = memory.with_identity(agent="ada"), memory.with_identity(agent="eve")
    for one in (ada, eve):
        one.remember("Ships are large")
        one.recall(TEXT)
        one.flush()
    assert TEXT not in repr(ada.gaps())
    assert TEXT in repr(eve.gaps())
