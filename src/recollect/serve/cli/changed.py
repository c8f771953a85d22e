"""The answer of every command that changes one memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.serve.cli.door import Door

if TYPE_CHECKING:
    from recollect.values.memory import Record


def tell_changed(door: Door, done: str, record: Record, detail: str = "") -> None:
    """Say what was done to a memory, and show it as it is now."""
    from recollect.serve.cli.json_form import memory_form
    from recollect.serve.cli.views.memory import show_changed

    door.done(lambda: memory_form(record), lambda page: show_changed(page, done, record, door.now, detail))
