"""Everything written to stdout and stderr: text that is safe for a terminal, notes, errors and progress bars.

A memory may contain any bytes, including control sequences that recolour a terminal or change its title. They are shown
escaped, never sent.
"""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

# Joiners build letters and emoji; the Arabic number signs are visible marks although Unicode calls them format characters.
_HARMLESS = frozenset("\u200c\u200d") | frozenset(map(chr, range(0x600, 0x606))) | {"\u06dd", "\u070f", "\u08e2"}
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
# JSON escapes C0 itself; here come the other characters that a terminal obeys or that no encoder accepts.
_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_BROKEN_PIPE, _CANNOT_WRITE = 141, 3


def escape_control(text: str) -> str:
    """One line of text with every control and invisible character escaped."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(c) for c in text)


def _escape(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN or character in _HARMLESS:
        return character
    return character.encode("unicode_escape").decode("ascii")


def json_text(value: Any) -> str:
    """One JSON document: indented on a terminal, one line in a pipe."""
    text = json.dumps(value, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None)
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def emit(text: str) -> None:
    """Write to stdout and flush; if the reader has closed the pipe, exit without a message."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon_stdout(_BROKEN_PIPE)
    except OSError as error:
        print_error(f"the answer cannot be written: {error.strerror}")
        _abandon_stdout(_CANNOT_WRITE)


def emit_bytes(data: bytes) -> None:
    """Write bytes to stdout unchanged; if the reader has closed the pipe, exit without a message."""
    try:
        sys.stdout.buffer.write(data)
    except BrokenPipeError:
        _abandon_stdout(_BROKEN_PIPE)


def print_note(text: str) -> None:
    """Print a note on stderr; line breaks are kept."""
    _print_stderr("note: " + _escape_lines(text))


def print_error(text: str) -> None:
    """Print an error on stderr; line breaks are kept."""
    _print_stderr("error: " + _escape_lines(text))


def print_json_error(error: dict[str, Any]) -> None:
    """Print an error on stderr, as JSON."""
    _print_stderr(json_text({"error": error}))


def _escape_lines(text: str) -> str:
    return "\n".join(escape_control(line) for line in text.split("\n"))


def _print_stderr(text: str) -> None:
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except OSError:
        pass  # there is no other place to report it


def _abandon_stdout(code: int) -> NoReturn:
    # Otherwise the interpreter flushes the buffer at exit, fails again and prints a traceback.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(code)


def wants_codes(stream: TextIO) -> bool:
    """Whether escape codes may be written: to a terminal that obeys them, unless the user wants none (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in ("dumb", "unknown")


class _ProgressBars:
    """Progress bars on stderr, stopped when the block ends."""

    def __init__(self) -> None:
        self._bars: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()


class DownloadProgress(_ProgressBars):
    """Shows the download of a model: one line that says what and from where, and a bar on a terminal; nothing if it is cached."""

    def __init__(self, *, quiet: bool = False) -> None:
        super().__init__()
        self._quiet = quiet
        self._tasks: dict[str, TaskID] = {}

    def announce(self, line: str) -> None:
        """Say what is fetched, before a bar shows how far it is."""
        if not self._quiet:
            if self._bars is not None:
                self._bars.stop()
                self._bars = None
                self._tasks.clear()
            print_note(line)

    def __call__(self, what: str, done: int, total: int) -> None:
        if self._quiet or not wants_codes(sys.stderr):
            return
        if self._bars is None:
            self._bars = _download_bars()
            self._bars.start()
        task = self._tasks.get(what)
        if task is None:
            task = self._tasks[what] = self._bars.add_task(what, total=None)
        self._bars.update(task, completed=done, total=total or None)


class ItemProgress(_ProgressBars):
    """Shows how many items of a long operation are done, on a terminal only; the total from the start if it is known."""

    def __init__(self, what: str, *, total: int | None = None, quiet: bool = False) -> None:
        super().__init__()
        self._what, self._total, self._shown = what, total, not quiet and wants_codes(sys.stderr)
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if self._shown:
            self._bars = _item_bars()
            self._bars.start()
            self._task = self._bars.add_task(self._what, total=self._total)
        return self

    def __call__(self, done: int, total: int) -> None:
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, completed=done, total=total)


def _download_bars() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True))


def _item_bars() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
