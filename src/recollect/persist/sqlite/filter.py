"""The filter compiler: the only place that builds SQL. Conditions come from fixed text; every value is bound."""

from __future__ import annotations

from typing import Any

from recollect.persist.rows import micros
from recollect.values.filter import Filter
from recollect.values.scope import Identity

_SUPERSEDED = "m.id IN (SELECT id_bytes(value) FROM json_each(:replaced))"
_LIVE = "(m.expires_at IS NULL OR m.expires_at > :now)"


def compile_filter(identity: Identity, wanted: Filter, now: int, replaced: str) -> tuple[str, dict[str, Any]]:
    """The WHERE clause of `list`: what the identity reaches, narrowed by the caller's conditions.

    `replaced` is the JSON list of the memories that something in force supersedes.
    """
    values: dict[str, Any] = {"now": now, "replaced": replaced}
    clauses = ["m.account = :account", reach(identity, values), _status(wanted)]
    for name, column, chosen in (
        ("type", "m.type", wanted.types),
        ("scope", "m.scope", wanted.scopes),
        ("source", "m.source", wanted.sources),
    ):
        if chosen:
            clauses.append(f"{column} IN ({_bound(name, chosen, values)})")
    for number, tag in enumerate(wanted.tags):
        values[f"tag{number}"] = tag
        clauses.append(f"m.row IN (SELECT row FROM tags WHERE account = :account AND tag = :tag{number})")
    for name, value in (("project", wanted.project), ("session", wanted.session)):
        if value is not None:
            values[name] = value
            clauses.append(f"m.{name} = :{name}")
    for name, time, comparison in (("since", wanted.since, ">="), ("until", wanted.until, "<")):
        if time is not None:
            values[name] = micros(time)
            clauses.append(f"coalesce(m.occurred_at, m.created_at) {comparison} :{name}")
    if wanted.without:
        clauses.append(f"(m.project IS NULL OR m.project NOT IN ({_bound('without', wanted.without, values)}))")
    if wanted.min_trust:
        values["min_trust"] = wanted.min_trust
        clauses.append("m.trust >= :min_trust")
    return " AND ".join(clauses), values


def reach(identity: Identity, values: dict[str, Any]) -> str:
    """The condition on `m` that an identity reaches a memory; what it compares with is added to the values."""
    values["agent"] = identity.agent
    teams = f"m.team IN ({_bound('team', identity.teams, values)})" if identity.teams else "0"
    return f"(m.scope NOT IN ('agent', 'team') OR (m.scope = 'agent' AND m.agent = :agent) OR (m.scope = 'team' AND {teams}))"


def _status(wanted: Filter) -> str:
    named = set(wanted.statuses)
    parts = [f"m.status = '{status}'" for status in ("archived", "forgotten") if status in named]
    if "active" in named and "superseded" in named:
        parts.append("m.status = 'active'")
    elif "active" in named:
        parts.append(f"(m.status = 'active' AND {_LIVE} AND NOT {_SUPERSEDED})")
    elif "superseded" in named:
        parts.append(f"(m.status = 'active' AND {_SUPERSEDED})")
    return f"({' OR '.join(parts)})" if parts else "0"


def _bound(name: str, chosen: tuple[str, ...], values: dict[str, Any]) -> str:
    for number, value in enumerate(chosen):
        values[f"{name}{number}"] = value
    return ", ".join(f":{name}{number}" for number in range(len(chosen)))
