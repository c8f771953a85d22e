"""pool: data that agents share while they work, with versions and grants."""

from __future__ import annotations

from typing import Any

from recollect.errors import InvalidInput, NotFound, StaleVersion
from recollect.serve.mcp.schema import answer, anything, number, text, thing, things, whole, word
from recollect.serve.mcp.tool import Answer, Arguments, Desk, Tool
from recollect.serve.mcp.wording import fence
from recollect.values.pool import Pool
from recollect.values.words import ACCESS_LEVELS, POOL_TYPES

_NEEDS: dict[str, tuple[str, ...]] = {
    "list": (),
    "read": ("name",),
    "create": ("name",),
    "write": ("name", "value"),
    "merge": ("name", "value"),
    "remove": ("name", "key"),
    "drop": ("name",),
    "grant": ("name", "agent", "level"),
    "revoke": ("name", "agent"),
}
_TAKES: dict[str, tuple[str, ...]] = {
    "list": ("type",),
    "read": ("key",),
    "create": ("type", "value", "ttl", "access", "task", "team"),
    "write": ("key", "version"),
    "merge": ("version",),
    "remove": ("version",),
    "revoke": ("level",),
}


def _pool(desk: Desk, given: Arguments) -> Answer:
    action = given.pop("action")
    _fits(action, given)
    try:
        return _done(desk, action, given)
    except StaleVersion as stale:
        # What is there now, so that the change can be made on that without another call.
        now = fence([_json(stale.data)], desk.seed)
        stale.field, stale.args = "version", (f"version: {stale.problem}; there is now: {now}; {stale.fix}",)
        raise


def _fits(action: str, given: Arguments) -> None:
    needs = _NEEDS[action]
    for name in needs:
        if name not in given:
            raise InvalidInput(name, f"is missing; {action} needs it", f"{action} takes {', '.join(needs)}")
    for name in given:
        if name not in (*needs, *_TAKES.get(action, ())):
            takes = ", ".join((*needs, *_TAKES.get(action, ()))) or "nothing"
            raise InvalidInput(name, f"means nothing to {action}", f"it takes {takes}")


def _done(desk: Desk, action: str, given: Arguments) -> Answer:
    pools, name = desk.memory.pools, given.get("name", "")
    match action:
        case "list":
            return _listed(pools.list(**given), desk)
        case "read":
            return _read(pools.get(name), given.get("key"), desk)
        case "create":
            fields = {key: value for key, value in given.items() if key not in ("name", "value")}
            return _told("created", pools.create(name, data=given.get("value"), **fields), desk)
        case "write" if "key" in given:
            return _told("written", pools.write_key(name, given["key"], given["value"], given.get("version")), desk)
        case "write":
            return _told("written", pools.write(name, given["value"], expected_version=given.get("version")), desk)
        case "merge":
            return _told("merged", pools.merge(name, given["value"], expected_version=given.get("version")), desk)
        case "remove":
            return _told("removed", pools.remove_key(name, given["key"], given.get("version")), desk)
        case "grant":
            return _told("granted", pools.grant(name, given["agent"], given["level"]), desk)
        case "revoke":
            return _told("revoked", pools.revoke(name, given["agent"], given.get("level")), desk)
        case _:
            pools.drop(name)
            return Answer(f"dropped pool {name}", {"done": "dropped"})


def _listed(found: list[Pool], desk: Desk) -> Answer:
    pools = [
        {"name": pool.name, "type": pool.type, "version": pool.version, "keys": sorted(pool.data)} for pool in found
    ]
    lines = [f"- {pool['name']} ({pool['type']}, version {pool['version']}): {pool['keys']}" for pool in pools]
    return Answer(fence(lines, desk.seed) if lines else "No pool is within reach.", {"done": "listed", "pools": pools})


def _read(pool: Pool, key: str | None, desk: Desk) -> Answer:
    if key is None:
        return _told("read", pool, desk)
    if key not in pool.data:
        known = ", ".join(sorted(pool.data)[:20]) or "none"
        raise NotFound("key", repr(key), f"pool {pool.name!r} has: {known}")
    value = pool.data[key]
    text = f"{key} (version {pool.version}):\n{fence([_json(value)], desk.seed)}"
    return Answer(text, {"done": "read", "version": pool.version, "value": value})


def _told(done: str, pool: Pool, desk: Desk) -> Answer:
    form = {"done": done, "name": pool.name, "type": pool.type, "version": pool.version, "data": pool.data}
    return Answer(f"{done}, version {pool.version}:\n{fence([_json(pool.data)], desk.seed)}", form)


def _json(value: Any) -> str:
    from json import dumps

    return dumps(value, ensure_ascii=False, sort_keys=True)


POOL = Tool(
    name="pool",
    title="Shared pool",
    description=(
        "JSON that several agents share while they work: task state, a blackboard, cached results. list; read "
        "(all, or one `key`); create; write (`value` replaces all, or goes under `key`); merge; remove a `key`; "
        "drop; grant or revoke another agent read or write. Give the `version` you read, and a change by somebody "
        "else in between is refused instead of lost.\n"
        "Do NOT keep knowledge here: pools are not recalled, and may expire (remember)."
    ),
    arguments={
        "action": word(tuple(_NEEDS)),
        "name": text(),
        "key": text(),
        "value": anything("any JSON; an object for a whole pool"),
        "version": whole(),
        "type": word(POOL_TYPES),
        "agent": text(),
        "level": word(ACCESS_LEVELS),
        "ttl": number("seconds"),
        "access": thing("read, write: lists of agents; public_read"),
        "task": text(),
        "team": text(),
    },
    required=("action",),
    answer=answer("done", done=text(), version=whole(), data=thing(), pools=things(name=text())),
    run=_pool,
    destroys=True,
)
