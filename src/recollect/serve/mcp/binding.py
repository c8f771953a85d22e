"""Binding: the address of the HTTP door, taken and told before anything heavy is imported.

A client that comes early waits in line instead of being turned away.
"""

from __future__ import annotations

import errno
import socket
import sys

from recollect.errors import InvalidInput

LOOPBACK, PATH = "127.0.0.1", "/mcp"
_IN_LINE = 2048


def bound(port: int) -> socket.socket:
    """A socket that listens on loopback; port 0 takes any that is free. The address is said on stderr."""
    # Named TCP: asyncio turns off the waiting for fuller packets, 40 ms an answer, only where the protocol is named.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen(_IN_LINE)
    except (OSError, OverflowError) as error:
        listening.close()
        taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        problem = "is taken by another program" if taken else f"cannot be used ({error})"
        raise InvalidInput("port", f"{port} {problem}", "name another one, or 0 for any that is free") from error
    sys.stderr.write(f"recollect: MCP at http://{LOOPBACK}:{listening.getsockname()[1]}{PATH}\n")
    sys.stderr.flush()
    return listening
