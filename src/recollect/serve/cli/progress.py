"""Progress of long work, on stderr: a bar for someone who watches, a line for a log, nothing when asked to be quiet."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from recollect.serve.cli.output import note

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Fetching:
    """Shows the embedder being fetched, once; costs nothing when it is there already."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._bars: Progress | None = None
        self._tasks: dict[str, TaskID | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def __call__(self, what: str, done: int, total: int) -> None:
        if self._quiet:
            return
        if not sys.stderr.isatty():
            if what not in self._tasks:
                self._tasks[what] = None
                note(f"{what}, once ({_megabytes(total)})")
            return
        if self._bars is None:
            self._bars = _download_bars()
            self._bars.start()
        task = self._tasks.get(what)
        if task is None:
            task = self._tasks[what] = self._bars.add_task(what, total=None)
        self._bars.update(task, completed=done, total=total or None)


class Counting:
    """Shows how many of many are done; the callback of `remember_many` and `reembed`."""

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        self._what, self._shown = what, not quiet and sys.stderr.isatty()
        self._bars: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if self._shown:
            self._bars = _counting_bars()
            self._bars.start()
            self._task = self._bars.add_task(self._what, total=None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def __call__(self, done: int, total: int) -> None:
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, completed=done, total=total)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.0f} MB" if size else "size not known"


def _download_bars() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True))


def _counting_bars() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
