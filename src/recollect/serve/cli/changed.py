"""The answer of every command that keeps or changes one memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.serve.cli.door import Door
from recollect.serve.cli.failure import REFUSED

if TYPE_CHECKING:
    from recollect.values.memory import Record
    from recollect.values.outcome import Outcome


def tell_changed(door: Door, done: str, record: Record, detail: str = "") -> None:
    """Say what was done to a memory, and show it as it is now."""
    from recollect.serve.cli.json_form import memory_form
    from recollect.serve.cli.views.memory import show_changed

    door.done(lambda: memory_form(record), lambda page: show_changed(page, done, record, door.now, detail))


def tell_outcome(door: Door, outcome: Outcome) -> int:
    """Say what became of one draft; returns the exit code."""
    from recollect.serve.cli.json_form import outcome_form
    from recollect.serve.cli.views.outcome import show_outcome

    refused = outcome.kind == "refused"
    say = door.answer if refused else door.done
    say(lambda: outcome_form(outcome), lambda page: show_outcome(page, outcome, door.now))
    return REFUSED if refused else 0
