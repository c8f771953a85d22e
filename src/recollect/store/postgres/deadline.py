"""A deadline for every wait: a server that does not answer is given up, whatever it or the network does.

The timeouts of the server end a slow statement, but not the wait for a stopped process or for a network that drops packets.
So a thread watches the calls that wait. When one has waited for too long, it shuts down the socket, and the call fails at once.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from recollect.forking import follow_forks

# A slow statement is to be ended by the server, which says so: the client gives up a little later.
_GRACE_SECONDS = 1.0
# How often the thread looks, and how long it stays when nobody waits.
_TICK_SECONDS, _IDLE_SECONDS = 0.1, 30.0


class NoAnswerInTime(psycopg.OperationalError):
    """The server did not answer in time, and the connection was closed."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer within {seconds:g} s")


@dataclass(slots=True, eq=False)
class _Wait:
    """One call that waits."""

    connection: psycopg.Connection[Any]
    until: float
    given_up: bool = False


class Deadlines:
    """Watches the calls of one open store; its thread runs only while there are some."""

    def __init__(self) -> None:
        self._start_anew()
        follow_forks(self)

    def _start_anew(self) -> None:
        self._waits: set[_Wait] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._idle = False

    def before_fork(self) -> None:
        """Nothing to let go of."""

    def after_fork(self, *, child: bool) -> None:
        """The thread does not exist in the child."""
        if child:
            self._start_anew()

    @contextmanager
    def within(self, connection: psycopg.Connection[Any], seconds: float) -> Iterator[None]:
        """Give up what is done on a connection after so long, and a moment more; it raises NoAnswerInTime."""
        wait = _Wait(connection, time.monotonic() + seconds + _GRACE_SECONDS)
        with self._changed:
            self._waits.add(wait)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="recollect-deadlines", daemon=True)
                self._thread.start()
            elif self._idle:
                self._changed.notify()
        try:
            yield
        except psycopg.Error as error:
            if wait.given_up:
                raise NoAnswerInTime(seconds) from error
            raise
        finally:
            with self._changed:
                self._waits.discard(wait)

    def _watch(self) -> None:
        with self._changed:
            while self._waits or self._called():
                now = time.monotonic()
                for wait in self._waits:
                    if now > wait.until and not wait.given_up:
                        wait.given_up = True
                        _shut_down(wait.connection)
                # Other calls may begin and end meanwhile; a call is looked at only if it takes longer than this.
                self._changed.wait(_TICK_SECONDS)
            self._thread = None

    def _called(self) -> bool:
        """Whether a call began, before it was idle for long enough to end the thread."""
        self._idle = True
        called = self._changed.wait(_IDLE_SECONDS)
        self._idle = False
        return called


def _shut_down(connection: psycopg.Connection[Any]) -> None:
    """End the connection under the thread that waits for it; that thread reads an end of file and closes its descriptor itself."""
    try:
        with socket.socket(fileno=os.dup(connection.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)
    except (psycopg.OperationalError, OSError):
        pass  # it ended by itself
