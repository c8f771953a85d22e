"""PlainMemory: the yardstick on one file, what a programmer writes in an hour: SQLite with FTS5, and an exact numpy scan.

It promises nothing: no journal, no rule of who sees what, no belief, no counter, one writer. Both result lists are fused by
reciprocal rank.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.values.passages import is_named

_SCHEMA = """
CREATE TABLE turns (id INTEGER PRIMARY KEY, content TEXT, session TEXT, speaker TEXT, at REAL, vector BLOB);
CREATE TABLE bare (id INTEGER PRIMARY KEY, content TEXT);
CREATE VIRTUAL TABLE words USING fts5(content, content=turns, content_rowid=id, tokenize='porter unicode61');
"""
_WORDS = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
_DEPTH, _FUSION, _BATCH = 48, 60, 512


class PlainMemory:
    """One table, one full-text index, one matrix."""

    def __init__(self, path: Path, embedder: Any) -> None:
        self._file, self._embedder = sqlite3.connect(path, isolation_level=None), embedder
        self._file.execute("PRAGMA journal_mode = WAL").fetchone()
        self._file.execute("PRAGMA synchronous = FULL")
        self._file.executescript(_SCHEMA)
        self._matrix: NDArray[np.float32] | None = None

    def remember_many(self, drafts: Sequence[Any]) -> None:
        """Store turns, each batch in one durable transaction."""
        for first in range(0, len(drafts), _BATCH):
            batch = drafts[first : first + _BATCH]
            vectors = self._embedder.embed_documents([_embedded(draft) for draft in batch])
            self._file.execute("BEGIN IMMEDIATE")
            for draft, vector in zip(batch, vectors, strict=True):
                row = (draft.content, draft.session, draft.speaker, draft.occurred_at.timestamp(), vector.tobytes())
                cursor = self._file.execute(
                    "INSERT INTO turns (content, session, speaker, at, vector) VALUES (?,?,?,?,?)", row
                )
                self._file.execute("INSERT INTO words (rowid, content) VALUES (?, ?)", (cursor.lastrowid, row[0]))
            self._file.execute("COMMIT")
        self._matrix = None

    def insert(self, drafts: Sequence[Any]) -> None:
        """A durable INSERT of each text and nothing else: the least that a write can cost on this disk."""
        for draft in drafts:
            self._file.execute("INSERT INTO bare (content) VALUES (?)", (draft.content,))

    def recall(self, question: str, limit: int = 10) -> list[str]:
        """The best texts by meaning and by words."""
        if self._matrix is None:
            rows = self._file.execute("SELECT vector FROM turns ORDER BY id")
            self._matrix = np.concatenate([np.frombuffer(blob, np.float32)[None] for (blob,) in rows])
        near = self._matrix @ self._embedder.embed_query(question)
        top = np.argpartition(-near, _DEPTH)[:_DEPTH]
        meaning = [int(place) + 1 for place in top[np.argsort(-near[top])]]
        asked = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        words = [row for (row,) in self._file.execute(_WORDS, (asked, _DEPTH))]
        score: Counter[int] = Counter()
        for leg in (meaning, words):
            score.update({row: 1 / (_FUSION + rank) for rank, row in enumerate(leg)})  # type: ignore[dict-item]
        best = [row for row, _ in score.most_common(limit)]
        return [self._file.execute("SELECT content FROM turns WHERE id = ?", (row,)).fetchone()[0] for row in best]


def _embedded(draft: Any) -> str:
    return f"{draft.speaker}: {draft.content}" if is_named(draft.speaker) else str(draft.content)
