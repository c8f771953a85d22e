"""The whole of one account, for moving it elsewhere: its rows in order, with everything that hangs on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.errors import InvalidInput, StoreError
from recollect.persist.postgres.graph import AccountGraph
from recollect.persist.postgres.rows import memory_of
from recollect.persist.postgres.session import Rows, Session
from recollect.persist.postgres.sql import queries
from recollect.values.cluster import Cluster
from recollect.values.kept import Kept


class WholeReader(ABC):
    """The part of a reader that tells all of an account."""

    _session: Session

    def accounts(self) -> list[str]:
        if not self._session.sees_all():
            raise StoreError(
                "only the owner of the schema may list the accounts; give the URL of that role, or name the account"
            )
        with self._session.as_login():
            return [name for (name,) in self._session.read_store("all_accounts", {})]

    def walk(self, account: str, after: int, limit: int) -> list[Kept]:
        rows = self._ask(account, "walk", after=after, limit=limit)
        parts: dict[int, list[Any]] = {}
        models: dict[int, str] = {}
        asked = {"rows": [row[0] for row in rows]}
        for row, model, vector in self._session.read(queries()["walk_vectors"], account, asked, binary=True):
            parts.setdefault(row, []).append(vector.to_numpy().astype(np.float16))
            models[row] = model
        return [
            Kept(
                row[0],
                memory_of(row[:-1], account),
                models.get(row[0]),
                np.stack(parts[row[0]]) if row[0] in parts else None,
                row[-1],
            )
            for row in rows
        ]

    def all_clusters(self, account: str) -> list[tuple[str, Cluster]]:
        return self._graph(account).all_clusters()

    def purged_digests(self, account: str) -> list[bytes]:
        return [digest for (digest,) in self._ask(account, "purged_digests")]

    @abstractmethod
    def _ask(self, account: str, name: str, /, **values: Any) -> Rows: ...

    @abstractmethod
    def _graph(self, account: str) -> AccountGraph: ...


def checked(model: str, vectors: NDArray[np.float32], dimensions: int) -> NDArray[np.float32]:
    """Vectors of the model in use, if they can be: what has other dimensions could be compared with nothing."""
    if np.atleast_2d(vectors).shape[1] != dimensions:
        raise InvalidInput(
            "vectors", f"{model} has {dimensions} dimensions, not so many", "leave them out and re-embed"
        )
    return vectors
