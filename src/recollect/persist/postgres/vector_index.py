"""The vector indexes of large accounts: which account needs one, and making and dropping them outside the write path.

Each is partial, for one account and one model, on the partition that holds the account: a graph index shared by many accounts
would be walked through other people's rows, and small accounts, which are measured, would pay for it with every write.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from recollect.persist.postgres.sql import queries

if TYPE_CHECKING:
    from psycopg import Connection

# An account with fewer memories than this is measured row by row and gets no index.
INDEXED_FROM = 5_000
_LINKS, _WIDTH = 16, 200
# So many vectors of an account wait beside its index at most; each costs a search two to three microseconds.
MOST_WAITING = 512


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """The index of one account and model, made or to be made."""

    account_id: int
    model: str
    memories: int
    dimensions: int
    partition: str
    exists: bool
    valid: bool

    @property
    def name(self) -> str:
        return index_name(self.account_id, self.model)


def index_name(account_id: int, model: str) -> str:
    """The name of an index, the same wherever it is asked for."""
    mark = blake2b(model.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"vectors_near_{account_id & 0xFFFF_FFFF_FFFF_FFFF:016x}_{mark}"


def wanted_indexes(connection: Connection[Any], least: int = INDEXED_FROM) -> list[VectorIndex]:
    """The indexes that large accounts have or should have; as the owner of the tables, who sees all accounts."""
    found = connection.execute(queries("search.sql")["large_accounts"], {"least": least}).fetchall()
    indexes = []
    for account_id, model, memories, dimensions in found:
        partition, valid = _state(connection, "vectors", account_id, index_name(account_id, model))
        indexes.append(VectorIndex(account_id, model, memories, dimensions, partition, valid is not None, bool(valid)))
    return indexes


def make(connection: Connection[Any], index: VectorIndex) -> None:
    """Build an index while others read and write; a connection of the owner in autocommit.

    One that an earlier attempt left unfinished is dropped first.
    """
    from psycopg import sql

    name = sql.Identifier(index.name)
    if index.exists and not index.valid:
        connection.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(name))
    statement = sql.SQL(queries("search.sql")["make_index"]).format(
        name=name,
        partition=sql.Identifier(*index.partition.split(".")),
        dimensions=sql.Literal(index.dimensions),
        account_id=sql.Literal(index.account_id),
        model=sql.Literal(index.model),
        links=sql.Literal(_LINKS),
        width=sql.Literal(_WIDTH),
    )
    connection.execute(statement)
    # The planner knows what a walk costs only when it knows how many rows there are.
    for table in ("vectors", "memories"):
        partition, _ = _state(connection, table, index.account_id, index.name)
        connection.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(*partition.split("."))))


def _state(connection: Connection[Any], table: str, account_id: int, name: str) -> tuple[str, bool | None]:
    """The part of a table that holds an account, and whether an index of this name on it is valid; None without one."""
    values = {"table": table, "account_id": account_id, "name": name}
    found = connection.execute(queries("search.sql")["index_state"], values).fetchone()
    assert found is not None, "every account has its part of a table"
    return found[0], found[1]
