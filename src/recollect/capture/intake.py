"""Intake, the first stage: what the caller gave becomes a validated draft, then a memory that is not stored yet.

Every error names the field and the fix, and is raised before anything is changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.ports import Reader
from recollect.validation import (
    MAX_CONTENT,
    check_number,
    clean_expiry,
    clean_id,
    clean_metadata,
    clean_name,
    clean_paths,
    clean_position,
    clean_range,
    clean_season,
    clean_tags,
    clean_text,
    clean_time,
    clean_triggers,
    one_of,
    require_kept,
)
from recollect.values.draft import Draft
from recollect.values.enums import (
    DELIVERIES,
    MEMORY_TYPES,
    PROVENANCE_KINDS,
    SCOPES,
    TRUST_OF_SOURCE,
    ProvenanceKind,
    Scope,
)
from recollect.values.ids import new_id
from recollect.values.link import Link
from recollect.values.memory import Provenance, Record
from recollect.values.procedure import procedure_of, render, to_plain
from recollect.values.scope import RESERVED, Identity, place_of, reaches
from recollect.values.search import ASSISTANT, MACHINE, role_of

_DRAFT_FIELDS = tuple(f.name for f in fields(Draft))
_VOCABULARIES = {"type": MEMORY_TYPES, "scope": SCOPES, "delivery": DELIVERIES, "source": PROVENANCE_KINDS}
_RANGES = {"importance": (0.0, 1.0), "weight": (0.1, 1.0), "confidence": (0.0, 1.0), "trust": (0.0, 1.0)}
_NAMES = ("project", "agent", "team", "user", "task", "session", "speaker", "key")


def draft_of(given: Draft | Mapping[str, Any] | str) -> Draft:
    """A draft from a Draft, a mapping or plain text; an unknown field name is an error that lists the known ones."""
    if isinstance(given, Draft):
        return given
    if isinstance(given, str):
        return Draft(given)
    if not isinstance(given, Mapping):
        raise InvalidInput("draft", f"{type(given).__name__} is not a draft", "give a dict, a Draft or text")
    for name in given:
        if name not in _DRAFT_FIELDS:
            raise InvalidInput(str(name), "is not a field of a draft", f"fields: {', '.join(_DRAFT_FIELDS)}")
    if "content" not in given:
        raise InvalidInput("content", "is missing", "say what to remember")
    return Draft(**given)


def record_of(
    draft: Draft, identity: Identity, project: str | None, now: datetime, *, verbatim: bool = False
) -> Record:
    """The memory a draft describes, validated. With `verbatim`, its text keeps all white space."""
    cleaned = clean_text("content", _content(draft), MAX_CONTENT)
    # The gate normalises the content itself, because hidden characters are a sign to label.
    given = cleaned if draft.procedure is not None else draft.content
    content = given if verbatim else given.strip()
    for name, words in _VOCABULARIES.items():
        one_of(name, getattr(draft, name), words)
    for name, (low, high) in _RANGES.items():
        check_number(name, getattr(draft, name), low, high)
    named = {name: clean_name(name, getattr(draft, name)) for name in _NAMES}
    named["project"] = named["project"] or project
    scope = draft.scope or _default_scope(named, identity)
    named["agent"] = named["agent"] or (identity.agent if scope == "agent" else None)
    named["user"] = named["user"] or (identity.user if scope == "user" else None)
    _check_scope(scope, named)
    _check_names(scope, named, identity)
    _check_membership(scope, named, identity)
    source = draft.source or _source_of(named["speaker"])
    return Record(
        id=new_id(now),
        content=content,
        account=identity.account,
        created_at=now,
        updated_at=now,
        accessed_at=now,
        type=draft.type or ("fact" if draft.procedure is None else "procedure"),
        scope=scope,
        agent=named["agent"],
        team=named["team"],
        project=named["project"],
        task=named["task"],
        user=named["user"],
        tags=clean_tags(draft.tags),
        importance=0.5 if draft.importance is None else float(draft.importance),
        weight=1.0 if draft.weight is None else float(draft.weight),
        confidence=1.0 if draft.confidence is None else float(draft.confidence),
        trust=TRUST_OF_SOURCE[source] if draft.trust is None else min(float(draft.trust), TRUST_OF_SOURCE[source]),
        valid_from=clean_time("valid_from", draft.valid_from),
        valid_until=_until(draft),
        expires_at=clean_expiry("ttl", draft.ttl, draft.expires_at, now),
        delivery=draft.delivery or "on_demand",
        supersedes=None if draft.supersedes is None else clean_id("supersedes", draft.supersedes),
        key=named["key"],
        metadata=clean_metadata(draft.metadata),
        links=tuple(Link(clean_id("derived_from", source), "derived_from") for source in _ids(draft.derived_from)),
        triggers=clean_triggers(draft.triggers),
        season=clean_season(draft.season),
        provenance=Provenance(
            kind=source,
            session=named["session"],
            position=clean_position("position", draft.position),
            message_range=clean_range(draft.message_range),
            speaker=named["speaker"],
            occurred_at=clean_time("occurred_at", draft.occurred_at),
            file_paths=clean_paths(draft.file_paths),
            snippet=None if draft.snippet is None else clean_text("snippet", draft.snippet, MAX_CONTENT),
            reason=None if draft.reason is None else clean_text("reason", draft.reason, MAX_CONTENT),
        ),
    )


def given_texts(given: Draft | Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts that a memory has in another form than given (as a label, in lower case), with the names of their fields."""
    for name in ("season", "tags", "triggers"):
        value = given.get(name) if isinstance(given, Mapping) else getattr(given, name)
        several = value if isinstance(value, list | tuple | set | frozenset) else (value,)
        yield from ((name, text) for text in several if isinstance(text, str))


