"""Aside: the heavy part of finding clusters, in a process of its own at the lowest priority.

Clustering ten thousand memories takes seconds of a core. In a thread it would hold the interpreter back from whoever is
using it; here the caller's process only waits. The child sees vectors and gives labels: it opens no store.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

from recollect.errors import StoreError
from recollect.upkeep.clustering import Labels, found
from recollect.values.search import Floats

_CHILD = "import sys; sys.path[:] = {path!r}; from recollect.upkeep.aside import labelled; labelled({width})"


class Aside:
    """At most one child at a time; it ends with whoever asked for it."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def found(self, vectors: Floats) -> Labels:
        """What `clustering.found` gives, worked out elsewhere."""
        command = [sys.executable, "-c", _CHILD.format(path=sys.path, width=vectors.shape[1])]
        given = np.ascontiguousarray(vectors, np.float32).tobytes()
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        try:
            with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere) as self._child:
                told, _ = self._child.communicate(given)
        except OSError as error:
            raise StoreError(f"no process to find clusters in could be started: {error}") from error
        if len(told) != 8 * len(vectors):
            raise StoreError("the process that finds clusters ended early; run `recollect clusters --refresh`")
        return np.frombuffer(told, np.int64).copy()

    def stop(self) -> None:
        """End the child, if it still works; what it was doing can be done again."""
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()


def labelled(width: int) -> None:
    """The child: vectors from standard input, labels to standard output."""
    if hasattr(os, "nice"):
        os.nice(19)
    vectors = np.frombuffer(sys.stdin.buffer.read(), np.float32).reshape(-1, width)
    sys.stdout.buffer.write(found(vectors).astype(np.int64).tobytes())
