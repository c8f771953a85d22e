"""The companion of async callers, and its turns on the command line."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

from click.testing import CliRunner
from tests.companion.conftest import said, turn

import recollect
from recollect.serve.cli.main import recollect as group
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder

PORT = "The staging gateway listens on port 8080"
ASKED = "Which port does the staging gateway listen on?"


def test_async_callers_have_the_same_companion(tmp_path: Path, clock: FixedClock, embedder: HashingEmbedder) -> None:
    async def story() -> None:
        async with recollect.open_async(tmp_path / "m.db", embedder=embedder, clock=clock) as memory:
            await memory.remember(PORT)
            async with await memory.companion(session="s1") as companion:
                await companion.observe(said("user", ASKED))
                assert await companion.wait(10)
                assert [one.content for one in (await companion.pending()).memories] == [PORT]
                assert await companion.wait(10)
                assert [one.number for one in await companion.turns()] == [1]
                await companion.before_compaction()
            assert len(await memory.turns(session="s1")) == 1

    asyncio.run(story())


def test_observe_and_pending_run_on_the_event_loop_itself(tmp_path: Path, embedder: HashingEmbedder) -> None:
    async def story() -> None:
        async with recollect.open_async(tmp_path / "m.db", embedder=embedder) as memory:
            companion = await memory.companion(session="s1")
            used: list[threading.Thread] = []
            inner = companion._sync

            class Watching:
                def observe(self, messages: object) -> None:
                    used.append(threading.current_thread())
                    inner.observe(messages)  # type: ignore[arg-type]

                def pending(self) -> object:
                    used.append(threading.current_thread())
                    return inner.pending()

            companion._sync = Watching()  # type: ignore[assignment]
            await companion.observe(ASKED)
            await companion.pending()
            assert used == [threading.current_thread()] * 2

    asyncio.run(story())


def test_turns_on_the_command_line(tmp_path: Path, embedder: HashingEmbedder) -> None:
    db = str(tmp_path / "m.db")
    with recollect.open(db, embedder=embedder) as memory:
        known = memory.remember(PORT).memory
        assert known is not None
        companion = memory.companion(session="s1")
        turn(companion, ASKED)
        turn(companion, said("assistant", "It is 8080."))
    run = CliRunner()
    shown = run.invoke(group, ["--db", db, "turns"])
    assert shown.exit_code == 0, shown.output
    assert "1 turn, 1 injected, 1 cited" in shown.output
    assert known.short_id in shown.output
    found = json.loads(run.invoke(group, ["--db", db, "turns", "--session", "s1", "--json"]).output)
    assert [(one["session"], one["number"], one["cited"]) for one in found] == [("s1", 1, [known.id])]
    assert json.loads(run.invoke(group, ["--db", db, "turns", "--session", "s2", "--json"]).output) == []
    assert "no turns" in run.invoke(group, ["--db", db, "turns", "--session", "s2"]).output
