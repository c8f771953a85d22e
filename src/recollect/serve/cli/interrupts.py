"""Ctrl-C in a bulk load: it ends between two batches, and says what is stored, how to go on and how to take it back."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Self

from recollect.serve.cli.errors import EXIT_INTERRUPTED
from recollect.serve.cli.formatting import count_of
from recollect.serve.cli.output import print_note

if TYPE_CHECKING:
    from recollect.errors import Interrupted


class StopBetweenBatches:
    """Within this context Ctrl-C waits for the batch that is being stored, so that the count of what is stored is exact.

    It is called as the progress of the load. Before the first batch, and the second time, Ctrl-C ends the load at once.
    """

    def __init__(self, progress: Callable[[int, int], None]) -> None:
        self._progress = progress
        self._storing = self._asked = False

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._ask)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def __call__(self, done: int, total: int) -> None:
        self._progress(done, total)
        self._storing = True
        if self._asked:
            raise KeyboardInterrupt

    def _ask(self, _: int, __: FrameType | None) -> None:
        if self._asked or not self._storing:
            raise KeyboardInterrupt
        self._asked = True
        print_note("stopping after this batch; Ctrl-C again stops at once")


def report_interrupted(stopped: Interrupted, noun: str, go_on: str) -> int:
    """Say what is stored, how to go on and how to take it back; returns the exit code. It is no answer, so it is on stderr."""
    if not stopped.done:
        print_note("stopped; nothing was stored")
        return EXIT_INTERRUPTED
    of = count_of(stopped.total, noun)
    print_note(
        f"stopped: {stopped.done:,} of {of} are done\n"
        f"      to go on:         {go_on}\n"
        f"      to take it back:  recollect undo {stopped.operation[-8:]}"
    )
    return EXIT_INTERRUPTED
