"""Access: who may read, write and own a pool or a context. One rule for both, over the place they lie in; it fails closed.

The place is the wall: what lies in a team or an agent's own room is for them alone, and nobody is granted anything there.
Elsewhere the owner may do all (the agent that made it; when none did, any identity of the account without an agent), a grant
gives `read` or `write`, and `public_read` lets the whole account read. What one may not read is not there, and its name is
free: outside of rooms, the place of a pool or a context says whose it is, so that two may bear one name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from recollect.errors import InvalidInput, NotFound, ReadOnly
from recollect.ports import Reader
from recollect.values.container import Grants
from recollect.values.document import Document, document_of
from recollect.values.event import Event
from recollect.values.scope import RESERVED, Identity, Place, Viewer, reaches
from recollect.values.words import ACCESS_LEVELS, AccessLevel, DocumentKind

Level = Literal["read", "write", "own"]
_ORDER: dict[str | None, int] = {None: 0, "read": 1, "write": 2, "own": 3}
_NARROWEST = ("task", "session", "agent", "team", "project", "global")


def level_of(identity: Identity, held: Document) -> Level | None:
    """The most an identity may do with a pool or a context; None: it is not there for it."""
    body = held.body or {}
    if identity.account != held.account or not reaches(identity, held.place):
        return None
    if body["owner"] == identity.agent:
        return "own"
    # A run's pool is open to all who name the run; a team's to its members.
    if body.get("run") is not None or held.place[0] == "team":
        return "write"
    return _granted(grants_of(held), identity.agent)


def may(identity: Identity, held: Document, wanted: Level) -> bool:
    """Whether an identity may do that much."""
    return _ORDER[level_of(identity, held)] >= _ORDER[wanted]


def require(identity: Identity, held: Document, wanted: Level) -> None:
    """Refuse what an identity may see but not do."""
    if may(identity, held, wanted):
        return
    owner = (held.body or {})["owner"] or "whoever made it"
    what = f"{held.kind} {held.name!r}"
    if wanted == "own":
        raise ReadOnly(f"{what}, as far as its grants and its end go,", f"ask {owner}, who owns it")
    raise ReadOnly(what, f"ask {owner}, who owns it, for a grant to write")


def agent_may(held: Document, agent: str, level: AccessLevel) -> bool:
    """Whether an agent, by its name alone, may read or write: who is in a team is not known by name."""
    return may(Identity(held.account, agent), held, level)


def found(reader: Reader, viewer: Viewer, kind: DocumentKind, name: str, now: datetime) -> Document:
    """The pool or context of that name, with that id, or spelled owner/name. Of several, one's own, then the narrowest."""
    mine = [held for held in reader.documents(viewer.account, kind, name) if _there(viewer, held, now)]
    if not mine:
        every = [held for held in reader.documents(viewer.account, kind) if _there(viewer, held, now)]
        mine = [held for held in every if name in (held.id, qualified(held))]
    if not mine:
        raise NotFound(kind, name, f"`{kind}s.list()` shows which there are")
    nearest = min(_distance(viewer, held) for held in mine)
    best = [held for held in mine if _distance(viewer, held) == nearest]
    if len(best) > 1:
        raise InvalidInput(
            "name", f"{name!r} fits {len(best)} {kind}s", "give the id of the one you mean, or owner/name"
        )
    return best[0]


def qualified(held: Document) -> str:
    """A name that says whose it is, for when several within reach bear the same."""
    return f"{(held.body or {})['owner'] or ''}/{held.name}"


def require_free(
    reader: Reader, identity: Identity, kind: DocumentKind, name: str, place: Place, now: datetime
) -> None:
    """Refuse a name that another bears there; one that this identity cannot see does not count."""
    for held in reader.documents(identity.account, kind, name):
        seen = held.place[:2] == place[:2] and level_of(identity, held) is not None
        if held.place == place or (seen and not expired(held, now)):
            raise InvalidInput("name", f"{name!r} is taken by another {kind} there", "choose another name")


def _there(viewer: Viewer, held: Document, now: datetime) -> bool:
    return level_of(viewer.identity, held) is not None and not expired(held, now)


def expired(held: Document, now: datetime) -> bool:
    """Whether its time is over."""
    end = (held.body or {}).get("expires_at")
    return end is not None and datetime.fromisoformat(end) <= now


def _distance(viewer: Viewer, held: Document) -> tuple[bool, int, bool]:
    """How far a name reaches for something: no grant stands before what is one's own or lies in one's room."""
    scope, key, _ = held.place
    elsewhere, own = scope == "project" and key != viewer.project, (held.body or {})["owner"] == viewer.identity.agent
    return not own and scope != "team", len(_NARROWEST) if elsewhere else _NARROWEST.index(scope), not own


