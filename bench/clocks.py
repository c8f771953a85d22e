"""Clocks: CPU time of this process and of the server processes that work for it, to the nanosecond.

On a busy machine, wall time says mostly how long a call waited for a free core. PostgreSQL has one process for each connection,
named after the database, so that what a call costs there can be told apart from the work of everyone else.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit

import psutil

Clock = Callable[[], float]


class CpuClock:
    """CPU seconds of this process and of the connections to one database of a server; reading the clock is not counted."""

    def __init__(self, url: str, server: int) -> None:
        self._marked = f" {urlsplit(url).path.removeprefix('/')} "
        self._server = psutil.Process(server)
        self._clocks: dict[int, int | None] = {}
        self._seconds: dict[int, float] = {}
        self._reading = 0.0

    def __call__(self) -> float:
        entered = time.process_time()
        for child in self._server.children():
            if child.pid not in self._clocks:
                self._clocks[child.pid] = self._clock_of(child)
        for process, clock in self._clocks.items():
            if clock is not None:
                with suppress(OSError):  # a connection that was closed keeps what it had
                    self._seconds[process] = time.clock_gettime(clock)
        left = time.process_time()
        self._reading += left - entered
        return left - self._reading + sum(self._seconds.values())

    def _clock_of(self, process: psutil.Process) -> int | None:
        """The number of the CPU clock of a connection to the database; None for every other process of the server."""
        with suppress(psutil.NoSuchProcess):
            if self._marked in " ".join(process.cmdline()):
                number = ctypes.c_int()
                if ctypes.CDLL(None).clock_getcpuclockid(process.pid, ctypes.byref(number)) == 0:
                    return number.value
        return None
