"""A client of the SDK before the current revision, run by its own Python: calls a tool for each line of JSON on stdin.

Its arguments are the URL of a server, or the command that starts one on stdio.
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


async def serve(session):
    initialized = await session.initialize()
    send({"version": initialized.protocolVersion})
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        request = json.loads(line)
        result = await session.call_tool(request["tool"], request["arguments"])
        send({"failed": result.isError, "text": result.content[0].text, "structured": result.structuredContent})


def send(value):
    print(json.dumps(value), flush=True)


async def main(where):
    if where[0].startswith("http"):
        opened = streamablehttp_client(where[0])
    else:
        opened = stdio_client(StdioServerParameters(command=where[0], args=where[1:], env=dict(os.environ)))
    async with opened as streams, ClientSession(streams[0], streams[1]) as session:
        await serve(session)


asyncio.run(main(sys.argv[1:]))
