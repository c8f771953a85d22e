"""Access control of pools and contexts ("containers"): who may read, write and own one. One rule for both; it fails closed.

A container in the scope of an agent, a user or a team is for that agent, whoever serves that user, or the members of that team
alone; no grants are possible there.
Elsewhere the owner may do everything (the agent that created it; without one, any identity of the account without an agent), a
grant gives `read` or `write`, and `public_read` lets the whole account read. A container that an identity may not read does not
exist for it, and its name is free: the place of such a container includes its owner, so two may have the same name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from recollect.errors import InvalidInput, NotFound, ReadOnly
from recollect.ports import Reader
from recollect.values.document import Document, document_of
from recollect.values.enums import ACCESS_LEVELS, AccessLevel, DocumentKind
from recollect.values.event import Event
from recollect.values.scope import OWNED_SCOPES, RESERVED, Identity, Place, Viewer, reaches
from recollect.values.tiers import Grants

Level = Literal["read", "write", "own"]
_ORDER: dict[str | None, int] = {None: 0, "read": 1, "write": 2, "own": 3}
_NARROWEST = ("task", "session", "user", "agent", "team", "project", "global")


def level_of(identity: Identity, document: Document) -> Level | None:
    """The highest access level of an identity; None when the container is hidden from it."""
    body = document.body or {}
    if identity.account != document.account or not reaches(identity, document.place):
        return None
    if body["owner"] == identity.name or document.place[0] == "user":
        return "own"
    # A pool of a workflow run is open to everyone who names the run; one of a team to its members.
    if body.get("run") is not None or document.place[0] == "team":
        return "write"
    return _granted_level(grants_of(document), identity.name)


def may(identity: Identity, document: Document, wanted: Level) -> bool:
    """Whether an identity has at least an access level."""
    return _ORDER[level_of(identity, document)] >= _ORDER[wanted]


def require(identity: Identity, document: Document, wanted: Level) -> None:
    """Refuse what an identity may see but not do."""
    if may(identity, document, wanted):
        return
    owner = (document.body or {})["owner"] or "its creator"
    what = f"{document.kind} {document.name!r}"
    if wanted == "own":
        raise ReadOnly(f"the access control of {what}", f"ask {owner}, who owns it")
    raise ReadOnly(what, f"ask {owner}, who owns it, for a grant to write")


def agent_may(document: Document, agent: str, level: AccessLevel) -> bool:
    """Whether an agent may read or write, by its name alone: the teams of other agents are not known."""
    return may(Identity(document.account, agent), document, level)


def find_container(reader: Reader, viewer: Viewer, kind: DocumentKind, name: str, now: datetime) -> Document:
    """The container with that name, id, or owner/name. Of several: the viewer's own, then the one with the narrowest scope."""
    visible = [
        document for document in reader.documents(viewer.account, kind, name) if _is_visible(viewer, document, now)
    ]
    if not visible:
        every = [document for document in reader.documents(viewer.account, kind) if _is_visible(viewer, document, now)]
        visible = [document for document in every if name in (document.id, qualified(document))]
    if not visible:
        raise NotFound(kind, name, f"`{kind}s.list()` shows which there are")
    nearest = min(_precedence(viewer, document) for document in visible)
    best = [document for document in visible if _precedence(viewer, document) == nearest]
    if len(best) > 1:
        raise InvalidInput(
            "name", f"{name!r} fits {len(best)} {kind}s", "give the id of the one you mean, or owner/name"
        )
    return best[0]


def qualified(document: Document) -> str:
    """The name with the owner before it, for when several visible containers have the same name."""
    return f"{(document.body or {})['owner'] or ''}/{document.name}"


def require_free(
    reader: Reader, identity: Identity, kind: DocumentKind, name: str, place: Place, now: datetime
) -> None:
    """Refuse a name that a visible container in the same place has."""
    for document in reader.documents(identity.account, kind, name):
        visible = document.place[:2] == place[:2] and level_of(identity, document) is not None
        if document.place == place or (visible and not expired(document, now)):
            raise InvalidInput("name", f"{name!r} is taken by another {kind} there", "choose another name")


def _is_visible(viewer: Viewer, document: Document, now: datetime) -> bool:
    return level_of(viewer.identity, document) is not None and not expired(document, now)


def expired(document: Document, now: datetime) -> bool:
    """Whether its TTL is over."""
    end = (document.body or {}).get("expires_at")
    return end is not None and datetime.fromisoformat(end) <= now


def _precedence(viewer: Viewer, document: Document) -> tuple[bool, int, bool]:
    """The order among containers of the same name: own ones and those of a team before granted ones, narrow scopes first."""
    scope, key, _ = document.place
    elsewhere, own = (
        scope == "project" and key != viewer.project,
        (document.body or {})["owner"] == viewer.identity.name,
    )
    return not own and scope not in ("team", "user"), len(_NARROWEST) if elsewhere else _NARROWEST.index(scope), not own


