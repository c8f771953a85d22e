"""Opening: the store a server works on, from its start to its end. Opened, indexed and given its model while it answers already.

A client that asks for the tools gets them before the engine is imported; its first call waits for the store. A store that
cannot be opened is told in the answer to every call, and once more when the server ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self, TypeVar

import anyio

from recollect.errors import RecollectError

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.offload import AsyncMemory

Made = TypeVar("Made")
# The engine is imported in a thread, and two threads of Python do not run at once: a greeting is answered first.
_HEAD_START = 0.2
# A model that must be fetched first takes longer; the first question then pays for its own start.
_TRIES, _PAUSE = 40, 0.25


class Opening:
    """The store of one server: not yet open, being opened, or open."""

    def __init__(self, named: Mapping[str, Any], *, loading: bool = False) -> None:
        """`named` is what `recollect.open` takes; with `loading`, there is a model that will be there in a while."""
        self._named, self._tries = named, _TRIES if loading else 1
        self._wanted = asyncio.Event()
        self._opened: asyncio.Future[AsyncMemory] | None = None

    @asynccontextmanager
    async def lifespan(self, _: object = None) -> AsyncIterator[Self]:
        """Open the store when a server starts; close it when it ends."""
        self._opened = asyncio.ensure_future(self._open())
        warming = asyncio.ensure_future(self._warmed())
        try:
            yield self
        finally:
            # Cancelled or not, what waits to be written is written before the process ends.
            with anyio.CancelScope(shield=True):
                warming.cancel()
                await asyncio.wait([warming])
                self._wanted.set()
                await (await self._opened).close()

    async def run(self, work: Callable[[Memory], Made]) -> Made:
        """Work on the store, as soon as it is there."""
        assert self._opened is not None, "a server asks between its start and its end"
        self._wanted.set()
        memory = await asyncio.shield(self._opened)
        return await memory.run(work)

    def when_failed(self, stop: Callable[[], None]) -> None:
        """Call `stop` once it is known that the store cannot be opened."""
        assert self._opened is not None, "a server asks between its start and its end"
        self._opened.add_done_callback(lambda opened: stop() if opened.exception() else None)

    async def _open(self) -> AsyncMemory:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wanted.wait(), _HEAD_START)
        await asyncio.get_running_loop().run_in_executor(None, import_module, "recollect.offload")
        from recollect.offload import open_async

        memory: AsyncMemory = await open_async(**self._named)
        return memory

    async def _warmed(self) -> None:
        """Bring the index of the account into memory, and once the model is there its vectors, before anybody asks for them."""
        assert self._opened is not None, "opened by then"
        for _ in range(self._tries):
            try:
                memory = await asyncio.shield(self._opened)
                if await memory.run(_warm):
                    return
            except RecollectError:
                return  # memory may be off here, or the store damaged; the first call says so
            await asyncio.sleep(_PAUSE)


def _warm(memory: Memory) -> bool:
    """A look at a block that nobody reads, with nothing counted; whether it had all it needs."""
    return not memory.preview("what is known", budget=1).notes
