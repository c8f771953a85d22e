"""A circuit breaker: after two failures in a row a server is left alone for half a minute, so that nobody waits for it in vain."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from recollect.errors import JudgeError
from recollect.forking import follow_forks

OPEN_SECONDS = 30.0
_FAILURES = 2


@dataclass(slots=True, eq=False, weakref_slot=True)
class CircuitBreaker:
    """Closed while calls succeed; open for some seconds after failures in a row; then one call tries."""

    now: Callable[[], float] = time.monotonic
    _failures: int = 0
    _open_until: float | None = None
    _problem: str = ""
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        follow_forks(self)

    def before_fork(self) -> None:
        """Nothing to let go of."""

    def after_fork(self, *, child: bool) -> None:
        """The lock may have been held by a thread that does not exist in the child."""
        if child:
            self._lock = Lock()

    def require_closed(self) -> None:
        """Raise JudgeError while the breaker is open. When its time is over, one caller may try; others go on waiting."""
        with self._lock:
            if self._open_until is None:
                return
            left = self._open_until - self.now()
            if left > 0:
                raise JudgeError(f"not asked for another {left:.0f} s, because it failed: {self._problem}")
            self._open_until = self.now() + OPEN_SECONDS

    def succeeded(self) -> None:
        """A call was answered."""
        with self._lock:
            self._failures, self._open_until, self._problem = 0, None, ""

    def failed(self, problem: str) -> None:
        """A call was not answered."""
        with self._lock:
            self._failures += 1
            self._problem = problem
            if self._failures >= _FAILURES:
                self._open_until = self.now() + OPEN_SECONDS
