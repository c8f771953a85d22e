"""Gap: a question that nothing stored answers; it is closed when a memory answers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.values.scope import Place, Viewer
from recollect.values.search import Floats


@dataclass(frozen=True, slots=True)
class Miss:
    """One recall without a relevant hit: the question, its terms and vector, the viewer and the time."""

    question: str
    terms: tuple[str, ...]
    vector: Floats | None
    viewer: Viewer
    at: datetime


@dataclass(frozen=True, slots=True)
class Gap:
    """An unanswered question: how often it was asked and when last, and the memory that answers it since."""

    id: str
    question: str
    count: int
    first_at: datetime
    last_at: datetime
    session: str | None = None
    project: str | None = None
    answered_by: str | None = None


@dataclass(frozen=True, slots=True)
class Topic:
    """Gaps about the same subject, the most asked first."""

    name: str
    gaps: tuple[Gap, ...]

    @property
    def count(self) -> int:
        """How often it was asked about."""
        return sum(gap.count for gap in self.gaps)


def place_of_miss(viewer: Viewer) -> Place:
    """The place of a gap: the user or the agent that asked, else its project, else the account."""
    project, (scope, key, _) = viewer.project or "", viewer.identity.private_place()
    if key:
        return (scope, key, project)
    return ("project", project, "") if project else ("global", "", "")


def asked_here(viewer: Viewer, body: Mapping[str, Any]) -> bool:
    """Whether a viewer is shown a question unasked: one of a session or a task alone, only to those who name it."""
    return body.get("session") in (None, viewer.session) and body.get("task") in (None, viewer.task)
