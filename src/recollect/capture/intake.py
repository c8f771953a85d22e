"""Intake, the first stage: whatever the caller gave becomes a checked draft, then a memory not yet stored.

Every problem names the field and the fix, and is found before anything is changed. Next: screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

from recollect.capture.fields import (
    MAX_CONTENT,
    clean_id,
    clean_name,
    clean_season,
    clean_tags,
    clean_text,
    clean_time,
    clean_triggers,
    expiry,
    number,
    one_of,
    paths,
    span,
    whole,
)
from recollect.errors import InvalidInput
from recollect.values.draft import Draft
from recollect.values.ids import new_id
from recollect.values.link import Link
from recollect.values.memory import Provenance, Record
from recollect.values.procedure import procedure_of, rendered, to_plain
from recollect.values.scope import RESERVED, Identity
from recollect.values.search import ASSISTANT, MACHINE, role_of
from recollect.values.words import (
    DELIVERIES,
    MEMORY_TYPES,
    PROVENANCE_KINDS,
    SCOPES,
    TRUST_OF_SOURCE,
    ProvenanceKind,
)

_DRAFT_FIELDS = tuple(f.name for f in fields(Draft))
_VOCABULARIES = {"type": MEMORY_TYPES, "scope": SCOPES, "delivery": DELIVERIES, "source": PROVENANCE_KINDS}
_RANGES = {"importance": (0.0, 1.0), "weight": (0.1, 1.0), "confidence": (0.0, 1.0), "trust": (0.0, 1.0)}
_NAMES = ("project", "agent", "team", "task", "session", "speaker", "key")


def draft_of(given: Draft | Mapping[str, Any] | str) -> Draft:
    """A draft from a value, a mapping or bare text; unknown names are refused with the list."""
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
    """The memory a draft describes, checked, as it would be stored; verbatim, its text is kept to the last space."""
    cleaned = clean_text("content", _content(draft), MAX_CONTENT)
    content = draft.content if verbatim and draft.procedure is None else cleaned
    for name, words in _VOCABULARIES.items():
        one_of(name, getattr(draft, name), words)
    for name, (low, high) in _RANGES.items():
        number(name, getattr(draft, name), low, high)
    named = {name: clean_name(name, getattr(draft, name)) for name in _NAMES}
    named["project"] = named["project"] or project
    named["agent"] = named["agent"] or (identity.agent if draft.scope == "agent" else None)
    scope = draft.scope or ("project" if named["project"] else "global")
    _coordinate(scope, named)
    _reserved(named["team"], identity)
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
        tags=clean_tags(draft.tags),
        importance=0.5 if draft.importance is None else float(draft.importance),
        weight=1.0 if draft.weight is None else float(draft.weight),
        confidence=1.0 if draft.confidence is None else float(draft.confidence),
        trust=TRUST_OF_SOURCE[source] if draft.trust is None else min(float(draft.trust), TRUST_OF_SOURCE[source]),
        valid_from=clean_time("valid_from", draft.valid_from),
        valid_until=_until(draft),
        expires_at=expiry("ttl", draft.ttl, draft.expires_at, now),
        delivery=draft.delivery or "on_demand",
        supersedes=None if draft.supersedes is None else clean_id("supersedes", draft.supersedes),
        key=named["key"],
        links=tuple(Link(clean_id("derived_from", source), "derived_from") for source in _ids(draft.derived_from)),
        triggers=clean_triggers(draft.triggers),
        season=clean_season(draft.season),
        provenance=Provenance(
            kind=source,
            session=named["session"],
            position=whole("position", draft.position),
            message_range=span(draft.message_range),
            speaker=named["speaker"],
            occurred_at=clean_time("occurred_at", draft.occurred_at),
            file_paths=paths(draft.file_paths),
            snippet=None if draft.snippet is None else clean_text("snippet", draft.snippet, MAX_CONTENT),
            reason=None if draft.reason is None else clean_text("reason", draft.reason, MAX_CONTENT),
        ),
    )


def _source_of(speaker: str | None) -> ProvenanceKind:
    by_role: dict[int, ProvenanceKind] = {ASSISTANT: "inferred", MACHINE: "tool"}
    return by_role.get(role_of(speaker), "user_stated")


def _coordinate(scope: str, named: Mapping[str, str | None]) -> None:
    if scope != "global" and not named[scope]:
        raise InvalidInput(
            scope, f"is missing, but the scope is {scope!r}", f"name the {scope}, or choose another scope"
        )


def _reserved(team: str | None, identity: Identity) -> None:
    if team is not None and team.startswith(RESERVED) and team not in identity.teams:
        raise InvalidInput("team", f"a name that begins with {RESERVED!r} is a context's", "use memory.contexts")


def _until(draft: Draft) -> datetime | None:
    until, since = clean_time("valid_until", draft.valid_until), clean_time("valid_from", draft.valid_from)
    if until is not None and since is not None and until <= since:
        raise InvalidInput("valid_until", "is not after valid_from", "give a later time")
    return until


def _content(draft: Draft) -> Any:
    """What is stored as the text: a procedure is written out, with the draft's text as its name if it has none."""
    if draft.procedure is None:
        return draft.content
    given = draft.procedure if isinstance(draft.procedure, Mapping) else to_plain(procedure_of(draft.procedure))
    return rendered(procedure_of({"name": draft.content, **given}))


def _ids(given: Any) -> tuple[Any, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidInput("derived_from", "is not a list of ids", "give a list of the memories it is made of")
    return tuple(given)
