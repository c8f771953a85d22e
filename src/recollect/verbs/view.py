"""View: what every group of verbs holds: the open store, and who is looking at it from where."""

from __future__ import annotations

from recollect.handle import Handle
from recollect.parts import Parts
from recollect.values.scope import Identity, Viewer


class View:
    """One open store, seen by one identity."""

    def __init__(self, parts: Parts, identity: Identity, project: str | None = None) -> None:
        self._parts, self._viewer = parts, Viewer(identity, project)
        self._handle = Handle(parts, self._viewer)
