"""What pools and contexts have in common for callers: found by name within reach, screened, granted and revoked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from recollect.capture.fields import MAX_CONTENT, clean_name, clean_text, one_of
from recollect.capture.screen.policy import Refusal, apply_policy
from recollect.errors import InvalidInput
from recollect.ports import Reader, Transaction
from recollect.tiers.access import Level, agent_may, found, granted, may, open_to_grants, place_for, require, revoked
from recollect.tiers.jsonable import json_text, strings
from recollect.values.container import Grants
from recollect.values.document import Document
from recollect.values.scope import Place
from recollect.values.words import ACCESS_LEVELS, SCOPES, AccessLevel
from recollect.verbs.view import View

_COORDINATES = ("team", "project", "session", "task")


class Containers(View):
    """Documents of one kind that have an owner and grants."""

    _kind: ClassVar[Any]

    def accessible_by(self, name: str, agent: str, level: AccessLevel = "read") -> bool:
        """Whether an agent may read or write; of a team's own, only what the asker's own teams tell is known."""
        me, who, wanted = self._viewer.identity, named("agent", agent), _level(level)
        with self._handle.reading() as reader:
            held = self._held(reader, name)
        return agent_may(held, who, wanted) or (who == me.agent and may(me, held, wanted))

    def _granted(self, name: str, agent: str, level: AccessLevel) -> Document:
        who, wanted = named("agent", agent), _level(level)
        with self._handle.changing() as tx:
            held = self._held(tx, name, "own")
            after = granted(held, who, wanted, self._parts.clock())
            if after.body != held.body:
                tx.put_document(held, after, self._kind, f"grant {wanted} to {who}")
            self._note(tx, held, "grant")
        return after

    def _revoked(self, name: str, agent: str, level: AccessLevel | None) -> Document:
        who, wanted = named("agent", agent), None if level is None else _level(level)
        with self._handle.changing() as tx:
            held = self._held(tx, name, "own")
            after = revoked(held, who, wanted, self._parts.clock())
            tx.put_document(held, after, self._kind, f"revoke {wanted or 'all'} of {who}")
            self._note(tx, held, "revoke")
        return after

    def _held(self, reader: Reader, name: str, wanted: Level = "read") -> Document:
        """The one of that name within reach, if this much may be done with it; off with its project."""
        held = found(reader, self._viewer, self._kind, named("name", name), self._parts.clock())
        require(self._viewer.identity, held, wanted)
        if held.place[0] == "project":
            self._handle.awake(held.place[1])
        return held

    def _within_reach(self, reader: Reader) -> list[Document]:
        """Every one that may be read, but those of projects for which memory is off."""
        identity, off = self._viewer.identity, reader.switched_off(self._viewer.account)
        return [
            held
            for held in reader.documents(identity.account, self._kind)
            if may(identity, held, "read") and not (held.place[0] == "project" and held.place[1] in off)
        ]

    def _note(self, tx: Transaction, held: Document, action: str, memory_id: str | None = None) -> None:
        """Take note of an access, where there is a log of them."""

    def _place(self, scope: Any, fields: Mapping[str, Any]) -> Place:
        one_of("scope", scope, SCOPES)
        given = {name: clean_name(name, fields.get(name)) for name in _COORDINATES}
        return place_for(self._viewer, scope, given)

    def _grants(self, access: Any, place: Place) -> Grants:
        """Grants from plain JSON; unknown names and empty agents are refused."""
        if access is None:
            return Grants()
        if not isinstance(access, Mapping) or not set(access) <= {"read", "write", "public_read"}:
            raise InvalidInput("access", f"{access!r} is not access control", "name read, write and public_read")
        open_to_grants(self._kind, place)
        public = access.get("public_read", False)
        if not isinstance(public, bool):
            raise InvalidInput("access.public_read", f"{public!r} is not a choice", "give true or false")
        return Grants(_agents("read", access), _agents("write", access), public)

    def _screened(self, field: str, given: Any) -> str:
        text = clean_text(field, given, MAX_CONTENT)
        self._let_through(field, text)
        return text

    def _json(self, field: str, value: Any, key: str | None = None) -> Any:
        """A plain copy of a JSON value, if the screen lets it through; the key it is to stand under tells what it is."""
        text = json_text(field, value)
        copy = json.loads(text)
        self._let_through(field, text if key is None else json_text(field, {key: copy}))
        # JSON escapes can hide where a word begins; so the texts themselves are screened too.
        if "\\" in text:
            self._let_through(field, "\n".join(strings(copy)))
        return copy

    def _let_through(self, field: str, text: str) -> None:
        cleaned = apply_policy(text, self._parts.vetting.policy)
        if isinstance(cleaned, Refusal):
            raise InvalidInput(field, cleaned.reason, "leave it out")
        if cleaned.redacted:
            kinds = ", ".join(dict.fromkeys(cleaned.redacted))
            raise InvalidInput(field, f"holds what must not be kept ({kinds})", "take it out, or change the policy")


def named(field: str, value: Any) -> str:
    """A name that must be given."""
    name = clean_name(field, value)
    if name is None:
        raise InvalidInput(field, "is missing", f"give the {field}")
    return name


def _level(level: Any) -> AccessLevel:
    if level is None:
        raise InvalidInput("level", "is missing", f"use one of {', '.join(ACCESS_LEVELS)}")
    one_of("level", level, ACCESS_LEVELS)
    return level  # type: ignore[no-any-return]


def _agents(level: str, access: Mapping[str, Any]) -> tuple[str, ...]:
    names = access.get(level, ())
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidInput(f"access.{level}", f"{names!r} is not a list of agents", 'give a list, like ["ada"]')
    return tuple(dict.fromkeys(named(f"access.{level}", name) for name in names))
