"""Opening: the store a server works on, from its start to its end. Opened, indexed and given its model while it answers already.

A client that asks for the tools gets them before the engine is imported; its first call waits for the store. A store that
cannot be opened is told in the answer to every call, and once more when the server ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from recollect.errors import RecollectError

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.offload import AsyncMemory

Made = TypeVar("Made")
# A model that must be fetched first takes longer; the first question then pays for its own start.
_TRIES, _PAUSE = 40, 0.25


@dataclass(frozen=True, slots=True)
class Opening:
    """A store that is being opened, or is open."""

    task: asyncio.Future[AsyncMemory]

    async def run(self, work: Callable[[Memory], Made]) -> Made:
        """Work on the store, as soon as it is there."""
        memory = await asyncio.shield(self.task)
        return await memory.run(work)


def opened(
    named: Mapping[str, Any], *, loading: bool = False, first: bool = False
) -> Callable[[Any], AbstractAsyncContextManager[Opening]]:
    """What opens the store when a server starts and closes it when it ends; `named` is what `recollect.open` takes.

    With `loading`, there is a model that will be there in a while; with `first`, nothing is served before the store is open.
    """

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[Opening]:
        opening = Opening(asyncio.ensure_future(_open(named)))
        if first:
            await opening.task
        warming = asyncio.ensure_future(_warmed(opening, _TRIES if loading else 1))
        try:
            yield opening
        finally:
            # Cancelled or not, what waits to be written is written before the process ends.
            with anyio.CancelScope(shield=True):
                warming.cancel()
                await asyncio.wait([warming])
                await (await opening.task).close()

    return lifespan


async def _open(named: Mapping[str, Any]) -> AsyncMemory:
    await asyncio.get_running_loop().run_in_executor(None, import_module, "recollect.offload")
    from recollect.offload import open_async

    memory: AsyncMemory = await open_async(**named)
    return memory


async def _warmed(opening: Opening, tries: int) -> None:
    """Bring the index of the account into memory, and once the model is there its vectors, before anybody asks for them."""
    for _ in range(tries):
        try:
            if await opening.run(_warm):
                return
        except RecollectError:
            return  # memory may be off here, or the store damaged; the first call says so
        await asyncio.sleep(_PAUSE)


def _warm(memory: Memory) -> bool:
    """A look at a block that nobody reads, with nothing counted; whether it had all it needs."""
    return not memory.preview("what is known", budget=1).notes
