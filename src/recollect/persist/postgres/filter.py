"""The filter compiler: the only place that builds SQL. Conditions come from fixed text; every value is bound.

Two questions are compiled from the same pieces: what an identity reaches (lists, counts), and what a viewer may be shown at a
moment (searches). The table is called `m` in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.persist.postgres.columns import Texts
from recollect.persist.postgres.places import place_text
from recollect.values.filter import Filter
from recollect.values.scope import Identity
from recollect.values.search import Search

ACCOUNT = "m.account_id = %(account_id)s"
REACHED = "m.place = ANY (%(places)s)"
BEGUN = "coalesce(m.occurred_at, m.created_at)"
_LIVE = "(m.expires_at IS NULL OR m.expires_at > %(now)s)"
_VALID = "(m.valid_until IS NULL OR m.valid_until > %(now)s) AND (m.valid_from IS NULL OR m.valid_from <= %(now)s)"
_BEGAN = f"coalesce(m.valid_from, {BEGUN}) <= %(now)s"
STANDING_ROWS = "m.standing"
_ALWAYS_STANDING = {"rule", "negative"}
_STORED = ("active", "archived", "forgotten")


@dataclass(frozen=True, slots=True)
class Compiled:
    """The condition of a search, what it binds, and which of its parts a back end may need by themselves."""

    where: str
    values: dict[str, Any]
    current: str
    narrowed: str
    plain: bool
    """Nothing beyond place, status and time: no condition of the caller's own, and no asking for what is superseded."""
    wide: bool
    """Most of what is in the places passes: no condition of the caller's own, and what is active is among what is asked for."""

    def into(self, statement: str) -> str:
        """A statement with this condition in its place."""
        return statement.replace("{where}", self.where)


def compile_filter(identity: Identity, wanted: Filter, now: int, replaced: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """The WHERE clause of `list`: what the identity reaches, narrowed by the caller's conditions.

    `replaced` are the memories that something in force supersedes.
    """
    values: dict[str, Any] = {"now": now}
    among = "m.id = ANY (%(replaced)s::uuid[])" if replaced else "false"
    if replaced:
        values["replaced"] = list(replaced)
    clauses = [ACCOUNT, reach(identity, values), _status(wanted, _LIVE, among)]
    return " AND ".join((*clauses, *_conditions(wanted, values), *_tagged(wanted, values))), values


def compile_search(search: Search, account_id: int, superseded: NDArray[np.int64]) -> Compiled:
    """The condition under which a viewer may be shown a memory; `superseded` are the rows replaced for this viewer."""
    wanted = search.filter
    values: dict[str, Any] = {
        "account_id": account_id,
        "places": Texts(place_text(place) for place in sorted(search.viewer.places())),
        "now": moment(search.now),
    }
    among = "m.row = ANY (%(superseded)s)" if len(superseded) else "false"
    if len(superseded):
        values["superseded"] = superseded
    current = f"{_LIVE} AND {_VALID}" + (f" AND {_BEGAN}" if search.past else "")
    conditions = _conditions(wanted, values)
    narrowed = " AND ".join(conditions) or "true"
    own = [*conditions, *_tagged(wanted, values)]
    where = " AND ".join((ACCOUNT, REACHED, _status(wanted, current, among, timed=True), *own))
    plain, wide = (not own and "superseded" not in wanted.statuses), (not own and "active" in wanted.statuses)
    return Compiled(where, values, current, narrowed, plain, wide)


def reach(identity: Identity, values: dict[str, Any]) -> str:
    """The condition on `m` that an identity reaches a memory; what it compares with is added to the values."""
    parts = ["m.scope NOT IN ('agent', 'team')"]
    if identity.agent:
        values["agent"] = identity.agent
        parts.append("(m.scope = 'agent' AND m.agent = %(agent)s)")
    if any(identity.teams):
        values["teams"] = [team for team in identity.teams if team]
        parts.append("(m.scope = 'team' AND m.team = ANY (%(teams)s))")
    return f"({' OR '.join(parts)})"


def stored(wanted: Filter) -> Texts:
    """The statuses of rows a filter may pass."""
    named = {"active" if status == "superseded" else status for status in wanted.statuses}
    return Texts(status for status in _STORED if status in named)


def moment(seconds: float) -> int:
    """Epoch seconds as whole microseconds."""
    return round(seconds * 1e6)


def window_part(windows: Sequence[tuple[float, float]], values: dict[str, Any]) -> str | None:
    """The condition that a memory is of one of some spans of time; None without any."""
    parts = []
    for number, (since, until) in enumerate(windows):
        values |= {f"window{number}": moment(since), f"end{number}": moment(until)}
        parts.append(f"({BEGUN} >= %(window{number})s AND {BEGUN} < %(end{number})s)")
    return f"({' OR '.join(parts)})" if parts else None


def standing_part(deliveries: Sequence[str], types: Sequence[str], values: dict[str, Any]) -> str:
    """The condition that a memory stands so; whatever an index can use is said in full."""
    parts = []
    if deliveries:
        values["deliveries"] = list(deliveries)
        parts.append("m.delivery = ANY (%(deliveries)s)")
    if types:
        values["wanted_types"] = list(types)
        parts.append("m.type = ANY (%(wanted_types)s)")
        if set(types) <= _ALWAYS_STANDING:
            parts.append(STANDING_ROWS)
    return " AND ".join(parts) or "true"


def _status(wanted: Filter, current: str, superseded: str, *, timed: bool = False) -> str:
    """Which statuses pass. A search shows only what holds now; a list, asked for what is superseded, also what is over."""
    named = set(wanted.statuses)
    parts = [f"m.status = '{status}'" for status in ("archived", "forgotten") if status in named]
    active = ["m.status = 'active'"]
    if {"active", "superseded"} & named:
        if timed or "superseded" not in named:
            active.append(current)
        if "superseded" not in named and superseded != "false":
            active.append(f"NOT ({superseded})")
        elif "active" not in named:
            active.append(superseded)
        parts.append(f"({' AND '.join(active)})")
    return f"({' OR '.join(parts)})" if parts else "false"


def _conditions(wanted: Filter, values: dict[str, Any]) -> list[str]:
    """The caller's own conditions, all but the tags."""
    clauses = []
    for name, column, chosen in (
        ("types", "m.type", wanted.types),
        ("scopes", "m.scope", wanted.scopes),
        ("sources", "m.source", wanted.sources),
    ):
        if chosen:
            values[f"only_{name}"] = list(chosen)
            clauses.append(f"{column} = ANY (%(only_{name})s)")
    for name, value in (("project", wanted.project), ("session", wanted.session)):
        if value is not None:
            values[f"only_{name}"] = value
            clauses.append(f"m.{name} = %(only_{name})s")
    for name, time, comparison in (("since", wanted.since, ">="), ("until", wanted.until, "<")):
        if time is not None:
            values[name] = moment(time.timestamp())
            clauses.append(f"{BEGUN} {comparison} %({name})s")
    if wanted.without:
        values["without"] = list(wanted.without)
        clauses.append("(m.project IS NULL OR m.project <> ALL (%(without)s))")
    if wanted.min_trust > 0:
        values["min_trust"] = wanted.min_trust
        clauses.append("m.trust::real >= %(min_trust)s::real")
    return clauses


def _tagged(wanted: Filter, values: dict[str, Any]) -> list[str]:
    clauses = []
    for number, tag in enumerate(wanted.tags):
        values[f"tag{number}"] = tag
        clauses.append(
            f"m.row IN (SELECT t.row FROM tags AS t WHERE t.account_id = %(account_id)s AND t.tag = %(tag{number})s)"
        )
    return clauses
