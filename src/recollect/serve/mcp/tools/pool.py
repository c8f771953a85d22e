"""The tool pool: JSON data that agents share while they work, with versions and grants."""

from __future__ import annotations

import json
from typing import Any

from recollect.errors import NotFound, StaleVersion
from recollect.serve.mcp.arguments import (
    Arguments,
    action_arguments,
    choice,
    json_object,
    json_value,
    key,
    name,
    seconds,
    whole,
)
from recollect.serve.mcp.schemas import integer, object_, objects, output, string
from recollect.serve.mcp.text import fence
from recollect.serve.mcp.tool import Tool, ToolContext, ToolResult
from recollect.values.enums import ACCESS_LEVELS, POOL_TYPES
from recollect.values.tiers import Pool

# The required and the optional arguments of each action.
_ACTIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "list": ((), ("type",)),
    "read": (("name",), ("key",)),
    "create": (("name",), ("type", "value", "ttl", "access", "task", "team")),
    "write": (("name", "value"), ("key", "version")),
    "merge": (("name", "value"), ("version",)),
    "remove": (("name", "key"), ("version",)),
    "drop": (("name",), ()),
    "grant": (("name", "agent", "level"), ()),
    "revoke": (("name", "agent"), ("level",)),
}
_MAX_KEYS_NAMED = 20


def _pool(context: ToolContext, given: Arguments) -> ToolResult:
    action = given.pop("action")
    arguments = action_arguments(action, given, *_ACTIONS[action])
    try:
        return _run(context, action, arguments)
    except StaleVersion as stale:
        # The error shows the current data, so that the agent can redo its change without another call.
        current = fence(context, [_json(stale.data)])
        stale.field, stale.args = "version", (f"version: {stale.problem}; current data: {current}; {stale.fix}",)
        raise


def _run(context: ToolContext, action: str, given: Arguments) -> ToolResult:
    pools, name = context.memory.pools, given.get("name", "")
    match action:
        case "list":
            return _list_result(context, pools.list(**given))
        case "read":
            return _read_result(context, pools.get(name), given.get("key"))
        case "create":
            fields = {key: value for key, value in given.items() if key not in ("name", "value")}
            return _pool_result(context, "created", pools.create(name, data=given.get("value"), **fields))
        case "write" if "key" in given:
            pool = pools.write_key(name, given["key"], given["value"], given.get("version"))
            return _pool_result(context, "written", pool)
        case "write":
            pool = pools.write(name, given["value"], expected_version=given.get("version"))
            return _pool_result(context, "written", pool)
        case "merge":
            pool = pools.merge(name, given["value"], expected_version=given.get("version"))
            return _pool_result(context, "merged", pool)
        case "remove":
            return _pool_result(context, "removed", pools.remove_key(name, given["key"], given.get("version")))
        case "grant":
            return _pool_result(context, "granted", pools.grant(name, given["agent"], given["level"]))
        case "revoke":
            return _pool_result(context, "revoked", pools.revoke(name, given["agent"], given.get("level")))
        case _:
            pools.drop(name)
            return ToolResult(f"dropped pool {name}", {"done": "dropped"})


def _list_result(context: ToolContext, found: list[Pool]) -> ToolResult:
    pools = [
        {"name": pool.name, "type": pool.type, "version": pool.version, "keys": sorted(pool.data)} for pool in found
    ]
    lines = [f"- {pool['name']} ({pool['type']}, version {pool['version']}): {pool['keys']}" for pool in pools]
    return ToolResult(fence(context, lines) if lines else "No visible pools.", {"done": "listed", "pools": pools})


def _read_result(context: ToolContext, pool: Pool, wanted: str | None) -> ToolResult:
    if wanted is None:
        return _pool_result(context, "read", pool)
    if wanted not in pool.data:
        known = ", ".join(sorted(pool.data)[:_MAX_KEYS_NAMED]) or "none"
        raise NotFound("key", repr(wanted), f"keys of pool {pool.name!r}: {known}")
    value = pool.data[wanted]
    text = f"{wanted} (version {pool.version}):\n{fence(context, [_json(value)])}"
    return ToolResult(text, {"done": "read", "version": pool.version, "value": value})


def _warning(pool: Pool) -> str:
    return " (low trust: it reads like instructions to an agent)" if pool.labels else ""


def _pool_result(context: ToolContext, done: str, pool: Pool) -> ToolResult:
    structured = {"done": done, "name": pool.name, "type": pool.type, "version": pool.version, "data": pool.data}
    structured |= {"labels": list(pool.labels)} if pool.labels else {}
    return ToolResult(
        f"{done}, version {pool.version}{_warning(pool)}:\n{fence(context, [_json(pool.data)])}", structured
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


POOL = Tool(
    name="pool",
    title="Shared pool",
    description=(
        "JSON that several agents share while they work: task state, a blackboard, cached results. list; read "
        "(all, or one `key`); create; write (`value` replaces all, or one `key`); merge; remove a `key`; "
        "drop; grant or revoke another agent read or write. Give the `version` you read: your change is "
        "refused if another agent made one since.\n"
        "Do NOT store knowledge here: pools are not recalled and may expire (remember)."
    ),
    arguments={
        "action": choice(tuple(_ACTIONS)),
        "name": name(),
        "key": key(),
        "value": json_value("any JSON; an object for a whole pool"),
        "version": whole(low=1),
        "type": choice(POOL_TYPES, listed=True),
        "agent": name(),
        "level": choice(ACCESS_LEVELS, listed=True),
        "ttl": seconds("3600, 24h or 7d"),
        "access": json_object("JSON of read, write: lists of agents; public_read"),
        "task": name(),
        "team": name(),
    },
    required=("action",),
    output_schema=output("done", done=string(), version=integer(), data=object_(), pools=objects(name=string())),
    run=_pool,
    hints={"pools.list": 'pool(action="list")'},
    destructive=True,
)
