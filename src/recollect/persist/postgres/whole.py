"""The whole of one account, for moving it elsewhere: its rows in order, with everything that hangs on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from recollect.errors import StoreError
from recollect.persist.postgres.session import Rows, Session
from recollect.persist.postgres.sql import queries
from recollect.persist.rows import memory_of
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
                memory_of(row, account),
                models.get(row[0]),
                np.stack(parts[row[0]]) if row[0] in parts else None,
                row[-1],
            )
            for row in rows
        ]

    def purged_digests(self, account: str) -> list[bytes]:
        return [digest for (digest,) in self._ask(account, "purged_digests")]

    @abstractmethod
    def _ask(self, account: str, name: str, /, **values: Any) -> Rows: ...
