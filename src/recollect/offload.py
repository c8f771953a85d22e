"""The async edge: the same verbs, each run in a worker thread. Written once, never mirrored."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

from recollect.engine import Memory
from recollect.verbs.view import View
from recollect.wiring import open_memory

# SQLite, the model and numpy all wait or compute outside the event loop; more threads would only queue at the store's lock.
_THREADS = 4
Made = TypeVar("Made")


class AsyncMemory:
    """Every verb of `Memory` as a coroutine: `await memory.recall("…")`, `await memory.pools.read("…")`."""

    def __init__(self, memory: View, pool: ThreadPoolExecutor, *, owner: bool = False) -> None:
        """`owner`: the pool ends with it; a view made of another is not, the other still needs the threads."""
        self._memory, self._pool, self._owner = memory, pool, owner

    def __getattr__(self, verb: str) -> Callable[..., Awaitable[Any]]:
        method = getattr(self._memory, verb)
        if verb.startswith("_"):
            raise AttributeError(verb)
        if isinstance(method, View):
            return AsyncMemory(method, self._pool)  # type: ignore[return-value]
        if not callable(method):
            raise AttributeError(verb)  # noqa: TRY004 - what an object without that attribute says

        async def call(*arguments: Any, **named: Any) -> Any:
            done = await asyncio.get_running_loop().run_in_executor(self._pool, partial(method, *arguments, **named))
            return AsyncMemory(done, self._pool) if isinstance(done, View) else done

        return call

    async def run(self, work: Callable[[Any], Made]) -> Made:
        """Do several things with the memory itself, in one worker thread and one hop: `await memory.run(lambda m: …)`."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, self._memory)

    async def close(self) -> None:
        """Close the store (of a view, what only it holds); whoever opened it also ends the worker threads."""
        if isinstance(self._memory, Memory):
            await asyncio.get_running_loop().run_in_executor(self._pool, self._memory.close)
        if self._owner:
            self._pool.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class _Opening:
    """What `open_async` returns: await it, or use it as `async with`."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._open = partial(open_memory, *arguments, **named)
        self._opened: AsyncMemory | None = None

    def __await__(self) -> Any:
        return self._start().__await__()

    async def _start(self) -> AsyncMemory:
        pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="recollect")
        memory = await asyncio.get_running_loop().run_in_executor(pool, self._open)
        return AsyncMemory(memory, pool, owner=True)

    async def __aenter__(self) -> AsyncMemory:
        self._opened = await self._start()
        return self._opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._opened is not None:
            await self._opened.close()


def open_async(*arguments: Any, **named: Any) -> _Opening:
    """Like `recollect.open`, for async callers."""
    return _Opening(*arguments, **named)
