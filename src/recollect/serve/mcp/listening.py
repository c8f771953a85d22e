"""Listening: `subscriptions/listen` of the current revision. Who listens to a resource is told when it says something else.

Other processes write to the same store and memories expire, so what is listened to is read again and again and compared;
only while somebody listens. The lists of tools, resources and prompts never change while a server runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError

# A look at a resource takes about a millisecond.
_EVERY = 1.0
_MOST_STREAMS, _MOST_RESOURCES = 64, 16
Texts = dict[str, str | None]
Look = Callable[[ServerRequestContext[Any], Sequence[str]], Awaitable[Texts]]


class Listening:
    """Everybody who listens to one server."""

    def __init__(self, look: Look) -> None:
        """`look` gives what some resources say now; nothing for one that cannot be read."""
        self._look = look
        self._streams: set[ListenHandler] = set()
        self._over = False

    async def __call__(
        self, ctx: ServerRequestContext[Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Tell one client what changes, until it hangs up or the server ends."""
        wanted = list(dict.fromkeys(params.notifications.resource_subscriptions or ()))
        if len(wanted) > _MOST_RESOURCES:
            raise MCPError(types.INVALID_PARAMS, f"{len(wanted)} resources; listen to at most {_MOST_RESOURCES}")
        # What they say now is known before the client is told that it will hear of changes.
        known = await self._look(ctx, wanted) if wanted else {}
        if len(self._streams) >= _MOST_STREAMS:
            raise MCPError(types.INTERNAL_ERROR, f"{_MOST_STREAMS} listen already; try again later")
        bus = InMemorySubscriptionBus()
        self._streams.add(stream := ListenHandler(bus))
        if self._over:
            # Asked for before the end and begun after it: acknowledged, and ended in order like the others.
            asyncio.get_running_loop().call_soon(stream.close)
        watching = asyncio.ensure_future(self._watch(ctx, bus, known))
        try:
            return await stream(ctx, params)
        finally:
            self._streams.discard(stream)
            watching.cancel()

    async def _watch(self, ctx: ServerRequestContext[Any], bus: InMemorySubscriptionBus, known: Texts) -> None:
        while known:
            await asyncio.sleep(_EVERY)
            now = await self._look(ctx, tuple(known))
            for uri in (uri for uri in known if now[uri] != known[uri]):
                await bus.publish(ResourceUpdated(uri))
            known = now

    def hang_up(self) -> None:
        """End every stream in order; each gets its last answer."""
        self._over = True
        for stream in self._streams:
            stream.close()
