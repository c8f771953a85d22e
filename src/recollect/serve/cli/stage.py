"""Stage: where the demo is told, with a calendar of its own so that three weeks pass in two minutes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from recollect.serve.cli.output import emit
from recollect.serve.cli.page import Page, Piece, new_page

_TO_READ_A_LINE = 1.1


class Calendar:
    """A clock that is set forward by hand and never runs past the real one."""

    def __init__(self, days_ago: int) -> None:
        self.at = datetime.now(UTC) - timedelta(days=days_ago)

    def __call__(self) -> datetime:
        # Each look is a little later, as on a real clock: two changes never share a moment.
        self.at = min(self.at + timedelta(seconds=1), datetime.now(UTC))
        return self.at

    def pass_days(self, days: float) -> None:
        """Let some days go by."""
        self.at = min(self.at + timedelta(days=days), datetime.now(UTC))


class Stage:
    """Prints the story step by step, waiting for a reader at a terminal only."""

    def __init__(self, calendar: Calendar, *, fast: bool) -> None:
        self._calendar, self._waits = calendar, sys.stdout.isatty() and not fast

    @property
    def now(self) -> datetime:
        """The day of the story."""
        return self._calendar.at

    def chapter(self, title: str, *lines: str) -> None:
        """A new step, and what it is about."""
        self.show(lambda page: page.heading(title))
        self.tell(*lines)

    def tell(self, *lines: str) -> None:
        """A few lines between the commands."""
        page = new_page()
        for line in lines:
            page.line(Piece(line, "dim"))
        emit(page.text())
        self._wait(len(lines) * _TO_READ_A_LINE)

    def command(self, text: str, view: Callable[[Page], None]) -> None:
        """What one would type, then what one would see."""
        page = new_page()
        page.line()
        page.line(Piece("$ recollect ", "dim"), Piece(text, "strong"))
        emit(page.text())
        self._wait(0.6)
        self.show(view)
        self._wait(2 * _TO_READ_A_LINE)

    def show(self, view: Callable[[Page], None]) -> None:
        """Put something before the reader now."""
        page = new_page()
        view(page)
        emit(page.text())

    def _wait(self, seconds: float) -> None:
        if self._waits:
            time.sleep(seconds)
