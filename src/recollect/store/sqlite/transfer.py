"""Transfer of whole accounts: rows in order with everything that belongs to them, and the keyed hashes of purged texts."""

from __future__ import annotations

import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.store.rows import place_of_text, place_text, replayed_row
from recollect.store.secrets import joined_secrets
from recollect.store.sqlite.index_cache import IndexCache
from recollect.store.sqlite.queries import queries
from recollect.store.sqlite.rows import blob_of, id_bytes, id_text, memory_of, vectors_of
from recollect.values.event import Event
from recollect.values.ids import fingerprint
from recollect.values.purge_digests import PurgeDigests, purge_digests
from recollect.values.transfer import PurgedDigest, StoredRow

_FORMER = "former_secrets"


class AccountTransfer:
    """One account of an open file, by its name and its number."""

    def __init__(self, connection: sqlite3.Connection, account: str, number: int) -> None:
        self._connection, self._account, self._number = connection, account, number

    def scan(self, after: int, limit: int, model: str, dimensions: int) -> list[StoredRow]:
        """A page of rows; `model` and `dimensions` are those in use."""
        rows = self._run("walk_memories", after=after, limit=limit).fetchall()
        known = {model: dimensions}
        for row in rows:
            if row["model"] is not None and row["model"] not in known:
                known[row["model"]] = self._dimensions(row["model"])
        return [
            StoredRow(
                row["row"],
                memory_of(row, self._account),
                row["model"],
                None if row["model"] is None else vectors_of(row["vector"], known[row["model"]]),
                None if row["cluster"] is None else id_text(row["cluster"]),
            )
            for row in rows
        ]

    def _dimensions(self, model: str) -> int:
        """Of a model that is not in use, told from its shortest vector: most memories have one passage only."""
        return int(self._run("shortest_vector", model=model).fetchone()["bytes"]) // 2

    def purged_digests(self) -> list[PurgedDigest]:
        """The keyed hashes of what was purged."""
        return sorted(PurgedDigest(row["digest"], place_of_text(row["place"])) for row in self._run("all_purged"))

    def keep_purged(self, secrets: Sequence[str], digests: Sequence[PurgedDigest]) -> None:
        """Take digests in, and the secrets they were made with."""
        empty = bool(self._run("holds_nothing").fetchone()["empty"])
        own, *former = joined_secrets(known_secrets(self._connection), secrets, empty=empty)
        for name, value in (("secret", own), (_FORMER, json.dumps(former))):
            self._connection.execute(queries()["set_note"], {"name": name, "value": value})
        for purged in digests:
            self._run("add_purged", digest=purged.digest, place=place_text(purged.place))

    def replay(self, event: Event) -> int:
        """Write one line of the journal as it was."""
        row = None
        if event.document is None:
            row = self._run("row_of", id=id_bytes(event.memory_id)).fetchone()
        cursor = self._run("add_event", row=0 if row is None else row["row"], **replayed_row(event, id_bytes))
        return cursor.lastrowid or 0

    def put_vectors(self, row: int, model: str, vectors: NDArray[np.float32]) -> None:
        """Vectors of a model that is not in use."""
        self._run("put_vector", row=row, model=model, vector=blob_of(vectors))

    def _run(self, name: str, /, **values: object) -> sqlite3.Cursor:
        return self._connection.execute(queries()[name], {"account": self._number, **values})


class TransferQueries(ABC):
    """The part of a reader that reads a whole account, and makes the keyed hashes of texts."""

    _connection: sqlite3.Connection
    _indexes: IndexCache
    _secrets: list[bytes]

    def accounts(self) -> list[str]:
        return [row["name"] for row in self._connection.execute(queries()["all_accounts"])]

    def scan(self, account: str, after: int, limit: int) -> list[StoredRow]:
        return self._whole(account).scan(after, limit, self._indexes.model, self._indexes.dimensions)

    def purged_digests(self, account: str) -> list[PurgedDigest]:
        return self._whole(account).purged_digests()

    def digest_keys(self, account: str) -> tuple[str, ...]:  # noqa: ARG002 - one key for all accounts of a file
        return tuple(known_secrets(self._connection))

    def digest(self, text: str) -> bytes:
        """The keyed fingerprint of a text in this store."""
        return fingerprint(text, self.secrets()[0])

    def purge_digests(self, text: str) -> Iterator[PurgeDigests]:
        """The digests under which a text may be known as purged, by this secret and by former ones."""
        return (purge_digests(text, secret) for secret in self.secrets())

    def secrets(self) -> list[bytes]:
        """The secret of this store, then former ones; read anew in every view, because an import may bring others."""
        if not self._secrets:
            self._secrets = [bytes.fromhex(secret) for secret in known_secrets(self._connection)]
        return self._secrets

    def _whole(self, account: str) -> AccountTransfer:
        return AccountTransfer(self._connection, account, self._number(account))

    @abstractmethod
    def _number(self, account: str) -> int: ...


def known_secrets(connection: sqlite3.Connection) -> list[str]:
    """The secret of a file, then the former ones under which it knows purged texts."""
    notes = {name: connection.execute(queries()["get_note"], {"name": name}).fetchone() for name in ("secret", _FORMER)}
    former = notes[_FORMER]
    return [notes["secret"]["value"], *(json.loads(former["value"]) if former else ())]
