"""A client of the SDK before the current revision, run by a Python of its own: calls a tool for each line of JSON it is given.

Started with the address of a server, or with the command that starts one on stdio.
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


async def serve(session):
    begun = await session.initialize()
    say({"version": begun.protocolVersion})
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        asked = json.loads(line)
        told = await session.call_tool(asked["tool"], asked["arguments"])
        say({"failed": told.isError, "text": told.content[0].text, "form": told.structuredContent})


def say(value):
    print(json.dumps(value), flush=True)


async def main(where):
    if where[0].startswith("http"):
        opened = streamablehttp_client(where[0])
    else:
        opened = stdio_client(StdioServerParameters(command=where[0], args=where[1:], env=dict(os.environ)))
    async with opened as streams, ClientSession(streams[0], streams[1]) as session:
        await serve(session)


asyncio.run(main(sys.argv[1:]))
