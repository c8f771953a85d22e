"""Who sees what: the one rule, written as data and compiled to the SQL of both databases and to masks over columns.

`values/scope.py` defines which places a viewer reaches. This module adds status, time and the caller's own filter, and
builds a rule of small frozen conditions from them. Two questions are asked:

- `list_rule`: what an identity may list. A list is an inventory: it shows what does not hold today, but not what has expired.
- `search_rule`: what a viewer may be shown at a moment. What has expired, or does not hold at that moment, is left out.

`Compiler` writes a rule as a WHERE clause with bound values, for a `Dialect`; `evaluate` answers it for columns of numpy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from recollect.values.scope import GLOBAL, OWNED_SCOPES, Identity, Place, Visit, reaches
from recollect.values.search import EntryTest, Filter, Search

Comparison = Literal["<", "<=", ">", ">="]
Mask = NDArray[np.bool_]
STORED_STATUSES = ("active", "archived", "forgotten")
"""The statuses rows are stored with; superseded is worked out when they are read."""
MICROSECONDS = 1e6
_JOINED = 6


@dataclass(frozen=True, slots=True)
class OneOf:
    """A column has one of some values; `name` is what they are bound as."""

    column: str
    values: tuple[str, ...]
    name: str


@dataclass(frozen=True, slots=True)
class NoneOf:
    """A column has none of some values, or nothing."""

    column: str
    values: tuple[str, ...]
    name: str


@dataclass(frozen=True, slots=True)
class Equals:
    """A column has this value."""

    column: str
    value: str
    name: str


@dataclass(frozen=True, slots=True)
class Time:
    """A time compared with a moment, in epoch seconds; `unset` is the answer where there is no time."""

    column: str
    comparison: Comparison
    seconds: float
    name: str
    unset: bool = False


@dataclass(frozen=True, slots=True)
class TrustAtLeast:
    """The trust of a memory, compared in single precision, as the indexes keep it."""

    trust: float


@dataclass(frozen=True, slots=True)
class Tagged:
    """A memory carries a tag."""

    tag: str


@dataclass(frozen=True, slots=True)
class HasEntry:
    """A memory has, at a path of its metadata, one of some values, or one in a span: from a text to before another."""

    path: str
    values: tuple[str, ...]
    span: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class ReachedBy:
    """A memory is in a room of this identity, wherever it works."""

    identity: Identity


@dataclass(frozen=True, slots=True)
class InPlaces:
    """A memory is in one of some places."""

    places: frozenset[Place]


@dataclass(frozen=True, slots=True)
class IsSuperseded:
    """Something in force supersedes a memory; which those are is worked out before."""


SUPERSEDED = IsSuperseded()


@dataclass(frozen=True, slots=True)
class Not:
    """A condition does not hold."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every condition holds."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one condition holds; of none, none does."""

    conditions: tuple[Condition, ...]


LookedUp = Tagged | HasEntry
"""Conditions that no column tells; an index looks them up in the store."""
ColumnTest = OneOf | NoneOf | Equals | Time | TrustAtLeast | LookedUp
Condition = ColumnTest | ReachedBy | InPlaces | IsSuperseded | Not | AllOf | AnyOf


@dataclass(frozen=True, slots=True)
class Rule:
    """The parts of a rule. All hold for what is visible; `status` says in itself when `current` matters."""

    reached: Condition
    current: Condition
    status: Condition
    filters: tuple[Condition, ...]


def list_rule(identity: Identity, wanted: Filter, now: float) -> Rule:
    """What an identity may list at a moment in epoch seconds."""
    current = not_expired(now)
    status = status_condition(wanted, current, always_current=False)
    return Rule(ReachedBy(identity), current, status, filter_conditions(wanted, current, always_current=False))


def search_rule(search: Search) -> Rule:
    """What a viewer may be shown by a search."""
    current = current_condition(search.now, past=search.past)
    status = status_condition(search.filter, current, always_current=True)
    own = filter_conditions(search.filter, current, always_current=True)
    viewer = search.viewer
    reached = ReachedBy(viewer.identity) if viewer.everywhere else InPlaces(viewer.places())
    return Rule(reached, current, status, own)


def not_expired(now: float) -> Condition:
    """A memory is gone from the moment it expires at."""
    return Time("expires", ">", now, "now", unset=True)


def current_condition(now: float, *, past: bool) -> Condition:
    """Neither expired nor outside the time a memory holds for; when the past is asked about, it must have begun by then."""
    parts = [
        not_expired(now),
        Time("valid_until", ">", now, "now", unset=True),
        Time("valid_from", "<=", now, "now", unset=True),
    ]
    if past:
        parts.append(Time("started", "<=", now, "now"))
    return AllOf(tuple(parts))


def status_condition(wanted: Filter, current: Condition, *, always_current: bool) -> Condition:
    """Which statuses pass. A search shows only what is current; a list, asked for what is superseded, also what has expired."""
    named = set(wanted.statuses)
    parts: list[Condition] = [
        Equals("status", status, status) for status in ("archived", "forgotten") if status in named
    ]
    active: list[Condition] = [Equals("status", "active", "active")]
    if {"active", "superseded"} & named:
        if always_current or "superseded" not in named:
            active.append(current)
        if "superseded" not in named:
            active.append(Not(SUPERSEDED))
        elif "active" not in named:
            active.append(SUPERSEDED)
        parts.append(AllOf(tuple(active)))
    return AnyOf(tuple(parts))


def filter_conditions(wanted: Filter, current: Condition, *, always_current: bool) -> tuple[Condition, ...]:
    """The caller's own conditions, all but the statuses of the whole filter."""
    lists = ("type", wanted.types), ("scope", wanted.scopes), ("source", wanted.sources), ("speaker", wanted.speakers)
    found: list[Condition] = [OneOf(column, tuple(values), f"only_{column}s") for column, values in lists if values]
    for column, value in (("project", wanted.project), ("session", wanted.session)):
        if value is not None:
            found.append(Equals(column, value, f"only_{column}"))
    spans = (
        ("begun", wanted.since, wanted.until),
        ("created", wanted.created_since, wanted.created_until),
        ("updated", wanted.updated_since, wanted.updated_until),
    )
    found += (Time(column, ">=", since.timestamp(), "since") for column, since, _ in spans if since is not None)
    found += (Time(column, "<", until.timestamp(), "until") for column, _, until in spans if until is not None)
    if wanted.without:
        found.append(NoneOf("project", tuple(wanted.without), "without"))
    if wanted.min_trust > 0:
        found.append(TrustAtLeast(wanted.min_trust))
    if wanted.visit is not None:
        found.append(_shared(wanted.visit))
    found += map(Tagged, wanted.tags)
    if wanted.any_tags:
        found.append(AnyOf(tuple(map(Tagged, wanted.any_tags))))
    found += map(_has_entry, wanted.metadata)
    return (*found, *_inner_conditions(wanted, current, always_current=always_current))


