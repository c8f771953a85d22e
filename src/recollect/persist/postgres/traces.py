"""Traces: after a purge, take the old versions of its rows out of the tables, as far as one may.

What the server keeps for itself (its write-ahead log until it is recycled, backups, replicas' logs) is out of reach of SQL.
"""

from __future__ import annotations

from psycopg import sql

from recollect.persist.postgres.address import Address
from recollect.persist.postgres.connection import direct
from recollect.persist.postgres.rows import account_number
from recollect.persist.postgres.seam import translated
from recollect.persist.postgres.sql import queries

_VACUUM = sql.SQL("VACUUM (INDEX_CLEANUP ON, TRUNCATE ON) {}")


def erase_traces(address: Address, account: str) -> None:
    """Vacuum the parts that held the account. Only their owner may; for another role autovacuum does it, later."""
    with direct(address) as connection, translated(address):
        values = {"schema": address.schema, "account_id": account_number(account)}
        for (part,) in connection.execute(queries()["parts_of"], values).fetchall():
            connection.execute(_VACUUM.format(sql.Identifier(address.schema, part)))
