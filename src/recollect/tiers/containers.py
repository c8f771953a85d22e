"""Containers: what the verbs of pools and contexts have in common. Finding by name, screening, granting and revoking."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal

from recollect.access import (
    Level,
    agent_may,
    find_container,
    may,
    place_for,
    require,
    require_grantable,
    with_grant,
    without_grant,
)
from recollect.errors import InvalidInput
from recollect.ports import Reader, Transaction
from recollect.tiers.json_values import screened_json
from recollect.unit_of_work import UnitOfWork, Verbs
from recollect.validation import MAX_CONTENT, clean_text, one_of, require_name, shown
from recollect.values.document import Document
from recollect.values.enums import ACCESS_LEVELS, SCOPES, AccessLevel, DocumentKind
from recollect.values.normalise import normalise_value
from recollect.values.scope import Place
from recollect.values.tiers import Grants

_COORDINATES = ("team", "project", "session", "task")


class Containers(Verbs):
    """Documents of one kind that have an owner and grants."""

    _kind: ClassVar[Literal["pool", "context"]]

    def accessible_by(self, name: str, agent: str, level: AccessLevel = "read") -> bool:
        """Whether an agent may read or write. Of a team's container, only the caller's own membership is known."""
        me, who, wanted = self._viewer.identity, require_name("agent", agent), _level(level)
        with self._uow.view() as reader:
            document = self._find(reader, name)
        return agent_may(document, who, wanted) or (who == me.agent and may(me, document, wanted))

    def _grant(self, name: str, agent: str, level: AccessLevel) -> Document:
        who, wanted = self._uow.require_name("agent", agent), _level(level)
        with self._uow.transaction() as tx:
            document = self._find(tx, name, "own")
            self._uow.require_no_tombstones_in_names(tx, "agent", [who])
            after = with_grant(document, who, wanted, self._runtime.clock())
            if after.body != document.body:
                tx.put_document(document, after, self._kind, f"grant {wanted} to {who}")
            self._log_write(tx, document, "grant")
        return after

    def _revoke(self, name: str, agent: str, level: AccessLevel | None) -> Document:
        who, wanted = require_name("agent", agent), None if level is None else _level(level)
        with self._uow.transaction() as tx:
            document = self._find(tx, name, "own")
            after = without_grant(document, who, wanted, self._runtime.clock())
            tx.put_document(document, after, self._kind, f"revoke {wanted or 'all'} of {who}")
            self._log_write(tx, document, "revoke")
        return after

    def _find(self, reader: Reader, name: str, wanted: Level = "read") -> Document:
        return usable_container(self._uow, reader, self._kind, name, wanted)

    def _log_write(self, tx: Transaction, document: Document, action: str, memory_id: str | None = None) -> None:
        """Write an access into the log of the container, if it has one."""

    def _place(self, scope: Any, fields: Mapping[str, Any]) -> Place:
        """The place of a new container; without a scope, that of the user who is served, or else of the account."""
        one_of("scope", scope, SCOPES)
        scope = scope or ("user" if self._viewer.identity.user else "global")
        given = {name: self._uow.name(name, fields.get(name)) for name in _COORDINATES}
        return place_for(self._viewer, scope, given)

    def _grants(self, access: Any, place: Place) -> Grants:
        """Grants from plain JSON; unknown names and empty agents are refused."""
        if access is None:
            return Grants()
        if not isinstance(access, Mapping) or not set(access) <= {"read", "write", "public_read"}:
            raise InvalidInput("access", f"{shown(access)} is not access control", "name read, write and public_read")
        require_grantable(self._kind, place)
        public = access.get("public_read", False)
        if not isinstance(public, bool):
            raise InvalidInput("access.public_read", f"{shown(public)} is not a boolean", "give true or false")
        return Grants(self._agents("read", access), self._agents("write", access), public)

    def _agents(self, level: str, access: Mapping[str, Any]) -> tuple[str, ...]:
        names = access.get(level, ())
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InvalidInput(
                f"access.{level}", f"{shown(names)} is not a list of agents", 'give a list, like ["ada"]'
            )
        return tuple(dict.fromkeys(self._uow.require_name(f"access.{level}", name) for name in names))

    def _screened(self, field: str, given: Any) -> str:
        text = clean_text(field, given, MAX_CONTENT)
        self._runtime.gate.require_text(field, text)
        return text

    def _json(self, field: str, value: Any, key: str | None = None, around: str | None = None) -> Any:
        """A plain copy of a JSON value, if the screen allows it under its key and in what holds it."""
        # Others read it, so it has no invisible characters; the value of a working memory comes back as it was.
        return normalise_value(json.loads(screened_json(self._runtime.gate.policy, field, value, key, around)))


def usable_container(
    uow: UnitOfWork, reader: Reader, kind: DocumentKind, name: str, wanted: Level = "read"
) -> Document:
    """The visible container of that name, if the viewer has this access level and memory is on for its project."""
    document = find_container(reader, uow.viewer, kind, require_name("name", name), uow.runtime.clock())
    require(uow.viewer.identity, document, wanted)
    if document.place[0] == "project":
        uow.require_enabled(reader, document.place[1])
    return document


def visible_containers(uow: UnitOfWork, reader: Reader, kind: DocumentKind) -> list[Document]:
    """Every container of a kind that the viewer may read, without those of projects for which memory is off."""
    identity, off = uow.viewer.identity, reader.switched_off(uow.viewer.account)
    return [
        document
        for document in reader.documents(identity.account, kind)
        if may(identity, document, "read") and not (document.place[0] == "project" and document.place[1] in off)
    ]


def _level(level: Any) -> AccessLevel:
    if level is None:
        raise InvalidInput("level", "is missing", f"use one of {', '.join(ACCESS_LEVELS)}")
    one_of("level", level, ACCESS_LEVELS)
    return level  # type: ignore[no-any-return]
