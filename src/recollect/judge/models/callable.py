"""A function as the judge's language model: it gets one text and returns one text with JSON in it."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Thread
from typing import Any, TypeVar

from recollect.errors import JudgeError
from recollect.forking import follow_forks
from recollect.judge.models.chat import ChatReply, ChatRequest

T = TypeVar("T")
_MOST_AT_ONCE = 8


class Deadline:
    """Waits for somebody else's code until a deadline. It runs in a thread of its own, which is left behind when it is late."""

    def __init__(self, name: str, seconds: float) -> None:
        self._name, self._seconds = name, seconds
        self._free = BoundedSemaphore(_MOST_AT_ONCE)
        follow_forks(self)

    def before_fork(self) -> None:
        """Nothing to let go of."""

    def after_fork(self, *, child: bool) -> None:
        """The threads of the parent do not exist in the child."""
        if child:
            self._free = BoundedSemaphore(_MOST_AT_ONCE)

    def call(self, work: Callable[[], T]) -> T:
        """What the function returns; raises JudgeError if it is late or fails."""
        free = self._free
        if not free.acquire(blocking=False):
            raise JudgeError(f"{self._name} still works on {_MOST_AT_ONCE} earlier questions")
        outcome: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

        def run() -> None:
            try:
                outcome.put((work(), None))
            except BaseException as error:
                outcome.put((None, error))
            finally:
                free.release()

        # A daemon: a function that never returns must not keep a finished process from exiting.
        Thread(target=run, name="recollect-judge-call", daemon=True).start()
        try:
            result, error = outcome.get(timeout=self._seconds)
        except Empty:
            raise JudgeError(f"{self._name} did not answer within {self._seconds:g} s; raise judge_seconds") from None
        if error is not None:
            said = str(error) if isinstance(error, JudgeError) else f"{type(error).__name__}: {error}"
            raise JudgeError(f"{self._name} failed: {said}") from error
        answered: T = result
        return answered


def name_of(given: object) -> str:
    """What a function or an object is called."""
    return str(getattr(given, "model", None) or getattr(given, "__name__", None) or type(given).__name__)


class CallableChat:
    """Any function from a prompt to an answer."""

    provider = "callable"

    def __init__(self, function: Callable[[str], Any], seconds: float) -> None:
        self._function, self.model = function, name_of(function)
        self._deadline = Deadline(self.model, seconds)

    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply; a function may also return the parsed JSON."""
        answer = self._deadline.call(lambda: self._function(request.whole))
        if isinstance(answer, dict):
            import json

            return ChatReply(json.dumps(answer))
        if not isinstance(answer, str):
            raise JudgeError(f"{self.model} returned {type(answer).__name__}, not text with JSON in it")
        return ChatReply(answer)
