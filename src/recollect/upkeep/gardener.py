"""The gardener: upkeep in the background, one piece of work at a time, never in the way of the caller.

What it does is derived or can be done again, so a process that ends before it is done loses nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from recollect.errors import RecollectError
from recollect.ports import Clock, Store

if TYPE_CHECKING:
    from recollect.upkeep.aside import Aside
    from recollect.upkeep.clustering import Labels
    from recollect.values.search import Floats

# How many memories make clusters worth finding, and what share of them must be new for them to be found again. With more than
# HERE it takes seconds of a core, which nobody asked this process for: another one does it.
_WORTH, HERE, _NEW = 50, 2_000, 0.1
_PATIENCE = 2.0


@dataclass(slots=True)
class Gardener:
    """Finds clusters anew when they are due."""

    store: Store
    clock: Clock
    actor: str
    problem: str | None = None
    closing: bool = False
    _aside: Aside | None = None
    _work: threading.Thread | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def tend(self, account: str) -> None:
        """Begin to find the clusters of an account, unless that is under way or would change little.

        A process that is about to end begins only what it can wait for: a command would wait in vain, every time it is due.
        """
        with self._lock:
            most = HERE if self.closing else None
            if (self._work is not None and self._work.is_alive()) or not self._due(account, most):
                return
            # Imported when there is something to do, and not by the thread: it may end with the process in the middle of it.
            from recollect.upkeep.aside import Aside
            from recollect.upkeep.clustering import found
            from recollect.upkeep.tending import refresh

            self._aside = aside = Aside()

            def labels(vectors: Floats) -> Labels:
                return found(vectors) if len(vectors) <= HERE else aside.found(vectors)

            work = partial(refresh, self.store, account, self.actor, self.clock(), labels)
            self._work = threading.Thread(target=self._told, args=(work,), name="recollect-gardener", daemon=True)
            self._work.start()

    def finish(self) -> None:
        """Wait a moment for what is under way."""
        if self._work is not None:
            self._work.join(_PATIENCE)
            if self._aside is not None:
                self._aside.stop()
            self._work.join(_PATIENCE)

    def _due(self, account: str, most: int | None) -> bool:
        # scikit-learn is an extra: without it clusters are found by nobody, and `clusters` says how to get it.
        if find_spec("sklearn") is None:
            return False
        with self.store.reading() as reader:
            held = reader.how_many_embedded(account)
            before = int(reader.note(f"clustered:{account}") or 0)
        return _WORTH <= held <= (most or held) and abs(held - before) > _NEW * before

    def _told(self, work: Callable[[], object]) -> None:
        try:
            work()
            self.problem = None
        except RecollectError as error:
            # Nobody waits for this thread; `doctor` tells.
            self.problem = f"clusters could not be found anew: {error}"