def _inner_conditions(wanted: Filter, current: Condition, *, always_current: bool) -> tuple[Condition, ...]:
    """The conditions of the filters inside a filter."""

    def inside(part: Filter) -> Condition:
        own = filter_conditions(part, current, always_current=always_current)
        status = (status_condition(part, current, always_current=always_current),) if part.statuses else ()
        return AllOf((*status, *own))

    found: list[Condition] = list(map(inside, wanted.all_of))
    found += (AnyOf(tuple(map(inside, group))) for group in wanted.any_of)
    found += (Not(inside(part)) for part in wanted.none_of)
    return tuple(found)


def _has_entry(test: EntryTest) -> Condition:
    entry = HasEntry(test.path, test.values, test.span)
    return Not(entry) if test.absent else entry


def _shared(visit: Visit) -> Condition:
    """Not in a session or a task, or in the one that the caller names."""
    named = [(scope, key) for scope, key in zip(("session", "task"), visit, strict=True) if key]
    own = (
        AllOf((Equals("scope", scope, f"visit_{scope}"), Equals(scope, key, f"visited_{scope}")))
        for scope, key in named
    )
    return AnyOf((NoneOf("scope", ("session", "task"), "visits"), *own))


def moment(seconds: float) -> int:
    """Epoch seconds as whole microseconds."""
    return round(seconds * MICROSECONDS)


