"""HTTP: the same server on loopback, for clients that want an address. Never on another interface: there is no key.

A page in a browser on this machine can send requests to loopback too; the Host and Origin of each are checked, so that
neither another site nor a name that was pointed here gets in.
"""

from __future__ import annotations

import errno
import signal
import socket
import sys
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel.server import Server

from recollect.errors import InvalidInput

LOOPBACK, PATH = "127.0.0.1", "/mcp"
# The longest memory is 500,000 characters, three megabytes when every one of them is escaped.
_LARGEST_BODY = 4 * 1024 * 1024
_LAST_ANSWERS = 3
_IN_LINE = 2048
# Clients drop an idle connection after five seconds; a server that does so at the same moment cuts off their next call.
_IDLE = 75


def serve_http(server: Server[Any], port: int) -> None:
    """Serve until the process is told to stop; port 0 takes any that is free. The address is said on stderr."""
    with _bound(port) as bound:
        app = server.streamable_http_app(
            streamable_http_path=PATH, host=LOOPBACK, json_response=True, max_request_body_size=_LARGEST_BODY
        )
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            ws="none",
            lifespan="off",
            timeout_graceful_shutdown=_LAST_ANSWERS,
            timeout_keep_alive=_IDLE,
        )
        # uvicorn stops in order and then sends itself the signal again; by then there is nothing left to stop.
        signal.signal(signal.SIGTERM, lambda *_: None)
        sys.stderr.write(f"recollect: MCP at http://{LOOPBACK}:{bound.getsockname()[1]}{PATH}\n")
        sys.stderr.flush()
        anyio.run(_serve, server, uvicorn.Server(config), bound)


async def _serve(server: Server[Any], web: uvicorn.Server, bound: socket.socket) -> None:
    """The store is opened here and not by the web server, which would show a traceback for a file that is damaged."""
    async with server.session_manager.run():
        await web.serve(sockets=[bound])


def _bound(port: int) -> socket.socket:
    # Named TCP: asyncio turns off the waiting for fuller packets, 40 ms an answer, only where the protocol is named.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((LOOPBACK, port))
        # From here on a client waits in line instead of being turned away while the store opens.
        bound.listen(_IN_LINE)
    except (OSError, OverflowError) as error:
        bound.close()
        taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        problem = "is taken by another program" if taken else f"cannot be used ({error})"
        raise InvalidInput("port", f"{port} {problem}", "name another one, or 0 for any that is free") from error
    return bound
