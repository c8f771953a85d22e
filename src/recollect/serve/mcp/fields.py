"""The arguments that several tools share: filters, where an agent is, and the fields of a memory."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.serve.mcp.arguments import (
    Argument,
    choice,
    choices,
    flag,
    future,
    id_,
    ids,
    json_object,
    name,
    number,
    past,
    seconds,
    text,
    texts,
    where,
    whole,
    wholes,
)
from recollect.values.enums import DELIVERIES, MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES

Table = Mapping[str, Argument]

SOURCE = choice(
    PROVENANCE_KINDS,
    "who says so: user_stated only if the user did, inferred if you concluded it; default observed",
)
LOCATION: Table = {"project": name("yours, if not this one"), "session": name(), "task": name()}

_CONDITIONS: Table = {
    "type": choices(MEMORY_TYPES),
    "tags": texts("all of these", commas=True),
    "any_tags": texts("one of these", commas=True),
    "scope": choices(SCOPES),
    "in_project": name("only of this one"),
    "in_session": name(),
    "speaker": texts("who said it"),
    "status": choices((*STATUSES, "all"), "default active; or all"),
    "source": choices(PROVENANCE_KINDS),
    "since": past("when it happened: 2026-11-15, yesterday, 7d"),
    "until": past(),
    "created_since": past(),
    "created_until": past(),
    "updated_since": past(),
    "updated_until": past(),
    "min_trust": number("0 to 1"),
    "metadata": json_object('JSON like {"team": "core", "score": {"$gte": 3}}'),
}
FILTERS: Table = {**_CONDITIONS, "where": where(_CONDITIONS, "JSON of these filters with AND, OR, NOT")}

# What a memory is made of. An agent may not say who it is, nor how far it is trusted.
DRAFT: Table = {
    "content": text(),
    "type": choice(MEMORY_TYPES, listed=True),
    "tags": texts(commas=True),
    "importance": number("0 to 1"),
    "delivery": choice(DELIVERIES, "default on_demand; pinned: in every context"),
    "ttl": seconds("time to live: 3600, 24h or 7d"),
    "scope": choice(SCOPES, "default: this project"),
    "source": SOURCE,
    "supersedes": id_("id of the memory it replaces"),
    "triggers": texts("patterns like glob:*.env or word:drop table"),
    "session": name(),
    "task": name(),
    "metadata": json_object('JSON of your own, like {"ticket": 7}'),
    "project": name(),
    "team": name(),
    "user": name(),
    "position": whole(),
    "speaker": name(),
    "occurred_at": past(),
    "weight": number(low=0.1),
    "confidence": number(),
    "expires_at": future(),
    "valid_from": past(),
    "valid_until": future(),
    "message_range": wholes("first and last"),
    "file_paths": texts(),
    "snippet": text(),
    "reason": text(),
    "key": name(),
    "revive": flag(),
    "procedure": json_object(),
    "season": name(),
    "derived_from": ids(),
}
# What of it can be changed.
CHANGES: Table = {
    "content": text("the whole new text"),
    "type": DRAFT["type"],
    "tags": texts("replaces all its tags", commas=True),
    "importance": DRAFT["importance"],
    "metadata": json_object("JSON, merged; null removes a field"),
    **{
        field: DRAFT[field]
        for field in "weight confidence delivery ttl expires_at valid_from valid_until triggers season".split()
    },
    "replace_metadata": flag(),
}


def only(table: Table, *names: str) -> dict[str, Argument]:
    """Some arguments of a table, in this order."""
    return {each: table[each] for each in names}


def without(table: Table, *names: str) -> dict[str, Argument]:
    """The other arguments of a table."""
    return {each: argument for each, argument in table.items() if each not in names}
