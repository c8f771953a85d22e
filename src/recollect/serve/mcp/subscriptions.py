"""Subscriptions: `subscriptions/listen` of the current protocol revision. A client is notified when the text of a resource changes.

Other processes write to the same store and memories expire, so subscribed resources are polled and compared, only while there is a
subscriber. The lists of tools, resources and prompts never change while a server runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError

# Reading a resource takes about a millisecond.
_POLL_SECONDS = 1.0
_MAX_STREAMS, _MAX_RESOURCES = 64, 16
Texts = dict[str, str | None]
ReadTexts = Callable[[ServerRequestContext[Any], Sequence[str]], Awaitable[Texts]]


class Subscriptions:
    """All open subscription streams of one server."""

    def __init__(self, read: ReadTexts) -> None:
        """`read` returns the current text of some resources, None for one that cannot be read."""
        self._read = read
        self._streams: set[ListenHandler] = set()
        self._closed = False

    async def __call__(
        self, ctx: ServerRequestContext[Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Notify one client of changes until it disconnects or the server ends."""
        uris = list(dict.fromkeys(params.notifications.resource_subscriptions or ()))
        if len(uris) > _MAX_RESOURCES:
            raise MCPError(types.INVALID_PARAMS, f"{len(uris)} resources; subscribe to at most {_MAX_RESOURCES}")
        # Read before the subscription is acknowledged, so that no change after the acknowledgement is missed.
        texts = await self._read(ctx, uris) if uris else {}
        if len(self._streams) >= _MAX_STREAMS:
            raise MCPError(types.INTERNAL_ERROR, f"{_MAX_STREAMS} subscriptions are open; try again later")
        bus = InMemorySubscriptionBus()
        self._streams.add(stream := ListenHandler(bus))
        if self._closed:
            # Requested before the server was closed and started after: acknowledged, then ended like the others.
            asyncio.get_running_loop().call_soon(stream.close)
        polling = asyncio.ensure_future(self._poll(ctx, bus, texts))
        try:
            return await stream(ctx, params)
        finally:
            self._streams.discard(stream)
            polling.cancel()

    async def _poll(self, ctx: ServerRequestContext[Any], bus: InMemorySubscriptionBus, texts: Texts) -> None:
        while texts:
            await asyncio.sleep(_POLL_SECONDS)
            current = await self._read(ctx, tuple(texts))
            for uri in (uri for uri in texts if current[uri] != texts[uri]):
                await bus.publish(ResourceUpdated(uri))
            texts = current

    def close(self) -> None:
        """End every stream; each sends its final result."""
        self._closed = True
        for stream in self._streams:
            stream.close()
