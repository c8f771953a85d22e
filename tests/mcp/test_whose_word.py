"""Over MCP, what an agent stores is its own word unless it says that the user said so, and the journal names the client."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp_clients import call

import recollect

RunScene = Callable[..., Any]
STORE: dict[str, tuple[str, dict[str, str]]] = {
    "recollect": ("remember", {}),
    "koshi": ("memory_store", {}),
    "jcode": ("memory", {"action": "remember"}),
    "mememory": ("remember", {}),
}


@pytest.mark.parametrize("tools", STORE)
def test_what_an_agent_says_is_its_own_word(run_scene: RunScene, store: Path, tools: str) -> None:
    tool, fixed = STORE[tools]

    async def scene(client: Client) -> None:
        own = await call(client, tool, content="The build takes eleven minutes", **fixed)
        told = await call(client, tool, content="Maria prefers tea to coffee", source="user_stated", **fixed)
        assert own.structured["memory"]["source"] == "observed"
        assert told.structured["memory"]["source"] == "user_stated"
        assert own.structured["memory"]["trust"] == "some"

    run_scene(scene, tools=tools)
    with recollect.open(store, embedder="none") as memory:
        events = memory.log()
        assert {event.origin for event in events} == {"agent"}
        assert {event.actor for event in events}.isdisjoint({"user", ""})
