"""A small program as a user would write it, checked by mypy in `test_typing.py`; every public result is used with its type."""

from __future__ import annotations

import asyncio
from pathlib import Path

import recollect


def use(folder: Path) -> str:
    """The sync interface."""
    with recollect.open(folder / "memory.db", profile="hybrid", limit=3) as memory:
        outcome: recollect.Outcome = memory.remember("The vault is in Bern", importance=0.7, tags=["vault"])
        if isinstance(outcome, recollect.Refused):
            return outcome.reason
        record: recollect.Record = memory.get(outcome.memory.id)
        hits: recollect.Recalled = memory.recall("where is the vault", limit=2, tags=["vault"], project="shop")
        listed: list[recollect.Record] = memory.list(limit=5, in_project="shop", status="all")
        memory.update(record.id, content="The vault is in Basel", importance=0.9)
        block: str = str(memory.context("vaults", budget=2000))
        memory.with_identity(agent="ada").pools.create("plan", data={"step": 1})
        changed: recollect.Changed = memory.select(tags="vault").update(importance=0.9, dry_run=True)
        listed += list(memory.select(metadata={"team": "core"}))
        return f"{changed.count} {hits.to_dict()} {len(listed)} {block}"


async def use_async(folder: Path) -> list[str]:
    """The async interface: the same signatures."""
    async with recollect.open_async(folder / "memory.db", profile="hybrid") as memory:
        outcome: recollect.Outcome = await memory.remember("The vault is in Bern", importance=0.7)
        hits: recollect.Recalled = await memory.recall("where is the vault", limit=2)
        ada = await memory.with_identity(agent="ada")
        await ada.pools.create("plan", data={"step": 1})
        done = await memory.select(tags="vault").archive(force=True)
        found = [record.content async for record in memory.select(status="archived")]
        return [outcome.reason, done.verb, *found, *(hit.memory.content for hit in hits)]


def main(folder: Path) -> None:
    """Run both."""
    use(folder)
    asyncio.run(use_async(folder))