# --- SQL ---


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one database writes what the databases write differently. The table of memories is called `m`."""

    placeholder: str
    true: str
    false: str
    account: str
    tagged: str
    has_entry: str
    superseded: str
    apart: str = "{}"
    """Around a look-up that must not become a join; see `Compiler`."""
    single: str = "{}"
    place: str | None = None
    arrays: bool = False
    texts: Callable[[Iterable[str]], Any] = list
    place_text: Callable[[Place], str] = str

    def bind(self, name: str) -> str:
        """A value by its name."""
        return self.placeholder.format(name)


SQLITE = Dialect(
    placeholder=":{}",
    true="1",
    false="0",
    account="m.account = :account",
    tagged="m.row IN (SELECT row FROM tags WHERE account = :account AND tag = {})",
    has_entry="m.row IN (SELECT row FROM metadata WHERE account = :account AND path = {} AND {})",
    superseded="m.id IN (SELECT id_bytes(value) FROM json_each(:replaced))",
)

_COLUMNS = {
    "expires": "m.expires_at",
    "created": "m.created_at",
    "updated": "m.updated_at",
    "begun": "coalesce(m.occurred_at, m.created_at)",
    "started": "coalesce(m.valid_from, m.occurred_at, m.created_at)",
}


@dataclass(slots=True)
class Compiler:
    """Writes conditions as SQL. Conditions come from fixed text; every value is bound.

    `columns` names columns other than those of the memories. `nothing_superseded` leaves the test for superseded memories out.
    A planner that joins look-ups takes minutes for the order of many: only the first few may become joins.
    """

    dialect: Dialect
    values: dict[str, Any] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    nothing_superseded: bool = False
    look_ups: int = 0

    def sql(self, condition: Condition) -> str:
        """A condition as an expression; what it compares with is added to the values."""
        match condition:
            case Not(inner):
                # What is unknown, as of a missing value, does not hold.
                return f"({self.sql(inner)}) IS NOT TRUE"
            case AllOf(parts):
                return self._joined(parts, " AND ", self.dialect.true)
            case AnyOf(parts):
                return self._joined(parts, " OR ", self.dialect.false)
            case ReachedBy(identity):
                return self._reached(identity)
            case InPlaces(places):
                return self._in_places(places)
            case IsSuperseded():
                return self.dialect.false if self.nothing_superseded else self.dialect.superseded
            case _:
                return self._column_test(condition)

    def _column_test(self, condition: ColumnTest) -> str:
        match condition:
            case OneOf(column, values, name):
                return self._among(column, values, name)
            case NoneOf(column, values, name):
                return f"({self._column(column)} IS NULL OR NOT {self._among(column, values, name)})"
            case Equals("status", value, _):
                return f"{self._column('status')} = '{value}'"
            case Equals(column, value, name):
                return f"{self._column(column)} = {self._bound(name, value)}"
            case Time():
                return self._time(condition)
            case TrustAtLeast(trust):
                single = self.dialect.single
                return f"{single.format('m.trust')} >= {single.format(self._bound('min_trust', trust))}"
            case Tagged(tag):
                return self._looked_up(self.dialect.tagged.format(self._bound("tag", tag)))
            case HasEntry(path, values, span):
                test = self._in_values("value", values, "value") if span is None else self._in_span(*span)
                return self._looked_up(self.dialect.has_entry.format(self._bound("path", path), test))

    def _looked_up(self, test: str) -> str:
        self.look_ups += 1
        return test if self.look_ups <= _JOINED else self.dialect.apart.format(test)

    def _joined(self, parts: Sequence[Condition], word: str, empty: str) -> str:
        written = [self.sql(part) for part in parts if not self._idle(part)]
        return f"({word.join(written)})" if written else empty

    def _idle(self, part: Condition) -> bool:
        """Whether a condition holds for every row, since nothing is superseded."""
        return self.nothing_superseded and part == Not(SUPERSEDED)

    def _time(self, time: Time) -> str:
        column = self._column(time.column)
        test = f"{column} {time.comparison} {self._bound(time.name, moment(time.seconds))}"
        return f"({column} IS NULL OR {test})" if time.unset else test

    def _reached(self, identity: Identity) -> str:
        scope = self._column("scope")
        parts = [f"{scope} NOT IN ({', '.join(map(repr, OWNED_SCOPES))})"]
        teams = tuple(team for team in identity.teams if team)
        for name, key in (("agent", identity.agent), ("user", identity.user)):
            if key:
                parts.append(f"({scope} = '{name}' AND {self._column(name)} = {self._bound(name, key)})")
        if teams:
            parts.append(f"({scope} = 'team' AND {self._among('team', teams, 'teams')})")
        return f"({' OR '.join(parts)})"

    def _in_places(self, places: frozenset[Place]) -> str:
        named = sorted(places)
        if self.dialect.place is not None:
            self.values["places"] = self.dialect.texts(map(self.dialect.place_text, named))
            return f"{self.dialect.place} = ANY ({self.dialect.bind('places')})"
        return f"({' OR '.join(self._in_place(place, number) for number, place in enumerate(named))})"

    def _in_place(self, place: Place, number: int) -> str:
        """A place by the columns it is made of; see `values.scope.place_of`."""
        scope, key, project = place
        if place == GLOBAL:
            return "m.scope = 'global'"
        parts = [f"m.scope = '{scope}'", f"m.{scope} = {self._bound(f'room{number}', key)}"]
        if scope != "project":
            parts.append(f"coalesce(m.project, '') = {self._bound(f'place_project{number}', project)}")
        return f"({' AND '.join(parts)})"

    def _among(self, column: str, values: Sequence[str], name: str) -> str:
        return self._in_values(self._column(column), values, name)

    def _in_values(self, column: str, values: Sequence[str], name: str) -> str:
        if self.dialect.arrays:
            return f"{column} = ANY ({self._bound(name, list(values))})"
        marks = (self._bound(f"{name}{number}", value) for number, value in enumerate(values))
        return f"{column} IN ({', '.join(marks)})"

    def _in_span(self, least: str, below: str) -> str:
        return f"value >= {self._bound('least', least)} AND value < {self._bound('below', below)}"

    def _bound(self, name: str, value: Any) -> str:
        """A value under its name, or under a numbered one where that stands for another value."""
        own, number = name, 2
        while own in self.values and self.values[own] != value:
            own, number = f"{name}_{number}", number + 1
        self.values[own] = value
        return self.dialect.bind(own)

    def _column(self, name: str) -> str:
        return self.columns.get(name) or _COLUMNS.get(name) or f"m.{name}"


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


def compile_list(
    dialect: Dialect, identity: Identity, wanted: Filter, now: int, replaced: Any
) -> tuple[str, dict[str, Any]]:
    """The WHERE clause of `list`. `now` is in microseconds; `replaced` binds the memories that something in force supersedes."""
    compiler = Compiler(dialect, {"now": now}, nothing_superseded=not replaced)
    if replaced:
        compiler.values["replaced"] = replaced
    rule = list_rule(identity, wanted, now / MICROSECONDS)
    parts = (rule.reached, rule.status, *rule.filters)
    return " AND ".join((dialect.account, *map(compiler.sql, parts))), compiler.values


def compile_search(dialect: Dialect, search: Search, bound: Mapping[str, Any], *, any_superseded: bool) -> Compiled:
    """The WHERE clause of a search; `bound` binds the account and what is superseded for this viewer."""
    compiler = Compiler(dialect, dict(bound), nothing_superseded=not any_superseded)
    rule, wanted = search_rule(search), search.filter
    own = [compiler.sql(part) for part in rule.filters]
    where = " AND ".join((dialect.account, compiler.sql(rule.reached), compiler.sql(rule.status), *own))
    plain, wide = (not own and "superseded" not in wanted.statuses), (not own and "active" in wanted.statuses)
    current, narrowed = compiler.sql(rule.current), " AND ".join(own) or dialect.true
    return Compiled(where, compiler.values, current, narrowed, plain, wide)


def compile_reach(
    dialect: Dialect, identity: Identity, values: dict[str, Any], columns: Mapping[str, str] | None = None
) -> str:
    """The condition that an identity reaches a memory; what it compares with is added to the values."""
    return Compiler(dialect, values, columns or {}).sql(ReachedBy(identity))


# --- masks ---


class RuleColumns(Protocol):
    """The columns of an index, as a rule needs them; `known` has the conditions that are answered already, by their identity."""

    @property
    def size(self) -> int: ...
    @property
    def known(self) -> Mapping[int, Mask]: ...
    def times(self, name: str) -> NDArray[np.float64]:
        """Times in epoch seconds; NaN where there is none."""

    def one_of(self, name: str, values: Iterable[str]) -> Mask: ...
    def by_place(self, opens: Callable[[Place], bool]) -> Mask: ...
    def trust(self) -> NDArray[np.float32]: ...
    def looked_up(self, condition: LookedUp) -> Mask: ...


_COMPARED: dict[Comparison, Callable[[Any, float], Any]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_OPPOSITE: dict[Comparison, Comparison] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def evaluate(condition: Condition, columns: RuleColumns) -> Mask:
    """Which rows a condition holds for."""
    if (ready := columns.known.get(id(condition))) is not None:
        return ready
    match condition:
        case Not(inner):
            return ~evaluate(inner, columns)
        case AllOf(parts):
            return _combined(np.logical_and, parts, columns)
        case AnyOf(parts):
            return _combined(np.logical_or, parts, columns)
        case ReachedBy(identity):
            return columns.by_place(partial(reaches, identity))
        case InPlaces(places):
            return columns.by_place(places.__contains__)
        case IsSuperseded():
            raise TypeError("which rows are superseded is worked out first, and given as known")
        case _:
            return _evaluate_test(condition, columns)


def _evaluate_test(condition: ColumnTest, columns: RuleColumns) -> Mask:
    match condition:
        case OneOf(column, values, _):
            return columns.one_of(column, values)
        case NoneOf(column, values, _):
            return ~columns.one_of(column, values)
        case Equals(column, value, _):
            return columns.one_of(column, (value,))
        case Time(column, comparison, seconds, _, unset):
            times = columns.times(column)
            # NaN compares false, so the opposite of the opposite is True where there is no time.
            found = _COMPARED[_OPPOSITE[comparison] if unset else comparison](times, seconds)
            return np.asarray(~found if unset else found)
        case TrustAtLeast(trust):
            return np.asarray(columns.trust() >= np.float32(trust))
        case Tagged() | HasEntry():
            return columns.looked_up(condition)


def _combined(join: np.ufunc, parts: Sequence[Condition], columns: RuleColumns) -> Mask:
    found = np.full(columns.size, join is np.logical_and, np.bool_)
    for part in parts:
        join(found, evaluate(part, columns), out=found)
    return found
