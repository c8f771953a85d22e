"""A client of the SDK before the current revision, run by its own Python: prints what it received as JSON."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


async def scene(session):
    begun = await session.initialize()
    seen = {"version": begun.protocolVersion, "tools": [tool.name for tool in (await session.list_tools()).tools]}
    kept = await session.call_tool("remember", {"content": "We deploy with make deploy"})
    seen["kept"] = kept.structuredContent["kind"]
    found = await session.call_tool("recall", {"query": "how do we deploy?"})
    seen["found"] = [hit["content"] for hit in found.structuredContent["hits"]]
    wrong = await session.call_tool("recall", {"querry": "x"})
    seen["wrong"] = [wrong.isError, wrong.content[0].text, wrong.structuredContent, wrong.meta]
    seen["resources"] = [str(one.uri) for one in (await session.list_resources()).resources]
    seen["pinned"] = (await session.read_resource("recollect://pinned")).contents[0].text
    seen["prompts"] = [one.name for one in (await session.list_prompts()).prompts]
    print(json.dumps(seen))


async def main(where):
    if where[0].startswith("http"):
        opened = streamablehttp_client(where[0])
    else:
        opened = stdio_client(StdioServerParameters(command=where[0], args=where[1:], env=dict(os.environ)))
    async with opened as streams, ClientSession(streams[0], streams[1]) as session:
        await scene(session)


asyncio.run(main(sys.argv[1:]))
