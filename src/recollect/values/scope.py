"""Scopes, places and viewers: who may see what.

A memory is in exactly one *place*: its scope, the key of that scope (the agent, team, user, project, session or task), and for
narrower scopes optionally its project. A viewer has a set of places. A memory is visible when the account is the same and its place
is in that set; anything missing leaves the place out of the set, so the rule fails closed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from recollect.values.enums import Scope

Place = tuple[str, str, str]
# The session and the task that a caller names.
Visit = tuple[str | None, str | None]

GLOBAL: Place = ("global", "", "")
# Scopes whose memories belong to somebody: nobody else in the account sees them.
OWNED_SCOPES = ("agent", "team", "user")
# The entries of a context are in the scope of a reserved team, which no caller may name.
RESERVED = "context:"
# The unit separator: no name has a control character in it.
_UNIT = "\x1f"
# How a user without an agent is called where otherwise the name of an agent stands; no agent may be called so.
USER_PREFIX = "user:"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is calling: the account, and inside it the agent, the teams, and the user who is served.

    `client` is the program that calls, such as an MCP client: the journal names it when there is no agent, and it may not see more
    or less for it.
    """

    account: str = "default"
    agent: str | None = None
    teams: tuple[str, ...] = ()
    client: str | None = field(default=None, compare=False)
    user: str | None = None
    # Told the id of every operation it commits.
    on_commit: Callable[[str], None] | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str | None:
        """The name that the journal and the owner of a container have: the agent's, else the user's."""
        return self.agent or (f"{USER_PREFIX}{self.user}" if self.user else None)

    def owners(self) -> tuple[tuple[Scope, str], ...]:
        """The owned scopes it reaches, each with its key."""
        held: list[tuple[Scope, str | None]] = [("agent", self.agent), ("user", self.user)]
        held += [("team", team) for team in self.teams]
        return tuple((scope, key) for scope, key in held if key)

    def private_place(self) -> Place:
        """Where what is nobody else's lives that is no memory: values, entries, descriptions.

        For a user, the third part is the agent: what one agent keeps for a user is not another agent's.
        """
        if self.user:
            return ("user", self.user, self.agent or "")
        return ("agent", self.agent, "") if self.agent else GLOBAL


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
        keys: list[tuple[str, str | None]] = [*self.identity.owners(), ("session", self.session), ("task", self.task)]
        projects = ("",) if self.project is None else ("", self.project)
        reached = {(scope, key, project) for scope, key in keys if key for project in projects}
        if self.project:
            reached.add(("project", self.project, ""))
        return frozenset(reached | {GLOBAL})


def place_of(scope: Scope | str, coordinates: dict[str, str | None]) -> Place:
    """The place of a memory with this scope and these coordinates (agent, team, user, project, session, task)."""
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
    """Whether an identity may use a memory by its id: agent, team and user must match, project, session and task need not."""
    scope, key, _ = place
    return scope not in OWNED_SCOPES or (scope, key) in identity.owners()


def owner_key(identity: Identity) -> str:
    """Whose values of working memory: the agent's, or those one agent has for a user; "" without either."""
    if not identity.user:
        return identity.agent or ""
    return f"{_UNIT}user{_UNIT}{identity.user}{_UNIT}{identity.agent or ''}"


def owner_place(key: str) -> Place:
    """The private place of whoever has that key."""
    if not key.startswith(_UNIT):
        return Identity(agent=key or None).private_place()
    _, _, user, agent = key.split(_UNIT)
    return Identity(agent=agent or None, user=user).private_place()


def identity_of(account: str, place: Place) -> Identity:
    """The identity that reaches a place, and nothing else that belongs to somebody."""
    scope, key, _ = place
    return Identity(
        account,
        agent=key if scope == "agent" and key else None,
        teams=(key,) if scope == "team" and key else (),
        user=key if scope == "user" and key else None,
    )