def _source_of(speaker: str | None) -> ProvenanceKind:
    by_role: dict[int, ProvenanceKind] = {ASSISTANT: "inferred", MACHINE: "tool"}
    return by_role.get(role_of(speaker), "user_stated")


def _default_scope(named: Mapping[str, str | None], identity: Identity) -> Scope:
    """What is stored for a user, or names one, is that user's, unless the caller says otherwise."""
    if identity.user or named["user"]:
        return "user"
    return "project" if named["project"] else "global"


def _check_scope(scope: str, named: Mapping[str, str | None]) -> None:
    if scope != "global" and not named[scope]:
        raise InvalidInput(
            scope, f"is missing, but the scope is {scope!r}", f"name the {scope}, or choose another scope"
        )


def _check_names(scope: str, named: Mapping[str, str | None], identity: Identity) -> None:
    """Refuse the name of another agent, or of a team of others, beside a scope that does not need it."""
    agent, team, user = named["agent"], named["team"], named["user"]
    if scope != "agent" and identity.agent is not None and agent not in (None, identity.agent):
        raise InvalidInput("agent", f"you are not {agent!r}", "leave it out, or write as that agent")
    if scope != "user" and (identity.user or identity.agent) and user not in (None, identity.user):
        raise InvalidInput("user", f"you do not serve {user!r}", "leave it out, or write for that user")
    is_named = identity.agent is not None or any(not one.startswith(RESERVED) for one in identity.teams)
    if scope != "team" and is_named and team is not None and team not in identity.teams:
        raise InvalidInput("team", f"you are not in {team!r}", "leave it out, or write as a member of it")


def _check_membership(scope: str, named: Mapping[str, str | None], identity: Identity) -> None:
    """Refuse to write where the writer could not read: into another agent's room, a team of others, a context."""
    team = named["team"]
    if team is not None and team.startswith(RESERVED) and team not in identity.teams:
        raise InvalidInput("team", f"a name that begins with {RESERVED!r} is a context's", "use memory.contexts")
    if not reaches(identity, place_of(scope, dict(named))):
        if scope == "user":
            raise InvalidInput(
                scope, f"you do not serve {named[scope]!r}", "write for that user, or name another scope"
            )
        fix = f"write as a member of it, or choose another {scope}"
        raise InvalidInput(scope, f"you are not {'in ' if scope == 'team' else ''}{named[scope]!r}", fix)


def _until(draft: Draft) -> datetime | None:
    until, since = clean_time("valid_until", draft.valid_until), clean_time("valid_from", draft.valid_from)
    if until is not None and since is not None and until <= since:
        raise InvalidInput("valid_until", "is not after valid_from", "give a later time")
    return until


def _content(draft: Draft) -> Any:
    """The text to store. A procedure is written out as text, and the draft's content is its name if it has none."""
    if draft.procedure is None:
        return draft.content
    given = draft.procedure if isinstance(draft.procedure, Mapping) else to_plain(procedure_of(draft.procedure))
    return render(procedure_of({"name": draft.content, **given}))


def _ids(given: Any) -> tuple[Any, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidInput("derived_from", "is not a list of ids", "give a list of the memories it is made of")
    return tuple(given)


def has_references(record: Record) -> bool:
    """Whether a draft refers to another memory by id."""
    return record.supersedes is not None or bool(record.links)


def resolve_references(reader: Reader, identity: Identity, record: Record, position: int) -> Record:
    """A draft with the full ids of its sources; its trust is limited by that of the least trusted source."""
    if record.supersedes is not None:
        find_superseded(reader, identity, record.supersedes, position)
    if not record.links:
        return record
    field = f"drafts[{position}].derived_from" if position else "derived_from"
    sources = [_find_one(reader, identity, link.target, field) for link in record.links]
    links = tuple(Link(source.id, "derived_from") for source in sources)
    return record.with_(links=links, trust=min(record.trust, *(source.trust for source in sources)))


def find_superseded(reader: Reader, identity: Identity, wanted: str, position: int = 0) -> Record:
    """The memory a draft supersedes."""
    return _find_one(reader, identity, wanted, f"drafts[{position}].supersedes" if position else "supersedes")


def _find_one(reader: Reader, identity: Identity, wanted: str, field: str) -> Record:
    """The one memory in use that an id refers to, among those the identity can reach."""
    found = reader.find_by_id(identity.account, wanted)
    reachable = [record for record in found if record is not None and reaches(identity, record.place)]
    if len(reachable) != 1:
        raise InvalidInput(field, f"{wanted!r} is not one memory here", "give the id of an existing one")
    require_kept(field, reachable[0])
    return reachable[0]
