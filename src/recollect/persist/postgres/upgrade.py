"""Upgrading: what `recollect migrate` does: the schema first, then the vector indexes of accounts that have grown large."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable

from recollect.persist.postgres.address import Address, Options, address_of
from recollect.persist.postgres.connection import Connection, Connections, direct
from recollect.persist.postgres.leases import Leases
from recollect.persist.postgres.linking import linked
from recollect.persist.postgres.migrate import exists, migrate
from recollect.persist.postgres.seam import translated
from recollect.persist.postgres.sql import queries
from recollect.persist.postgres.vector_index import VectorIndex, make, wanted_indexes

_WORK, _SECONDS = "vector indexes", 6 * 3600.0


def upgraded(
    url: str, options: Options, *, dry_run: bool, progress: Callable[[str], None] | None = None
) -> list[tuple[str, str]]:
    """Bring a database up to date; returns what was done, or would be."""
    address = address_of(url, options)
    told = progress or (lambda _: None)
    told("the schema")
    done = [(step.name, step.detail) for step in migrate(address, options, dry_run=dry_run)]
    return done + _indexed(address, options, dry_run, told)


def _indexed(address: Address, options: Options, dry_run: bool, told: Callable[[str], None]) -> list[tuple[str, str]]:
    with direct(address) as connection, translated(address):
        if dry_run and not exists(connection, address.schema):
            return []
        connection.execute(queries()["session_path"], {"schema": address.schema})
        wanted = wanted_indexes(connection)
        missing = [index for index in wanted if not index.valid]
        if missing and not dry_run:
            _make(connection, address, options, missing, told)
        for index in () if dry_run else wanted:
            while linked(connection, index.account_id):
                told(index.name)
    return [("vector index", f"{index.memories:,} memories of {index.model}: {index.name}") for index in missing]


def _make(
    connection: Connection, address: Address, options: Options, missing: list[VectorIndex], told: Callable[[str], None]
) -> None:
    """One process at a time: two would build the same index twice."""
    connections = Connections(address, options)
    try:
        with Leases(connections).held(_WORK, f"{socket.gethostname()}:{os.getpid()}", _SECONDS) as mine:
            for index in missing if mine else ():
                told(index.name)
                make(connection, index)
    finally:
        connections.close()
