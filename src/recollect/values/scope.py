"""Who may see what: the one rule, from which the SQL filter and the index mask are both compiled.

A memory lives in exactly one *place*: its scope, the coordinate that scope names, and (for narrower scopes that carry
one) its project. A viewer reaches a set of places. Visible means: same account, and the place is in that set.
Anything missing on either side leaves the place out of the set, so the rule fails closed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from recollect.values.words import Scope

Place = tuple[str, str, str]

GLOBAL: Place = ("global", "", "")
# A context's entries live in a room of their own, spelled as a team that nobody can be in by saying so.
RESERVED = "context:"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is asking: the account is the wall, agent and teams are rooms inside it."""

    account: str = "default"
    agent: str | None = None
    teams: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Viewer:
    """An identity at work somewhere: in a project, a session, a task."""

    identity: Identity
    project: str | None = None
    session: str | None = None
    task: str | None = None

    @property
    def account(self) -> str:
        return self.identity.account

    def within(self, project: str | None, session: str | None, task: str | None) -> Viewer:
        """The same identity in another context."""
        return replace(self, project=project, session=session, task=task)

    def places(self) -> frozenset[Place]:
        """Every place this viewer reaches."""
        held = [
            ("agent", self.identity.agent),
            ("session", self.session),
            ("task", self.task),
            *(("team", team) for team in self.identity.teams),
        ]
        projects = ("",) if self.project is None else ("", self.project)
        reached = {(scope, key, project) for scope, key in held if key for project in projects}
        if self.project:
            reached.add(("project", self.project, ""))
        return frozenset(reached | {GLOBAL})


def place_of(scope: Scope | str, coordinates: dict[str, str | None]) -> Place:
    """The place of a memory with this scope and these coordinates (agent, team, project, session, task)."""
    if scope == "global":
        return GLOBAL
    key = coordinates.get(scope) or ""
    project = "" if scope == "project" else coordinates.get("project") or ""
    return (scope, key, project)


def reaches(identity: Identity, place: Place) -> bool:
    """Whether an identity may touch a memory by its id: rooms count, the context it happens to work in does not."""
    scope, key, _ = place
    if scope == "agent":
        return bool(key) and key == identity.agent
    if scope == "team":
        return bool(key) and key in identity.teams
    return True
