"""Pool: a JSON object that agents share, with a version, an owner and grants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict, get_args

from recollect.values.container import Grants
from recollect.values.words import PoolType, Scope

RunPool = Literal["shared_memory", "tool_cache", "blackboard"]
RUN_POOLS: tuple[str, ...] = get_args(RunPool)


class PoolFields(TypedDict, total=False):
    """The keyword arguments of `pools.create`."""

    type: PoolType
    scope: Scope | None
    data: Mapping[str, Any] | None
    access: Mapping[str, Any] | None
    ttl: float | timedelta | None
    expires_at: datetime | str | None
    team: str | None
    project: str | None
    session: str | None
    task: str | None


@dataclass(frozen=True, slots=True)
class PoolRead:
    """That somebody read a pool, by its id: a counter, not history."""

    account: str
    pool: str
    who: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Pool:
    """One pool as it stands. The version is 1 at first and grows with every change of the data."""

    id: str
    name: str
    type: PoolType
    scope: Scope
    data: dict[str, Any]
    version: int
    access: Grants
    owner: str | None
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    run: str | None = None
