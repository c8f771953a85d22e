"""The queue of a configured judge: second looks run one after the other on one thread, so that `remember` returns at once."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from recollect.errors import RecollectError
from recollect.forking import follow_forks
from recollect.log import warning

# How long closing the store waits for what is queued. What is left then stays as the rules decided.
CLOSE_SECONDS = 2.0
_MOST_QUEUED = 256

Job = Callable[[], object]


@dataclass(slots=True, eq=False, weakref_slot=True)
class JudgeQueue:
    """A bounded queue with one worker, which is started by the first job; `problem` is why the last job failed."""

    most: int = _MOST_QUEUED
    problem: str | None = None
    closing: bool = False
    _jobs: deque[Job] = field(default_factory=deque)
    _busy: bool = False
    _worker: threading.Thread | None = None
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        follow_forks(self)

    def before_fork(self) -> None:
        """Nothing to let go of."""

    def after_fork(self, *, child: bool) -> None:
        """What the parent queued, the parent does."""
        if child:
            self._changed, self._worker = threading.Condition(), None
            self._jobs, self._busy, self.problem = deque(), False, None

    def put(self, job: Job) -> bool:
        """Queue a job; False if the queue is full or closed: then the job is not done."""
        with self._changed:
            if self.closing:
                return False
            if len(self._jobs) >= self.most:
                self.problem = (
                    f"the judge is behind: {self.most} second looks are waiting, and further ones are left out"
                )
                return False
            self._jobs.append(job)
            if self._worker is None:
                # A daemon: a model that never answers must not keep a finished process from exiting.
                self._worker = threading.Thread(target=self._run, name="recollect-judge", daemon=True)
                self._worker.start()
            self._changed.notify_all()
            return True

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Let the worker finish what is queued, for so long at most; what is left is not done, and no new job is taken."""
        until = time.monotonic() + seconds
        with self._changed:
            self.closing = True
            self._changed.notify_all()
            while (self._jobs or self._busy) and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)
            self._jobs.clear()
            worker = self._worker
        if worker is not None and worker is not threading.current_thread():
            worker.join(max(0.0, until - time.monotonic()))

    def _run(self) -> None:
        mine = threading.current_thread()
        while True:
            with self._changed:
                while not self._jobs and not self.closing:
                    self._changed.wait()
                if not self._jobs or self._worker is not mine:
                    return
                job = self._jobs.popleft()
                self._busy = True
            problem = _problem_of(job)
            with self._changed:
                self.problem, self._busy = problem, False
                self._changed.notify_all()


def _problem_of(job: Job) -> str | None:
    """Run a job; no caller waits for it, so `doctor` reports what went wrong."""
    try:
        job()
    except Exception as error:  # the judge may be foreign code, and the worker must go on
        warning("a second look failed: %s", type(error).__name__)
        return f"the judge failed: {error if isinstance(error, RecollectError) else f'{type(error).__name__}: {error}'}"
    return None