def place_for(viewer: Viewer, scope: str, given: Mapping[str, str | None]) -> Place:
    """Where something new lies: its scope, the team, project, session or task that scope names, and outside of rooms whose."""
    for name, value in given.items():
        if value is not None and name != scope:
            raise InvalidInput(name, f"is given, but the scope is {scope!r}", f"leave it out, or use scope={name!r}")
    whose = "" if scope in ("agent", "team") else viewer.identity.agent or ""
    if scope == "global":
        return ("global", "", whose)
    teams = viewer.identity.teams
    own = {
        "agent": viewer.identity.agent,
        "team": teams[0] if len(teams) == 1 else None,
        "project": viewer.project,
    }
    key = given.get(scope) or own.get(scope)
    if not key:
        raise InvalidInput(scope, f"is missing, but the scope is {scope!r}", f"name the {scope}, or use another scope")
    if scope == "team" and key not in teams:
        raise InvalidInput("team", f"you are not in {key!r}", "name a team of yours")
    return (scope, key, whose)


def grants_of(held: Document) -> Grants:
    """What was granted."""
    access = (held.body or {})["access"]
    return Grants(tuple(access["read"]), tuple(access["write"]), bool(access["public_read"]))


def plain_grants(grants: Grants) -> dict[str, Any]:
    """Grants as they are stored."""
    return {"read": list(grants.read), "write": list(grants.write), "public_read": grants.public_read}


def open_to_grants(kind: str, place: Place) -> None:
    """Refuse grants where the place itself says who may."""
    if place[0] in ("agent", "team"):
        who = "its agent alone" if place[0] == "agent" else "the members of its team, all of them and nobody else"
        raise InvalidInput("access", f"a {kind} of this scope is for {who}", "grant nothing, or use another scope")


def granted(held: Document, agent: str, level: AccessLevel, at: datetime) -> Document:
    """The document with one grant more."""
    open_to_grants(held.kind, held.place)
    access = plain_grants(grants_of(held))
    return held.with_body(at, access={**access, level: list(dict.fromkeys((*access[level], agent)))})


def revoked(held: Document, agent: str, level: AccessLevel | None, at: datetime) -> Document:
    """The document without a grant, or without all an agent had; writing implies reading, so `read` takes both away."""
    access = plain_grants(grants_of(held))
    levels = ("write",) if level == "write" else ACCESS_LEVELS
    if not any(agent in access[each] for each in levels):
        raise NotFound("grant to", agent, f"the {held.kind} shows in `access` who has one")
    left = {each: [name for name in access[each] if name != agent] for each in levels}
    return held.with_body(at, access={**access, **left})


def _granted(grants: Grants, agent: str | None) -> AccessLevel | None:
    if agent is not None and agent in grants.write:
        return "write"
    return "read" if grants.public_read or agent in grants.read else None


def entries_team(context: str) -> str:
    """The team that stands for one context: its entries are that team's memories."""
    return f"{RESERVED}{context}"


def with_contexts(reader: Reader, identity: Identity) -> Identity:
    """The identity that also reaches the entries of every context it may read: for the journal and for looking back."""
    mine = [held for held in reader.documents(identity.account, "context") if may(identity, held, "read")]
    return replace(identity, teams=(*identity.teams, *(entries_team(held.id) for held in mine)))


def still_open(reader: Reader, identity: Identity, documents: Sequence[Document]) -> list[Document]:
    """Of documents as they once were, those that are not closed by now: looking back does not outlive a grant."""
    kinds: tuple[DocumentKind, ...] = ("pool", "context")
    now = {held.id: held for kind in kinds for held in reader.documents(identity.account, kind)}
    return [held for held in documents if held.id not in now or may(identity, now[held.id], "read")]


def require_undo(reader: Reader, identity: Identity, events: Sequence[Event]) -> None:
    """Refuse to take back what one may see but not have done: a write without a grant to write, a grant not being its owner."""
    for event in events:
        held = _container_of(reader, identity.account, event)
        if held is not None:
            require(identity, held, _needed(event))


def _container_of(reader: Reader, account: str, event: Event) -> Document | None:
    """The pool or the context an event is about, as it stands, or as the event shows it when it is gone."""
    image = event.after or event.before or {}
    if event.document in ("pool", "context"):
        now = (held for held in reader.documents(account, event.document) if held.id == event.memory_id)
        return next(now, None) or (document_of(image, account) if image else None)
    context = (image.get("body") or {}).get("context") if event.document == "snapshot" else None
    if event.document is None:
        (record,) = reader.get(account, [event.memory_id])
        team = record.team if record is not None else image.get("team")
        context = (team or "").removeprefix(RESERVED) if (team or "").startswith(RESERVED) else None
    return next((held for held in reader.documents(account, "context") if held.id == context), None)


def _needed(event: Event) -> Level:
    if event.document not in ("pool", "context"):
        return "write"
    if event.before is None or event.after is None:
        return "own"
    old, new = event.before["body"], event.after["body"]
    return "own" if any(old.get(name) != new.get(name) for name in ("owner", "access", "archived")) else "write"