def place_for(viewer: Viewer, scope: str, given: Mapping[str, str | None]) -> Place:
    """The place of a new container: its scope, the team, project, session or task it names, and elsewhere its owner."""
    for name, value in given.items():
        if value is not None and name != scope:
            raise InvalidInput(name, f"is given, but the scope is {scope!r}", f"leave it out, or use scope={name!r}")
    whose = "" if scope in OWNED_SCOPES else viewer.identity.name or ""
    if scope == "global":
        return ("global", "", whose)
    teams = viewer.identity.teams
    own = {
        "agent": viewer.identity.agent,
        "user": viewer.identity.user,
        "team": teams[0] if len(teams) == 1 else None,
        "project": viewer.project,
    }
    key = given.get(scope) or own.get(scope)
    if not key:
        raise InvalidInput(scope, f"is missing, but the scope is {scope!r}", f"name the {scope}, or use another scope")
    if scope == "team" and key not in teams:
        raise InvalidInput("team", f"you are not in {key!r}", "name a team of yours")
    return (scope, key, whose)


def grants_of(document: Document) -> Grants:
    """What was granted."""
    access = (document.body or {})["access"]
    return Grants(tuple(access["read"]), tuple(access["write"]), bool(access["public_read"]))


def plain_grants(grants: Grants) -> dict[str, Any]:
    """Grants as plain JSON, as they are stored."""
    return {"read": list(grants.read), "write": list(grants.write), "public_read": grants.public_read}


def require_grantable(kind: str, place: Place) -> None:
    """Refuse grants in scopes that already define who has access."""
    if place[0] in OWNED_SCOPES:
        who = {"agent": "its agent alone", "user": "its user alone"}.get(
            place[0], "the members of its team, all of them and nobody else"
        )
        raise InvalidInput("access", f"a {kind} of this scope is for {who}", "grant nothing, or use another scope")


def with_grant(document: Document, agent: str, level: AccessLevel, at: datetime) -> Document:
    """The document with one more grant."""
    require_grantable(document.kind, document.place)
    access = plain_grants(grants_of(document))
    return document.with_body(at, access={**access, level: list(dict.fromkeys((*access[level], agent)))})


def without_grant(document: Document, agent: str, level: AccessLevel | None, at: datetime) -> Document:
    """The document without a grant, or without all grants of an agent; writing implies reading, so `read` removes both."""
    access = plain_grants(grants_of(document))
    levels = ("write",) if level == "write" else ACCESS_LEVELS
    if not any(agent in access[each] for each in levels):
        raise NotFound("grant to", agent, f"the {document.kind} shows in `access` who has one")
    left = {each: [name for name in access[each] if name != agent] for each in levels}
    return document.with_body(at, access={**access, **left})


def _granted_level(grants: Grants, agent: str | None) -> AccessLevel | None:
    if agent is not None and agent in grants.write:
        return "write"
    return "read" if grants.public_read or agent in grants.read else None


def entries_team(context: str) -> str:
    """The reserved team of a context: its entries are memories of that team."""
    return f"{RESERVED}{context}"


def with_contexts(reader: Reader, identity: Identity) -> Identity:
    """The identity plus the teams of every context it may read: for the journal and `as_of`."""
    return within_contexts(identity, reader.documents(identity.account, "context"))


def within_contexts(identity: Identity, contexts: Iterable[Document]) -> Identity:
    """The identity plus the teams of those of some contexts that it may read."""
    visible = [document for document in contexts if may(identity, document, "read")]
    return replace(identity, teams=(*identity.teams, *(entries_team(document.id) for document in visible)))


def still_readable(reader: Reader, identity: Identity, documents: Sequence[Document]) -> list[Document]:
    """Those of some past documents that the identity may still read now: a revoked grant covers the past too."""
    kinds: tuple[DocumentKind, ...] = ("pool", "context")
    now = {document.id: document for kind in kinds for document in reader.documents(identity.account, kind)}
    return [document for document in documents if document.id not in now or may(identity, now[document.id], "read")]


def require_undo(reader: Reader, identity: Identity, events: Sequence[Event]) -> None:
    """Refuse to undo what the identity could not have done: a write without write access, a grant without ownership."""
    for event in events:
        document = _container_of(reader, identity.account, event)
        if document is not None:
            require(identity, document, _level_to_undo(event))


def _container_of(reader: Reader, account: str, event: Event) -> Document | None:
    """The container an event is about, as it is now, or as the event shows it when it was deleted."""
    image = event.after or event.before or {}
    if event.document in ("pool", "context"):
        now = reader.get_documents(account, [event.memory_id])
        return now[0] if now else (document_of(image, account) if image else None)
    context = (image.get("body") or {}).get("context") if event.document == "snapshot" else None
    if event.document is None:
        (record,) = reader.get(account, [event.memory_id])
        team = record.team if record is not None else image.get("team")
        context = (team or "").removeprefix(RESERVED) if (team or "").startswith(RESERVED) else None
    found = reader.get_documents(account, [context]) if context else []
    return next((document for document in found if document.kind == "context"), None)


def _level_to_undo(event: Event) -> Level:
    if event.document not in ("pool", "context"):
        return "write"
    if event.before is None or event.after is None:
        return "own"
    old, new = event.before["body"], event.after["body"]
    return "own" if any(old.get(name) != new.get(name) for name in ("owner", "access", "archived")) else "write"
