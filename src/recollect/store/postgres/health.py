"""What `doctor` finds out about a database: versions, row-level security, settings, indexes, and how lookups are planned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recollect.store.postgres.connections import Connection, Connections, transaction_settings
from recollect.store.postgres.options import Options
from recollect.store.postgres.rows import account_number
from recollect.store.postgres.schema import version_of
from recollect.store.postgres.sql import queries
from recollect.store.postgres.vector_index import wanted_indexes

_MANY_ROWS = 10_000


def health(connection: Connection, connections: Connections, account: str = "default") -> dict[str, Any]:
    """Findings by name, over a connection of the login role outside the pool; `findings` are those that need a person."""
    # One transaction: behind a pooler, the next one may run on another connection of the server.
    with connection.transaction():
        connection.execute(queries()["migration_path"], {"search_path": connections.search_path})
        indexes, missing = _vector_indexes(connection)
        by_words, slow = _words(connection)
        settings = transaction_settings(connections)
        connection.execute(settings.sql, settings.values)
        return _health(connection, connections, account, indexes, by_words, [*missing, *slow])


def _health(
    connection: Connection, connections: Connections, account: str, indexes: str, by_words: str, problems: list[str]
) -> dict[str, Any]:
    """The same inside a transaction with the settings of every transaction of the pool."""
    version, vector, newest, durable, failures, most = _row(connection, "server")
    size, index_size = _row(connection, "sizes")
    held, wall = _wall(connection)
    plans = _plans(connection, account)
    findings = [
        *([] if durable else ["the server does not wait for its disk (fsync, full_page_writes, synchronous_commit)"]),
        *([] if held else [f"the wall between accounts is not in force: {wall}; run `recollect migrate`"]),
        *problems,
        *_settings(connection, connections, most),
        *_indexes(connection),
        *(
            f"{what} reads a whole partition of many rows; run ANALYZE"
            for what, plan in plans.items()
            if plan == "whole partition"
        ),
    ]
    if newest and vector != newest:
        findings.append(f"pgvector {newest} is there, {vector} is in use; run ALTER EXTENSION vector UPDATE")
    return {
        "integrity": "ok" if not failures else f"{failures} pages failed their checksum",
        "orphans": 0,  # every reference is a constraint of the database
        "schema": version_of(connection),
        "bytes": size,
        "index_bytes": index_size,
        "server": {
            "server": f"PostgreSQL {version.split()[0]}, pgvector {vector}",
            "wall": wall,
            "durable": "yes" if durable else "no",
            "vector indexes": indexes,
            **{f"found {what}": plan for what, plan in plans.items()},
            "found by words": by_words,
        },
        "findings": findings,
    }


def _row(connection: Connection, name: str, **values: Any) -> tuple[Any, ...]:
    found = connection.execute(queries()[name], values).fetchone()
    assert found is not None
    return found


def _wall(connection: Connection) -> tuple[bool, str]:
    above, owns, open_tables = _row(connection, "wall_held")
    if above:
        return False, "this role is above it"
    if owns:
        return False, "this role owns the tables"
    if open_tables:
        return False, f"{open_tables} tables lack it"
    return True, "in force"


def _settings(connection: Connection, connections: Connections, most: int) -> Iterator[str]:
    """Settings that are not what they should be in a transaction of the pool."""
    options: Options = connections.options
    wanted = {
        "statement_timeout": str(round(options.statement_seconds * 1000)),
        "lock_timeout": str(round(options.lock_seconds * 1000)),
        "idle_in_transaction_session_timeout": str(round(options.idle_seconds * 1000)),
        "plan_cache_mode": "force_generic_plan" if options.prepared else "auto",
        "enable_seqscan": "off",
        "max_parallel_workers_per_gather": "0",
        "row_security": "on",
        "transaction_read_only": "off",
    }
    found: dict[str, str] = dict(connection.execute(queries()["current_settings"], {"names": list(wanted)}).fetchall())
    for name, value in wanted.items():
        if found.get(name) != value:
            yield f"{name} is {found.get(name)}, not {value}, in transactions of {connections.address.shown}"
    if options.connections >= most:
        yield f"postgres_connections is {options.connections}, and the server allows {most} in all; lower it"


def _indexes(connection: Connection) -> Iterator[str]:
    for (name,) in connection.execute(queries()["broken_indexes"]).fetchall():
        yield f"the index {name} was never finished; run `recollect migrate`"
    for (name,) in connection.execute(queries()["unmeasured"]).fetchall():
        yield f"{name} holds many rows and was never measured; run ANALYZE"


def _vector_indexes(connection: Connection) -> tuple[str, list[str]]:
    """Those of large accounts; only who may see all accounts can tell."""
    if not _row(connection, "may_see_all")[0]:
        return "not told to this role", []
    wanted = wanted_indexes(connection)
    lacking = [index for index in wanted if not index.valid]
    problems = [f"an account of {index.memories:,} memories lacks its vector index" for index in lacking]
    return f"{len(wanted) - len(lacking)} of {len(wanted)}", [f"{said}; run `recollect migrate`" for said in problems]


def _words(connection: Connection) -> tuple[str, list[str]]:
    """Which index is asked for words; they are looked up by functions of the owner, so only who may see all can tell."""
    if not _row(connection, "may_see_all")[0]:
        return "not told to this role", []
    plan = _row(connection, "plan_of_words")[0][0]["Plan"]
    wide = [
        leaf for leaf in _leaves(plan) if leaf["Plan Rows"] > _MANY_ROWS and "words" not in leaf.get("Index Name", "")
    ]
    return _way(plan), [
        "words are looked up through the entries of whole accounts; run ANALYZE memories"
    ] if wide else []


def _plans(connection: Connection, account: str) -> dict[str, str]:
    """Whether the planner takes an index for what must be quick."""
    number = account_number(account)
    values = {"account_id": number, "ids": ["00000000-0000-7000-8000-000000000000"], "digest": b""}
    return {
        what: _way(_row(connection, name, **values)[0][0]["Plan"])
        for what, name in (("by id", "plan_of_ids"), ("by text", "plan_of_texts"))
    }


def _way(plan: dict[str, Any]) -> str:
    leaves = list(_leaves(plan))
    if any(leaf["Node Type"] == "Seq Scan" and leaf["Plan Rows"] > _MANY_ROWS for leaf in leaves):
        return "whole partition"
    named = [leaf["Index Name"] for leaf in leaves if "Index Name" in leaf]
    return f"through {named[0]}" if named else "few rows, read through"


def _leaves(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The nodes of a plan that read a table or an index."""
    if not node.get("Plans"):
        yield node
    for inner in node.get("Plans", []):
        yield from _leaves(inner)
