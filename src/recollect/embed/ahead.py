"""Ahead: the runtime of the local model, built by a thread while whoever will need it still makes everything else ready.

For one who waits for it in the end, unlike `loading`, which answers without. Only the part that needs no imports is left
to the thread: two threads that import may each wait for a module the other is in. A build that fails leaves nothing
behind: the one who needs it builds again, and meets the reason there, where it has always been told.
"""

from __future__ import annotations

from contextlib import suppress
from threading import Thread

from recollect.embed.pins import ModelFiles
from recollect.embed.runtime import Runtime, build, prepared


class Ahead:
    """A runtime under way; to be called like `build`."""

    def __init__(self, files: ModelFiles) -> None:
        self._rest = prepared(files)
        self._made: Runtime | None = None
        # No daemon: the runtime aborts a process that ends while it is being built, so that is waited for.
        self._thread = Thread(target=self._build, name="recollect-ahead")
        self._thread.start()

    def __call__(self, files: ModelFiles) -> Runtime:
        """What was built, as soon as it is."""
        self._thread.join()
        return self._made or build(files)

    def _build(self) -> None:
        with suppress(Exception):  # whatever it is, it is met again by `build`
            self._made = self._rest()
