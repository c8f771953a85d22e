"""Clustering in the background: one run at a time, on a thread, so that no caller waits for it.

Clusters are derived from the vectors, so a process that ends in the middle of a run loses nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from recollect.errors import RecollectError
from recollect.forking import follow_forks
from recollect.ports import Clock, Store
from recollect.values.ids import new_id

if TYPE_CHECKING:
    from recollect.upkeep.clustering import ClusteringProcess, Given, Labels


# The fewest memories worth clustering; up to how many vectors the run stays in this process (more take seconds of a core, so a
# child process does it); and what share of the memories must be new since the last run.
_FEWEST, IN_PROCESS_LIMIT, _CHANGED_SHARE = 50, 2_000, 0.1
_CLOSE_SECONDS = 2.0
# Longer than clustering takes; after a crash, other processes wait no longer than this.
_LEASE_SECONDS = 600.0


@dataclass(slots=True, eq=False, weakref_slot=True)
class BackgroundClustering:
    """Runs the clustering of an account when it is due."""

    store: Store
    clock: Clock
    actor: str
    # The cosine to the centre of its cluster that a member has at least.
    required: Callable[[], float] = lambda: -2.0
    problem: str | None = None
    closing: bool = False
    _child: ClusteringProcess | None = None
    _work: threading.Thread | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        follow_forks(self)

    def before_fork(self) -> None:
        """Nothing to let go of."""

    def after_fork(self, *, child: bool) -> None:
        """A run that the parent started is the parent's, and so is the process that does its work."""
        if child:
            self._lock, self._work, self._child, self.problem = threading.Lock(), None, None, None

    def start_if_due(self, account: str) -> None:
        """Start the clustering of an account, unless a run is active or little has changed since the last one.

        While the store closes, only a run that is short enough to wait for is started.
        """
        with self._lock:
            most = IN_PROCESS_LIMIT if self.closing else None
            if (self._work is not None and self._work.is_alive()) or not self._due(account, most):
                return
            # Imported on first use, and not on the thread: a process may end in the middle of an import there.
            from recollect.upkeep.clustering import ClusteringProcess, find_clusters
            from recollect.upkeep.clusters import refresh

            self._child = child = ClusteringProcess()

            def labels(vectors: Given) -> Labels:
                return find_clusters(vectors) if len(vectors) <= IN_PROCESS_LIMIT else child.find_clusters(vectors)

            now = self.clock()

            def run() -> object:
                return refresh(self.store, account, self.actor, now, labels, self.required())

            work = partial(self._with_lease, account, run)
            self._work = threading.Thread(target=self._run, args=(work,), name="recollect-clustering", daemon=True)
            self._work.start()

    def finish(self) -> None:
        """Wait briefly for an active run, then stop it."""
        if self._work is not None:
            self._work.join(_CLOSE_SECONDS)
            if self._child is not None:
                self._child.stop()
            self._work.join(_CLOSE_SECONDS)

    def _due(self, account: str, most: int | None) -> bool:
        # scikit-learn is an optional dependency: without it nothing is clustered, and `clusters` says how to install it.
        if find_spec("sklearn") is None:
            return False
        with self.store.view() as reader:
            count = reader.how_many_embedded(account)
            before = int(reader.note("clustered", account) or 0)
        return _FEWEST <= count <= (most or count) and abs(count - before) > _CHANGED_SHARE * before

    def _with_lease(self, account: str, work: Callable[[], object]) -> None:
        """Run the work unless another process does it at this moment."""
        with self.store.leases.held(f"clusters {account}", new_id(self.clock()), _LEASE_SECONDS) as mine:
            if mine:
                work()

    def _run(self, work: Callable[[], object]) -> None:
        try:
            work()
            self.problem = None
        except RecollectError as error:
            # No caller waits for this thread, so `doctor` reports the error.
            self.problem = f"clustering failed: {error}"
