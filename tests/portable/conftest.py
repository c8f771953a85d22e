"""A store that holds one of everything, and ways to open others beside it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import recollect
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder

# How archives are packed lies beside the tests.
sys.path.insert(0, str(Path(__file__).parent))

Open = Callable[..., recollect.Memory]


@pytest.fixture
def another(tmp_path: Path, clock: FixedClock, embedder: HashingEmbedder) -> Iterator[Open]:
    """Open a store beside the first, by its name."""
    with ExitStack() as stack:

        def opened(name: str, **settings: object) -> recollect.Memory:
            given = {"embedder": embedder, "clock": clock, **settings}
            return stack.enter_context(recollect.open(tmp_path / f"{name}.db", **given))

        yield opened


@pytest.fixture
def rich(memory: recollect.Memory, clock: FixedClock) -> recollect.Memory:
    """Memories with every field, links, clusters, replaced and forgotten and purged ones, and every tier in use."""
    memories(memory, clock)
    tiers(memory, clock)
    memory.disable("shelved")
    return memory


def memories(memory: recollect.Memory, clock: FixedClock) -> None:
    first = memory.remember(
        "Zoltán deploys the shop with make ship 🚀",
        type="procedure",
        tags=["deploy", "größe"],
        project="shop",
        session="s1",
        position=4,
        speaker="Zoltán",
        occurred_at="2025-11-02T10:00:00+01:00",
        importance=0.9,
        triggers=["glob:*.env", "word:ship"],
        season="release-week",
        file_paths=["src/app.py"],
        snippet="we run make ship",
        reason="said twice",
        message_range=(3, 5),
        key="k-1",
        ttl=90_000,
        valid_from="2025-01-01T00:00:00+00:00",
        delivery="pinned",
    ).memory
    clock.advance(1.000001)
    second = memory.remember("The invoices are paid by Ada", tags=["money"], source="observed").memory
    memory.remember("Kestrel runs on port 8080")
    memory.remember("Kestrel runs on port 9090 since the move")
    old = memory.remember("The office is in Porto").memory
    memory.remember("The office moved to Braga in May", supersedes=old.id)
    memory.link(first.id, second.id, weight=0.5)
    memory.link(second.id, old.id, "derived_from")
    clock.advance(60)
    memory.reinforce(first.id)
    memory.update(second.id, content="The invoices are paid by Ada on Mondays", importance=0.7)
    memory.remember("the invoices are paid by ada on mondays", session="s2")
    gone = memory.remember("Lunch is at noon in the canteen").memory
    memory.forget(gone.id, "nobody eats there")
    memory.purge(memory.remember("The vault code is on the fridge").memory.id)
    clock.advance(60)
    memory.describe_tag("deploy", "how things get out")
    memory.recall("who pays the invoices?")
    memory.recall("what does the quantum zebra think of marmalade?")
    for n in range(12):
        memory.remember(f"Ledger {n}: the accounts of month {n} were closed on day {n}")
    assert memory.clusters(refresh=True)
    taken_back = memory.remember("A passing thought about rivers").memory
    memory.undo()
    assert taken_back.id not in {record.id for record in memory.list()}


def tiers(memory: recollect.Memory, clock: FixedClock) -> None:
    ada = memory.with_identity(agent="ada", teams=["core"])
    ada.remember("Ada keeps a diary in her own room", scope="agent")
    ada.remember("The core team meets on Tuesdays", scope="team", team="core")
    memory.pools.create("plan", data={"step": 1, "done": ["a", "ü"]})
    memory.pools.write("plan", {"step": 2})
    memory.pools.read("plan")
    memory.contexts.create("base", type="knowledge_base")
    for text in ("Kestrel builds run nightly", "Zoltan files the taxes", "Rehearsals are in the attic"):
        memory.contexts.add("base", text)
    memory.contexts.snapshot("base", "first")
    clock.advance(60)
    entry = next(e for e in memory.contexts.entries("base") if "nightly" in e.content)
    memory.contexts.update_content("base", entry.id, "Kestrel builds run hourly")
    memory.contexts.snapshot("base", "second")
    memory.short_term.write("mood", {"is": "calm"}, session="s1")
    memory.working.store("draft", {"text": "half a thought"})
    memory.working.persist_to_database()
    memory.narratives.write("We moved the office and shipped the shop", session="s1")
    ada.contexts.create("notes", type="agent_memory")
    ada.contexts.add("notes", "Ada likes short meetings")


@pytest.fixture
def exported() -> Callable[..., bytes]:
    """The bytes of an export."""

    def bytes_of(memory: recollect.Memory, **options: object) -> bytes:
        out = io.BytesIO()
        memory.export(out, **options)
        return out.getvalue()

    return bytes_of
