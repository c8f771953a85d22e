"""What the server does before it imports the SDK: bind the HTTP port, and prepare for a faster import."""

from __future__ import annotations

import errno
import gc
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from recollect.errors import InvalidInput

LOOPBACK, PATH = "127.0.0.1", "/mcp"
_BACKLOG = 2048


def bind_port(port: int) -> socket.socket:
    """A listening socket on loopback; port 0 takes any free port. The address is printed to stderr.

    The port is bound before the slow imports, so that an early client waits in the backlog instead of being refused.
    """
    # asyncio sets TCP_NODELAY only when the protocol is given as TCP; without it a response may wait 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        in_use = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        problem = "is used by another program" if in_use else f"cannot be used ({error})"
        raise InvalidInput("port", f"{port} {problem}", "choose another port, or 0 for any free one") from error
    sys.stderr.write(f"recollect: MCP at http://{LOOPBACK}:{listener.getsockname()[1]}{PATH}\n")
    sys.stderr.flush()
    return listener


@contextmanager
def deferred_models() -> Iterator[None]:
    """Import the SDK within this context to save a third of the time it takes.

    The SDK declares five hundred Pydantic models, of which a session uses about thirty; `defer_build` builds each validator on
    first use. The garbage collector is paused, because it finds nothing among modules and classes, and it skips them afterwards.
    """
    gc.disable()
    from pydantic import BaseModel

    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
        gc.freeze()
        gc.enable()
