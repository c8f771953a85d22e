"""The lifespan of a server: open the store, load its index and model in the background, and close it at the end.

The handshake and the lists are answered before the engine is imported; the first tool call waits for the store. When the store
cannot be opened, every call returns the error, and the server reports it once more when it ends.
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
    from recollect.aio import AsyncMemory
    from recollect.engine import Memory

T = TypeVar("T")
# Importing the engine in a thread holds the interpreter lock, so the handshake is given time to be answered first.
_IMPORT_DELAY = 0.2
# A model that must be downloaded takes longer than these attempts; the first query then waits for the index.
_WARM_UP_ATTEMPTS, _WARM_UP_PAUSE = 40, 0.25


class StoreLifespan:
    """The store of one server: not open yet, opening, or open."""

    def __init__(self, options: Mapping[str, Any], *, model_loads: bool = False) -> None:
        """`options` are the arguments of `recollect.open`; `model_loads` says that a model is loading in the background."""
        self._options, self._attempts = options, _WARM_UP_ATTEMPTS if model_loads else 1
        self._requested = asyncio.Event()
        self._opened: asyncio.Future[AsyncMemory] | None = None

    @asynccontextmanager
    async def lifespan(self, _: object = None) -> AsyncIterator[Self]:
        """Open the store when the server starts; close it when the server ends."""
        self._opened = asyncio.ensure_future(self._open())
        warm_up = asyncio.ensure_future(self._warm_up())
        try:
            yield self
        finally:
            # Shielded: deferred writes are flushed even when the server is cancelled.
            with anyio.CancelScope(shield=True):
                warm_up.cancel()
                await asyncio.wait([warm_up])
                self._requested.set()
                await (await self._opened).close()

    async def run(self, work: Callable[[Memory], T]) -> T:
        """Run `work` on the store in a worker thread, as soon as the store is open."""
        assert self._opened is not None, "called within the lifespan"
        self._requested.set()
        memory = await asyncio.shield(self._opened)
        return await memory.run(work)

    def on_failure(self, stop: Callable[[], None]) -> None:
        """Call `stop` when the store cannot be opened."""
        assert self._opened is not None, "called within the lifespan"
        self._opened.add_done_callback(lambda opened: stop() if opened.exception() else None)

    async def _open(self) -> AsyncMemory:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._requested.wait(), _IMPORT_DELAY)
        await asyncio.get_running_loop().run_in_executor(None, import_module, "recollect.aio")
        from recollect.aio import open_async

        memory: AsyncMemory = await open_async(**self._options)
        return memory

    async def _warm_up(self) -> None:
        """Load the index of the account, and its vectors once the model is loaded, before the first query."""
        assert self._opened is not None, "called within the lifespan"
        for _ in range(self._attempts):
            try:
                memory = await asyncio.shield(self._opened)
                if await memory.run(_preview):
                    return
            except RecollectError:
                return  # memory is disabled here, or the store is damaged: the first call reports it
            await asyncio.sleep(_WARM_UP_PAUSE)


def _preview(memory: Memory) -> bool:
    """Assemble a context without counting it as read; whether the model was ready."""
    return not memory.preview("what is known", budget=1).notes
