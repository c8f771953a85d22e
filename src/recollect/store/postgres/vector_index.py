"""The vector indexes of large accounts: which account needs one, making them, and the vectors that wait beside them.

Each is partial, for one account and one model, on the partition of the account: an HNSW index shared by many accounts would be
walked through other accounts' rows, and small accounts, which are measured row by row, would pay for it with every write.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from psycopg import sql

from recollect.store.postgres.connections import Connection
from recollect.store.postgres.sql import queries

# An account with fewer memories than this is measured row by row and gets no index.
INDEXED_FROM = 5_000
_LINKS, _WIDTH = 16, 200
# So many vectors of an account wait beside its index at most; each costs a search two to three microseconds.
MOST_WAITING = 512
# So few are added at a time that nobody waits for a lock for long.
_FEW = 4


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


def wanted_indexes(connection: Connection, least: int = INDEXED_FROM) -> list[VectorIndex]:
    """The indexes that large accounts have or should have; asked as the owner of the tables, who sees all accounts."""
    found = connection.execute(queries("search.sql")["large_accounts"], {"least": least}).fetchall()
    indexes = []
    for account_id, model, memories, dimensions in found:
        partition, valid = _state(connection, "vectors", account_id, index_name(account_id, model))
        indexes.append(VectorIndex(account_id, model, memories, dimensions, partition, valid is not None, bool(valid)))
    return indexes


def make_index(connection: Connection, index: VectorIndex) -> None:
    """Build an index while others read and write; a connection of the owner in autocommit.

    One that an earlier attempt left unfinished is dropped first.
    """
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
    # The planner knows the cost of an index scan only when it knows how many rows there are.
    for table in ("vectors", "memories"):
        partition, _ = _state(connection, table, index.account_id, index.name)
        connection.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(*partition.split("."))))


def _state(connection: Connection, table: str, account_id: int, name: str) -> tuple[str, bool | None]:
    """The partition of an account, and whether the index of this name on it is valid; None when there is none."""
    values = {"table": table, "account_id": account_id, "name": name}
    found = connection.execute(queries("search.sql")["index_state"], values).fetchone()
    assert found is not None, "every account has a partition"
    return found[0], found[1]


def add_waiting_vectors(connection: Connection, account_id: int, few: int = _FEW) -> int:
    """Add some of an account's waiting vectors to its index, in a transaction of its own; returns how many.

    Adding one takes as long as everything else about storing a memory, so `remember` leaves it to this.
    """
    with connection.transaction():
        connection.execute(f"SET LOCAL recollect.account = '{int(account_id)}'")
        return connection.execute(queries()["add_waiting_vectors"], {"account_id": account_id, "few": few}).rowcount
