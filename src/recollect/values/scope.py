"""Scopes, places and viewers: who may see what.

A memory is in exactly one *place*: its scope, the key of that scope (the agent, team, project, session or task), and for narrower
scopes optionally its project. A viewer has a set of places. A memory is visible when the account is the same and its place is in
that set; anything missing leaves the place out of the set, so the rule fails closed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from recollect.values.enums import Scope

Place = tuple[str, str, str]
# The session and the task that a caller names.
Visit = tuple[str | None, str | None]

GLOBAL: Place = ("global", "", "")
# The entries of a context are in the scope of a reserved team, which no caller may name.
RESERVED = "context:"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is calling: the account, and inside it the agent and the teams.

    `client` is the program that calls, such as an MCP client: the journal names it when there is no agent, and it may not see more
    or less for it.
    """

    account: str = "default"
    agent: str | None = None
    teams: tuple[str, ...] = ()
    client: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Viewer:
    """An identity and where it works: in a project, a session, a task.

    `everywhere` stands for every project, session and task at once, as `reaches` does: for comparing, never for showing.
    """

    identity: Identity
    project: str | None = None
    session: str | None = None
    task: str | None = None
    everywhere: bool = False

    @property
    def account(self) -> str:
        return self.identity.account

    @property
    def visit(self) -> Visit:
        """The session and the task."""
        return self.session, self.task

    def within(self, project: str | None, session: str | None, task: str | None) -> Viewer:
        """The same identity in another project, session and task."""
        return replace(self, project=project, session=session, task=task)

    def places(self) -> frozenset[Place]:
        """Every place whose memories this viewer sees."""
        keys = [
            ("agent", self.identity.agent),
            ("session", self.session),
            ("task", self.task),
            *(("team", team) for team in self.identity.teams),
        ]
        projects = ("",) if self.project is None else ("", self.project)
        reached = {(scope, key, project) for scope, key in keys if key for project in projects}
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


def shares(viewer: Viewer, place: Place) -> bool:
    """Whether a viewer may be shown a place unasked: as `reaches`, and a session or task must be the viewer's own."""
    scope, key, _ = place
    if scope in ("session", "task"):
        return key == (viewer.session if scope == "session" else viewer.task)
    return reaches(viewer.identity, place)


def reaches(identity: Identity, place: Place) -> bool:
    """Whether an identity may use a memory by its id: agent and team must match, project, session and task need not."""
    scope, key, _ = place
    if scope == "agent":
        return bool(key) and key == identity.agent
    if scope == "team":
        return bool(key) and key in identity.teams
    return True
