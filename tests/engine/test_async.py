"""Async callers get the same verbs, off the event loop."""

import asyncio
import inspect

import pytest

import recollect


def test_every_verb_can_be_awaited(tmp_path, clock, embedder) -> None:
    async def story() -> None:
        async with recollect.open_async(tmp_path / "m.db", embedder=embedder, clock=clock) as memory:
            out = await memory.remember("The server is in Bern", project="shop")
            assert out.kind == "stored"
            (hit,) = await memory.recall("server", project="shop")
            assert (await memory.get(hit.memory.id)).content == "The server is in Bern"
            await memory.forget(hit.memory.id)
            assert not await memory.recall("server", project="shop")
            await memory.undo()
            await memory.remember("The router is in Basel", project="shop", metadata={"rack": 4})
            page = await memory.list(limit=1, total=True)
            assert (len(page), page.total, await memory.count(metadata={"rack": {"$gt": 3}})) == (1, 2, 1)
            rest = await memory.list(after=page.next)
            every = [record.id async for record in memory.iter_all()]
            assert every == [page[0].id, *(record.id for record in rest)]
            assert await (await memory.with_identity(user="ulla")).count(scope="user") == 0
            other = await memory.with_identity(account="rival")
            assert await other.list() == []
            with pytest.raises(recollect.NotFound):
                await other.get(hit.memory.id)

    asyncio.run(story())


def test_it_can_also_be_awaited_open_and_closed(tmp_path, embedder) -> None:
    async def story() -> None:
        memory = await recollect.open_async(tmp_path / "m.db", embedder=embedder)
        await asyncio.gather(*(memory.remember(f"Fact {n} about subject {n}") for n in range(20)))
        assert len(await memory.list(limit=50)) == 20
        await memory.close()

    asyncio.run(story())


def test_names_that_are_no_verbs_are_refused(tmp_path, embedder) -> None:
    async def story() -> None:
        async with recollect.open_async(tmp_path / "m.db", embedder=embedder) as memory:
            with pytest.raises(AttributeError):
                memory.fly  # noqa: B018
            assert inspect.iscoroutinefunction(memory.recall)

    asyncio.run(story())
