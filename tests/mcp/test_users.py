"""A server that serves one user: no tool tells what belongs to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from mcp.client.client import Client
from mcp_clients import call

RunScene = Callable[..., Any]
WORD = "zanzibar"


@pytest.fixture
def hers(run_scene: RunScene) -> str:
    """What was stored while Ulla was served: the id of a memory."""

    async def scene(client: Client) -> str:
        made = await call(client, "remember", content=f"Her boat is called {WORD}", tags=[f"{WORD}-tag"])
        await call(client, "recall", query=f"when was {WORD} painted?")
        await call(client, "pool", action="create", name=f"{WORD}-plans")
        id: str = made.structured["memory"]["id"]
        return id

    found: str = run_scene(scene, user="ulla", agent="desk")
    return found


READS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("recall", {"query": "what is the boat called?"}),
    ("context", {"topic": "boat"}),
    *(("list", {"view": view}) for view in ("memories", "contradictions", "gaps", "tags", "stats")),
    ("list", {"status": ["active", "superseded", "archived", "forgotten"]}),
    ("pool", {"action": "list"}),
    ("pool", {"action": "read", "name": f"{WORD}-plans"}),
)


@pytest.mark.parametrize("other", ["uwe", ""])
def test_no_tool_tells_it_while_another_is_served(run_scene: RunScene, hers: str, other: str) -> None:
    async def scene(client: Client) -> None:
        for tool, arguments in READS:
            told = repr(await call(client, tool, **arguments))
            assert WORD not in told.replace(f"{WORD}-plans", ""), (tool, arguments)
        for tool, arguments in (
            ("list", {"id": hers}),
            ("list", {"view": "history", "id": hers}),
            ("list", {"view": "related", "id": hers}),
            ("forget", {"id": hers}),
            ("update", {"id": hers, "importance": 0.9}),
        ):
            told = await call(client, tool, **arguments)
            assert told.failed, (tool, arguments)
            assert WORD not in repr(told)

    run_scene(scene, user=other, agent="desk")


def test_its_user_is_told(run_scene: RunScene, hers: str) -> None:
    async def scene(client: Client) -> None:
        for tool, arguments in (READS[0], READS[1], READS[2], READS[5]):
            assert WORD in repr(await call(client, tool, **arguments)), (tool, arguments)

    run_scene(scene, user="ulla", agent="desk")
